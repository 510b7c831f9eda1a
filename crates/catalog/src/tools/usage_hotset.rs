//! `usage/hotset`: the entries used most.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("usage/hotset")
        .title("List the most used")
        .summary("List the most used instructions, over all processes")
        .reads()
        .stable()
        .example("The top five", json!({"limit": 5}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Number of entries, 1 to 100; 10 when absent.
    #[schemars(range(min = 1, max = 100))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Hotset {
    /// Catalog hash.
    hash: String,
    /// Number of items.
    count: usize,
    /// The limit in force.
    limit: usize,
    /// Most used first; of equals the latest used.
    items: Vec<Hot>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hot {
    /// Id of the entry.
    id: String,
    /// Uses so far.
    usage_count: u64,
    /// Latest use.
    last_used_at: String,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Hotset, CatalogError> {
    let limit = args.limit.unwrap_or(10);
    if !(1..=100).contains(&limit) {
        return Err(CatalogError::Refused { reason: "limit must be from 1 to 100".to_owned() });
    }
    let catalog = catalog.snapshot()?;
    let mut used: Vec<_> = catalog
        .usage
        .iter()
        .filter(|(id, usage)| usage.count > 0 && catalog.index.get(id).is_some())
        .collect();
    used.sort_by(|(left_id, left), (right_id, right)| {
        right.count.cmp(&left.count).then(right.last.cmp(&left.last)).then(left_id.cmp(right_id))
    });
    let items: Vec<Hot> = used
        .into_iter()
        .take(limit)
        .map(|(id, usage)| Hot { id: id.clone(), usage_count: usage.count, last_used_at: usage.last.clone() })
        .collect();
    Ok(Hotset { hash: catalog.index.hash().to_owned(), count: items.len(), limit, items })
}
