//! Validation and rendering beyond the examples.

use serde_json::{Value, json};

use crate::harness::Site;

fn tree(children: Value) -> Value {
    json!({ "version": "2026.02", "screens": [{ "id": "s", "component": "Stack", "children": children }] })
}

fn codes(issues: &Value) -> Vec<&str> {
    issues.as_array().unwrap().iter().map(|issue| issue["code"].as_str().unwrap()).collect()
}

#[test]
fn unknown_components_and_duplicate_ids_are_named_with_a_near_name() {
    let answer = Site::new().call(
        "repl.validate",
        json!({ "mode": "full", "schema": tree(json!([{ "id": "s", "component": "Buton" }])) }),
    );
    assert_eq!(answer["status"], "invalid");
    assert_eq!(codes(&answer["errors"]), ["DUPLICATE_ID", "UNKNOWN_COMPONENT"]);
    assert_eq!(answer["errors"][1]["path"], "/screens/0/children/0/component");
    assert!(answer["errors"][1]["hint"].as_str().unwrap().contains("Button"));
    assert_eq!(answer["meta"]["missingComponents"], json!(["Buton"]));
}

#[test]
fn properties_are_checked_against_the_catalog() {
    let props = json!({ "lable": "Save", "appearance": "loud", "disabled": "yes" });
    let answer = Site::new().call("repl.validate", json!({ "mode": "full", "schema": tree(json!([{ "id": "b", "component": "Button", "props": props }])) }));
    assert_eq!(answer["status"], "ok");
    assert_eq!(codes(&answer["warnings"]), ["UNKNOWN_PROP", "PROP_VALUE", "PROP_TYPE"]);
    assert!(answer["warnings"][0]["hint"].as_str().unwrap().contains("label"));
}

#[test]
fn accessibility_looks_at_the_tree() {
    let children = json!([
        { "id": "h", "component": "Text", "props": { "content": "A", "as": "h1" } },
        { "id": "h3", "component": "Text", "props": { "content": "B", "as": "h3" } },
        { "id": "i", "component": "Input" },
        { "id": "p", "component": "Image", "props": { "src": "a.png" } },
        { "id": "b", "component": "Button", "props": { "label": "x" }, "children": [{ "id": "b2", "component": "Button", "props": { "label": "y" } }] },
        { "id": "t", "component": "Text", "props": { "content": "faint" }, "style": { "colorToken": "ref.color.neutral.300" } }
    ]);
    let site = Site::new();
    let schema = tree(children);
    let quiet = site.call("repl.validate", json!({ "mode": "full", "schema": schema }));
    assert!(!codes(&quiet["warnings"]).iter().any(|code| code.starts_with("A11Y")));
    for args in [
        json!({ "mode": "full", "schema": schema, "checkA11y": true }),
        json!({ "mode": "full", "schema": schema, "options": { "checkA11y": true } }),
    ] {
        let answer = site.call("repl.validate", args);
        let found: Vec<&str> =
            codes(&answer["warnings"]).into_iter().filter(|code| code.starts_with("A11Y")).collect();
        assert_eq!(
            found,
            [
                "A11Y_HEADING_ORDER",
                "A11Y_NAME_MISSING",
                "A11Y_ALT_MISSING",
                "A11Y_INTERACTIVE_NESTING",
                "A11Y_CONTRAST"
            ]
        );
    }
}

#[test]
fn a_patch_that_fails_or_breaks_the_tree_changes_nothing() {
    let site = Site::new();
    let base = tree(json!([{ "id": "t", "component": "Text" }]));
    let patch =
        json!([{ "op": "replace", "path": "/version", "value": "2" }, { "op": "remove", "path": "/nope" }]);
    let answer = site.call("repl.validate", json!({ "mode": "patch", "baseTree": base, "patch": patch }));
    assert_eq!((&answer["status"], &answer["appliedPatch"]), (&json!("invalid"), &json!(false)));
    assert_eq!(answer["dslVersion"], "2026.02");
    let broken = json!([{ "op": "remove", "path": "/screens/0/id" }]);
    let answer = site.call("repl.validate", json!({ "mode": "patch", "baseTree": base, "patch": broken }));
    assert_eq!(codes(&answer["errors"]), ["DSL_SCHEMA"]);
    assert_eq!(answer["appliedPatch"], false);
    let answer = site.call("repl.validate", json!({ "mode": "patch", "patch": broken }));
    assert_eq!(
        (codes(&answer["errors"]), &answer["dslVersion"]),
        (vec!["MISSING_BASE_TREE"], &json!("0.0.0"))
    );
    assert_eq!(site.fault("repl.validate", json!({ "mode": "patch" })).code.line().name(), "SCHEMA_INPUT");
    assert_eq!(site.fault("repl.validate", json!({ "mode": "full" })).code.line().name(), "SCHEMA_INPUT");
}

