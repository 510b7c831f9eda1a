//! The definitions: names, stability, gates, descriptions, examples, and the registry method.

use serde_json::{Value, json};

use crate::site::{Server, Site};

const SEED: &[&str] = &[
    "instructions/list",
    "instructions/listScoped",
    "instructions/get",
    "instructions/search",
    "instructions/diff",
    "instructions/export",
    "instructions/import",
    "instructions/add",
    "instructions/repair",
    "instructions/reload",
    "instructions/remove",
    "instructions/groom",
    "instructions/governanceHash",
    "prompt/review",
    "integrity/verify",
    "gates/evaluate",
    "usage/track",
    "usage/hotset",
    "usage/flush",
    "metrics/snapshot",
    "feature/status",
    "meta/tools",
    "health/check",
];
const STABLE: &[&str] = &[
    "health/check",
    "instructions/list",
    "instructions/listScoped",
    "instructions/governanceHash",
    "instructions/get",
    "instructions/search",
    "instructions/diff",
    "instructions/export",
    "prompt/review",
    "integrity/verify",
    "usage/track",
    "usage/hotset",
    "metrics/snapshot",
    "gates/evaluate",
    "meta/tools",
];
const GATED: &[&str] = &[
    "instructions/add",
    "instructions/import",
    "instructions/reload",
    "instructions/remove",
    "instructions/groom",
    "usage/flush",
];

#[test]
fn every_method_of_the_seed_is_there_with_its_gate_and_stability() {
    let site = Site::new();
    for id in SEED {
        let tool = site.tools().iter().find(|tool| tool.def.id == *id).unwrap_or_else(|| panic!("{id}"));
        assert_eq!(tool.def.stable, STABLE.contains(id), "{id}");
        assert_eq!(tool.def.policy.gate.is_some(), GATED.contains(id), "{id}");
    }
}

#[test]
fn everything_is_described_and_every_example_works_on_an_empty_catalog() {
    let site = Site::new();
    for tool in site.tools() {
        let def = &tool.def;
        assert!(!def.summary.is_empty() && def.title != def.id && !def.examples.is_empty(), "{}", def.id);
        assert!(def.summary.len() < 200 && !def.summary.ends_with('.'), "{}", def.id);
        undescribed(&def.input, &def.id);
        let fresh = Site::new();
        for example in &def.examples {
            let result = fresh.try_call(&def.id, example.args.clone());
            assert!(result.is_ok(), "{} {}: {:?}", def.id, example.args, result.err());
        }
    }
}

fn undescribed(schema: &Value, path: &str) {
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            let path = format!("{path}.{name}");
            assert!(property["description"].is_string(), "{path} has no description");
            undescribed(property, &path);
        }
    }
    if schema["items"].is_object() {
        undescribed(&schema["items"], path);
    }
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        undescribed(definition, &format!("{path}#{name}"));
    }
}

#[test]
fn meta_tools_has_the_four_blocks() {
    let site = Site::new();
    let registry = Server::read_only(site.config()).call("meta/tools", json!({}));
    let find = |list: &Value, key: &str, id: &str| {
        list.as_array()
            .unwrap()
            .iter()
            .find(|tool| tool[key] == id)
            .cloned()
            .unwrap_or_else(|| panic!("{id}"))
    };
    assert_eq!(
        find(&registry["tools"], "method", "instructions/add"),
        json!({"method": "instructions/add", "stable": false, "mutation": true, "disabled": true})
    );
    assert_eq!(
        find(&registry["tools"], "method", "usage/track"),
        json!({"method": "usage/track", "stable": true, "mutation": false, "disabled": false})
    );
    assert_eq!(find(&registry["tools"], "method", "instructions/repair")["mutation"], true);
    assert_eq!(
        find(&registry["stable"]["tools"], "method", "instructions/get"),
        json!({"method": "instructions/get", "stable": true, "mutation": false})
    );
    assert_eq!(registry["dynamic"]["mutationEnabled"], false);
    assert!(
        registry["dynamic"]["disabled"]
            .as_array()
            .unwrap()
            .contains(&json!({"method": "instructions/groom"}))
    );
    assert_eq!(registry["mcp"]["registryVersion"], "2025-08-25");
    let get = find(&registry["mcp"]["tools"], "name", "instructions/get");
    assert_eq!(get["inputSchema"]["required"], json!(["id"]));
    assert!(get["outputSchema"].is_object());
    let open = site.call("meta/tools", json!({}));
    assert_eq!(
        (&open["dynamic"]["mutationEnabled"], &open["dynamic"]["disabled"]),
        (&json!(true), &json!([]))
    );
}

#[test]
fn metrics_round_and_sort() {
    let metrics = Site::new().call("metrics/snapshot", json!({}));
    assert_eq!(
        metrics["methods"],
        json!([
            {"method": "instructions/get", "count": 1, "avgMs": 1.23, "maxMs": 3.46},
            {"method": "usage/track", "count": 3, "avgMs": 3.33, "maxMs": 3.46}
        ])
    );
    assert_eq!(metrics["features"]["features"], json!(["usage"]));
}
