//! Pictures and scans of specimens, by a real browser.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainstay_contract::{Call, CallParts, Caller, NoHost, Silent, StopReason};
use serde_json::{Value, json};

use crate::harness::Site;

pub fn artifact(site: &Site, answer: &Value, end: &str) -> PathBuf {
    let paths: Vec<&str> =
        answer["artifacts"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    let found =
        paths.iter().find(|path| path.ends_with(end)).unwrap_or_else(|| panic!("no {end} in {paths:?}"));
    site.path().join(found)
}

/// The built-in kit as a user's own, in the project.
pub fn copy_kit(to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("kit")).unwrap() {
        copy(&entry.unwrap().path(), to);
    }
}

fn copy(from: &Path, into: &Path) {
    let to = into.join(from.file_name().unwrap());
    if from.is_dir() {
        fs::create_dir_all(&to).unwrap();
        fs::read_dir(from).unwrap().for_each(|entry| copy(&entry.unwrap().path(), &to));
    } else {
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn one_changed_token_is_found_and_a_second_run_is_clean() {
    let mut site = Site::with_programs();
    let kit = site.path().join("kit");
    copy_kit(&kit);
    site.change(|config| config.kit = Some(kit.clone()));
    let look = |site: &Site, more: Value| {
        let mut args = json!({ "apply": true, "brands": ["A"], "themes": ["light", "hc"], "only": ["Button", "Text", "VizMarkPreview", "record-list-pattern"] });
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        site.call("vrt.run", args)
    };
    let plan = look(&site, json!({ "apply": false }));
    assert_eq!((&plan["artifacts"], &plan["status"]), (&json!([]), &json!("ok")));
    let first = look(&site, json!({}));
    assert_eq!(
        first["preview"]["summary"],
        "Made baselines of 8 specimens; later runs are compared with them."
    );
    artifact(&site, &first, "baselines/manifest.json");
    let again = look(&site, json!({}));
    assert_eq!(again["preview"]["summary"], "All 8 specimens look as they did.");
    assert_eq!(again["artifacts"].as_array().unwrap().len(), 2, "{again}");

    // One token: the accent of brand A, in the light theme only.
    let file = kit.join("tokens/brands/A/base.json");
    let mut tokens: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    tokens["color"]["brand"]["accent"]["default"]["$value"] = json!("#0b7a4b");
    fs::write(&file, tokens.to_string()).unwrap();
    site.change(|_| {});
    let changed = look(&site, json!({}));
    assert_eq!(changed["status"], "invalid", "{changed}");
    let list = changed["structuredData"]["changed"].as_array().unwrap();
    let found: Vec<(&str, &str)> =
        list.iter().map(|one| (one["theme"].as_str().unwrap(), one["id"].as_str().unwrap())).collect();
    assert!(found.contains(&("light", "Button")) && !found.iter().any(|(_, id)| *id == "Text"), "{found:?}");
    for end in ["A-light-Button-before.png", "A-light-Button-after.png", "A-light-Button-diff.png"] {
        assert!(fs::read(artifact(&site, &changed, end)).unwrap().starts_with(b"\x89PNG"), "{end}");
    }
    let report = fs::read_to_string(artifact(&site, &changed, "report.html")).unwrap();
    assert!(report.contains("type=\"range\"") && !report.contains("http://") && !report.contains("https://"));

    let accepted = look(&site, json!({ "update": true, "themes": ["light"], "only": ["Button"] }));
    assert_eq!(accepted["structuredData"]["diffs"], 1, "{accepted}");
    let rest = look(&site, json!({}));
    let list = rest["structuredData"]["changed"].as_array().unwrap();
    assert_eq!(list.len(), found.len() - 1, "only what was accepted is accepted: {rest}");
    let folder = artifact(&site, &accepted, "baselines/manifest.json").parent().unwrap().to_owned();
    let pictures = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    for picture in pictures.filter(|path| path.extension().is_some_and(|end| end == "png")) {
        fs::write(picture, "not a picture").unwrap();
    }
    let fault = site.fault("vrt.run", json!({ "only": ["Button"], "themes": ["light"], "brands": ["A"] }));
    assert!(fault.message.contains("is not the file it was"), "{}", fault.message);
}

#[test]
fn a_browser_that_crashes_once_is_started_again() {
    let mut site = Site::with_programs();
    let folder = site.path().to_owned();
    let script = folder.join("browser");
    // Answers its version, is killed by the first page and works from then on.
    let text = "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit 1\ncase \"$*\" in *--version*) exec chromium \"$@\" ;; esac\n\
        if [ ! -e crashed ]; then : > crashed; kill -SEGV $$; fi\nexec chromium \"$@\"\n";
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    site.change(|config| config.programs.as_mut().unwrap().browser = Some(script.clone()));
    let one = json!({ "only": ["Button"], "themes": ["light"], "brands": ["A"] });
    let drawn = site.call("vrt.run", one.clone());
    assert!(folder.join("crashed").exists() && drawn["status"] == "ok", "{drawn}");

    fs::write(&script, "#!/bin/sh\ncase \"$*\" in *--version*) exec chromium \"$@\" ;; esac\nexit 7\n")
        .unwrap();
    let fault = site.fault("vrt.run", one);
    assert!(fault.message.contains("exited with status 7"), "{}", fault.message);
}

#[test]
fn without_a_browser_nothing_passes_silently() {
    let mut site = Site::with_programs();
    site.change(|config| {
        let programs = config.programs.as_mut().unwrap();
        programs.env.insert("PATH".into(), "/nonexistent".into());
    });
    let fault = site.fault("vrt.run", json!({}));
    assert_eq!(fault.code.name(), "CAPABILITY_MISSING");
    assert!(fault.hint.unwrap().contains("apt install chromium"));
    let scan = site.call("a11y.scan", json!({ "apply": true }));
    assert_eq!(scan["structuredData"]["browser"]["code"], "CAPABILITY_MISSING");
    assert!(scan["preview"]["notes"][0].as_str().unwrap().contains("axe-core did not run"), "{scan}");
    let page = fs::read_to_string(artifact(&site, &scan, "a11y-report.html")).unwrap();
    assert!(page.contains("CAPABILITY_MISSING"));
    site.change(|config| config.programs = None);
    assert_eq!(site.fault("vrt.run", json!({})).code.name(), "CAPABILITY_MISSING");
}

#[test]
fn names_that_do_not_exist_are_refused_before_a_browser_starts() {
    let site = Site::with_programs();
    let fault = site.fault("vrt.run", json!({ "only": ["Buton"] }));
    assert!(fault.hint.unwrap().contains("Button"));
    site.fault("vrt.run", json!({ "themes": ["sepia"] }));
    site.fault("vrt.run", json!({ "brands": ["Z"] }));
    site.fault("vrt.run", json!({ "baseline": "../elsewhere" }));
    site.fault("vrt.run", json!({ "baseline": "no/such" }));
    site.fault("a11y.scan", json!({ "schema": { "version": "1", "screens": [] } }));
}

#[test]
fn a_scan_measures_every_theme_and_brand_and_runs_axe_on_the_tree() {
    let mut site = Site::with_programs();
    let axe = crate::generated_code::modules().join("axe-core/axe.min.js");
    site.change(|config| config.programs.as_mut().unwrap().axe = Some(axe));
    // An image without an alternative text, and text nobody can read.
    let schema = json!({ "version": "2026.02", "screens": [{ "id": "s", "component": "Stack", "children": [
        { "id": "faint", "component": "Text", "props": { "content": "Hard to read" }, "style": { "color": "#dddddd" } },
        { "id": "picture", "component": "Image", "props": { "src": "data:image/gif;base64,R0lGODlhAQABAAAAACw=" } },
    ] }] });
    let scan = site.call("a11y.scan", json!({ "apply": true, "schema": schema }));
    let report: Value =
        serde_json::from_str(&fs::read_to_string(artifact(&site, &scan, "a11y-report.json")).unwrap())
            .unwrap();
    let pairs: std::collections::BTreeSet<(String, String)> = report["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| (rule["brand"].to_string(), rule["theme"].to_string()))
        .collect();
    assert_eq!(pairs.len(), 6);
    assert_eq!(report["summary"]["complianceStatus"], "compliant");
    let primary =
        report["rules"].as_array().unwrap().iter().find(|rule| rule["ruleId"] == "text-on-surface").unwrap();
    assert_eq!(primary["target"], "sys-text-primary on sys-surface-canvas");
    let codes: Vec<&str> =
        report["findings"].as_array().unwrap().iter().map(|issue| issue["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"A11Y_ALT_MISSING"), "{codes:?}");
    let names: Vec<&str> = report["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["component"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Stack", "Text", "Image"]);
    let browser = &report["browser"];
    assert_eq!(
        (&browser["status"], browser["pages"].as_array().unwrap().len()),
        (&json!("ok"), 3),
        "{browser}"
    );
    assert_eq!(scan["status"], "invalid");
}

/// Processes whose command line names a folder.
fn processes(folder: &Path) -> usize {
    let wanted = folder.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    entries
        .filter(|entry| {
            fs::read_to_string(entry.path().join("cmdline")).is_ok_and(|line| line.contains(wanted))
        })
        .count()
}

#[test]
fn a_cancelled_run_leaves_no_browser_and_no_folder() {
    for (tool, args) in [
        ("vrt.run", json!({ "apply": true })),
        (
            "a11y.scan",
            json!({ "apply": true, "schema": { "version": "2026.02", "screens": [{ "id": "s", "component": "Stack" }] } }),
        ),
        ("reviewKit.create", json!({ "apply": true })),
    ] {
        cancelled_under_way(tool, args);
    }
}

fn cancelled_under_way(tool: &str, args: Value) {
    let mut site = Site::with_programs();
    let temp = tempfile::tempdir().unwrap();
    site.change(|config| {
        let programs = config.programs.as_mut().unwrap();
        programs.env.insert("TMPDIR".into(), temp.path().into());
        programs.axe = Some(crate::generated_code::modules().join("axe-core/axe.min.js"));
    });
    let (name, tool) = (tool, site.tool(tool).clone());
    let cancel = mainstay_contract::CancelToken::new();
    let call = Call::new(CallParts {
        tool: Arc::clone(&tool.def),
        caller: Caller::default(),
        request_id: None,
        cancel: cancel.clone(),
        progress: Arc::new(Silent),
        host: Arc::new(NoHost),
        client: None,
        meta: Default::default(),
        input: Default::default(),
        changes: Default::default(),
    });
    let running = std::thread::spawn(move || (tool.run)(&call, args));
    let start = Instant::now();
    while processes(temp.path()) < 3 {
        assert!(
            start.elapsed() < Duration::from_secs(60) && !running.is_finished(),
            "{name} started no browser"
        );
        std::thread::yield_now();
    }
    cancel.cancel(StopReason::Cancelled);
    let fault = running.join().unwrap().unwrap_err();
    assert_eq!(fault.code.name(), "CANCELLED");
    assert_eq!(processes(temp.path()), 0, "{name}");
    let left: Vec<PathBuf> = fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{name} left {left:?}");
    assert!(!site.path().join("artifacts").exists(), "{name} wrote something");
}
