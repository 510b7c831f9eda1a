//! From nothing to searchable.

use mainstay_contract::{Caller, CancelToken, ErrorCode, StopReason};
use serde_json::{Value, json};

use crate::site::Site;

fn statuses(report: &Value) -> Vec<String> {
    let steps = report["steps"].as_array().unwrap().iter();
    steps
        .map(|step| format!("{} {}", step["name"].as_str().unwrap(), step["status"].as_str().unwrap()))
        .collect()
}

#[test]
fn a_repository_becomes_searchable() {
    let site = Site::new(&[("a.rs", "fn alpha() {}\n")]);
    let report = site.call("bootstrap", json!({})).unwrap();
    assert_eq!(report["searchable"], true);
    assert_eq!(
        statuses(&report),
        [
            "repository done",
            "install not_needed",
            "dictionaries not_needed",
            "tooling not_needed",
            "artifacts not_needed",
            "cache done",
            "index done",
            "sqlite not_needed",
            "try done"
        ]
    );
    assert_eq!(site.places(json!({"query": "alpha"})), ["a.rs:1"]);
    let again = site.call("bootstrap", json!({})).unwrap();
    assert!(again["steps"][6]["detail"].as_str().unwrap().ends_with(" 0 worked on"));
}

#[test]
fn what_is_skipped_is_said() {
    let site = Site::new(&[("a.rs", "fn alpha() {}\n")]);
    let args = json!({"skipInstall": true, "skipDicts": true, "skipTooling": true, "skipArtifacts": true, "skipIndex": true});
    let report = site.call("bootstrap", args).unwrap();
    assert_eq!(report["searchable"], false);
    assert_eq!(statuses(&report).iter().filter(|step| step.ends_with(" skipped")).count(), 6);
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], false);
}

#[test]
fn it_stops_at_the_step_it_is_told_to() {
    let site = Site::new(&[("a.rs", "fn alpha() {}\n")]);
    let cancel = CancelToken::new();
    cancel.cancel(StopReason::Cancelled);
    assert_eq!(
        site.call_until(Caller::default(), &cancel, "bootstrap", json!({})).unwrap_err().code,
        ErrorCode::Cancelled
    );
    assert_eq!(site.call("index_status", json!({})).unwrap()["indexed"], false);
}

#[test]
fn the_database_is_written_when_it_is_asked_for() {
    let site = Site::new(&[("a.rs", "fn alpha() {}\n")]);
    let report = site.call("bootstrap", json!({"withSqlite": true})).unwrap();
    assert_eq!(statuses(&report)[7], "sqlite done");
    assert_eq!(site.places(json!({"query": "alpha", "backend": "sqlite"})), ["a.rs:1"]);
    let empty = Site::new(&[]);
    let report = empty.call("bootstrap", json!({"withSqlite": true, "skipIndex": true})).unwrap();
    assert_eq!(statuses(&report)[7], "sqlite failed", "there is no index to write");
}
