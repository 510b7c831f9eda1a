//! `instructions/remove`: entries out of the catalog, into the archive.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{author, define, gated_batch};
use crate::catalog::Catalog;
use crate::change::Removed;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/remove")
        .title("Remove instructions")
        .summary("Remove instructions by id; they move to the archive, from where they can be restored, unless purged")
        .destroys()
        .planned()
        .policy(gated_batch())
        .example("Two entries", json!({"ids": ["old-style", "older-style"]}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Entries to remove.
    #[schemars(length(min = 1))]
    ids: Vec<String>,
    /// Accepted for older clients; missing ids are never an error.
    #[serde(rename = "missingOk")]
    _missing_ok: Option<bool>,
    /// Delete for good instead of moving to the archive.
    purge: Option<bool>,
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Removed, CatalogError> {
    catalog.remove(&args.ids, args.purge.unwrap_or(false), &author(call))
}
