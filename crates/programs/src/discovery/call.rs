//! `climax_call`: runs any tool by name; the answer is the one a direct call would have had.

use std::sync::Arc;

use mainstay_contract::{ArgCheck, Body, Call, FaultResult, Listing, Payload, Tool, ToolDef, Toolset};
use serde_json::{Map, Value, json};

use super::index::{Cache, Index};
use crate::value::spelled;

/// Names offered when a tool is unknown; the whole list would grow without bound.
const NEAR_NAMES: usize = 5;

/// Longest part of a caller's words that is repeated.
const SHOWN_CHARS: usize = 500;

pub fn tool(cache: Arc<Cache>) -> Tool {
    ToolDef::new("climax_call", Toolset::Programs)
        .title("Call a tool")
        .summary(
            "Execute a CLI tool by name. Use climax_search first to discover \
             available tools and their argument schemas.",
        )
        .input(json!({
            "type": "object",
            "properties": {
                "tool_name": {
                    "type": "string",
                    "description": "The exact name of the tool to execute (as returned by climax_search)",
                },
                "args": {
                    "type": "object",
                    "description": "Arguments to pass to the tool (see tool's input_schema from climax_search)",
                },
            },
            "required": ["tool_name"],
        }))
        .destroys()
        .forwards()
        .payload(Payload::Text)
        .args(ArgCheck::Tool)
        .listing(Listing::Discovery)
        .example("Call a tool of any toolset", json!({ "tool_name": "config_status", "args": {} }))
        .raw_handler(move |call, args| run(&cache, call, args))
}

fn run(cache: &Cache, call: &Call, args: Value) -> FaultResult<Body> {
    let (name, args) = match read(args) {
        Ok(read) => read,
        Err(failure) => return Ok(refused(&failure)),
    };
    let index = cache.index(call);
    match index.get(&name) {
        Some(entry) => call.host().invoke(call, &entry.def.id, Value::Object(args)),
        None => Ok(Body::failed_text(unknown(&index, &name))),
    }
}

/// Takes the two arguments apart; nothing, null and JSON as text are all ways to write `args`.
fn read(args: Value) -> Result<(String, Map<String, Value>), String> {
    let Value::Object(mut args) = args else {
        return Err("Missing required argument 'tool_name'".into());
    };
    let name = match args.remove("tool_name") {
        None | Some(Value::Null) => return Err("Missing required argument 'tool_name'".into()),
        Some(Value::String(name)) => name,
        Some(other) => return Err(not_convertible("tool_name", &other, "string")),
    };
    let given = match args.remove("args") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(given)) => given,
        Some(Value::String(text)) if text.trim().is_empty() => Map::new(),
        Some(Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(given)) => given,
            Ok(Value::Null) => Map::new(),
            _ => return Err(not_convertible("args", &Value::String(text), "object")),
        },
        Some(other) => return Err(not_convertible("args", &other, "object")),
    };
    Ok((name, given))
}

fn not_convertible(name: &str, value: &Value, wanted: &str) -> String {
    let shown: String = spelled(value).chars().take(SHOWN_CHARS).collect();
    format!("Argument '{name}': cannot convert '{shown}' to {wanted}")
}

fn refused(failure: &str) -> Body {
    Body::failed_text(format!("Argument validation failed:\n  - {failure}"))
}

fn unknown(index: &Index, name: &str) -> String {
    let near = index.near(name, NEAR_NAMES);
    let shown: String = name.chars().take(SHOWN_CHARS).collect();
    match near.is_empty() {
        true => format!("Unknown tool: {shown}"),
        false => {
            format!("Unknown tool: {shown}. Near names: {}; climax_search finds others", near.join(", "))
        }
    }
}
