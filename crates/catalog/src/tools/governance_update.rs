//! `instructions/governanceUpdate`: owner, status, version and reviews of one entry.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use serde_json::json;

use super::{author, define, gated};
use crate::catalog::Catalog;
use crate::change::{GovernanceChange, Governed};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/governanceUpdate")
        .title("Update governance facts")
        .summary(
            "Change owner, status, version or review dates of one instruction without touching its content",
        )
        .writes()
        .planned()
        .policy(gated())
        .example(
            "A review that changed nothing",
            json!({"id": "house-style", "lastReviewedAt": "2026-01-31T00:00:00Z"}),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

fn run(catalog: &Catalog, call: &Call, change: GovernanceChange) -> Result<Governed, CatalogError> {
    catalog.govern(change, &author(call))
}
