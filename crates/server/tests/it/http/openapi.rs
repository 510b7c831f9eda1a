//! The OpenAPI document describes what is served.

use std::collections::BTreeSet;

use mainstay_runtime::Validator;
use serde_json::{Value, json};

use super::server::Server;

fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn the_document_is_whole() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut found = Vec::new();
    references(&document, &mut found);
    assert!(!found.is_empty());
    for reference in found {
        assert!(document.pointer(&reference[1..]).is_some(), "{reference} leads nowhere");
    }
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for operation in item.as_object().unwrap().values() {
            assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{path}");
            assert!(operation["responses"]["200"].is_object() && operation["summary"].is_string(), "{path}");
        }
    }
    for def in server.runtime.registry().registered() {
        let operation = &document["paths"][format!("/tools/{}", def.wire_name())]["post"];
        assert_eq!(operation["operationId"], def.wire_name());
    }
    let example =
        &document["paths"]["/tools/echo"]["post"]["requestBody"]["content"]["application/json"]["examples"];
    assert_eq!(example["example1"]["value"], json!({ "message": "hello" }));
}

/// A schema of the document, standing alone.
fn schema(document: &Value, name: &str) -> Validator {
    let mut schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    schema["components"] = document["components"].clone();
    Validator::compile(&schema)
}

#[test]
fn answers_have_the_shape_the_document_gives_them() {
    let server = Server::start();
    let document = server.get("/openapi.json").json();
    for failed in [
        server.get("/nowhere"),
        server.post("/tools/echo", &json!({})),
        server.post("/tools/fail", &json!({ "code": "RATE_LIMIT" })),
    ] {
        assert_eq!(schema(&document, "Failure").violations(&failed.json()), []);
    }
    let content =
        &document["paths"]["/tools/echo"]["post"]["responses"]["200"]["content"]["application/json"];
    let mut envelope = content["schema"].clone();
    envelope["components"] = document["components"].clone();
    let answer = server.post("/tools/echo", &json!({ "message": "x" })).json();
    assert_eq!(Validator::compile(&envelope).violations(&answer), []);
    assert!(
        !schema(&document, "search_request")
            .violations(&json!({ "query": "x", "repo": "a", "repoPath": "b" }))
            .is_empty()
    );
}
