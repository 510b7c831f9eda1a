//! Several repositories as one.

use std::sync::Arc;

use mainstay_contract::{Caller, ErrorCode};
use serde_json::json;

use crate::site::Site;

/// Three repositories in one folder: two are indexed, one is not.
fn shop() -> Site {
    let site = Site::new(&[
        ("api/session.rs", "/// Closes a session.\npub fn close_session(id: u32) {}\n"),
        ("web/page.js", "// shows the session\nfunction showSession(session) {\n  return session.id;\n}\n"),
        ("tools/none.rs", "fn nothing() {}\n"),
        (
            "mainstay-workspace.json",
            r#"{"name": "shop", "repos": ["api", {"path": "web", "name": "site"}, "tools", "gone"]}"#,
        ),
    ]);
    for repo in ["api", "web"] {
        site.call("build_index", json!({"repoPath": site.repo().join(repo)})).unwrap();
    }
    site
}

#[test]
fn the_status_names_every_repository() {
    let site = shop();
    let report = site.call("workspace_status", json!({})).unwrap();
    assert_eq!((&report["ok"], &report["name"]), (&json!(false), &json!("shop")));
    let repos: Vec<(&str, bool)> = report["repos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|repo| (repo["name"].as_str().unwrap(), repo["indexed"].as_bool().unwrap()))
        .collect();
    assert_eq!(repos, [("api", true), ("site", true), ("tools", false), ("gone", false)]);
    assert!(report["repos"][2]["problem"].as_str().unwrap().contains("index build"));
    assert!(report["repos"][3]["problem"].as_str().unwrap().contains("cannot open"));
    let alone = site.call("workspace_status", json!({"repoPath": site.repo().join("api")})).unwrap();
    assert_eq!((&alone["ok"], alone["repos"].as_array().unwrap().len()), (&json!(true), 1));
}

#[test]
fn hits_of_all_repositories_are_ranked_together() {
    let site = shop();
    let args = json!({"query": "session", "workspacePath": "mainstay-workspace.json", "mode": "code", "output": "full"});
    let found = site.call("search", args.clone()).unwrap()["search"].clone();
    let places: Vec<String> = found["code"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| format!("{}/{}", hit["repo"].as_str().unwrap(), hit["file"].as_str().unwrap()))
        .collect();
    assert_eq!(places.len(), 2, "{places:?}");
    assert!(places.contains(&"api/session.rs".to_owned()) && places.contains(&"site/page.js".to_owned()));
    let scores: Vec<f64> =
        found["code"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores[0] >= scores[1]);
    assert_eq!(found["total"]["code"], 2);
    assert_eq!(found["bundles"]["groups"][0]["repo"], found["code"][0]["repo"]);
    assert_eq!(found["repos"][0]["freshness"]["generation"], 1);
    assert!(found["repos"][2]["problem"].as_str().unwrap().contains("index"));
    let mut one = args;
    one["top"] = json!(1);
    assert_eq!(site.call("search", one).unwrap()["search"]["code"].as_array().unwrap().len(), 1);
}

#[test]
fn a_repository_where_nothing_holds_every_word_comes_last() {
    let site = shop();
    let args = json!({"query": "close session", "workspacePath": "mainstay-workspace.json", "mode": "code"});
    let found = site.call("search", args).unwrap()["search"].clone();
    assert_eq!(found["code"][0]["repo"], "api");
}

#[test]
fn mistakes_in_a_workspace_are_explained() {
    let site = shop();
    for (text, part) in [
        ("{", "not as it should be"),
        (r#"{"repos": []}"#, "1 to 64"),
        (r#"{"repos": ["api", "./api"]}"#, "two repositories named \"api\""),
        (r#"{"repos": ["api"], "surprise": 1}"#, "surprise"),
    ] {
        site.write("other.json", text.as_bytes());
        let fault = site.call("workspace_status", json!({"workspacePath": "other.json"})).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{text}");
        assert!(fault.message.contains(part), "{}", fault.message);
    }
    let fault = site.call("workspace_status", json!({"workspacePath": "none.json"})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotFound);
    site.write("other.json", br#"{"repos": ["tools"]}"#);
    let args = json!({"query": "x", "workspacePath": "other.json"});
    assert_eq!(site.call("search", args).unwrap_err().code, ErrorCode::NoIndex, "not one can be searched");
    let args = json!({"query": "/(/", "workspacePath": "mainstay-workspace.json"});
    assert_eq!(site.call("search", args).unwrap_err().code, ErrorCode::InvalidRequest);
}

#[test]
fn a_caller_sees_only_its_roots() {
    let site = shop();
    let caller = Caller { roots: Some(Arc::from([site.repo().join("api")])), ..Caller::default() };
    site.write("api/mainstay-workspace.json", br#"{"repos": [".", "../web"]}"#);
    let args = json!({"repoPath": site.repo().join("api")});
    let report = site.call_as(caller, "workspace_status", args).unwrap();
    assert_eq!(
        (&report["repos"][0]["indexed"], &report["repos"][1]["indexed"]),
        (&json!(true), &json!(false))
    );
    assert!(report["repos"][1].get("path").is_none());
}
