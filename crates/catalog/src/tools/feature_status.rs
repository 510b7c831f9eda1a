//! `feature/status`: which optional features are on.

use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool};
use serde_json::json;

use super::{NoArgs, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::features::Features;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("feature/status")
        .title("Show features")
        .summary("Show which optional features are active and how much they were used")
        .reads()
        .policy(Policy::instant())
        .example("Features", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

fn run(catalog: &Catalog, _: &Call, _: NoArgs) -> Result<Features, CatalogError> {
    Ok(catalog.counters.report(&catalog.config))
}
