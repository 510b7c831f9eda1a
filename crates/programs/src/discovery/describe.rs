//! `climax_describe`: full schemas of chosen tools, for servers whose search results are one-liners.

use std::sync::Arc;

use mainstay_contract::{Body, Call, Fault, FaultResult, Listing, Payload, Policy, Tool, ToolDef, Toolset};
use serde_json::{Value, json};

use super::Detail;
use super::index::Cache;
use super::search::Hit;

/// Tools described in one call.
const MOST: usize = 50;

pub fn tool(cache: Arc<Cache>) -> Tool {
    ToolDef::new("climax_describe", Toolset::Programs)
        .title("Describe tools")
        .summary("Get the full argument schemas of tools found with climax_search, before calling them.")
        .input(json!({
            "type": "object",
            "properties": {
                "tool_names": {
                    "type": "array",
                    "items": { "type": "string" },
                    "minItems": 1,
                    "maxItems": MOST,
                    "description": "Names as returned by climax_search",
                },
            },
            "required": ["tool_names"],
        }))
        .output(json!({
            "type": "object",
            "properties": {
                "tools": { "type": "array", "items": { "type": "object" } },
                "unknown": { "type": "array", "items": { "type": "string" } },
            },
            "required": ["tools", "unknown"],
        }))
        .reads()
        .stable()
        .payload(Payload::Bare)
        .listing(Listing::Discovery)
        .policy(Policy::instant())
        .raw_handler(move |call, args| run(&cache, call, &args))
}

fn run(cache: &Cache, call: &Call, args: &Value) -> FaultResult<Body> {
    let names = args.get("tool_names").and_then(Value::as_array);
    let names = names.ok_or_else(|| Fault::invalid("tool_names must be a list of names"))?;
    let index = cache.index(call);
    let mut tools = Vec::new();
    let mut unknown = Vec::new();
    for name in names.iter().take(MOST).filter_map(Value::as_str) {
        match index.get(name) {
            Some(entry) => tools.push(Hit::new(entry, Detail::Full)),
            None => unknown.push(name),
        }
    }
    Body::json(&json!({ "tools": tools, "unknown": unknown }))
}