#[test]
fn unknown_nodes_at_any_depth_are_errors_of_their_own() {
    let site = Site::new();
    let schema = tree(json!([
        { "id": "a", "component": "Zork" },
        { "id": "b", "component": "Card", "children": [{ "id": "deep", "component": "Blorp" }, { "id": "ok", "component": "Button", "props": { "label": "Go" } }] }
    ]));
    let answer = site.call(
        "repl.render",
        json!({ "mode": "full", "schema": schema, "output": { "format": "fragments" } }),
    );
    assert_eq!(answer["status"], "ok");
    let places: Vec<(&str, &str)> = answer["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| (e["nodeId"].as_str().unwrap(), e["path"].as_str().unwrap()))
        .collect();
    assert_eq!(places, [("a", "/fragments/a"), ("deep", "/fragments/b")]);
    assert!(answer["fragments"].get("a").is_none());
    assert!(answer["fragments"]["b"]["html"].as_str().unwrap().contains("Go"));
    for output in [json!({ "format": "document" }), json!({ "format": "fragments", "strict": true })] {
        let answer = site.call("repl.render", json!({ "mode": "full", "schema": schema, "output": output }));
        assert_eq!(
            (&answer["status"], answer.get("html"), answer.get("fragments")),
            (&json!("error"), None, None)
        );
    }
}

#[test]
fn a_page_defines_every_variable_it_uses() {
    let site = Site::new();
    let composed = site.call("design.compose", json!({ "intent": "subscription detail page" }));
    for theme in ["light", "dark", "hc"] {
        let mut schema = composed["schema"].clone();
        schema["theme"] = theme.into();
        let html =
            site.call("repl.render", json!({ "mode": "full", "schema": schema, "apply": true }))["html"]
                .as_str()
                .unwrap()
                .to_owned();
        assert!(html.contains(&format!("data-theme=\"{theme}\"")));
        for used in html.split("var(").skip(1).map(|rest| rest.split([')', ',']).next().unwrap()) {
            assert!(html.contains(&format!("{used}:")) || used == "--oods-columns", "{used} is not defined");
        }
    }
}

#[test]
fn wide_trees_are_answered_and_deep_ones_refused() {
    let site = Site::new();
    let wide = tree(
        (0..50_000)
            .map(|n| json!({ "id": format!("n{n}"), "component": "Text", "props": { "content": "x" } }))
            .collect(),
    );
    let answer = site.call(
        "repl.validate",
        json!({ "mode": "full", "schema": wide, "options": { "includeNormalized": false } }),
    );
    assert_eq!(answer["meta"]["nodeCount"], 50_001);

    // Built by hand: the json! macro would walk the whole tree at every level.
    let nest = |levels: usize, rest: Value| {
        let mut node = json!({ "id": "leaf", "component": "Text" });
        for level in 0..levels {
            let mut outer = json!({ "id": format!("n{level}"), "component": "Stack" });
            outer["children"] = Value::Array(vec![node]);
            node = outer;
        }
        let mut args = rest;
        args["schema"] = json!({ "version": "1" });
        args["schema"]["screens"] = Value::Array(vec![node]);
        args
    };
    let page = || json!({ "mode": "full", "options": { "includeTree": false }, "apply": true });
    let answer = site.call("repl.render", nest(150, page()));
    assert!(answer["html"].as_str().unwrap().contains("n149"));
    let fault = site.fault("repl.render", nest(10_000, page()));
    assert_eq!(fault.code.line().name(), "SCHEMA_INPUT");
    assert!(fault.message.contains("nested"), "{}", fault.message);
    site.fault("code.generate", nest(10_000, json!({ "framework": "react" })));
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let calls = [
        ("design.compose", json!({ "intent": "invoice list" })),
        ("catalog.list", json!({})),
        ("structuredData.fetch", json!({ "dataset": "tokens" })),
        (
            "code.generate",
            json!({ "framework": "vue", "schema": tree(json!([{ "id": "a", "component": "Card", "props": { "title": "T" } }])) }),
        ),
    ];
    for (id, args) in calls {
        let first = Site::new().call(id, args.clone()).to_string();
        assert_eq!(first, Site::new().call(id, args).to_string(), "{id}");
    }
}
