//! Usage counts: nothing is lost, whoever counts.

use mainstay_catalog::CatalogConfig;
use serde_json::json;

use crate::site::{Server, Site};

#[test]
fn counts_add_up_over_servers_and_survive_reload_groom_and_restart() {
    let site = Site::new();
    site.add("a", "x");
    site.add("b", "x2");
    let other = site.second();
    for n in 1..=3 {
        assert_eq!(site.call("usage/track", json!({"id": "a"}))["usageCount"], n * 2 - 1);
        let tracked = other.call("usage/track", json!({"id": "a"}));
        assert_eq!(tracked["usageCount"], n * 2);
        assert!(tracked["firstSeenTs"].as_str() <= tracked["lastUsedAt"].as_str());
    }
    assert_eq!(site.call("usage/flush", json!({})), json!({"flushed": true}));
    assert_eq!(site.get("a")["usageCount"], 6);
    site.call("instructions/reload", json!({}));
    site.call("instructions/groom", json!({"mode": {"mergeDuplicates": true}}));
    other.add("c", "another change");
    for server in [&site.server, &other, &site.second()] {
        assert_eq!(server.get("a")["usageCount"], 6);
    }
    assert_eq!(site.raw("a.json").get("usageCount"), None, "counts are not in the files");
}

#[test]
fn journals_of_ended_servers_are_folded_and_still_count() {
    let site = Site::new();
    site.add("a", "x");
    for n in 1..=40 {
        let server = site.second();
        assert_eq!(server.call("usage/track", json!({"id": "a"}))["usageCount"], n);
    }
    let journals = std::fs::read_dir(site.dir().join(".catalog/usage")).unwrap().flatten();
    let journals = journals.filter(|item| item.file_name().to_string_lossy().ends_with(".jsonl")).count();
    assert!(journals <= 18, "{journals} journals lie around");
    assert_eq!(site.get("a")["usageCount"], 40);
    assert_eq!(site.second().get("a")["usageCount"], 40);
}

#[test]
fn hotset_sorts_by_count_then_time_and_knows_its_limits() {
    let site = Site::new();
    for id in ["a", "b", "c", "never"] {
        site.add(id, id);
    }
    for id in ["a", "b", "b", "c", "gone"] {
        site.call("usage/track", json!({"id": id}));
    }
    let hot = site.call("usage/hotset", json!({}));
    let ids: Vec<&str> =
        hot["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!((ids[0], ids.len(), &hot["limit"], &hot["count"]), ("b", 3, &json!(10), &json!(3)));
    assert_eq!(site.call("usage/hotset", json!({"limit": 1}))["count"], 1);
    for limit in [0, 101] {
        assert!(site.try_call("usage/hotset", json!({"limit": limit})).is_err(), "{limit}");
    }
}

#[test]
fn tracking_needs_the_feature_and_an_entry() {
    let site = Site::new();
    site.add("a", "x");
    assert_eq!(site.call("usage/track", json!({"id": "zz"})), json!({"notFound": true}));
    let off = Server::open(CatalogConfig { features: Vec::new(), ..site.config() });
    assert_eq!(off.call("usage/track", json!({"id": "a"})), json!({"featureDisabled": true}));
    let status = off.call("feature/status", json!({}));
    assert_eq!(status, json!({"features": [], "counters": {"usage:gated": 1}, "env": []}));
    site.call("usage/track", json!({"id": "a"}));
    let status = site.call("feature/status", json!({}));
    assert_eq!(
        status,
        json!({"features": ["usage"], "counters": {"featureActivated:usage": 1, "propertyUpdate:usage": 1}, "env": ["usage"]})
    );
    let batch = site.call("usage/trackBatch", json!({"ids": ["a", "zz", "a"]}));
    assert_eq!((&batch["tracked"], &batch["results"][2]["usageCount"]), (&json!(2), &json!(3)));
}

#[test]
fn counts_of_an_earlier_server_are_added() {
    let site = Site::new();
    site.add("a", "x");
    let file = site.root.path().join("usage-snapshot.json");
    std::fs::write(&file, r#"{"a":{"usageCount":5,"firstSeenTs":"2025-01-01T00:00:00.000Z","lastUsedAt":"2025-02-01T00:00:00.000Z"}}"#).unwrap();
    let server = Server::open(CatalogConfig { usage_snapshot: Some(file), ..site.config() });
    let tracked = server.call("usage/track", json!({"id": "a"}));
    assert_eq!(
        (&tracked["usageCount"], &tracked["firstSeenTs"]),
        (&json!(6), &json!("2025-01-01T00:00:00.000Z"))
    );
}
