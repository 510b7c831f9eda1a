//! Review kits over real git repositories.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::Site;
use crate::pictures::{artifact, copy_kit};

fn git(folder: &Path, args: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=Test", "-c", "user.email=test@example.test", "-c", "init.defaultBranch=main"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn edit(file: &Path, change: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    change(&mut value);
    fs::write(file, value.to_string()).unwrap();
}

/// No address leads out of the folder.
fn is_self_contained(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().chain(fs::read_dir(folder.join("specimens")).unwrap()) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "html") {
            let text = fs::read_to_string(&path).unwrap();
            for start in ["src=\"", "href=\"", "url("] {
                for address in text.split(start).skip(1).map(|rest| rest.split(['"', ')']).next().unwrap()) {
                    let is_inside = address.is_empty()
                        || address.starts_with('#')
                        || address.starts_with("data:")
                        || path.parent().unwrap().join(address).exists();
                    // A link of a specimen is text of the kit, and goes nowhere by itself.
                    let is_example = path.parent().unwrap().ends_with("specimens") && start == "href=\"";
                    assert!(is_inside || is_example, "{address} in {}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_review_shows_what_changed_since_a_revision() {
    let mut site = Site::with_programs();
    let kit = site.path().join("design/kit");
    copy_kit(&kit);
    fs::write(site.path().join("page.css"), ".title { color: #123456; }\n").unwrap();
    git(site.path(), &["init", "-q"]);
    git(site.path(), &["add", "-A"]);
    git(site.path(), &["commit", "-q", "-m", "start"]);
    git(site.path(), &["tag", "start"]);
    edit(&kit.join("tokens/brands/A/base.json"), |tokens| {
        tokens["color"]["brand"]["accent"]["default"]["$value"] = json!("#0b7a4b");
    });
    edit(&kit.join("components/primitive.json"), |list| {
        let list = list.as_array_mut().unwrap();
        list.retain(|component| component["name"] != "Avatar");
        let button = list.iter_mut().find(|component| component["name"] == "Button").unwrap();
        button["traits"] = json!(["Themeable"]);
    });
    let axe = crate::generated_code::modules().join("axe-core/axe.min.js");
    site.change(|config| {
        config.kit = Some(kit.clone());
        config.programs.as_mut().unwrap().axe = Some(axe);
    });
    let answer = site.call("reviewKit.create", json!({ "apply": true, "base": "start" }));
    let figures = &answer["structuredData"];
    assert!(figures["comparedWith"].as_str().unwrap().starts_with("start ("), "{figures}");
    assert!(figures["tokens"].as_u64().unwrap() > 0, "{figures}");
    assert!(figures["pictures"]["different"].as_u64().unwrap() > 0, "{figures}");
    assert_eq!(figures["accessibility"]["browser"]["status"], "ok", "{figures}");
    assert_eq!(figures["accessibility"]["browser"]["seriousViolations"], 0, "{figures}");
    assert!(
        figures["audit"]["warnings"].as_u64().unwrap() + figures["audit"]["errors"].as_u64().unwrap() > 0
    );

    let read = |name: &str| fs::read_to_string(artifact(&site, &answer, name)).unwrap();
    let tokens: Value = serde_json::from_str(&read("tokens.diff.json")).unwrap();
    let accent =
        tokens.as_array().unwrap().iter().find(|one| one["path"] == "color.brand.accent.default").unwrap();
    assert_eq!(
        (&accent["change"], &accent["values"][0]["after"]),
        (&json!("changed"), &json!("#0b7a4b")),
        "{accent}"
    );
    let components: Value = serde_json::from_str(&read("components.diff.json")).unwrap();
    let named =
        |name: &str| components.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone();
    assert_eq!(named("Avatar")["change"], "removed");
    assert!(named("Button")["details"].to_string().contains("traits"));
    let index = artifact(&site, &answer, "/index.html");
    let page = fs::read_to_string(&index).unwrap();
    for expected in ["#0b7a4b", "Avatar", "page.css:1", "type=\"range\"", "specimens/dark.html"] {
        assert!(page.contains(expected), "{expected}");
    }
    is_self_contained(index.parent().unwrap());
    if let Some(keep) = std::env::var_os("MAINSTAY_KEEP_REVIEW") {
        Command::new("cp").arg("-r").arg(index.parent().unwrap()).arg(keep).status().unwrap();
    }

    let fault = site.fault("reviewKit.create", json!({ "base": "no-such-tag" }));
    assert!(fault.message.contains("no-such-tag"), "{}", fault.message);
    site.fault("reviewKit.create", json!({ "base": "--output=x" }));
}

#[test]
fn without_history_and_browser_a_review_says_so() {
    let mut site = Site::with_programs();
    site.change(|config| {
        config.programs.as_mut().unwrap().env.insert("PATH".into(), "/nonexistent".into());
    });
    let plan = site.call("reviewKit.create", json!({}));
    assert_eq!(plan["artifacts"], json!([]));
    assert!(plan["preview"]["summary"].as_str().unwrap().contains("built-in kit"), "{plan}");
    let answer = site.call("reviewKit.create", json!({ "apply": true }));
    let page = fs::read_to_string(artifact(&site, &answer, "/index.html")).unwrap();
    assert!(page.contains("CAPABILITY_MISSING") && page.contains("Not compared"));
    is_self_contained(artifact(&site, &answer, "/index.html").parent().unwrap());
    let kit = site.path().join("kit");
    copy_kit(&kit);
    site.change(|config| config.kit = Some(kit));
    let plan = site.call("reviewKit.create", json!({}));
    assert!(plan["preview"]["summary"].as_str().unwrap().contains("git is not installed"), "{plan}");
}
