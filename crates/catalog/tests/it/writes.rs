//! Every changing method and its edges.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::site::{Server, Site, entry, entry_with};

fn add(site: &Site, args: Value) -> Value {
    site.call("instructions/add", args)
}

#[test]
fn add_creates_skips_and_overwrites() {
    let site = Site::new();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<BTreeSet<_>>();
    let created = add(&site, json!({"entry": entry("a", "one")}));
    assert_eq!(
        (&created["created"], &created["skipped"], &created["overwritten"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(keys(&created), ["created", "hash", "id", "overwritten", "skipped"].map(String::from).into());
    let skipped = add(&site, json!({"entry": entry("a", "two")}));
    assert_eq!((&skipped["skipped"], &skipped["created"]), (&json!(true), &json!(false)));
    assert_eq!(site.get("a")["body"], "one");
    assert_eq!(skipped["hash"], created["hash"]);
    let over = add(&site, json!({"entry": entry("a", "two"), "overwrite": true}));
    assert_eq!((&over["overwritten"], &over["created"]), (&json!(true), &json!(false)));
    assert_eq!(site.get("a")["body"], "two");
    assert_eq!(over["hash"], site.call("instructions/list", json!({}))["hash"]);
}

#[test]
fn lax_fills_everything_but_id_and_body() {
    let site = Site::new();
    site.add("a", "text");
    let item = site.get("a");
    assert_eq!(
        [&item["title"], &item["priority"], &item["audience"], &item["requirement"], &item["categories"]],
        [&json!("a"), &json!(50), &json!("all"), &json!("optional"), &json!([])]
    );
    assert_eq!(item["createdAt"], item["updatedAt"]);
    assert_eq!(item["createdAt"].as_str().unwrap().len(), "2026-01-01T00:00:00.000Z".len());
    assert_eq!(
        add(&site, json!({"entry": {"id": "b", "body": " "}, "lax": true})),
        json!({"error": "missing required id/body", "id": "b"})
    );
    assert_eq!(
        add(&site, json!({"entry": {"id": "b", "body": "x"}})),
        json!({"error": "missing required fields", "id": "b"})
    );
}

#[test]
fn an_overwrite_keeps_what_it_does_not_name() {
    let site = Site::new();
    add(
        &site,
        json!({"entry": entry_with("a", json!({
            "rationale": "because", "owner": "me", "version": "2.0.0", "custom": {"kept": true}, "workspaceId": "w"
        }))}),
    );
    let before = site.get("a");
    add(&site, json!({"entry": {"id": "a", "body": "new body"}, "overwrite": true, "lax": true}));
    let after = site.get("a");
    for field in [
        "title",
        "rationale",
        "owner",
        "version",
        "custom",
        "workspaceId",
        "createdAt",
        "semanticSummary",
        "nextReviewDue",
        "categories",
    ] {
        assert_eq!(after[field], before[field], "{field}");
    }
    assert_eq!(after["body"], "new body");
}

#[test]
fn fields_the_catalog_keeps_cannot_be_set_by_a_caller() {
    let site = Site::new();
    add(
        &site,
        json!({"entry": entry_with("a", json!({
            "sourceHash": "0".repeat(64), "createdAt": "2001-01-01T00:00:00.000Z", "riskScore": 9999, "usageCount": 7,
            "schemaVersion": "99"
        }))}),
    );
    let item = site.get("a");
    assert_ne!(item["sourceHash"], "0".repeat(64));
    assert!(!item["createdAt"].as_str().unwrap().starts_with("2001"));
    assert_eq!((&item["riskScore"], &item["schemaVersion"]), (&json!(55), &json!("1")));
    assert_eq!(item.get("usageCount"), None);
}

#[test]
fn files_are_pretty_json_named_by_id() {
    let site = Site::new();
    site.add("a", "text");
    let text = std::fs::read_to_string(site.dir().join("a.json")).unwrap();
    assert!(text.starts_with("{\n  \"id\": \"a\",\n") && text.ends_with("\n}"), "{text}");
}

#[test]
fn import_takes_the_good_and_reports_the_bad() {
    let site = Site::new();
    site.add("old", "kept");
    let mut no_title = entry("no-title", "x");
    no_title.as_object_mut().unwrap().remove("title");
    let result = site.call("instructions/import", json!({"entries": [
        entry("new", "x"), entry("old", "replaced"), no_title, entry("../evil", "x"), 7, entry("", "x"), entry("new", "again")
    ]}));
    assert_eq!(
        [&result["imported"], &result["skipped"], &result["overwritten"], &result["total"]],
        [&json!(1), &json!(2), &json!(0), &json!(7)]
    );
    let errors: Vec<(&str, &str)> = result["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| (error["id"].as_str().unwrap(), error["error"].as_str().unwrap()))
        .collect();
    assert_eq!(
        errors,
        [
            ("no-title", "missing required fields"),
            (
                "../evil",
                "invalid id: use lower-case letters, digits, - and _, starting with a letter or digit"
            ),
            ("unknown", "an entry must be an object"),
            ("unknown", "missing required fields"),
        ]
    );
    assert_eq!(site.ids(), ["new", "old"]);
    assert_eq!(site.get("old")["body"], "kept");
    let over =
        site.call("instructions/import", json!({"entries": [entry("old", "replaced")], "mode": "overwrite"}));
    assert_eq!((&over["overwritten"], &over["imported"]), (&json!(1), &json!(0)));
    assert_eq!(site.get("old")["body"], "replaced");
    assert_eq!(site.call("instructions/import", json!({"entries": []})), json!({"error": "no entries"}));
}

#[test]
fn remove_archives_by_default_and_purges_on_request() {
    let site = Site::new();
    site.add("a", "x");
    site.add("b", "y");
    let result = site.call("instructions/remove", json!({"ids": ["a", "a", " ", "nope"], "missingOk": true}));
    assert_eq!(
        [
            &result["removed"],
            &result["removedIds"],
            &result["missing"],
            &result["errorCount"],
            &result["errors"]
        ],
        [&json!(1), &json!(["a"]), &json!(["nope"]), &json!(0), &json!([])]
    );
    assert_eq!(site.ids(), ["b"]);
    assert_eq!(site.call("instructions/restore", json!({"id": "a"}))["restored"], json!(["a"]));
    assert_eq!(site.get("a")["body"], "x");
    site.call("instructions/remove", json!({"ids": ["b"], "purge": true}));
    assert_eq!(site.call("instructions/restore", json!({"id": "b"})), json!({"notFound": true}));
    let none = site.call("instructions/remove", json!({"ids": [""]}));
    assert_eq!((&none["removed"], &none["errors"][0]["error"]), (&json!(0), &json!("no ids supplied")));
}

#[test]
fn an_entry_under_another_file_name_is_overwritten_and_removed_there() {
    let site = Site::new();
    site.write("001-old-name.json", entry("a", "x").to_string());
    assert_eq!(site.ids(), ["a"]);
    add(&site, json!({"entry": entry("a", "y"), "overwrite": true}));
    assert_eq!(site.raw("001-old-name.json")["body"], "y");
    assert!(!site.dir().join("a.json").exists());
    assert_eq!(site.call("instructions/remove", json!({"ids": ["a"]}))["removed"], 1);
    assert!(!site.dir().join("001-old-name.json").exists());
}

#[test]
fn a_file_that_holds_another_entry_is_not_overwritten() {
    let site = Site::new();
    site.write("a.json", entry("b", "belongs to b").to_string());
    site.add("a", "mine");
    assert_eq!(site.ids(), ["a", "b"]);
    assert_eq!(site.get("b")["body"], "belongs to b");
    assert_eq!(site.second().ids(), ["a", "b"]);
}

#[test]
fn a_rejected_file_is_never_a_phantom() {
    let site = Site::new();
    site.write("a.json", "{ torn");
    let refused = add(&site, json!({"entry": entry("a", "x")}));
    assert!(refused["error"].as_str().unwrap().starts_with("a.json exists but is not served"), "{refused}");
    assert_eq!(std::fs::read_to_string(site.dir().join("a.json")).unwrap(), "{ torn");
    let over = add(&site, json!({"entry": entry("a", "x"), "overwrite": true}));
    assert_eq!(over["overwritten"], true);
    assert_eq!(site.get("a")["body"], "x");
    let archived: Vec<Vec<u8>> = site.files().into_values().filter(|bytes| bytes == b"{ torn").collect();
    assert_eq!(archived.len(), 1, "what was replaced is in the archive");
}

#[test]
fn governance_update_changes_facts_and_grows_the_version() {
    let site = Site::new();
    add(&site, json!({"entry": entry_with("a", json!({"requirement": "mandatory"}))}));
    let before = site.get("a");
    let result = site.call("instructions/governanceUpdate", json!({
        "id": "a", "owner": "core", "status": "review", "lastReviewedAt": "2026-01-01", "bump": "minor", "summary": "reworded"
    }));
    assert_eq!(
        result,
        json!({"id": "a", "changed": true, "version": "1.1.0", "owner": "core", "status": "review",
            "lastReviewedAt": "2026-01-01T00:00:00.000Z", "nextReviewDue": "2026-01-31T00:00:00.000Z"})
    );
    let after = site.get("a");
    assert_eq!((&after["body"], &after["sourceHash"]), (&before["body"], &before["sourceHash"]));
    assert_eq!(after["changeLog"][1]["summary"], "reworded");
    let again = site.call("instructions/governanceUpdate", json!({"id": "a", "owner": "core"}));
    assert_eq!(again["changed"], false);
    assert_eq!(site.call("instructions/governanceUpdate", json!({"id": "zz"})), json!({"notFound": true}));
    let bad = site.call("instructions/governanceUpdate", json!({"id": "a", "nextReviewDue": "soon"}));
    assert_eq!(bad["error"], "nextReviewDue must be an ISO 8601 date");
}

#[test]
fn a_server_without_mutation_writes_nothing_at_all() {
    let site = Site::new();
    site.write("a.json", entry("a", "x").to_string()).write("bad.json", "{");
    let before = site.files();
    let reader = Server::read_only(site.config());
    for tool in reader.tools() {
        for example in &tool.def.examples {
            let result = reader.try_call(&tool.def.id, example.args.clone());
            if tool.def.policy.gate.is_some() {
                let message = result.unwrap_err().message;
                assert_eq!(
                    message, "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.",
                    "{}",
                    tool.def.id
                );
            }
        }
    }
    let tracked = reader.call("usage/track", json!({"id": "a"}));
    assert_eq!(tracked["usageCount"], 1);
    assert_eq!(reader.get("a")["usageCount"], 1, "counted in memory");
    assert_eq!(site.files(), before);
}

#[test]
fn dispatch_runs_an_action_as_its_own_tool_does() {
    let site = Site::new();
    let added = site.call(
        "instructions/dispatch",
        json!({"action": "add", "entry": {"id": "a", "body": "x"}, "lax": true}),
    );
    assert_eq!(added["created"], true);
    let got = site.call("instructions/dispatch", json!({"action": "get", "id": "a"}));
    assert_eq!(got, site.call("instructions/get", json!({"id": "a"})));
    let fault = site.try_call("instructions/dispatch", json!({"action": "explode"})).unwrap_err();
    assert_eq!(fault.message, "unknown action: explode");
    let reader = Server::read_only(site.config());
    let before = site.files();
    for args in [
        json!({"action": "remove", "ids": ["a"]}),
        json!({"action": "groom"}),
        json!({"action": "add", "entry": {"id": "b", "body": "x"}, "lax": true}),
    ] {
        assert!(reader.try_call("instructions/dispatch", args.clone()).is_err(), "{args}");
    }
    assert_eq!(reader.call("instructions/dispatch", json!({"action": "get", "id": "a"}))["item"]["id"], "a");
    assert_eq!(site.files(), before);
    let capabilities = site.call("instructions/dispatch", json!({"action": "capabilities"}));
    assert!(
        capabilities["actions"]
            .as_array()
            .unwrap()
            .iter()
            .any(|action| action["action"] == "governanceUpdate")
    );
}
