//! `instructions/reload`: the directory read again from the start.

use std::sync::Arc;

use mainstay_contract::{Call, Target, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{NoArgs, RejectedFile, define, gated_batch, rejected_files};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/reload")
        .title("Reload the catalog")
        .summary("Read the whole catalog directory again; changes are seen without it, so this is a repair")
        .writes()
        .planned()
        .policy(gated_batch())
        .example("Reload", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
struct Reloaded {
    /// The directory was read.
    reloaded: bool,
    /// Catalog hash.
    hash: String,
    /// Number of entries.
    count: usize,
    /// Files that are not served, and why.
    rejected: Vec<RejectedFile>,
}

fn run(catalog: &Catalog, call: &Call, _: NoArgs) -> Result<Reloaded, CatalogError> {
    let hash = Some(catalog.snapshot()?.index.hash().to_owned());
    call.changes().propose_all(|| vec![Target::exact("catalog", hash.clone(), hash)])?;
    let catalog = catalog.reload()?;
    Ok(Reloaded {
        reloaded: true,
        hash: catalog.index.hash().to_owned(),
        count: catalog.index.len(),
        rejected: rejected_files(&catalog),
    })
}
