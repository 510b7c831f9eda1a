//! The examples of the foundry's specification, as they are written there, through the surfaces it names.

use std::time::Duration;

use mainstay_runtime::Validator;
use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::site::Site;

/// Variables under which every tool of the specification is there.
const OPEN: &[(&str, &str)] = &[("MCP_TOOLSET", "all"), ("MCP_ROLE", "maintainer")];

/// One example: the tool, its input, and what the specification shows of the answer.
struct Example {
    tool: &'static str,
    input: Value,
    shown: Value,
}

fn example(tool: &'static str, input: Value, shown: Value) -> Example {
    Example { tool, input, shown }
}

fn tree() -> Value {
    json!({
        "version": "2026.02",
        "dsVersion": "2026-02-24",
        "theme": "dark",
        "screens": [
            {
                "id": "screen_home",
                "component": "Stack",
                "children": [{ "id": "title", "component": "Text", "props": { "content": "Hello" } }]
            }
        ]
    })
}

/// In the order of the document. Where it writes `{ "..." : "..." }` for a tree, its first tree stands here.
fn auto() -> Vec<Example> {
    vec![
        example("catalog.list", json!({}), json!({})),
        example(
            "tokens.build",
            json!({ "brand": "A", "theme": "dark", "apply": false }),
            json!({ "artifacts": [] }),
        ),
        example(
            "structuredData.fetch",
            json!({ "dataset": "components", "ifNoneMatch": "deadbeef", "includePayload": true }),
            json!({ "dataset": "components", "schemaValidated": true }),
        ),
        example(
            "structuredData.fetch",
            json!({ "dataset": "components", "version": "2026-02-20", "listVersions": false }),
            json!({ "dataset": "components" }),
        ),
        example(
            "repl.validate",
            json!({ "mode": "full", "schema": tree() }),
            json!({
                "status": "ok",
                "mode": "full",
                "dslVersion": "2026.02",
                "registryVersion": "2026-02-24",
                "errors": [],
                "warnings": [],
                "meta": { "screenCount": 1, "nodeCount": 2 }
            }),
        ),
        example(
            "repl.validate",
            json!({ "mode": "full", "checkA11y": true, "schema": tree() }),
            json!({ "status": "ok", "errors": [] }),
        ),
        example(
            "repl.render",
            json!({
                "mode": "patch",
                "baseTree": {
                    "version": "2026.02",
                    "screens": [{ "id": "screen_home", "component": "Stack", "children": [{ "id": "title", "component": "Text" }] }]
                },
                "patch": [{ "nodeId": "title", "path": "component", "value": "ArchiveEvent" }]
            }),
            json!({
                "status": "ok",
                "mode": "patch",
                "dslVersion": "2026.02",
                "registryVersion": "2026-02-24",
                "errors": [],
                "warnings": [],
                "appliedPatch": true,
                "preview": {
                    "screens": ["screen_home"],
                    "routes": [],
                    "activeScreen": "screen_home",
                    "summary": "Render ready for 1 screen"
                }
            }),
        ),
        example(
            "repl.render",
            json!({ "mode": "full", "output": { "format": "fragment" }, "schema": tree() }),
            json!({ "status": "ok", "fragments": { "title": { "component": "Text" } } }),
        ),
        example(
            "brand.apply",
            json!({
                "brand": "A",
                "strategy": "alias",
                "apply": false,
                "delta": { "typography": { "body": { "fontSize": 14 } } }
            }),
            json!({
                "artifacts": [],
                "preview": { "summary": "Updated 1 token value for brand A.", "notes": ["base: 1 updated token"] }
            }),
        ),
        example("catalog.list", json!({ "category": "core" }), json!({})),
        example(
            "code.generate",
            json!({
                "schema": {
                    "version": "2026.02",
                    "screens": [
                        {
                            "id": "screen_main",
                            "component": "Stack",
                            "children": [
                                { "id": "heading", "component": "Text", "props": { "content": "Welcome" } },
                                { "id": "cta", "component": "Button", "props": { "label": "Get Started" } }
                            ]
                        }
                    ]
                },
                "framework": "react",
                "options": { "typescript": true, "styling": "tokens" }
            }),
            json!({
                "status": "ok",
                "framework": "react",
                "fileExtension": ".tsx",
                "warnings": [],
                "meta": { "nodeCount": 3, "componentCount": 3, "unknownComponents": [] }
            }),
        ),
        example(
            "design.compose",
            json!({
                "intent": "dashboard with metrics and sidebar navigation",
                "layout": "auto",
                "options": { "validate": true, "topN": 3 }
            }),
            json!({
                "status": "ok",
                "layout": "dashboard",
                "validation": { "status": "ok", "errors": [] },
                "meta": {
                    "intentParsed": "dashboard with metrics and sidebar navigation",
                    "layoutDetected": "dashboard"
                }
            }),
        ),
        example(
            "map.create",
            json!({
                "externalSystem": "material",
                "externalComponent": "Button",
                "oodsTraits": ["Clickable", "Themeable"],
                "propMappings": [
                    { "externalProp": "variant", "oodsProp": "appearance", "coercion": { "type": "enum-map", "values": { "contained": "primary", "outlined": "secondary", "text": "ghost" } } },
                    { "externalProp": "disabled", "oodsProp": "isDisabled" }
                ],
                "confidence": "manual",
                "apply": true
            }),
            json!({
                "status": "ok",
                "mapping": {
                    "id": "material__Button",
                    "externalSystem": "material",
                    "externalComponent": "Button",
                    "oodsTraits": ["Clickable", "Themeable"],
                    "confidence": "manual"
                },
                "warnings": []
            }),
        ),
        example(
            "map.list",
            json!({ "externalSystem": "material" }),
            json!({ "mappings": [{ "id": "material__Button" }], "totalCount": 1, "stats": { "mappingCount": 1, "systemCount": 1 } }),
        ),
        example(
            "map.resolve",
            json!({ "externalSystem": "material", "externalComponent": "Button" }),
            json!({
                "status": "ok",
                "mapping": { "id": "material__Button" },
                "propTranslations": [
                    { "externalProp": "variant", "oodsProp": "appearance", "coercionType": "enum-map", "coercionDetail": { "values": { "contained": "primary", "outlined": "secondary" } } },
                    { "externalProp": "disabled", "oodsProp": "isDisabled", "coercionType": null, "coercionDetail": null }
                ]
            }),
        ),
    ]
}

