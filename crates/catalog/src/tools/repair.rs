//! `instructions/repair`: recorded hashes corrected, or a client brought up to date.

use std::sync::Arc;

use mainstay_contract::{Call, Gate, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{author, define};
use crate::catalog::Catalog;
use crate::change::Repaired;
use crate::diff::{Diff, Held, diff};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/repair")
        .title("Repair recorded hashes")
        .summary("Correct recorded hashes that do not fit their bodies; with clientHash or known, answer like instructions/diff")
        .writes()
        .planned()
        .example("Repair what is wrong", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Outcome {
    Repaired(Repaired),
    Synced(Diff),
}

fn run(catalog: &Catalog, call: &Call, held: Held) -> Result<Outcome, CatalogError> {
    if !held.is_empty() {
        return Ok(Outcome::Synced(diff(&catalog.snapshot()?, &held)));
    }
    // Not gated as a whole: a catalog in order may be repaired by anybody.
    let writable = call.host().is_open(Gate::Mutation);
    catalog.repair(&author(call), writable).map(Outcome::Repaired)
}
