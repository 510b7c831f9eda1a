//! Our entry in a client's file.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{Client, Format};

/// The program a client starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    pub command: String,
    pub args: Vec<String>,
}

impl Entry {
    /// Whether the program is some build of ours.
    pub fn is_ours(&self) -> bool {
        let name = self.command.rsplit(['/', '\\']).next().unwrap_or_default();
        name == "mainstay" || name == "mainstay.exe"
    }

    /// The entry as the client spells it.
    pub fn to_json(&self, client: Client) -> Value {
        let mut fields = Map::new();
        if client.names_type() {
            fields.insert("type".into(), "stdio".into());
        }
        fields.insert("command".into(), self.command.as_str().into());
        fields.insert("args".into(), json!(self.args));
        Value::Object(fields)
    }

    /// A block to paste into an empty file.
    pub fn to_block(&self, client: Client, name: &str) -> String {
        match client.format() {
            Format::Json => format!("{:#}\n", json!({ (client.key()): { (name): self.to_json(client) } })),
            Format::Toml => super::toml::block(client.key(), name, self),
        }
    }
}
