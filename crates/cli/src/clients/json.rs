//! Entries in JSON with comments, edited in place.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::Value;

use super::{Client, Entry};

/// Why a text was not edited.
#[derive(Debug)]
pub enum Refused {
    Unreadable(String),
    NotServers,
}

fn parse(text: &str) -> Result<CstRootNode, Refused> {
    CstRootNode::parse(text, &ParseOptions::default()).map_err(|error| Refused::Unreadable(error.to_string()))
}

/// The table of servers; absent where nobody wrote one yet.
fn servers(root: &CstRootNode, key: &str) -> Result<Option<CstObject>, Refused> {
    if root.value().is_none() {
        return Ok(None);
    }
    let object = root.object_value().ok_or(Refused::NotServers)?;
    match object.get(key) {
        None => Ok(None),
        Some(property) => property.object_value().map(Some).ok_or(Refused::NotServers),
    }
}

pub fn get(text: &str, client: Client, name: &str) -> Result<Option<Entry>, Refused> {
    let Some(servers) = servers(&parse(text)?, client.key())? else { return Ok(None) };
    let Some(property) = servers.get(name) else { return Ok(None) };
    let value = property.value().and_then(|value| value.to_serde_value()).unwrap_or_default();
    let args = value["args"].as_array().map(Vec::as_slice).unwrap_or_default();
    Ok(Some(Entry {
        command: value["command"].as_str().unwrap_or_default().to_owned(),
        args: args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
    }))
}

/// Adds the entry, or brings command and arguments of an existing one up to date and keeps what else it says.
pub fn set(text: &str, client: Client, name: &str, entry: &Entry) -> Result<String, Refused> {
    let root = parse(text)?;
    let servers = match servers(&root, client.key())? {
        Some(servers) => servers,
        None => root.object_value_or_set().object_value_or_set(client.key()),
    };
    let wanted = entry.to_json(client);
    match servers.get(name).map(|property| property.object_value_or_set()) {
        None => {
            servers.append(name, input(&wanted));
        }
        Some(existing) => {
            for (key, value) in wanted.as_object().into_iter().flatten() {
                match existing.get(key) {
                    Some(property) if same(&property, value) => {}
                    Some(property) => property.set_value(input(value)),
                    None => drop(existing.append(key, input(value))),
                }
            }
        }
    }
    Ok(root.to_string())
}

fn same(property: &jsonc_parser::cst::CstObjectProp, value: &Value) -> bool {
    property.value().and_then(|node| node.to_serde_value()).as_ref() == Some(value)
}

pub fn remove(text: &str, client: Client, name: &str) -> Result<String, Refused> {
    let root = parse(text)?;
    if let Some(property) = servers(&root, client.key())?.and_then(|servers| servers.get(name)) {
        property.remove();
    }
    Ok(root.to_string())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(value) => CstInputValue::Number(value.to_string()),
        Value::String(value) => CstInputValue::String(value.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
