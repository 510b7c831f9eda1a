//! Every reading method and its edges.

use mainstay_catalog::CatalogConfig;
use serde_json::json;

use crate::site::{Server, Site, entry, entry_with, ids_of};

fn import(site: &Site, entries: Vec<serde_json::Value>) {
    let total = entries.len();
    let result = site.call("instructions/import", json!({ "entries": entries }));
    assert_eq!(result["imported"], total, "{result}");
}

#[test]
fn list_filters_by_category_and_keeps_the_hash() {
    let site = Site::new();
    import(&site, vec![entry_with("a", json!({"categories": ["Build", "x"]})), entry("b", "bb")]);
    let all = site.call("instructions/list", json!({}));
    assert_eq!((all["count"].as_u64(), ids_of(&all)), (Some(2), vec!["a", "b"]));
    let some = site.call("instructions/list", json!({"category": "BUILD"}));
    assert_eq!(ids_of(&some), ["a"]);
    assert_eq!(some["items"][0]["categories"], json!(["build", "x"]));
    let none = site.call("instructions/list", json!({"category": "nothing"}));
    assert_eq!((none["count"].as_u64(), &none["hash"]), (Some(0), &all["hash"]));
    assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), ["hash", "count", "items"]);
}

#[test]
fn list_and_export_page_on_request() {
    let site = Site::new();
    import(&site, (0..7).map(|n| entry(&format!("e{n}"), "x")).collect());
    for tool in ["instructions/list", "instructions/export"] {
        let mut seen = Vec::new();
        let mut args = json!({"limit": 3});
        loop {
            let page = site.call(tool, args.clone());
            assert_eq!(page["total"], 7);
            seen.extend(ids_of(&page).into_iter().map(str::to_owned));
            match page["nextCursor"].as_str() {
                Some(cursor) => args["cursor"] = cursor.into(),
                None => break,
            }
        }
        assert_eq!(seen, ["e0", "e1", "e2", "e3", "e4", "e5", "e6"], "{tool}");
    }
}

#[test]
fn get_finds_one_or_says_not_found() {
    let site = Site::new();
    import(&site, vec![entry("a", "x")]);
    let found = site.call("instructions/get", json!({"id": "a"}));
    assert_eq!(found["item"]["title"], "Title of a");
    assert_eq!(found["hash"], site.call("instructions/list", json!({}))["hash"]);
    for missing in ["A", "b", "../a", ""] {
        assert_eq!(
            site.call("instructions/get", json!({"id": missing})),
            json!({"notFound": true}),
            "{missing}"
        );
    }
}

#[test]
fn search_is_a_literal_case_blind_substring_of_title_or_body() {
    let site = Site::new();
    import(
        &site,
        vec![
            entry_with("a", json!({"title": "Deploy", "body": "Straße (now)"})),
            entry_with("b", json!({"title": "Other", "body": "DEPLOY later"})),
        ],
    );
    for (q, expected) in [
        ("deploy", vec!["a", "b"]),
        ("STRASSE", vec![]),
        ("straße", vec!["a"]),
        ("(now)", vec!["a"]),
        (".*", vec![]),
        ("", vec!["a", "b"]),
        ("loystra", vec![]),
    ] {
        assert_eq!(ids_of(&site.call("instructions/search", json!({ "q": q }))), expected, "{q}");
    }
}

#[test]
fn the_most_specific_scope_with_any_entry_answers() {
    let site = Site::new();
    import(
        &site,
        vec![
            entry_with("everyone", json!({})),
            entry_with("user", json!({"categories": ["scope:user:Ann", "topic"], "audience": "individual"})),
            entry_with("workspace", json!({"workspaceId": "W1", "audience": "group"})),
            entry_with("team", json!({"categories": ["scope:team:core"], "audience": "group"})),
            entry_with("mine-for-all", json!({"userId": "bob"})),
        ],
    );
    let scoped = |args| {
        let result = site.call("instructions/listScoped", args);
        (result["scope"].as_str().unwrap().to_owned(), ids_of(&result).join(" "))
    };
    let expect = |scope: &str, ids: &str| (scope.to_owned(), ids.to_owned());
    assert_eq!(scoped(json!({"userId": "ANN", "workspaceId": "w1"})), expect("user", "user"));
    assert_eq!(scoped(json!({"userId": "eve", "workspaceId": "w1"})), expect("workspace", "workspace"));
    assert_eq!(scoped(json!({"workspaceId": "no", "teamIds": ["x", "CORE"]})), expect("team", "team"));
    assert_eq!(scoped(json!({"teamIds": ["x"]})), expect("all", "everyone mine-for-all"));
    assert_eq!(scoped(json!({})), expect("all", "everyone mine-for-all"));
    assert_eq!(site.get("user")["categories"], json!(["topic"]));
    let empty = Site::new().call("instructions/listScoped", json!({"userId": "x"}));
    assert_eq!((&empty["scope"], &empty["count"]), (&json!("all"), &json!(0)));
}