/// The tools that are registered on demand, whose examples show no answer.
fn on_demand() -> Vec<Example> {
    vec![
        example("a11y.scan", json!({ "apply": true, "schema": tree() }), json!({ "status": "ok" })),
        example("reviewKit.create", json!({ "apply": true }), json!({ "status": "ok" })),
        example("purity.audit", json!({ "apply": true }), json!({ "status": "ok" })),
        example("vrt.run", json!({ "apply": true }), json!({ "status": "ok" })),
    ]
}

/// Whether an answer holds everything that is shown.
fn holds(answer: &Value, shown: &Value) -> bool {
    match (answer, shown) {
        (Value::Object(answer), Value::Object(shown)) => {
            shown.iter().all(|(key, value)| answer.get(key).is_some_and(|given| holds(given, value)))
        }
        (Value::Array(answer), Value::Array(shown)) => {
            answer.len() == shown.len() && answer.iter().zip(shown).all(|(given, value)| holds(given, value))
        }
        _ => answer == shown,
    }
}

/// Runs the examples in one project, one after the other, and checks each answer against the published schema.
fn check(surface: &str, examples: Vec<Example>, mut call: impl FnMut(&Site, &str, &Value) -> Value) {
    let site = Site::new();
    let definitions = site.definitions();
    for Example { tool, input, shown } in examples {
        let result = call(&site, tool, &input);
        assert!(holds(&result, &shown), "{surface}: {tool} {input} answered {result}");
        let definition = definitions.iter().find(|definition| definition["name"] == tool).unwrap();
        let violations = Validator::compile(&definition["outputSchema"]).violations(&result);
        assert!(violations.is_empty(), "{surface}: {tool}: {violations:?} in {result}");
    }
}

fn server(site: &Site) -> Client {
    let mut command = site.mainstay(["mcp", "--toolsets", "foundry"]);
    command.envs(OPEN.iter().copied());
    let mut client = Client::start(command, Framing::Lines);
    // The longest limit of these tools is three minutes.
    client.patience = Duration::from_secs(200);
    client
}

fn check_line_protocol(examples: Vec<Example>) {
    let mut client = None;
    check("line protocol", examples, |site, tool, input| {
        let client = client.get_or_insert_with(|| server(site));
        client.send(&json!({ "id": "1", "tool": tool, "input": input }));
        let mut answer = client.answer(&json!("1"));
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].take()
    });
}

fn check_mcp(examples: Vec<Example>) {
    let mut client = None;
    check("MCP", examples, |site, tool, input| {
        let client = client.get_or_insert_with(|| {
            let mut client = server(site);
            client.initialize();
            client
        });
        let mut answer = client.request("tools/call", json!({ "name": tool, "arguments": input }));
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        answer["result"]["structuredContent"]["result"].take()
    });
}

fn check_command_line(examples: Vec<Example>) {
    check("command line", examples, |site, tool, input| {
        let mut command = site.mainstay(["call", tool, "--json", "--args", &input.to_string()]);
        let ran = site.ran(command.envs(OPEN.iter().copied()));
        assert_eq!(ran.exit, 0, "{tool}: {} {}", ran.stdout, ran.stderr);
        ran.json()["result"].take()
    });
}

#[test]
fn the_examples_work_in_the_line_protocol() {
    check_line_protocol(auto());
}

#[test]
fn the_examples_work_over_mcp() {
    check_mcp(auto());
}

#[test]
fn the_examples_work_on_the_command_line() {
    check_command_line(auto());
}

#[test]
fn the_examples_of_on_demand_tools_work_through_each_surface() {
    check_line_protocol(on_demand());
    check_mcp(on_demand());
    check_command_line(on_demand());
}
