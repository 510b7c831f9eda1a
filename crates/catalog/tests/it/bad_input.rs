//! Hostile and broken input: a clear answer, and nothing else changed.

use serde_json::{Value, json};

use crate::site::{Site, entry, entry_with};

/// A site with one entry and a file outside the catalog that nobody may touch.
fn site() -> Site {
    let site = Site::new();
    site.add("safe", "untouched");
    std::fs::write(site.root.path().join("victim.json"), entry("victim", "outside").to_string()).unwrap();
    site
}

fn bad_entries() -> Vec<(Value, &'static str)> {
    let with = |field: &str, value: Value| {
        let mut entry = entry("fresh", "x");
        entry[field] = value;
        entry
    };
    vec![
        (entry("../victim", "x"), "invalid id"),
        (entry("..", "x"), "invalid id"),
        (entry("a/b", "x"), "invalid id"),
        (entry("a\\b", "x"), "invalid id"),
        (entry("/etc/passwd", "x"), "invalid id"),
        (entry("C:", "x"), "invalid id"),
        (entry("gates", "x"), "invalid id: gates is reserved"),
        (entry(".catalog", "x"), "invalid id"),
        (entry(&"x".repeat(121), "x"), "invalid id: longer than 120 characters"),
        (entry("UpperCase", "x"), "invalid id"),
        (entry("has space", "x"), "invalid id"),
        (entry("dot.dot", "x"), "invalid id"),
        (entry("naïve", "x"), "invalid id"),
        (entry("nul\0byte", "x"), "invalid id"),
        (entry("fresh", &"x".repeat(1_000_001)), "body is longer than 1000000 bytes"),
        (with("priority", json!(0)), "priority must be an integer from 1 to 100"),
        (with("priority", json!(101)), "priority must be an integer from 1 to 100"),
        (with("priority", json!(1.5)), "priority must be an integer from 1 to 100"),
        (with("priority", json!("NaN")), "priority must be an integer from 1 to 100"),
        (with("priority", json!(-1e300)), "priority must be an integer from 1 to 100"),
        (with("audience", json!("developers")), "audience must be individual, group or all"),
        (with("requirement", json!("maybe")), "requirement must be mandatory"),
        (with("requirement", json!("deprecated")), "a deprecated entry needs deprecatedBy"),
        (with("categories", json!("topic")), "categories must be a list of strings"),
        (with("title", json!(7)), "title must be a string"),
        (with("version", json!("latest")), "version must be major.minor.patch"),
        (with("nextReviewDue", json!("soon")), "nextReviewDue must be an ISO 8601 date and time"),
        (with("extra", json!("x".repeat(5_000_000))), "the entry is larger than 4194304 bytes"),
    ]
}

#[test]
fn a_bad_entry_is_refused_by_add_with_the_reason() {
    let site = site();
    let before = site.files();
    for (entry, expected) in bad_entries() {
        for overwrite in [false, true] {
            let result = site.call("instructions/add", json!({"entry": entry, "overwrite": overwrite}));
            let error = result["error"].as_str().unwrap_or_else(|| panic!("{}: {result}", entry["id"]));
            assert!(error.starts_with(expected), "{error} / {expected}");
            assert_eq!(result["id"], entry["id"]);
        }
    }
    assert_eq!(site.files(), before);
    assert_eq!(site.ids(), ["safe"]);
}

#[test]
fn a_bad_entry_is_refused_by_import_and_the_rest_is_taken() {
    let site = site();
    let mut entries: Vec<Value> = bad_entries().into_iter().map(|(entry, _)| entry).collect();
    let bad = entries.len();
    entries.push(entry("good", "x"));
    let result = site.call("instructions/import", json!({ "entries": entries }));
    assert_eq!(result["imported"], 1);
    for (error, (entry, expected)) in result["errors"].as_array().unwrap().iter().zip(bad_entries()) {
        // Problems found while writing come last, so only the id decides for those.
        let text = error["error"].as_str().unwrap();
        assert!(text.starts_with(expected) || entry["extra"].is_string(), "{text} / {expected}");
    }
    assert_eq!(result["errors"].as_array().unwrap().len(), bad);
    assert_eq!(site.ids(), ["good", "safe"]);
    assert!(site.root.path().join("victim.json").exists());
}

