//! The JSON schema a caller sees for the arguments of a tool.

use serde_json::{Map, Value, json};

use crate::config::{Arg, Kind, ToolSpec};

/// Returns the argument schema of a tool; global arguments are not the caller's and not in it.
pub fn of_tool(tool: &ToolSpec) -> Value {
    let properties: Map<String, Value> =
        tool.args.iter().map(|arg| (arg.name.clone(), of_arg(arg))).collect();
    let required: Vec<&str> =
        tool.args.iter().filter(|arg| arg.required).map(|arg| arg.name.as_str()).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".into(), json!(required));
    }
    Value::Object(schema)
}

fn of_arg(arg: &Arg) -> Value {
    let mut schema = Map::new();
    let mut item = Map::new();
    let target = match &arg.kind {
        Kind::One(scalar) => {
            schema.insert("type".into(), scalar.name().into());
            &mut schema
        }
        Kind::Many { item: scalar, .. } => {
            schema.insert("type".into(), "array".into());
            item.insert("type".into(), scalar.name().into());
            &mut item
        }
    };
    if let Some(choices) = &arg.choices {
        target.insert("enum".into(), json!(choices));
    }
    if !item.is_empty() {
        schema.insert("items".into(), Value::Object(item));
    }
    if !arg.description.is_empty() {
        schema.insert("description".into(), arg.description.as_str().into());
    }
    if let Some(default) = &arg.default
        && !arg.secret
    {
        schema.insert("default".into(), default.clone());
    }
    if arg.secret {
        // The word JSON Schema has for "sent, never shown".
        schema.insert("writeOnly".into(), true.into());
    }
    Value::Object(schema)
}
