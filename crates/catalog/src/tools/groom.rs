//! `instructions/groom`: the catalog tidied.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{author, define, gated_batch};
use crate::catalog::Catalog;
use crate::change::Groomed;
use crate::error::CatalogError;
use crate::groom::Mode;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/groom")
        .title("Groom the catalog")
        .summary("Tidy categories and hashes, merge duplicates, remove deprecated entries; removed entries move to the archive")
        .destroys()
        .planned()
        .policy(gated_batch())
        .example("What would change", json!({"mode": {"dryRun": true, "mergeDuplicates": true}}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// What to do beside tidying; nothing more when absent.
    mode: Option<Mode>,
    /// Delete removed entries for good instead of moving them to the archive.
    purge: Option<bool>,
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Groomed, CatalogError> {
    catalog.groom(args.mode.unwrap_or_default(), args.purge.unwrap_or(false), &author(call))
}