#[test]
fn diff_follows_the_decision_table() {
    let site = Site::new();
    import(&site, vec![entry("a", "1"), entry("b", "2")]);
    let hash = site.call("instructions/list", json!({}))["hash"].clone();
    let known = |id: &str| json!({"id": id, "sourceHash": site.get(id)["sourceHash"]});
    let diff = |args| site.call("instructions/diff", args);
    let up_to_date = json!({"upToDate": true, "hash": hash});
    assert_eq!(diff(json!({"clientHash": hash})), up_to_date);
    assert_eq!(diff(json!({}))["changed"].as_array().unwrap().len(), 2);
    assert_eq!(diff(json!({"clientHash": "old"}))["changed"].as_array().unwrap().len(), 2);
    assert_eq!(diff(json!({"clientHash": hash, "known": [known("a"), known("b")]})), up_to_date);
    assert_eq!(
        diff(json!({"clientHash": "old", "known": [known("a"), known("b")]})),
        json!({"hash": hash, "added": [], "updated": [], "removed": []})
    );
    let stale = json!({"id": "a", "sourceHash": "x"});
    let result = diff(
        json!({"known": [stale, known("a"), {"id": "gone", "sourceHash": "y"}, {"id": "", "sourceHash": "z"}]}),
    );
    assert_eq!(result["updated"][0]["id"], "a", "the first of two counts");
    assert_eq!(result["added"][0]["id"], "b");
    assert_eq!(result["removed"], json!(["gone"]));
    let wrong = diff(json!({"clientHash": hash, "known": []}));
    assert_eq!(wrong["added"].as_array().unwrap().len(), 2, "a right hash does not hide missing entries");
}

#[test]
fn export_chooses_and_strips() {
    let site = Site::new();
    import(&site, vec![entry("a", "1"), entry("b", "2")]);
    assert_eq!(ids_of(&site.call("instructions/export", json!({"ids": ["b", "nope"]}))), ["b"]);
    assert_eq!(ids_of(&site.call("instructions/export", json!({"ids": []}))), ["a", "b"]);
    let meta = site.call("instructions/export", json!({"metaOnly": true}));
    assert_eq!((&meta["items"][0]["body"], &meta["items"][0]["title"]), (&json!(""), &json!("Title of a")));
    assert_eq!(site.get("a")["body"], "1", "only copies are stripped");
}

#[test]
fn query_filters_ranks_and_pages() {
    let site = Site::new();
    import(
        &site,
        vec![
            entry_with(
                "rollback",
                json!({"title": "Roll back a deploy", "body": "deploy deploy deploy", "categories": ["ops"], "priority": 10}),
            ),
            entry_with("style", json!({"body": "mentions deploy once", "categories": ["ops", "text"]})),
            entry_with("other", json!({"body": "nothing here", "requirement": "mandatory"})),
        ],
    );
    let hits = site.call("instructions/query", json!({"text": "deploy"}));
    assert_eq!(ids_of(&hits), ["rollback", "style"]);
    assert_eq!(hits["items"][1]["reason"], "body has \"deploy\"");
    assert!(hits["items"][0]["score"].as_f64() > hits["items"][1]["score"].as_f64());
    let found = |args| {
        let hits = site.call("instructions/query", args);
        ids_of(&hits).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({"categoriesAll": ["OPS", "text"]})), ["style"]);
    assert_eq!(found(json!({"categoriesAny": ["text", "topic"]})), ["other", "style"]);
    assert_eq!(found(json!({"excludeCategories": ["ops"]})), ["other"]);
    assert_eq!(found(json!({"priorityMax": 10})), ["rollback"]);
    assert_eq!(found(json!({"requirements": ["mandatory"], "tiers": ["P1"]})), ["other"]);
    assert_eq!(found(json!({"owner": "nobody"})), Vec::<String>::new());
    let page = site.call("instructions/query", json!({"limit": 2}));
    assert_eq!((page["total"].as_u64(), page["nextCursor"].as_str()), (Some(3), Some("2")));
    assert_eq!(found(json!({"limit": 2, "cursor": "2"})), ["style"]);
}

