//! The tools of this toolset, one file each.

mod add;
mod diff;
mod dispatch;
mod export;
mod export_markdown;
mod feature_status;
mod gates_evaluate;
mod get;
mod governance_hash;
mod governance_update;
mod groom;
mod health_check;
mod history;
mod import;
mod import_files;
mod integrity_verify;
mod list;
mod list_scoped;
mod meta_tools;
mod metrics_snapshot;
mod page;
mod prompt_review;
mod query;
mod reload;
mod remove;
mod repair;
mod restore;
mod revision;
mod search;
mod usage_flush;
mod usage_hotset;
mod usage_track;
mod usage_track_batch;

use std::sync::Arc;

use mainstay_contract::{Call, Gate, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::{Catalog, Snapshot};
use crate::change::Author;
use crate::config::CatalogConfig;

/// The tools over one catalog directory. Nothing is read until a tool runs.
pub fn tools(config: CatalogConfig) -> Vec<Tool> {
    tools_of(&Arc::new(Catalog::new(config)))
}

/// The tools over a catalog that is also used as a library.
pub fn tools_of(catalog: &Arc<Catalog>) -> Vec<Tool> {
    let mut tools: Vec<Tool> = [
        list::tool,
        list_scoped::tool,
        get::tool,
        search::tool,
        query::tool,
        diff::tool,
        export::tool,
        export_markdown::tool,
        add::tool,
        import::tool,
        import_files::tool,
        repair::tool,
        reload::tool,
        remove::tool,
        groom::tool,
        restore::tool,
        history::tool,
        revision::tool,
        governance_hash::tool,
        governance_update::tool,
        prompt_review::tool,
        integrity_verify::tool,
        gates_evaluate::tool,
        usage_track::tool,
        usage_track_batch::tool,
        usage_hotset::tool,
        usage_flush::tool,
        metrics_snapshot::tool,
        feature_status::tool,
        meta_tools::tool,
        health_check::tool,
    ]
    .into_iter()
    .map(|tool| tool(Arc::clone(catalog)))
    .collect();
    tools.push(dispatch::tool(&tools));
    tools
}

fn define(id: &str) -> ToolDef {
    ToolDef::new(id, Toolset::Catalog)
}

/// The policy of a tool that writes: refused until the operator opens the gate.
fn gated() -> Policy {
    Policy::interactive().gate(Gate::Mutation)
}

/// The same for work over many entries.
fn gated_batch() -> Policy {
    Policy::batch().gate(Gate::Mutation)
}

/// Arguments of a tool that takes none.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NoArgs {}

/// The answer to an id that names no entry.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct NotFound {
    /// There is no such entry.
    not_found: bool,
}

impl NotFound {
    const ANSWER: NotFound = NotFound { not_found: true };
}

/// A file in the catalog directory that is not served.
#[derive(Debug, Serialize, JsonSchema)]
struct RejectedFile {
    /// Name of the file.
    file: String,
    /// Why it is not served.
    reason: String,
}

fn rejected_files(catalog: &Snapshot) -> Vec<RejectedFile> {
    let rejected = catalog.index.rejected().iter();
    rejected
        .map(|(file, rejected)| RejectedFile { file: file.clone(), reason: rejected.reason.clone() })
        .collect()
}

fn author(call: &Call) -> Author {
    Author { name: call.caller().name.clone(), now: call.now(), changes: call.changes().clone() }
}
