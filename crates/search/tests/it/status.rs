//! Index life as a caller sees it: none, built, changed, damaged, forbidden.

use std::sync::Arc;

use mainstay_contract::{Caller, ErrorCode};
use serde_json::json;

use crate::site::Site;

#[test]
fn without_an_index_the_answer_is_the_next_step() {
    let site = Site::new(&[("a.rs", "fn a() {}\n")]);
    let fault = site.call("search", json!({"query": "a"})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NoIndex);
    assert!(fault.hint.unwrap().contains("index build"));
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], false);
    assert_eq!(site.call("check_status", json!({})).unwrap()["ok"], false);
}

#[test]
fn a_build_counts_and_a_second_one_is_free() {
    let site = Site::new(&[("a.rs", "fn a() {}\n"), ("b.py", "def b(): pass\n")]);
    site.write("c.bin", &[0; 64]);
    let first = site.call("build_index", json!({})).unwrap();
    assert_eq!(
        (&first["files"], &first["analysedFiles"], &first["skipped"]["binary"]),
        (&json!(2), &json!(2), &json!(1))
    );
    let second = site.call("build_index", json!({})).unwrap();
    assert_eq!(second["analysedFiles"], 0);
    let full = site.call("build_index", json!({"incremental": false})).unwrap();
    assert_eq!(full["analysedFiles"], 2);
    let status = site.call("index_status", json!({})).unwrap();
    assert_eq!(status["index"]["languages"], json!({"python": 1, "rust": 1}));
}

#[test]
fn a_changed_file_is_found_without_a_build() {
    let site = Site::indexed(&[("a.rs", "fn alpha() {}\n")]);
    assert!(site.places(json!({"query": "omega"})).is_empty());
    site.write("b.rs", b"fn omega() {}\n");
    let found = site.call("search", json!({"query": "omega"})).unwrap();
    assert_eq!(found["search"]["code"][0]["file"], "b.rs");
    assert_eq!(found["search"]["freshness"]["addedFiles"], 1);
}

#[test]
fn a_damaged_index_is_reported_and_built_again() {
    let mut site = Site::indexed(&[("a.rs", "fn alpha() {}\n")]);
    let status = site.call("index_status", json!({})).unwrap();
    let dir = std::path::PathBuf::from(status["repoCacheRoot"].as_str().unwrap());
    for entry in std::fs::read_dir(&dir).unwrap().flatten().filter(|entry| entry.path().is_file()) {
        std::fs::remove_file(entry.path()).unwrap();
        std::fs::write(entry.path(), b"nothing of the kind").unwrap();
    }
    site.restart();
    assert_eq!(site.call("check_status", json!({"verify": true})).unwrap()["ok"], false);
    assert_eq!(site.call("search", json!({"query": "alpha"})).unwrap_err().code, ErrorCode::NoIndex);
    site.call("build_index", json!({})).unwrap();
    assert_eq!(site.places(json!({"query": "alpha"})), ["a.rs:1"]);
}

#[test]
fn a_caller_sees_only_its_roots() {
    let site = Site::indexed(&[("a.rs", "fn alpha() {}\n")]);
    let caller = |root: std::path::PathBuf| Caller { roots: Some(Arc::from([root])), ..Caller::default() };
    let inside = site.call_as(caller(site.repo()), "search", json!({"query": "alpha"}));
    assert!(inside.is_ok());
    let elsewhere = tempfile::tempdir().unwrap();
    for path in [site.repo(), site.outside().join("none")] {
        let args = json!({"query": "alpha", "repoPath": path});
        let fault = site.call_as(caller(elsewhere.path().to_owned()), "search", args).unwrap_err();
        assert_eq!(fault.code, ErrorCode::Forbidden, "{path:?}");
    }
}

#[test]
fn hostile_paths_are_refused() {
    let site = Site::new(&[]);
    for path in ["\0", "", "../../../../nowhere", "file:///etc", &"a".repeat(20_000)] {
        let fault = site.call("index_status", json!({"repoPath": path})).unwrap_err();
        assert!(
            matches!(fault.code, ErrorCode::InvalidRequest | ErrorCode::NotFound),
            "{path:.20}: {fault:?}"
        );
    }
}
