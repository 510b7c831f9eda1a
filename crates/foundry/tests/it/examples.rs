//! Every example of the contract works as written, and every definition keeps the table of limits.

use std::time::Duration;

use mainstay_contract::Role;
use serde_json::{Value, json};

use crate::harness::Site;

#[test]
fn every_example_of_a_definition_runs_and_fits_its_schemas() {
    let site = Site::with_programs();
    std::fs::create_dir(site.path().join("src")).unwrap();
    for tool in &site.tools {
        assert!(!tool.def.examples.is_empty(), "{} has no example", tool.def.id);
        for example in &tool.def.examples {
            assert!(site.accepts(&tool.def.id, &example.args), "{}: {}", tool.def.id, example.args);
            // The mapping examples build on each other in the order of the table.
            site.call(&tool.def.id, example.args.clone());
        }
    }
}

#[test]
fn every_argument_is_described() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let place = format!("{path}.{name}");
            if property.get("description").and_then(Value::as_str).is_none_or(str::is_empty) {
                found.push(place.clone());
            }
            undescribed(property, &place, found);
        }
    }
    for tool in &Site::new().tools {
        let mut found = Vec::new();
        undescribed(&tool.def.input, &tool.def.id, &mut found);
        for (name, definition) in tool.def.input.get("$defs").and_then(Value::as_object).into_iter().flatten()
        {
            undescribed(definition, &format!("{}#{name}", tool.def.id), &mut found);
        }
        assert_eq!(found, Vec::<String>::new());
        assert!(!tool.def.summary.is_empty() && tool.def.title != tool.def.id, "{}", tool.def.id);
    }
}

#[test]
fn limits_are_those_of_the_contract() {
    let site = Site::new();
    let table = [
        ("tokens.build", 60, 30, 1, Some("${BASE}/${DATE}/**")),
        ("structuredData.fetch", 30, 60, 4, None),
        ("repl.validate", 30, 60, 4, None),
        ("repl.render", 30, 60, 4, Some("${BASE}/${DATE}/**")),
        ("brand.apply", 120, 12, 1, Some("${BASE}/${DATE}/**")),
        ("catalog.list", 30, 60, 4, None),
        ("code.generate", 30, 60, 4, None),
        ("design.compose", 30, 60, 4, None),
        ("map.create", 30, 30, 1, Some("artifacts/structured-data/component-mappings.json")),
        ("map.list", 30, 60, 4, None),
        ("map.resolve", 30, 60, 4, None),
    ];
    for (id, timeout, rate, concurrency, writes) in table {
        let policy = &site.tool(id).def.policy;
        assert_eq!(policy.roles, [Role::Designer, Role::Maintainer], "{id}");
        assert_eq!(policy.timeout, Duration::from_secs(timeout), "{id}");
        assert_eq!((policy.rate_per_minute, policy.concurrency), (Some(rate), Some(concurrency)), "{id}");
        assert_eq!(policy.writes.first().map(String::as_str), writes, "{id}");
    }
}

#[test]
fn the_validate_example_answers_as_shown() {
    let answer = Site::new().call(
        "repl.validate",
        json!({"mode": "full", "schema": {"version": "2026.02", "dsVersion": "2026-02-24", "theme": "dark", "screens": [
            {"id": "screen_home", "component": "Stack", "children": [{"id": "title", "component": "Text", "props": {"content": "Hello"}}]}]}}),
    );
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["dslVersion"], "2026.02");
    assert_eq!(answer["registryVersion"], "2026-02-24");
    assert_eq!((&answer["errors"], &answer["warnings"]), (&json!([]), &json!([])));
    assert_eq!(answer["meta"], json!({"screenCount": 1, "nodeCount": 2}));
}

#[test]
fn the_render_examples_answer_as_shown() {
    let site = Site::new();
    let base = json!({"version": "2026.02", "screens": [{"id": "screen_home", "component": "Stack", "children": [{"id": "title", "component": "Text"}]}]});
    let answer = site.call(
        "repl.render",
        json!({"mode": "patch", "baseTree": base, "patch": [{"nodeId": "title", "path": "component", "value": "ArchiveEvent"}]}),
    );
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["appliedPatch"], true);
    assert_eq!(
        answer["preview"],
        json!({"screens": ["screen_home"], "routes": [], "activeScreen": "screen_home", "summary": "Render ready for 1 screen"})
    );
    assert_eq!(
        answer["normalizedPatch"],
        json!([{"op": "replace", "path": "/screens/0/children/0/component", "value": "ArchiveEvent"}])
    );
    assert!(answer.get("html").is_none(), "no output was asked for");

    let mut tree = base.clone();
    tree["screens"][0]["children"][0]["props"] = json!({"content": "Hello & <welcome>"});
    let answer =
        site.call("repl.render", json!({"mode": "full", "output": {"format": "fragment"}, "schema": tree}));
    assert_eq!(answer["output"], json!({"format": "fragments", "strict": false}));
    let html = answer["fragments"]["title"]["html"].as_str().unwrap();
    assert!(html.contains("Hello &amp; &lt;welcome&gt;"), "{html}");
    assert!(answer["css"]["css.tokens"].as_str().unwrap().contains("--oods-sys-text-primary"));
}

