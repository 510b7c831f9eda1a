//! `usage/trackBatch`: uses of several entries in one call.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::define;
use super::usage_track::{Tracked, announce, track};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("usage/trackBatch")
        .title("Track several uses")
        .summary("Count one use of each named instruction; naming one twice counts twice")
        .writes()
        .planned()
        .example("Two uses", json!({"ids": ["house-style", "review-first"]}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Entries that were used.
    #[schemars(length(min = 1, max = 1000))]
    ids: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Batch {
    /// Number of uses counted.
    tracked: usize,
    /// What became of each id, in the order given.
    results: Vec<Tracked>,
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Batch, CatalogError> {
    announce(catalog, call, &args.ids)?;
    let results: Vec<Tracked> =
        args.ids.into_iter().map(|id| track(catalog, call, id)).collect::<Result<_, _>>()?;
    let tracked = results.iter().filter(|result| matches!(result, Tracked::Counted { .. })).count();
    Ok(Batch { tracked, results })
}
