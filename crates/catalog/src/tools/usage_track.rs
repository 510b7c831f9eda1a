//! `usage/track`: one use of an entry.

use std::sync::Arc;

use mainstay_contract::{Call, Gate, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{NotFound, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("usage/track")
        .title("Track a use")
        .summary("Count one use of an instruction; without mutation enabled the count lives in memory only")
        .writes()
        .planned()
        .stable()
        .example("A use", json!({"id": "house-style"}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Entry that was used.
    id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Tracked {
    #[serde(rename_all = "camelCase")]
    Counted {
        /// Id of the entry.
        id: String,
        /// Uses so far, over all processes.
        usage_count: u64,
        /// First use.
        first_seen_ts: String,
        /// Latest use.
        last_used_at: String,
    },
    Missing(NotFound),
    #[serde(rename_all = "camelCase")]
    Disabled {
        /// The `usage` feature is off.
        feature_disabled: bool,
    },
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Tracked, CatalogError> {
    announce(catalog, call, std::slice::from_ref(&args.id))?;
    track(catalog, call, args.id)
}

/// Names what counting these uses changes.
pub(super) fn announce(catalog: &Catalog, call: &Call, ids: &[String]) -> Result<(), CatalogError> {
    if call.changes().is_watched() && catalog.config.has_feature("usage") {
        let targets = catalog.uses_of(ids, call.now())?;
        call.changes().propose_all(|| targets)?;
    }
    Ok(())
}

pub(super) fn track(catalog: &Catalog, call: &Call, id: String) -> Result<Tracked, CatalogError> {
    if !catalog.config.has_feature("usage") {
        catalog.counters.bump("usage:gated");
        return Ok(Tracked::Disabled { feature_disabled: true });
    }
    let writable = call.host().is_open(Gate::Mutation);
    let Some(usage) = catalog.track(&id, call.now(), writable)? else {
        return Ok(Tracked::Missing(NotFound::ANSWER));
    };
    catalog.counters.bump("propertyUpdate:usage");
    Ok(Tracked::Counted {
        id,
        usage_count: usage.count,
        first_seen_ts: usage.first,
        last_used_at: usage.last,
    })
}
