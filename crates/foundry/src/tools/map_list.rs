//! `map.list`: the mappings there are.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{define, join, limits};
use crate::mapping::{Mapping, Store};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("map.list")
        .title("List mappings")
        .summary("List the mappings of external components, optionally of one external system")
        .reads()
        .policy(limits(30, 60, 4))
        .tags(&["mapping"])
        .example("Mappings of one system", json!({ "externalSystem": "material" }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Only mappings of this system, in any case.
    external_system: Option<String>,
    /// Entries to skip.
    offset: Option<usize>,
    /// Most entries to return; all unless given.
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listing {
    pub mappings: Vec<Mapping>,
    /// Entries that match.
    pub total_count: usize,
    pub stats: Stats,
    pub etag: String,
}

/// Figures of the whole store.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stats {
    pub mapping_count: usize,
    pub system_count: usize,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Listing, FoundryError> {
    let store = Store::read(&foundry.config.root)?;
    let (etag, stats) =
        (store.etag(), Stats { mapping_count: store.mappings.len(), system_count: store.systems() });
    let wanted = args.external_system.map(|system| system.to_lowercase());
    let matching: Vec<Mapping> = store
        .mappings
        .into_iter()
        .filter(|mapping| {
            wanted.as_ref().is_none_or(|wanted| mapping.external_system.to_lowercase() == *wanted)
        })
        .collect();
    let total_count = matching.len();
    let mappings =
        matching.into_iter().skip(args.offset.unwrap_or(0)).take(args.limit.unwrap_or(usize::MAX)).collect();
    Ok(Listing { mappings, total_count, stats, etag })
}