#[test]
fn remove_never_reaches_outside() {
    let site = site();
    site.write("gates.json", r#"{"gates":[]}"#);
    let before = site.files();
    let ids = json!(["../victim", "..", "gates", ".catalog/lock", "/etc/passwd", "safe/../safe", "SAFE"]);
    let result = site.call("instructions/remove", json!({"ids": ids, "purge": true}));
    assert_eq!((&result["removed"], result["missing"].as_array().unwrap().len()), (&json!(0), 7));
    assert_eq!(site.files(), before);
}

#[test]
fn broken_files_are_named_and_the_rest_serves() {
    let site = site();
    let good = entry("other", "x").to_string();
    site.write("empty.json", "")
        .write("truncated.json", &good[..40])
        .write("binary.json", [0u8, 159, 146, 150, 255])
        .write("bom.json", format!("\u{FEFF}{}", entry("bom", "x")))
        .write("array.json", "[1]")
        .write("audience.json", entry_with("audience", json!({"audience": "x"})).to_string())
        .write("Evil.json", entry("../evil", "x").to_string())
        .write("copy-of-safe.json", entry("safe", "impostor").to_string())
        .write("huge.json", vec![b' '; 4 * 1024 * 1024 + 1]);
    std::fs::create_dir(site.dir().join("directory.json")).unwrap();
    let expected = [
        ("Evil.json", "invalid id"),
        ("array.json", "is not a JSON object"),
        ("audience.json", "audience must be individual, group or all"),
        ("binary.json", "is not valid JSON"),
        ("copy-of-safe.json", "duplicate id safe: already in safe.json"),
        ("empty.json", "is empty"),
        ("huge.json", "is larger than 4194304 bytes"),
        ("truncated.json", "is not valid JSON"),
    ];
    for server in [&site.server, &site.second()] {
        let health = server.call("health/check", json!({}));
        let rejected = health["catalog"]["rejected"].as_array().unwrap();
        assert_eq!(rejected.len(), expected.len(), "{health}");
        for (rejected, (file, reason)) in rejected.iter().zip(expected) {
            assert_eq!(rejected["file"], file);
            assert!(rejected["reason"].as_str().unwrap().starts_with(reason), "{rejected}");
        }
        assert_eq!(server.ids(), ["bom", "safe"]);
        assert_eq!(server.get("safe")["body"], "untouched");
    }
}

#[cfg(unix)]
#[test]
fn links_and_pipes_are_not_followed() {
    let site = site();
    std::os::unix::fs::symlink(site.root.path().join("victim.json"), site.dir().join("victim.json")).unwrap();
    std::os::unix::fs::symlink("/nowhere", site.dir().join("dangling.json")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(site.dir().join("pipe.json")).status();
    let health = site.call("health/check", json!({}));
    let reason = |file: &str| {
        let rejected = health["catalog"]["rejected"].as_array().unwrap();
        rejected
            .iter()
            .find(|item| item["file"] == file)
            .map(|item| item["reason"].as_str().unwrap().to_owned())
    };
    assert_eq!(reason("victim.json").as_deref(), Some("is a symbolic link"));
    assert_eq!(reason("dangling.json").as_deref(), Some("is a symbolic link"));
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(reason("pipe.json").as_deref(), Some("is not a regular file"));
    }
    // Writing over a link replaces the link, not what it points to.
    let outside = std::fs::read(site.root.path().join("victim.json")).unwrap();
    let added = site.call("instructions/add", json!({"entry": entry("victim", "inside"), "overwrite": true}));
    assert_eq!(added["overwritten"], true, "{added}");
    assert_eq!(std::fs::read(site.root.path().join("victim.json")).unwrap(), outside);
    assert_eq!(site.get("victim")["body"], "inside");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_name_is_not_text_is_reported_and_forgotten_when_it_goes() {
    use std::os::unix::ffi::OsStrExt;

    let site = site();
    let path = site.dir().join(std::ffi::OsStr::from_bytes(b"caf\xE9.json"));
    let rejected = || site.call("health/check", json!({}))["catalog"]["rejected"].clone();
    assert_eq!(rejected(), json!([]));
    std::fs::write(&path, entry("cafe", "x").to_string()).unwrap();
    let expected = json!([{"file": "caf\u{FFFD}.json", "reason": "has a name that is not UTF-8"}]);
    assert_eq!(rejected(), expected);
    assert_eq!(site.second().call("health/check", json!({}))["catalog"]["rejected"], expected);
    assert_eq!(site.call("instructions/reload", json!({}))["rejected"], expected);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(rejected(), json!([]));
}

#[test]
fn deeply_nested_json_is_refused_not_fatal() {
    let site = site();
    site.write("deep.json", "[".repeat(100_000))
        .write("gates.json", format!("{{\"gates\":{}", "[".repeat(100_000)));
    assert_eq!(site.ids(), ["safe"]);
    assert_eq!(site.call("gates/evaluate", json!({}))["error"], "invalid gates file");
}
