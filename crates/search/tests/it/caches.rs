//! What is kept on disk can be seen, deleted and bounded; a dry run deletes nothing.

use std::sync::Arc;

use mainstay_contract::Caller;
use serde_json::json;

use crate::site::Site;

const FILES: &[(&str, &str)] = &[("a.rs", "fn alpha() {}\n")];

#[test]
fn the_report_names_the_index_and_its_size() {
    let site = Site::new(FILES);
    let empty = site.call("report_artifacts", json!({})).unwrap();
    assert_eq!((&empty["health"]["ok"], &empty["overall"]["totalBytes"]), (&json!(false), &json!(0)));
    site.call("build_index", json!({})).unwrap();
    let report = site.call("report_artifacts", json!({})).unwrap();
    assert_eq!(report["health"], json!({"ok": true, "issues": []}));
    assert!(report["repo"]["bytes"].as_u64().unwrap() > 0);
    assert_eq!(report["repo"]["repo"], json!(site.repo()));
    assert_eq!(report["overall"]["repos"].as_array().unwrap().len(), 1);
}

#[test]
fn cleaning_deletes_the_index_and_a_dry_run_does_not() {
    let site = Site::indexed(FILES);
    let planned = site.call("clean_artifacts", json!({"dryRun": true})).unwrap();
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], true);
    let done = site.call("clean_artifacts", json!({})).unwrap();
    assert_eq!(planned["removed"], done["removed"], "the dry run names what is deleted");
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], false);
    assert_eq!(
        site.call("clean_artifacts", json!({})).unwrap()["removed"],
        json!([]),
        "nothing is left to delete"
    );
}

#[test]
fn garbage_is_what_lost_its_repository_or_does_not_fit() {
    let site = Site::indexed(FILES);
    assert_eq!(site.call("cache_gc", json!({})).unwrap()["removed"], json!([]));
    assert_eq!(site.call("cache_gc", json!({"maxAgeDays": 1})).unwrap()["removed"], json!([]));
    let planned = site.call("cache_gc", json!({"maxBytes": 0, "dryRun": true})).unwrap();
    assert_eq!(planned["removed"].as_array().unwrap().len(), 1);
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], true);
    let gone = site.repo();
    std::fs::remove_dir_all(&gone).unwrap();
    let collected = site.call("cache_gc", json!({})).unwrap();
    assert_eq!(collected["removed"][0]["orphan"], true);
    assert_eq!(collected["removed"][0]["repo"], json!(gone));
}

#[test]
fn a_caller_with_roots_neither_sees_nor_deletes_other_indexes() {
    let site = Site::indexed(FILES);
    let elsewhere = tempfile::tempdir().unwrap();
    let caller = |root: std::path::PathBuf| Caller { roots: Some(Arc::from([root])), ..Caller::default() };
    let collected =
        site.call_as(caller(elsewhere.path().to_owned()), "cache_gc", json!({"maxBytes": 0})).unwrap();
    assert_eq!(collected["removed"], json!([]));
    let report = site.call_as(caller(site.repo()), "report_artifacts", json!({})).unwrap();
    assert_eq!(report["overall"]["repos"].as_array().unwrap().len(), 1);
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], true);
}

#[test]
fn a_plan_stands_for_exactly_what_was_shown() {
    for (tool, args) in [("clean_artifacts", json!({})), ("cache_gc", json!({"maxBytes": 0}))] {
        let site = Site::indexed(FILES);
        let call = |extra: serde_json::Value| {
            let mut args = args.clone();
            args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            site.call(tool, args)
        };
        let plan = call(json!({"dryRun": true})).unwrap()["planId"].clone();
        assert_eq!(call(json!({"dryRun": true})).unwrap()["planId"], plan, "nothing changed, the same plan");
        site.write("b.rs", b"fn beta() {}\n");
        site.call("build_index", json!({})).unwrap();
        let fault = call(json!({"planId": plan})).unwrap_err();
        assert_eq!(
            fault.code,
            mainstay_contract::ErrorCode::InvalidRequest,
            "{tool}: the index was built again"
        );
        assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], true);
        let fresh = call(json!({"dryRun": true})).unwrap();
        assert_eq!(fault.details["planId"], fresh["planId"]);
        let done = call(json!({"planId": fresh["planId"]})).unwrap();
        assert_eq!(done["removed"], fresh["removed"]);
        assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], false);
    }
}