#[test]
fn gates_count_and_combine() {
    let site = Site::new();
    import(
        &site,
        vec![
            entry_with("a", json!({"requirement": "mandatory", "priority": 60, "owner": "x"})),
            entry_with("b", json!({"priority": 70, "categories": ["sec"]})),
        ],
    );
    assert_eq!(site.call("gates/evaluate", json!({})), json!({"notConfigured": true}));
    site.write("gates.json", "{ not json");
    assert_eq!(site.call("gates/evaluate", json!({}))["error"], "invalid gates file");
    let gate = |id: &str, rest: serde_json::Value| {
        let mut gate = json!({"id": id, "type": "count", "op": ">=", "value": 1, "severity": "error"});
        gate.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        gate
    };
    let gates = json!({"gates": [
        gate("has-mandatory", json!({"where": {"requirement": "mandatory"}})),
        gate("few-low", json!({"where": {"priorityGt": 50}, "op": "<=", "value": 1, "severity": "warn", "description": "few"})),
        gate("both", json!({"where": {"requirement": "mandatory", "priorityGt": 60}})),
        gate("strange-op", json!({"op": "~", "value": 99})),
        gate("unknown-type", json!({"type": "ratio"})),
        gate("any", json!({"where": {"any": [{"owner": "x"}, {"category": "sec"}], "not": {"requirement": "mandatory"}}, "op": "==", "value": 1})),
        {"id": "combined", "type": "all", "severity": "error", "gates": [
            gate("x", json!({})),
            {"id": "y", "type": "not", "gates": [gate("z", json!({"value": 100}))]}
        ]}
    ]});
    site.write("gates.json", gates.to_string());
    let result = site.call("gates/evaluate", json!({}));
    let verdicts: Vec<(&str, bool, u64)> = result["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|gate| {
            (gate["id"].as_str().unwrap(), gate["passed"].as_bool().unwrap(), gate["count"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        verdicts,
        [
            ("has-mandatory", true, 1),
            ("few-low", false, 2),
            ("both", false, 0),
            ("strange-op", true, 2),
            ("any", true, 1),
            ("combined", true, 2)
        ]
    );
    assert_eq!(result["summary"], json!({"errors": 1, "warnings": 1, "total": 6}));
    assert_eq!(result["results"][1]["description"], "few");
    assert_eq!(site.ids(), ["a", "b"], "the gates file is no entry");
}

#[test]
fn prompt_review_answers_in_the_contract_shape() {
    let site = Site::new();
    let result = site.call("prompt/review", json!({"prompt": "use the api key"}));
    assert_eq!(result["issues"][0]["ruleId"], "api-key");
    assert_eq!(result["issues"][0]["match"], "api key");
    assert_eq!((&result["summary"]["highestSeverity"], &result["length"]), (&json!("high"), &json!(15)));
    assert_eq!(
        site.call("prompt/review", json!({"prompt": "x".repeat(10_001)})),
        json!({"truncated": true, "message": "prompt too large", "max": 10000})
    );
    let fine =
        site.call("prompt/review", json!({"prompt": "All engineers must tag MCP tools with categories."}));
    assert_eq!(fine["summary"], json!({"counts": {}, "highestSeverity": "info"}));
}

#[test]
fn own_criteria_replace_the_built_in_ones_and_a_bad_file_is_an_error() {
    let site = Site::new();
    let file = site.root.path().join("criteria.json");
    let with = |text: &str| {
        std::fs::write(&file, text).unwrap();
        Server::open(CatalogConfig { criteria_file: Some(file.clone()), ..site.config() })
    };
    let rule = r#"{"version":"1","categories":[{"id":"c","rules":[{"id":"no-foo","severity":"low","description":"d","pattern":"foo+"}]}]}"#;
    let result = with(rule).call("prompt/review", json!({"prompt": "FOOO"}));
    assert_eq!(
        result["issues"],
        json!([{"ruleId": "no-foo", "severity": "low", "description": "d", "match": "FOOO"}])
    );
    let fault = with("{}").try_call("prompt/review", json!({"prompt": "x"})).unwrap_err();
    assert!(fault.message.starts_with("the criteria file is not valid"), "{fault}");
}

#[test]
fn health_names_every_file_that_is_not_served() {
    let site = Site::new();
    site.add("good", "x");
    site.write("bad.json", "{")
        .write("list.json", "[]")
        .write("note.txt", "ignored")
        .write("_manifest.json", "{}");
    let health = site.call("health/check", json!({}));
    assert_eq!(health["status"], "ok");
    assert_eq!(health["catalog"]["scanned"], 3);
    assert_eq!((&health["catalog"]["accepted"], &health["catalog"]["skipped"]), (&json!(1), &json!(2)));
    assert_eq!(
        health["catalog"]["rejected"][1],
        json!({"file": "list.json", "reason": "is not a JSON object"})
    );
    let verified = site.call("integrity/verify", json!({}));
    assert_eq!(verified["rejected"][0]["file"], "bad.json");
    assert_eq!(site.call("instructions/reload", json!({}))["rejected"].as_array().unwrap().len(), 2);
}

#[test]
fn a_missing_directory_is_an_empty_catalog_until_the_first_write() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("deep/instructions");
    let server = Server::open(CatalogConfig::new(&dir));
    assert_eq!(server.call("instructions/list", json!({}))["count"], 0);
    assert!(!dir.exists());
    server.add("a", "x");
    assert_eq!(server.ids(), ["a"]);
}

#[test]
fn owners_come_from_the_owners_file_when_an_entry_names_none() {
    let site = Site::new();
    let file = site.root.path().join("owners.json");
    std::fs::write(&file, r#"{"ownership":[{"pattern":"^sec-","owner":"security"}]}"#).unwrap();
    let server = Server::open(CatalogConfig { owners_file: Some(file), ..site.config() });
    server.add("sec-a", "x");
    server.add("other", "x");
    assert_eq!(
        (&server.get("sec-a")["owner"], &server.get("other")["owner"]),
        (&json!("security"), &json!("unowned"))
    );
}
