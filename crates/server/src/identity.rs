//! Who the server says it is.

use mainstay_contract::{SCHEMA_VERSION, TOOLING_VERSION};
use serde_json::{Value, json};

/// The transport named in the experimental capability block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Sdk,
    Legacy,
}

impl Transport {
    pub fn name(self) -> &'static str {
        match self {
            Transport::Sdk => "sdk",
            Transport::Legacy => "legacy",
        }
    }
}

/// Name, instructions and capabilities sent at `initialize`.
#[derive(Debug, Clone)]
pub struct Identity {
    pub name: String,
    pub title: String,
    pub instructions: String,
    /// Optional abilities of this build and machine, as the Search seed publishes them.
    pub capabilities: Value,
    /// Whether the tool list can change while the server runs.
    pub list_changed: bool,
}

impl Default for Identity {
    fn default() -> Self {
        Identity {
            name: "mainstay".into(),
            title: "Mainstay".into(),
            instructions: "Tools answer with an envelope {ok, result | error, _meta}. On a failure read \
                           error.message and error.details.hint: they name the next step."
                .into(),
            capabilities: json!({}),
            list_changed: false,
        }
    }
}

impl Identity {
    /// The `capabilities.experimental.pairofcleats` block.
    pub fn experimental(&self, transport: Transport) -> Value {
        let mut capabilities = self.capabilities.clone();
        if let Some(map) = capabilities.as_object_mut() {
            let sdk = transport == Transport::Sdk;
            map.insert("mcp".into(), json!({ "sdk": sdk, "legacy": !sdk }));
        }
        json!({
            "schemaVersion": SCHEMA_VERSION,
            "toolingVersion": TOOLING_VERSION,
            "transport": transport.name(),
            "capabilities": capabilities,
        })
    }

    pub fn server_info(&self) -> Value {
        json!({ "name": self.name, "title": self.title, "version": TOOLING_VERSION })
    }
}
