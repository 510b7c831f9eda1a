//! `instructions/dispatch`: every action on instructions behind one tool, for clients with few tool slots.
//!
//! An action runs through the server as its own tool does: same schema, same gate, same answer.

use std::sync::Arc;

use mainstay_contract::{Body, Call, Fault, FaultResult, Schema, Tool};
use serde_json::{Map, Value, json};

use super::define;

/// Answers which actions there are and what each takes.
const CAPABILITIES: &str = "capabilities";
const PREFIX: &str = "instructions/";

/// Builds the tool over the actions that exist.
pub fn tool(actions: &[Tool]) -> Tool {
    let actions: Arc<[(String, Schema)]> = actions
        .iter()
        .filter_map(|tool| Some((tool.def.id.strip_prefix(PREFIX)?.to_owned(), tool.def.input.clone())))
        .collect();
    define("instructions/dispatch")
        .title("Dispatch an action")
        .summary(
            "Run any instructions/* action by name; `capabilities` lists the actions with their parameters",
        )
        .destroys()
        .forwards()
        .policy(mainstay_contract::Policy::batch())
        .example("What can be done", json!({"action": CAPABILITIES}))
        .input(Schema::lazy({
            let actions = Arc::clone(&actions);
            move || input(&actions)
        }))
        .raw_handler(move |call, args| run(&actions, call, args))
}

/// The union of all parameters: which of them an action takes is checked by the action's own schema.
fn input(actions: &[(String, Schema)]) -> Value {
    let names: Vec<&str> = actions.iter().map(|(name, _)| name.as_str()).chain([CAPABILITIES]).collect();
    let mut properties = Map::new();
    properties
        .insert("action".into(), json!({ "type": "string", "enum": names, "description": "What to do." }));
    let mut definitions = Map::new();
    for (_, schema) in actions {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            properties.entry(name.clone()).or_insert_with(|| property.clone());
        }
        for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
            definitions.entry(name.clone()).or_insert_with(|| definition.clone());
        }
    }
    let mut schema = json!({
        "type": "object", "properties": properties, "required": ["action"], "additionalProperties": false
    });
    if !definitions.is_empty() {
        schema["$defs"] = definitions.into();
    }
    schema
}

fn run(actions: &[(String, Schema)], call: &Call, args: Value) -> FaultResult<Body> {
    let Value::Object(mut args) = args else { return Err(Fault::invalid("the arguments must be an object")) };
    let action = match args.shift_remove("action") {
        Some(Value::String(action)) => action,
        _ => return Err(Fault::invalid("action must be a string")),
    };
    if action == CAPABILITIES {
        let list: Vec<Value> =
            actions.iter().map(|(name, schema)| json!({ "action": name, "inputSchema": schema })).collect();
        return Body::json(&json!({ "count": list.len(), "actions": list }));
    }
    if !actions.iter().any(|(name, _)| *name == action) {
        return Err(
            Fault::invalid(format!("unknown action: {action}")).hint("ask for the action `capabilities`")
        );
    }
    call.host().invoke(call, &format!("{PREFIX}{action}"), Value::Object(args))
}
