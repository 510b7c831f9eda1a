//! Hashes that existing catalogs and clients depend on, byte for byte.

use mainstay_catalog::{CatalogConfig, sha256_hex};
use serde_json::json;

use crate::site::{Server, Site, entry_with};

/// Values computed with JavaScript's `localeCompare`, `JSON.stringify` and node's SHA-256.
const CATALOG: &str = "278766e63a5564b114cbe35db6c00f8b914fd1b605cd71e8d4ee30fbdd1feedb";
const GOVERNANCE: &str = "ccc852d3bf7e9dbbad28d8a36d89cd57c0ed765def8ca6a0ed151869ae05f164";
const GOVERNANCE_NEWLINE: &str = "30705168b0f2076e24c955e802a35576ce872b4e607530e8695d3b01b24aa18c";

fn golden_site() -> Site {
    let site = Site::new();
    for (n, id) in ["ab", "a-b", "a_b", "a1", "a-10", "a-9", "zz"].into_iter().enumerate() {
        let entry = json!({
            "id": id, "title": format!("Grüße/\"q\" {n}\u{1}"), "body": format!("body {id}"), "priority": 30,
            "audience": "all", "requirement": "optional", "categories": [], "version": "1.2.3",
            "owner": "team/core", "nextReviewDue": "2026-03-02T00:00:00.000Z"
        });
        site.write(&format!("{id}.json"), entry.to_string());
    }
    site
}

#[test]
fn catalog_and_governance_hashes_match_the_reference() {
    let site = golden_site();
    assert_eq!(site.call("instructions/list", json!({}))["hash"], CATALOG);
    assert_eq!(site.ids(), ["a_b", "a-10", "a-9", "a-b", "a1", "ab", "zz"]);
    let governance = site.call("instructions/governanceHash", json!({}));
    assert_eq!(governance["governanceHash"], GOVERNANCE);
    assert_eq!(governance["count"], 7);
    let keys: Vec<&String> = governance["items"][0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "id",
            "title",
            "version",
            "owner",
            "priorityTier",
            "nextReviewDue",
            "semanticSummarySha256",
            "changeLogLength"
        ]
    );
    let newline = Server::open(CatalogConfig { trailing_newline: true, ..site.config() });
    assert_eq!(newline.call("instructions/governanceHash", json!({}))["governanceHash"], GOVERNANCE_NEWLINE);
}

#[test]
fn an_empty_catalog_has_the_hash_of_nothing_with_and_without_newline() {
    let site = Site::new();
    assert_eq!(
        site.call("instructions/list", json!({})),
        json!({"hash": sha256_hex(""), "count": 0, "items": []})
    );
    let newline = Server::open(CatalogConfig { trailing_newline: true, ..site.config() });
    assert_eq!(newline.call("instructions/governanceHash", json!({}))["governanceHash"], sha256_hex(""));
}

#[test]
fn restart_and_second_process_compute_the_same_values_also_for_undated_files() {
    let site = Site::new();
    site.write("plain.json", r#"{"id":"plain","title":"P","body":"b","priority":5,"audience":"all","requirement":"optional","categories":[]}"#);
    let before = site.files();
    let first = site.call("instructions/governanceHash", json!({}));
    let second = site.second().call("instructions/governanceHash", json!({}));
    assert_eq!(first, second);
    assert_eq!(first["items"][0]["nextReviewDue"], "");
    assert_eq!(site.files(), before, "reading writes nothing");
    // The same through a rewrite of the body: nothing derived may move.
    site.call(
        "instructions/add",
        json!({"entry": {"id": "plain", "body": "other"}, "overwrite": true, "lax": true}),
    );
    let third = site.second().call("instructions/governanceHash", json!({}));
    assert_eq!(first["governanceHash"], third["governanceHash"]);
}

#[test]
fn body_edits_move_the_catalog_hash_only_and_governance_edits_the_other_one_only() {
    let site = Site::new();
    site.call("instructions/add", json!({"entry": entry_with("a", json!({"owner": "me"}))}));
    let hash = |tool: &str, key: &str| site.call(tool, json!({}))[key].clone();
    let (list, governance) =
        (hash("instructions/list", "hash"), hash("instructions/governanceHash", "governanceHash"));
    site.call(
        "instructions/add",
        json!({"entry": entry_with("a", json!({"body": "changed"})), "overwrite": true}),
    );
    assert_ne!(hash("instructions/list", "hash"), list);
    assert_eq!(hash("instructions/governanceHash", "governanceHash"), governance);
    let list = hash("instructions/list", "hash");
    for (field, value) in [
        ("title", json!("New title")),
        ("version", json!("2.0.0")),
        ("owner", json!("you")),
        ("priorityTier", json!("P4")),
        ("nextReviewDue", json!("2030-01-01T00:00:00.000Z")),
        ("semanticSummary", json!("another line")),
        ("changeLog", json!([{"version": "1", "changedAt": "x", "summary": "a"}, {"version": "2"}])),
    ] {
        let before = hash("instructions/governanceHash", "governanceHash");
        let mut edit = json!({"id": "a", "body": "changed"});
        edit[field] = value;
        site.call("instructions/add", json!({"entry": edit, "overwrite": true, "lax": true}));
        assert_ne!(hash("instructions/governanceHash", "governanceHash"), before, "{field}");
        assert_eq!(hash("instructions/list", "hash"), list, "{field}");
    }
}

#[test]
fn the_stored_body_is_hashed_trimmed_and_verifies() {
    let site = Site::new();
    site.add("a", "  padded \n");
    assert_eq!(site.get("a")["body"], "padded");
    assert_eq!(site.get("a")["sourceHash"], sha256_hex("padded"));
    assert_eq!(site.call("integrity/verify", json!({}))["issueCount"], 0);
}

#[test]
fn verify_and_repair_follow_the_recorded_hash() {
    let site = Site::new();
    site.add("a", "one");
    let mut raw = site.raw("a.json");
    raw["body"] = "two".into();
    site.write("a.json", raw.to_string());
    let verified = site.call("integrity/verify", json!({}));
    assert_eq!(
        verified["issues"],
        json!([{"id": "a", "expected": sha256_hex("one"), "actual": sha256_hex("two")}])
    );
    assert_eq!(site.call("instructions/repair", json!({})), json!({"repaired": 1, "updated": ["a"]}));
    assert_eq!(site.call("integrity/verify", json!({}))["issueCount"], 0);
    assert_eq!(site.raw("a.json")["sourceHash"], sha256_hex("two"));
    assert_eq!(site.call("instructions/repair", json!({})), json!({"repaired": 0, "updated": []}));
}

#[test]
fn repair_needs_the_gate_only_when_it_must_write() {
    let site = Site::new();
    site.add("a", "one");
    let reader = Server::read_only(site.config());
    assert_eq!(reader.call("instructions/repair", json!({})), json!({"repaired": 0, "updated": []}));
    let hash = reader.call("instructions/list", json!({}))["hash"].clone();
    assert_eq!(
        reader.call("instructions/repair", json!({"clientHash": hash})),
        json!({"upToDate": true, "hash": hash})
    );
    let mut raw = site.raw("a.json");
    raw["sourceHash"] = "0".repeat(64).into();
    site.write("a.json", raw.to_string());
    let fault = reader.try_call("instructions/repair", json!({})).unwrap_err();
    assert_eq!(fault.message, "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.");
}
