//! The OpenAPI 3.1 document, written from the tool definitions.

use std::collections::BTreeMap;

use mainstay_contract::{
    Caller, ErrorCode, Payload, Planning, SCHEMA_VERSION, ToolDef, Toolset, envelope_schema,
};
use mainstay_runtime::Registry;
use serde_json::{Map, Value, json};

use crate::http::{CALL_HEADERS, OPEN_PATHS};
use crate::identity::Identity;

/// Describes every path of the HTTP API that a caller may use; `/mcp` speaks another protocol and is left to it.
pub fn document(registry: &Registry, identity: &Identity, needs: Needs, caller: &Caller) -> Value {
    let mut writer = Writer { schemas: shared_schemas(), paths: base_paths() };
    if needs == Needs::TokenOfIssuer {
        writer.paths.extend(metadata_paths());
    }
    for def in registry.registered().filter(|def| caller.sees(def)) {
        writer.tool(def);
    }
    writer.search_api(registry, caller);
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": identity.title,
            "version": SCHEMA_VERSION,
            "description": description(),
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "tags": tags(registry, caller),
        "paths": writer.paths,
        "components": { "schemas": writer.schemas, "responses": failures() },
    });
    if needs != Needs::Nothing {
        for path in OPEN_PATHS.into_iter().chain(METADATA_PATHS.map(|(path, _)| path)) {
            if let Some(item) = document["paths"].get_mut(path) {
                item["get"]["security"] = json!([]);
            }
        }
        document["components"]["securitySchemes"] =
            json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

/// What a caller must show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    Nothing,
    Token,
    /// A token, which an authorisation server gives to clients.
    TokenOfIssuer,
}

fn description() -> String {
    let headers = CALL_HEADERS.map(|(header, _, meaning)| format!("- `{header}`: {meaning}"));
    format!(
        "Every JSON answer is an envelope: {{ok, result | error, _meta}}.\n\nHeaders of a call of a tool:\n{}",
        headers.join("\n")
    )
}

fn tags(registry: &Registry, caller: &Caller) -> Vec<Value> {
    let server = json!({ "name": "server", "description": "The server itself" });
    let is_active = |set: &Toolset| registry.registered().any(|def| def.toolset == *set && caller.sees(def));
    let active = Toolset::ALL.into_iter().filter(is_active);
    let sets = active.map(|set| json!({ "name": set.name(), "description": set.summary() }));
    std::iter::once(server).chain(sets).collect()
}

fn shared_schemas() -> Map<String, Value> {
    let envelope = envelope_schema(&json!({}));
    let codes: Vec<&str> =
        ErrorCode::TABLE.iter().filter(|row| row.shared.is_none()).map(|row| row.name).collect();
    let mut error = envelope["properties"]["error"].clone();
    error["properties"]["code"] = json!({ "type": "string", "enum": codes });
    let failure = json!({
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "error": error,
            "_meta": { "$ref": "#/components/schemas/Meta" },
        },
        "required": ["ok", "error", "_meta"],
        "additionalProperties": false,
    });
    let mut schemas = Map::new();
    let mut meta = envelope["properties"]["_meta"].clone();
    meta["properties"]["plan"] = json!({ "type": "object" });
    schemas.insert("Meta".into(), meta);
    schemas.insert("Failure".into(), failure);
    schemas
}

/// An envelope around a result.
fn success(result: Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "ok": { "const": true },
            "result": result,
            "_meta": { "$ref": "#/components/schemas/Meta" },
        },
        "required": ["ok", "result", "_meta"],
        "additionalProperties": false,
    })
}

/// Why each status is answered, from the error table.
fn reasons() -> BTreeMap<u16, Vec<String>> {
    let mut reasons: BTreeMap<u16, Vec<String>> = BTreeMap::new();
    for row in ErrorCode::TABLE {
        reasons.entry(row.http).or_default().push(format!("{}: {}", row.code.shared().name(), row.meaning));
    }
    for (status, reason) in [
        (405, "The path does not support this method"),
        (413, "The body is too large"),
        (415, "The body is not JSON"),
        (429, "The client sends too many requests"),
    ] {
        reasons.entry(status).or_default().push(format!("{}: {reason}", ErrorCode::InvalidRequest.name()));
    }
    reasons
}

