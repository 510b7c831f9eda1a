//! Grooming: what it counts, what it changes, and that a second run changes nothing.

use mainstay_catalog::sha256_hex;
use serde_json::{Value, json};

use crate::site::{Site, entry_with};

fn groom(site: &Site, mode: Value) -> Value {
    site.call("instructions/groom", json!({ "mode": mode }))
}

fn file(site: &Site, id: &str, more: Value) {
    site.write(&format!("{id}.json"), entry_with(id, more).to_string());
}

#[test]
fn untidy_files_are_counted_against_the_disk_and_rewritten_once() {
    let site = Site::new();
    file(&site, "a", json!({"categories": ["B", "a", "b"]}));
    file(&site, "b", json!({"sourceHash": "0".repeat(64)}));
    site.add("tidy", "x");
    let dry = groom(&site, json!({"dryRun": true}));
    assert_eq!(dry["notes"], json!(["would-rewrite:2", "would-remove:0"]));
    assert_eq!(
        (&dry["hash"], &dry["dryRun"], &dry["filesRewritten"]),
        (&dry["previousHash"], &json!(true), &json!(0))
    );
    assert_eq!(site.raw("a.json")["categories"], json!(["B", "a", "b"]), "a dry run writes nothing");
    let done = groom(&site, json!({}));
    assert_eq!(
        [
            &done["scanned"],
            &done["normalizedCategories"],
            &done["repairedHashes"],
            &done["filesRewritten"],
            &done["usagePruned"]
        ],
        // Both hand-written files lack a fitting hash.
        [&json!(3), &json!(1), &json!(2), &json!(2), &json!(0)]
    );
    assert_eq!(site.raw("a.json")["categories"], json!(["a", "b"]));
    assert_eq!(site.raw("b.json")["sourceHash"], sha256_hex("Body of b"));
    assert_ne!(done["hash"], done["previousHash"]);
    let again = groom(&site, json!({}));
    assert_eq!((&again["filesRewritten"], &again["hash"]), (&json!(0), &done["hash"]));
}

#[test]
fn duplicates_merge_into_the_oldest_and_the_rest_is_deprecated() {
    let site = Site::new();
    let same = |created: &str, priority: u8, category: &str| json!({"body": "same", "createdAt": created, "priority": priority, "categories": [category]});
    file(&site, "young", same("2025-03-01T00:00:00.000Z", 10, "x"));
    file(&site, "old", same("2025-01-01T00:00:00.000Z", 50, "z"));
    file(&site, "undated", json!({"body": "same", "categories": ["y"]}));
    file(&site, "single", json!({}));
    let done = groom(&site, json!({"mergeDuplicates": true}));
    assert_eq!((&done["duplicatesMerged"], &done["deprecatedRemoved"]), (&json!(2), &json!(0)));
    let old = site.get("old");
    assert_eq!((&old["priority"], &old["categories"]), (&json!(10), &json!(["x", "y", "z"])));
    for id in ["young", "undated"] {
        let duplicate = site.get(id);
        assert_eq!(
            (&duplicate["deprecatedBy"], &duplicate["requirement"]),
            (&json!("old"), &json!("deprecated")),
            "{id}"
        );
    }
    let again = groom(&site, json!({"mergeDuplicates": true}));
    assert_eq!((&again["filesRewritten"], &again["duplicatesMerged"]), (&json!(0), &json!(2)));
}

#[test]
fn equal_dates_choose_the_smaller_id() {
    let site = Site::new();
    for id in ["b", "a", "c"] {
        file(&site, id, json!({"body": "same", "createdAt": "2025-01-01T00:00:00.000Z"}));
    }
    let done = groom(&site, json!({"mergeDuplicates": true, "removeDeprecated": true}));
    assert_eq!((&done["duplicatesMerged"], &done["deprecatedRemoved"]), (&json!(2), &json!(2)));
    assert_eq!(site.ids(), ["a"]);
    assert_eq!(groom(&site, json!({"mergeDuplicates": true, "removeDeprecated": true}))["filesRewritten"], 0);
}

#[test]
fn deprecated_entries_go_to_the_archive_with_their_counts() {
    let site = Site::new();
    site.add("new", "x");
    file(&site, "old", json!({"requirement": "deprecated", "deprecatedBy": "new"}));
    file(&site, "orphan", json!({"requirement": "deprecated", "deprecatedBy": "nobody"}));
    site.call("usage/track", json!({"id": "old"}));
    site.call("usage/track", json!({"id": "new"}));
    let dry = groom(&site, json!({"dryRun": true, "removeDeprecated": true}));
    assert_eq!(dry["notes"][1], "would-remove:1");
    let done = groom(&site, json!({"removeDeprecated": true}));
    assert_eq!((&done["deprecatedRemoved"], &done["usagePruned"]), (&json!(1), &json!(1)));
    assert_eq!(site.ids(), ["new", "orphan"]);
    assert_eq!(site.get("new")["usageCount"], 1, "other counts stay");
    assert_eq!(site.second().get("new")["usageCount"], 1);
    let restored = site.call("instructions/restore", json!({"revision": done["revision"]}));
    assert!(restored["restored"].as_array().unwrap().contains(&json!("old")), "{restored}");
    assert_eq!(site.get("old").get("usageCount"), None, "a pruned count does not come back");
    site.call("usage/track", json!({"id": "old"}));
    assert_eq!(site.second().get("old")["usageCount"], 1, "a new use counts");
}

#[test]
fn scope_tokens_leave_the_disk_only_when_purged() {
    let site = Site::new();
    file(&site, "a", json!({"categories": ["Scope:Team:Core", "scope:user:ann", "topic"]}));
    let dry = groom(&site, json!({"dryRun": true, "purgeLegacyScopes": true}));
    assert_eq!((&dry["purgedScopes"], &dry["notes"][0]), (&json!(2), &json!("would-purge:2")));
    groom(&site, json!({}));
    assert_eq!(site.raw("a.json")["categories"], json!(["scope:team:core", "scope:user:ann", "topic"]));
    let done = groom(&site, json!({"purgeLegacyScopes": true}));
    assert_eq!(done["purgedScopes"], 2);
    assert_eq!(site.raw("a.json")["categories"], json!(["topic"]));
    let item = site.second().get("a");
    assert_eq!((&item["userId"], &item["teamIds"]), (&json!("ann"), &json!(["core"])));
    assert_eq!(groom(&site, json!({"purgeLegacyScopes": true}))["purgedScopes"], 0);
}
