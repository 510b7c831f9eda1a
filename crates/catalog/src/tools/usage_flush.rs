//! `usage/flush`: counted uses onto the disk.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{NoArgs, define, gated};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("usage/flush")
        .title("Flush usage counts")
        .summary("Put every counted use on disk, so that it survives the machine")
        .writes()
        .planned()
        .policy(gated())
        .example("Flush", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
struct Flushed {
    /// Everything counted is on disk.
    flushed: bool,
}

fn run(catalog: &Catalog, call: &Call, _: NoArgs) -> Result<Flushed, CatalogError> {
    let uses = catalog.all_uses()?;
    call.changes().propose_all(|| vec![uses])?;
    catalog.flush_usage()?;
    Ok(Flushed { flushed: true })
}
