//! The committed files that are written from the definitions are what the definitions say now.

use std::collections::BTreeMap;
use std::path::Path;

use crate::site::{Site, workspace};

fn check_current(verb: &str, committed: &str) {
    let site = Site::new();
    let fresh = site.repo().join("fresh");
    let ran = site.run(["contract", verb, fresh.to_str().unwrap()]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let (fresh, committed_files) = (files(&fresh), files(&workspace().join(committed)));
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed_files), names(&fresh), "run scripts/generate");
    for (name, text) in fresh {
        assert!(committed_files[&name] == text, "{committed}/{name} is not current: run scripts/generate");
    }
}

fn files(dir: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            (entry.file_name().into_string().unwrap(), text)
        })
        .collect()
}

#[test]
fn contract_snapshots_are_current() {
    check_current("snapshot", "docs/contracts");
}

#[test]
fn reference_pages_are_current() {
    check_current("docs", "docs/reference");
}
