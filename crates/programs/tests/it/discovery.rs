//! `climax_search`, `climax_call` and `climax_describe` over every toolset.

use mainstay_contract::{Body, ErrorCode, Fault, ToolDef, Toolset};
use mainstay_runtime::{Access, Form, Limits, Origin, Request, Runtime, Sourced};
use serde_json::{Value, json};

use crate::site::{Site, answer};

fn site() -> Site {
    let tool = |name: &str, description: &str| json!({ "name": name, "description": description, "command": "argv" });
    Site::new()
        .config("a.yaml", json!({ "name": "Acme-VCS", "description": "History", "command": crate::site::FIXTURE, "category": "VCS",
            "tags": ["Commits"], "tools": [tool("commit", "Record changes"), tool("branch", "List branches"),
            tool("list", "Show all of it"), tool("listing", "d"), tool("push", "Update remote refs for an été release")] }))
        .config("b.yaml", json!({ "name": "bare", "command": crate::site::FIXTURE, "tools": [tool("relist", "Enlist [x] (a.b)")] }))
}

fn names(site: &Site, args: Value) -> Vec<String> {
    let found = site.call("climax_search", args).json();
    assert_eq!(found["mode"], "search");
    found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| hit["tool_name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn filters_are_joined_and_ignore_case() {
    let site = site();
    assert_eq!(names(&site, json!({ "category": "vcs", "limit": 2 })), ["commit", "branch"]);
    assert_eq!(names(&site, json!({ "cli": "ACME-vcs", "query": "COMMITS", "limit": "1" })), ["commit"]);
    assert_eq!(names(&site, json!({ "category": "vc" })), [""; 0]);
    assert_eq!(names(&site, json!({ "category": "null" })), [""; 0]);
    assert_eq!(names(&site, json!({ "query": "ÉTÉ" })), ["push"]);
    assert_eq!(names(&site, json!({ "query": "refs update" })), ["push"]);
    assert_eq!(names(&site, json!({ "query": "[x] (a.b)" })), ["relist"]);
    assert_eq!(names(&site, json!({ "query": ".*" })), [""; 0]);
    for limit in [json!(0), json!(-1)] {
        assert_eq!(names(&site, json!({ "query": "", "limit": limit })), [""; 0]);
    }
    assert!(site.call("climax_search", json!({ "limit": "many" })).is_error);
}

#[test]
fn better_matches_come_first_and_equals_stay_in_load_order() {
    assert_eq!(names(&site(), json!({ "query": "list" })), ["list", "listing", "branch", "relist"]);
}

#[test]
fn the_summary_counts_what_the_policy_leaves() {
    let site = site().policy(json!({ "tools": { "commit": {}, "push": {} } }));
    let found = site.call("climax_search", json!({})).json();
    let want = json!({ "mode": "summary", "summary": [{ "name": "Acme-VCS", "description": "History", "tool_count": 2,
        "category": "VCS", "tags": ["Commits"] }] });
    assert_eq!(found, want);
}

#[test]
fn other_toolsets_are_found_and_called_as_they_are() {
    let mut tools = site().load().unwrap().tools;
    tools.push(
        ToolDef::new("tokens/echo", Toolset::Foundry)
            .summary("Repeat the input")
            .raw_handler(|_, args| Body::json(&args)),
    );
    tools.push(
        ToolDef::new("tokens/fail", Toolset::Foundry)
            .raw_handler(|_, _| Err(Fault::new(ErrorCode::NotFound, "nothing"))),
    );
    let access = Access { form: Sourced::new(Form::Discovery, Origin::Default), ..Access::default() };
    let runtime = Runtime::new(tools, access, Limits::default()).unwrap();
    let call = |tool: &str, args: Value| runtime.call(Request::new(tool, args));

    let summary = answer(call("climax_search", json!({}))).json();
    assert_eq!(summary["summary"][2]["name"], "foundry");
    assert_eq!(summary["summary"][2]["tool_count"], 2);
    let found = answer(call("climax_search", json!({ "query": "repeat" }))).json();
    assert_eq!(
        (&found["results"][0]["tool_name"], &found["results"][0]["cli_name"]),
        (&json!("tokens/echo"), &json!("foundry"))
    );

    for name in ["tokens/echo", "tokens_echo"] {
        let direct = call("tokens/echo", json!({})).result.unwrap();
        let outcome = call("climax_call", json!({ "tool_name": name }));
        assert_eq!(outcome.tool.unwrap().id, "tokens/echo");
        assert_eq!(format!("{direct:?}"), format!("{:?}", outcome.result.unwrap()));
    }
    let failed = call("climax_call", json!({ "tool_name": "tokens/fail" })).result.unwrap_err();
    assert_eq!(failed.fault.code, ErrorCode::NotFound);
}

#[test]
fn unknown_names_get_near_ones() {
    let site = site();
    let answer = site.call("climax_call", json!({ "tool_name": "comit" }));
    assert_eq!(answer.text, "Unknown tool: comit. Near names: commit; climax_search finds others");
    assert!(answer.is_error);
    for name in ["climax_search", "COMMIT ", "zzz"] {
        let answer = site.call("climax_call", json!({ "tool_name": name }));
        assert!(
            answer.is_error && answer.text.starts_with(&format!("Unknown tool: {name}")),
            "{}",
            answer.text
        );
    }
}

#[test]
fn brief_search_leaves_schemas_to_describe() {
    let full = site().call("climax_search", json!({ "query": "commit" })).json();
    let site = site().brief();
    let brief = site.call("climax_search", json!({ "query": "commit" })).json();
    assert!(brief["results"][0].get("input_schema").is_none());
    let described = site.call("climax_describe", json!({ "tool_names": ["commit", "ghost"] })).json();
    assert_eq!(described["tools"][0], full["results"][0]);
    assert_eq!(described["unknown"], json!(["ghost"]));
}

#[test]
fn a_later_configuration_takes_a_name_over() {
    let tool =
        |text: &str, word: &str| json!([{ "name": "same", "description": text, "command": ["argv", word] }]);
    let site = Site::new().fixture(tool("older", "one")).fixture(tool("newer", "two"));
    assert_eq!(site.words("same", json!({})), ["two"]);
    let found = site.call("climax_search", json!({ "query": "same" })).json();
    assert_eq!(found["results"].as_array().unwrap().len(), 1);
    assert_eq!(found["results"][0]["description"], "newer");
    assert!(site.load().unwrap().warnings[0].contains("replaces"), "{:?}", site.load().unwrap().warnings);
}
