//! History and restore.

use serde_json::json;

use crate::site::{Site, entry};

#[test]
fn every_change_is_in_the_history_and_can_be_taken_back() {
    let site = Site::new();
    site.add("a", "one");
    for body in ["two", "three"] {
        site.call("instructions/add", json!({"entry": entry("a", body), "overwrite": true}));
    }
    site.call("instructions/remove", json!({"ids": ["a"]}));
    let history = site.call("instructions/history", json!({"id": "a"}));
    let actions: Vec<&str> = history["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| change["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["remove", "add", "add", "add"]);
    assert_eq!(history["changes"][0]["by"], "tester");
    let revision = |n: usize| history["changes"][n]["revision"].clone();
    for (n, body) in [(0, "three"), (1, "two"), (2, "one")] {
        let former = site.call("instructions/revision", json!({"id": "a", "revision": revision(n)}));
        assert_eq!(former["item"]["body"], body, "{former}");
    }
    let first = json!({"id": "a", "revision": revision(3)});
    assert_eq!(site.call("instructions/revision", first), json!({"notFound": true}));
    site.call("instructions/restore", json!({"id": "a"}));
    assert_eq!(site.get("a")["body"], "three");
    for (n, body) in [(1, "two"), (2, "one")] {
        let restored = site.call("instructions/restore", json!({"id": "a", "revision": revision(n)}));
        assert_eq!(restored["restored"], json!(["a"]), "{restored}");
        assert_eq!(site.get("a")["body"], body);
    }
    assert_eq!(site.call("integrity/verify", json!({}))["issueCount"], 0);
}

#[test]
fn a_bulk_change_is_taken_back_as_a_whole() {
    let site = Site::new();
    site.add("kept", "before");
    let hash = site.call("instructions/list", json!({}))["hash"].clone();
    let import = site.call(
        "instructions/import",
        json!({"entries": [entry("kept", "after"), entry("new1", "x"), entry("new2", "y")], "mode": "overwrite"}),
    );
    assert_eq!(site.ids(), ["kept", "new1", "new2"]);
    let restored = site.call("instructions/restore", json!({"revision": import["revision"]}));
    assert_eq!((&restored["restored"], &restored["removed"]), (&json!(["kept"]), &json!(["new1", "new2"])));
    assert_eq!(site.get("kept")["body"], "before");
    assert_eq!(site.call("instructions/list", json!({}))["hash"], hash);
}

#[test]
fn unknown_and_hostile_revisions_change_nothing() {
    let site = Site::new();
    site.add("a", "x");
    let before = site.files();
    for args in [
        json!({"revision": "../../etc"}),
        json!({"revision": "nope"}),
        json!({"id": "../a"}),
        json!({"id": "zz"}),
        json!({"id": "a", "revision": "../archive"}),
    ] {
        assert_eq!(site.call("instructions/restore", args.clone()), json!({"notFound": true}), "{args}");
    }
    for (id, revision) in [("a", "../archive"), ("../a", "20260101T000000000Z-00000000"), ("a", "nope")] {
        let args = json!({"id": id, "revision": revision});
        assert_eq!(site.call("instructions/revision", args.clone()), json!({"notFound": true}), "{args}");
    }
    assert!(site.try_call("instructions/restore", json!({})).is_err());
    assert_eq!(site.files(), before);
}

#[test]
fn a_torn_history_line_spoils_only_itself() {
    let site = Site::new();
    site.add("a", "x");
    let path = site.dir().join(".catalog/history.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("{\"revision\":\"2026");
    std::fs::write(&path, text).unwrap();
    site.add("b", "y");
    let history = site.call("instructions/history", json!({}));
    assert_eq!(history["total"], 2, "{history}");
}