#[test]
fn the_brand_example_answers_as_shown() {
    let site = Site::new();
    let answer = site.call(
        "brand.apply",
        json!({"brand": "A", "strategy": "alias", "apply": false, "delta": {"typography": {"body": {"fontSize": 14}}}}),
    );
    assert_eq!(answer["artifacts"], json!([]));
    assert_eq!(answer["preview"]["summary"], "Updated 1 token value for brand A.");
    assert_eq!(answer["preview"]["notes"], json!(["base: 1 updated token"]));
    let transcript = answer["transcriptPath"].as_str().unwrap();
    assert!(
        transcript.starts_with("artifacts/current-state/") && transcript.contains("/review-kit/brand.apply/"),
        "{transcript}"
    );
    assert!(answer["bundleIndexPath"].as_str().unwrap().ends_with("/bundle.json"));
    assert!(site.path().join(transcript).is_file());
}

#[test]
fn the_mapping_example_is_accepted_once() {
    let site = Site::new();
    let example = site.tool("map.create").def.examples[0].args.clone();
    let answer = site.call("map.create", example.clone());
    assert_eq!(answer["mapping"]["id"], "material__Button");
    assert_eq!(answer["warnings"], json!([]));
    assert!(answer["mapping"]["createdAt"].is_string());
    let fault = site.fault("map.create", example);
    assert_eq!(fault.code.line().name(), "BAD_REQUEST");
    assert!(fault.message.contains("material__Button"), "{}", fault.message);

    let found =
        site.call("map.resolve", json!({"externalSystem": "Material", "externalComponent": "button"}));
    assert_eq!(found["status"], "ok");
    assert_eq!(found["propTranslations"][0]["coercionType"], "enum-map");
    assert_eq!(
        found["propTranslations"][0]["coercionDetail"],
        json!({"values": {"contained": "primary", "outlined": "secondary", "text": "ghost"}})
    );
    assert_eq!(
        found["propTranslations"][1],
        json!({"externalProp": "disabled", "oodsProp": "isDisabled", "coercionType": null, "coercionDetail": null})
    );
    let missing =
        site.call("map.resolve", json!({"externalSystem": "material", "externalComponent": "TextField"}));
    assert_eq!(missing["message"], "No mapping found for material/TextField");
    let list = site.call("map.list", json!({"externalSystem": "material"}));
    assert_eq!(
        (&list["totalCount"], &list["stats"]),
        (&json!(1), &json!({"mappingCount": 1, "systemCount": 1}))
    );
}

#[test]
fn the_compose_example_answers_as_shown() {
    let answer = Site::new().call(
        "design.compose",
        json!({"intent": "dashboard with metrics and sidebar navigation", "layout": "auto", "options": {"validate": true, "topN": 3}}),
    );
    assert_eq!((&answer["status"], &answer["layout"]), (&json!("ok"), &json!("dashboard")));
    assert_eq!(answer["validation"], json!({"status": "ok", "errors": [], "warnings": []}));
    assert_eq!(answer["warnings"], json!([]));
    assert_eq!(answer["meta"]["layoutDetected"], "dashboard");
    assert_eq!(answer["meta"]["slotCount"], 4);
    let metrics =
        answer["selections"].as_array().unwrap().iter().find(|slot| slot["slotName"] == "metrics").unwrap();
    assert_eq!(metrics["selectedComponent"], "MetricCard");
    let best = metrics["candidates"][0]["confidence"].as_f64().unwrap();
    assert!(best < 1.0 && best > 0.5, "{best}");
}

#[test]
fn the_code_example_answers_as_shown() {
    let site = Site::new();
    let example = site.tool("code.generate").def.examples[0].args.clone();
    let answer = site.call("code.generate", example);
    assert_eq!((&answer["status"], &answer["fileExtension"]), (&json!("ok"), &json!(".tsx")));
    assert!(answer["imports"].as_array().unwrap().contains(&json!("react")));
    assert_eq!(answer["meta"], json!({"nodeCount": 3, "componentCount": 3, "unknownComponents": []}));
    let code = answer["code"].as_str().unwrap();
    assert!(code.starts_with("import React from 'react';\n"), "{code}");
    assert!(code.contains("<Button id=\"cta\">Get Started</Button>"), "{code}");
}

#[test]
fn the_dataset_examples_answer_as_shown() {
    let site = Site::new();
    let first = site.call(
        "structuredData.fetch",
        json!({"dataset": "components", "ifNoneMatch": "deadbeef", "includePayload": true}),
    );
    assert_eq!((&first["matched"], &first["payloadIncluded"]), (&json!(false), &json!(true)));
    let again =
        site.call("structuredData.fetch", json!({"dataset": "components", "ifNoneMatch": first["etag"]}));
    assert_eq!((&again["matched"], &again["payloadIncluded"]), (&json!(true), &json!(false)));
    assert!(again.get("payload").is_none());
    let dated = site.call(
        "structuredData.fetch",
        json!({"dataset": "components", "version": "2026-02-20", "listVersions": false}),
    );
    assert_eq!(
        (&dated["requestedVersion"], &dated["resolvedVersion"]),
        (&json!("2026-02-20"), &json!("2026-02-24"))
    );
    assert_eq!(dated["warnings"].as_array().unwrap().len(), 1);
}
