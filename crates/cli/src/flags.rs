//! Flags made from a tool's argument schema, and arguments made from flags.

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::ToolDef;
use serde_json::{Map, Value};

/// `repoPath` is spelled `--repo-path`.
fn kebab(key: &str) -> String {
    let mut text = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// The arguments of a tool that have a flag: all but positional and reserved ones.
fn flagged<'a>(def: &'a ToolDef, skip: &'a [&str]) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let properties = def.input["properties"].as_object().into_iter().flatten();
    properties.filter(|(key, schema)| !skip.contains(&key.as_str()) && schema.get("not").is_none())
}

fn is_switch(schema: &Value) -> bool {
    schema["type"] == "boolean"
        || schema["enum"].as_array().is_some_and(|values| values.contains(&Value::Bool(true)))
}

fn is_list(schema: &Value) -> bool {
    schema["type"] == "array"
        || schema["anyOf"].as_array().is_some_and(|any| any.iter().any(|one| one["type"] == "array"))
}

/// Adds a flag for every argument but those in `skip`.
pub fn with_tool_flags(command: Command, def: &ToolDef, skip: &[&str]) -> Command {
    flagged(def, skip).fold(command, |command, (key, schema)| {
        let about = schema["description"].as_str().unwrap_or_default().trim_end_matches('.').to_owned();
        let arg = Arg::new(key.clone()).long(kebab(key)).help(about).help_heading("Filters and output");
        command.arg(if is_switch(schema) {
            arg.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("BOOL")
        } else if is_list(schema) {
            arg.action(ArgAction::Append).value_name("TEXT")
        } else if schema["type"] == "integer" || schema["type"] == "number" {
            arg.value_name("N")
        } else if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> =
                words.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect();
            arg.value_parser(words)
        } else {
            arg.value_name("TEXT")
        })
    })
}

/// The arguments given as flags; values the schema calls numbers or booleans become such.
pub fn tool_args(matches: &ArgMatches, def: &ToolDef, skip: &[&str]) -> Map<String, Value> {
    let mut args = Map::new();
    for (key, schema) in flagged(def, skip) {
        let Ok(Some(values)) = matches.try_get_many::<String>(key) else { continue };
        let mut values: Vec<Value> = values.map(|text| typed(text, schema)).collect();
        let value = match is_list(schema) {
            true => Value::Array(values),
            false => values.pop().unwrap_or_default(),
        };
        args.insert(key.clone(), value);
    }
    args
}

fn typed(text: &str, schema: &Value) -> Value {
    let plain = is_switch(schema) || schema["type"] == "integer" || schema["type"] == "number";
    match plain {
        true => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
        false => Value::String(text.to_owned()),
    }
}
