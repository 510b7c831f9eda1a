//! `instructions/history`: who changed what, and what can be brought back.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::store::Change;

/// Changes answered when no limit is given.
const DEFAULT_LIMIT: usize = 50;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/history")
        .title("Show the history")
        .summary("Show the changes of one entry or of the whole catalog, newest first")
        .reads()
        .example("The latest changes", json!({"limit": 5}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Only changes of this entry.
    id: Option<String>,
    /// Answer with at most this many changes; 50 when absent.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct History {
    /// Number of changes here.
    count: usize,
    /// Number of changes known.
    total: usize,
    /// The changes, newest first.
    changes: Vec<Change>,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<History, CatalogError> {
    let mut changes = catalog.history(args.id.as_deref())?;
    let total = changes.len();
    changes.truncate(args.limit.unwrap_or(DEFAULT_LIMIT));
    Ok(History { count: changes.len(), total, changes })
}
