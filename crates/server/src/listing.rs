//! Tool definitions as MCP lists them.

use mainstay_contract::{Effect, TOOLING_VERSION, ToolDef, wire_name};
use mainstay_runtime::{Registry, fingerprint};
use serde_json::{Map, Value, json};

/// How tools are named in a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Naming {
    /// Names every client accepts.
    #[default]
    Wire,
    /// The contract's own spelling.
    Id,
}

/// The tools of the listing, in registration order; listed aliases follow their tool.
pub fn listed_tools(registry: &Registry, naming: Naming) -> Vec<Value> {
    let mut tools = Vec::new();
    for def in registry.listed() {
        tools.push(tool_json(def, naming));
        for alias in def.aliases.iter().filter(|alias| alias.listed) {
            let mut tool = tool_json(def, naming);
            tool["name"] = json!(spelled(&alias.name, naming));
            tool["_meta"]["deprecated"] = json!(true);
            tool["_meta"]["aliasOf"] = json!(spelled(&def.id, naming));
            tools.push(tool);
        }
    }
    tools
}

fn spelled(id: &str, naming: Naming) -> String {
    match naming {
        Naming::Wire => wire_name(id),
        Naming::Id => id.to_owned(),
    }
}

/// One tool as `tools/list` shows it.
pub fn tool_json(def: &ToolDef, naming: Naming) -> Value {
    let mut tool = Map::new();
    tool.insert("name".into(), spelled(&def.id, naming).into());
    tool.insert("title".into(), def.title.as_str().into());
    tool.insert("description".into(), def.summary.as_str().into());
    tool.insert("inputSchema".into(), Value::clone(&def.input));
    if let Some(schema) = def.structured_schema() {
        tool.insert("outputSchema".into(), schema);
    }
    tool.insert(
        "annotations".into(),
        json!({
            "title": def.title,
            "readOnlyHint": def.effect == Effect::Read,
            "destructiveHint": def.effect == Effect::Destructive,
            "openWorldHint": def.effect == Effect::Network,
        }),
    );
    tool.insert(
        "_meta".into(),
        json!({
            "schemaVersion": def.schema_version,
            "toolingVersion": TOOLING_VERSION,
            "id": def.id,
            "toolset": def.toolset.name(),
            "contractHash": fingerprint(def),
        }),
    );
    Value::Object(tool)
}
