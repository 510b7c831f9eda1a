//! Which tools exist for whom, and why.

use std::sync::Arc;

use mainstay_contract::{Body, Caller, ErrorCode, Gate, Grant, Policy, Role, Scope, Tool, ToolDef, Toolset};
use mainstay_runtime::{
    Access, Door, Form, Limits, OnDemand, Origin, Request, Runtime, Sourced, Stage, Standing, explain,
    explain_to,
};
use serde_json::json;

fn tool(def: ToolDef) -> Tool {
    def.raw_handler(|_, _| Body::json(&json!({})))
}

fn tools() -> Vec<Tool> {
    vec![
        tool(ToolDef::new("index_status", Toolset::Search).reads()),
        tool(ToolDef::new("cache_gc", Toolset::Search).destroys()),
        tool(
            ToolDef::new("instructions/add", Toolset::Catalog)
                .writes()
                .policy(Policy::interactive().gate(Gate::Mutation)),
        ),
        tool(ToolDef::new("vrt.run", Toolset::Foundry).writes().on_demand()),
        tool(
            ToolDef::new("release.tag", Toolset::Foundry)
                .policy(Policy::interactive().roles(&[Role::Maintainer])),
        ),
    ]
}

fn check(access: Access, tool: &str, standing: Standing, words: &str) {
    let runtime = Runtime::new(tools(), access, Limits::default()).unwrap();
    let registry = runtime.registry();
    let explained = registry.explain(tool).unwrap();
    assert_eq!(explained.standing, standing, "{explained:?}");
    let text = format!("{} ({})", explained.reason, explained.origin);
    assert!(text.contains(words), "{text}");
    let unknown = runtime
        .call(Request::new(tool, json!({})))
        .result
        .is_err_and(|f| f.fault.code == ErrorCode::UnknownTool);
    assert_eq!(unknown, standing == Standing::Absent);
}

#[test]
fn every_filter_is_named_with_its_origin() {
    let from = |name: &str| Origin::flag(name);
    check(Access::default(), "index_status", Standing::Listed, "the default");
    let access =
        Access { toolsets: Sourced::new(vec![Toolset::Catalog], from("--toolsets")), ..Access::default() };
    check(access, "index_status", Standing::Absent, "--toolsets");
    let access = Access { read_only: Sourced::new(true, from("--read-only")), ..Access::default() };
    check(access.clone(), "cache_gc", Standing::Absent, "--read-only");
    check(access, "index_status", Standing::Listed, "");
    let writing = Sourced::new(Some(vec![Toolset::Catalog]), from("--allow-write"));
    let access = Access { writing, mutation: Sourced::new(true, Origin::Default), ..Access::default() };
    check(access.clone(), "cache_gc", Standing::Absent, "--allow-write");
    check(access.clone(), "index_status", Standing::Listed, "");
    check(access, "instructions/add", Standing::Listed, "");
    let access = Access {
        deny: Sourced::new(vec!["cache_gc".into()], Origin::env("MAINSTAY_EXCLUDE_TOOLS")),
        ..Access::default()
    };
    check(access, "cache_gc", Standing::Absent, "MAINSTAY_EXCLUDE_TOOLS");
    let file = Origin::File { path: "mainstay.toml".into(), line: 3 };
    let access = Access { allow: Sourced::new(Some(vec!["cache_gc".into()]), file), ..Access::default() };
    check(access, "index_status", Standing::Absent, "mainstay.toml:3");
    check(Access::default(), "vrt.run", Standing::Absent, "MCP_EXTRA_TOOLS");
    let access = Access {
        on_demand: Sourced::new(OnDemand::Named(vec!["vrt.run".into()]), from("x")),
        ..Access::default()
    };
    check(access, "vrt.run", Standing::Listed, "");
    check(Access::default(), "instructions/add", Standing::Refused, "MCP_ENABLE_MUTATION");
    check(Access::default(), "release.tag", Standing::Refused, "role designer");
    let access = Access { form: Sourced::new(Form::Discovery, from("--discovery")), ..Access::default() };
    check(access, "index_status", Standing::Hidden, "--discovery");
}

#[test]
fn a_token_hides_and_refuses_what_its_scopes_do_not_open() {
    let access = Access { mutation: Sourced::new(true, Origin::Default), ..Access::default() };
    let runtime = Runtime::new(tools(), access.clone(), Limits::default()).unwrap();
    let grant = Grant { token: "ci".into(), scopes: vec![Scope::parse("catalog:write").unwrap()] };
    let caller = Caller { grant: Some(Arc::new(grant.clone())), ..Caller::default() };
    let call = |tool: &str, args| {
        runtime.call(Request { caller: caller.clone(), ..Request::new(tool, args) }).result
    };
    assert!(call("instructions/add", json!({})).is_ok());
    // Whoever may not use a tool is not told what it wants.
    let failure = call("cache_gc", json!({ "odd": 1 })).unwrap_err();
    assert_eq!((failure.stage, failure.fault.code), (Stage::Authorise, ErrorCode::Forbidden));
    assert_eq!(failure.fault.details["scope"], "search:write");
    assert_eq!(failure.fault.details["rule"], "the token ci");
    let registry = runtime.registry();
    let standing = |tool: &str| {
        let def = registry.get(tool).unwrap();
        explain_to(&def, explain(&def, &access), Some(&grant)).standing
    };
    assert_eq!(standing("instructions/add"), Standing::Listed);
    assert_eq!(standing("cache_gc"), Standing::Denied);
}

#[test]
fn a_hidden_tool_is_unknown_through_the_listing() {
    let access = Access { form: Sourced::new(Form::Discovery, Origin::Default), ..Access::default() };
    let runtime = Runtime::new(tools(), access, Limits::default()).unwrap();
    let request = Request { door: Door::Listed, ..Request::new("index_status", json!({})) };
    assert_eq!(runtime.call(request).result.unwrap_err().fault.code, ErrorCode::UnknownTool);
}

#[test]
fn roles_and_gates_refuse_with_the_seed_texts() {
    let runtime = Runtime::new(tools(), Access::default(), Limits::default()).unwrap();
    let fault = runtime.call(Request::new("instructions_add", json!({}))).result.unwrap_err().fault;
    assert_eq!(fault.message, "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.");
    let fault = runtime.call(Request::new("release.tag", json!({}))).result.unwrap_err().fault;
    assert_eq!((fault.code, &fault.details["allow"]), (ErrorCode::PolicyDenied, &json!(["maintainer"])));
    let caller = Caller { role: Some(Role::Maintainer), ..Caller::default() };
    assert!(runtime.call(Request { caller, ..Request::new("release_tag", json!({})) }).result.is_ok());
}

#[test]
fn two_tools_never_share_a_wire_name() {
    let clash = vec![
        tool(ToolDef::new("map.list", Toolset::Foundry)),
        tool(ToolDef::new("map_list", Toolset::Search)),
    ];
    let error = Runtime::new(clash, Access::default(), Limits::default()).err().unwrap();
    assert!(error.to_string().contains("map_list"), "{error}");
}
