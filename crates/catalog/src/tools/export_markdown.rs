//! `instructions/exportMarkdown`: the entries of a scope as one AGENTS.md.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::scope::{Level, Scope};

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/exportMarkdown")
        .title("Export as AGENTS.md")
        .summary("Write the instructions of a scope as one Markdown document that agents read as AGENTS.md")
        .reads()
        .example("What applies to everybody", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

/// The only format so far.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
enum Format {
    #[default]
    #[serde(rename = "agents-md")]
    AgentsMd,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// User whose own entries come first.
    user_id: Option<String>,
    /// Workspace whose entries come next.
    workspace_id: Option<String>,
    /// Teams whose entries come after that.
    team_ids: Option<Vec<String>>,
    /// Form of the document: `agents-md`.
    #[serde(rename = "format")]
    _format: Option<Format>,
}

#[derive(Serialize, JsonSchema)]
struct Document {
    /// Catalog hash.
    hash: String,
    /// Number of entries in the document.
    count: usize,
    /// The level that answered.
    scope: Level,
    /// The document.
    text: String,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Document, CatalogError> {
    let scope = Scope { user_id: args.user_id, workspace_id: args.workspace_id, team_ids: args.team_ids };
    let snapshot = catalog.snapshot()?;
    let (level, count, text) = crate::exchange::agents_md(&snapshot.index, &scope);
    Ok(Document { hash: snapshot.index.hash().to_owned(), count, scope: level, text })
}