fn failures() -> Value {
    let response = |reasons: &Vec<String>| {
        let schema = json!({ "$ref": "#/components/schemas/Failure" });
        json!({ "description": reasons.join("; "), "content": { "application/json": { "schema": schema } } })
    };
    reasons().iter().map(|(status, reasons)| (format!("Failure{status}"), response(reasons))).collect()
}

/// The answers of an operation: one success and every failure that can happen to it.
fn responses(success: Value, calls_a_tool: bool) -> Value {
    let mut responses = Map::new();
    responses.insert("200".into(), success);
    for status in reasons().into_keys() {
        if calls_a_tool || matches!(status, 400 | 401 | 403 | 404 | 405 | 429) {
            let reference = format!("#/components/responses/Failure{status}");
            responses.insert(status.to_string(), json!({ "$ref": reference }));
        }
    }
    Value::Object(responses)
}

fn json_success(result: Value) -> Value {
    let content = json!({ "application/json": { "schema": success(result) } });
    json!({ "description": "The envelope of the result", "content": content })
}

fn prometheus_success() -> Value {
    let content = json!({ "text/plain": { "schema": { "type": "string" } } });
    json!({ "description": "Prometheus text", "content": content })
}

/// A stream of events, described by the shape of one.
fn events_success(names: &[&str]) -> Value {
    let event = json!({
        "type": "object",
        "properties": {
            "event": { "type": "string", "enum": names },
            "data": { "type": "string", "contentMediaType": "application/json", "description": "An envelope" },
        },
        "required": ["event", "data"],
    });
    json!({
        "description": format!("The events {}", names.join(", ")),
        "content": { "text/event-stream": { "schema": event } },
    })
}

fn get(id: &str, summary: &str, success: Value) -> Value {
    json!({ "get": { "operationId": id, "summary": summary, "tags": ["server"], "responses": responses(success, false) } })
}

fn base_paths() -> Map<String, Value> {
    let object = |name: &str, schema: Value| json!({ "type": "object", "properties": { name: schema }, "required": [name] });
    let status = || json_success(object("status", json!({ "type": "string" })));
    let uptime = json_success(object("uptimeMs", json!({ "type": "number", "minimum": 0 })));
    let tools = json_success(object("tools", json!({ "type": "array", "items": { "type": "object" } })));
    let mut ready = get("ready", "Say whether new calls are accepted", status());
    ready["get"]["responses"]["503"] = json!({ "$ref": "#/components/responses/Failure503" });
    let own = json!({
        "description": "This document",
        "content": { "application/json": { "schema": { "type": "object" } } },
    });
    [
        ("/health", get("health", "Say how long the server has been up", uptime)),
        ("/healthz", get("alive", "Say that the server is alive", status())),
        ("/readyz", ready),
        ("/metrics", get("metrics", "Counters for Prometheus", prometheus_success())),
        ("/openapi.json", get("openapi", "This document", own)),
        ("/tools", get("tools", "List the tools with their schemas", tools)),
    ]
    .into_iter()
    .map(|(path, item)| (path.to_owned(), item))
    .collect()
}

/// Where clients learn which authorisation server to ask (RFC 9728), and the names of these operations.
const METADATA_PATHS: [(&str, &str); 2] = [
    ("/.well-known/oauth-protected-resource", "resource_metadata"),
    ("/.well-known/oauth-protected-resource/mcp", "resource_metadata_mcp"),
];

fn metadata_paths() -> impl Iterator<Item = (String, Value)> {
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let schema = json!({
        "type": "object",
        "properties": {
            "resource": { "type": "string", "format": "uri" },
            "resource_name": { "type": "string" },
            "authorization_servers": texts(),
            "scopes_supported": texts(),
            "bearer_methods_supported": texts(),
        },
        "required": ["resource", "authorization_servers"],
    });
    let success = json!({
        "description": "Metadata of a protected resource, as RFC 9728 describes them",
        "content": { "application/json": { "schema": schema } },
    });
    METADATA_PATHS.into_iter().map(move |(path, id)| {
        (
            path.to_owned(),
            get(id, "Say which authorisation server gives tokens for this server", success.clone()),
        )
    })
}

struct Writer {
    schemas: Map<String, Value>,
    paths: Map<String, Value>,
}

