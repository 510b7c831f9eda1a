//! `meta/tools`: the registry in the form its clients know.

use std::sync::Arc;

use mainstay_contract::{Call, Effect, Gate, Policy, Tool, ToolDef, Toolset, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{NoArgs, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;

/// The registry format that clients know.
const REGISTRY_VERSION: &str = "2025-08-25";

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("meta/tools")
        .title("List methods")
        .summary("List every method with its stability, whether it writes, whether it is disabled, and its schemas")
        .reads()
        .stable()
        .policy(Policy::instant())
        .example("The registry", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
struct Registry {
    /// Every method.
    tools: Vec<Listed>,
    /// The part that does not depend on the state of the server.
    stable: StablePart,
    /// The part that does.
    dynamic: DynamicPart,
    /// Methods with schemas.
    mcp: McpPart,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Id of the method.
    method: String,
    /// Deterministic.
    stable: bool,
    /// Changes the catalog.
    mutation: bool,
    /// Refused at present.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct StablePart {
    /// Every method.
    tools: Vec<Listed>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DynamicPart {
    /// When this was written.
    generated_at: String,
    /// Whether methods that change the catalog may run.
    mutation_enabled: bool,
    /// Methods that are refused at present.
    disabled: Vec<Disabled>,
}

#[derive(Serialize, JsonSchema)]
struct Disabled {
    /// Id of the method.
    method: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct McpPart {
    /// Version of this format.
    registry_version: &'static str,
    /// Methods with schemas.
    tools: Vec<Described>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Described {
    /// Id of the method.
    name: String,
    /// The method in one line.
    description: String,
    /// Deterministic.
    stable: bool,
    /// Changes the catalog.
    mutation: bool,
    /// JSON Schema of the parameters.
    input_schema: Value,
    /// JSON Schema of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<Value>,
}

fn run(_: &Catalog, call: &Call, _: NoArgs) -> Result<Registry, CatalogError> {
    let tools = call.host().tools(call.caller());
    let enabled = call.host().is_open(Gate::Mutation);
    let is_disabled = |tool: &ToolDef| tool.policy.gate == Some(Gate::Mutation) && !enabled;
    let listed = |tool: &ToolDef, disabled: Option<bool>| Listed {
        method: tool.id.clone(),
        stable: tool.stable,
        mutation: is_mutation(tool),
        disabled,
    };
    Ok(Registry {
        tools: tools.iter().map(|tool| listed(tool, Some(is_disabled(tool)))).collect(),
        stable: StablePart { tools: tools.iter().map(|tool| listed(tool, None)).collect() },
        dynamic: DynamicPart {
            generated_at: timestamp(call.now()),
            mutation_enabled: enabled,
            disabled: tools
                .iter()
                .filter(|tool| is_disabled(tool))
                .map(|tool| Disabled { method: tool.id.clone() })
                .collect(),
        },
        mcp: McpPart {
            registry_version: REGISTRY_VERSION,
            tools: tools
                .iter()
                .map(|tool| Described {
                    name: tool.id.clone(),
                    description: tool.summary.clone(),
                    stable: tool.stable,
                    mutation: is_mutation(tool),
                    input_schema: Value::clone(&tool.input),
                    output_schema: tool.output.as_deref().cloned(),
                })
                .collect(),
        },
    })
}

/// Whether a method counts as a mutation: in this toolset counting uses does not.
fn is_mutation(tool: &ToolDef) -> bool {
    match tool.toolset {
        Toolset::Catalog => tool.effect != Effect::Read && !tool.id.starts_with("usage/track"),
        _ => matches!(tool.effect, Effect::Write | Effect::Destructive),
    }
}