impl Writer {
    /// Adds a schema under a name and returns a reference to it.
    fn schema(&mut self, name: String, mut schema: Value) -> Value {
        let root = format!("#/components/schemas/{name}");
        rebase(&mut schema, &root);
        self.schemas.insert(name, schema);
        json!({ "$ref": root })
    }

    fn tool(&mut self, def: &ToolDef) {
        let wire = def.wire_name();
        let input = self.schema(format!("{wire}_input"), Value::clone(&def.input));
        let result = match (def.payload, &def.output) {
            (Payload::Envelope | Payload::Bare, Some(output)) => {
                self.schema(format!("{wire}_result"), Value::clone(output))
            }
            _ => json!({}),
        };
        let mut body = json!({ "schema": input });
        if !def.examples.is_empty() {
            let examples = def.examples.iter().enumerate().map(|(at, example)| {
                (format!("example{}", at + 1), json!({ "summary": example.summary, "value": example.args }))
            });
            body["examples"] = Value::Object(examples.collect());
        }
        let mut called = json_success(result);
        if def.planning != Planning::Nothing {
            // A preview has a plan in `_meta` and perhaps no result.
            called["content"]["application/json"]["schema"]["required"] = json!(["ok", "_meta"]);
        }
        let call = json!({
            "operationId": wire,
            "summary": def.title,
            "description": def.summary,
            "tags": [def.toolset.name()],
            "requestBody": { "required": true, "content": { "application/json": body } },
            "responses": responses(called, true),
            "x-mainstay-effect": def.effect,
            "x-mainstay-schema-version": def.schema_version,
        });
        let shown = json_success(json!({
            "type": "object",
            "properties": { "tool": { "type": "object" } },
            "required": ["tool"],
        }));
        let mut item = get(&format!("show_{wire}"), &format!("Show the definition of {}", def.id), shown);
        item["post"] = call;
        self.paths.insert(format!("/tools/{wire}"), item);
    }

    /// The endpoints of the Search API, over the tools behind them.
    fn search_api(&mut self, registry: &Registry, caller: &Caller) {
        let seen = |id: &str| registry.get(id).filter(|def| caller.sees(def));
        let result = |key: &str| {
            json!({
                "type": "object",
                "properties": { "repo": { "type": "string" }, key: { "type": "object" } },
                "required": ["repo", key],
            })
        };
        if seen("index_status").is_some() {
            let parameter = json!({
                "name": "repo",
                "in": "query",
                "description": "Repository; the server's own when absent",
                "schema": { "type": "string", "minLength": 1 },
            });
            for (path, id, success) in [
                ("/status", "status", json_success(result("status"))),
                ("/status/stream", "status_stream", events_success(&["start", "result", "error", "done"])),
            ] {
                let operation = json!({
                    "operationId": id,
                    "summary": "Report size, age and staleness of an index",
                    "tags": ["search"],
                    "parameters": [parameter],
                    "responses": responses(success, true),
                });
                self.paths.insert(path.into(), json!({ "get": operation }));
            }
        }
        if let Some(def) = seen("search") {
            let mut input = Value::clone(&def.input);
            if let Some(properties) = input.get_mut("properties").and_then(Value::as_object_mut) {
                let repo = properties.get("repoPath").cloned().unwrap_or(json!({ "type": "string" }));
                properties.insert("repo".into(), repo);
            }
            input["not"] = json!({ "required": ["repo", "repoPath"] });
            let body = self.schema("search_request".into(), input);
            for (path, id, success) in [
                ("/search", "search_api", json_success(result("search"))),
                (
                    "/search/stream",
                    "search_stream",
                    events_success(&["start", "progress", "result", "error", "done"]),
                ),
            ] {
                let operation = json!({
                    "operationId": id,
                    "summary": "Search a repository",
                    "tags": ["search"],
                    "requestBody": { "required": true, "content": { "application/json": { "schema": body } } },
                    "responses": responses(success, true),
                });
                self.paths.insert(path.into(), json!({ "post": operation }));
            }
        }
    }
}

/// Makes the references of a schema that stood alone point into the document.
fn rebase(schema: &mut Value, root: &str) {
    match schema {
        Value::Object(fields) => {
            fields.remove("$schema");
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::String(target) if name == "$ref" && target.starts_with('#') => {
                        *target = format!("{root}{}", &target[1..]);
                    }
                    value => rebase(value, root),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rebase(item, root)),
        _ => {}
    }
}
