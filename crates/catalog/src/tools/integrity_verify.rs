//! `integrity/verify`: recorded hashes compared with the bodies.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{NoArgs, RejectedFile, define, rejected_files};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("integrity/verify")
        .title("Verify integrity")
        .summary("Compare every recorded hash with its body, and name the files that are not served")
        .reads()
        .stable()
        .example("Verify", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Verified {
    /// Catalog hash.
    hash: String,
    /// Number of entries.
    count: usize,
    /// Entries whose recorded hash does not fit.
    issues: Vec<Issue>,
    /// Number of issues.
    issue_count: usize,
    /// Files that are not served, and why.
    rejected: Vec<RejectedFile>,
}

#[derive(Serialize, JsonSchema)]
struct Issue {
    /// Id of the entry.
    id: String,
    /// The recorded hash.
    expected: String,
    /// The hash of the body.
    actual: String,
}

fn run(catalog: &Catalog, _: &Call, _: NoArgs) -> Result<Verified, CatalogError> {
    let catalog = catalog.snapshot()?;
    let issues: Vec<Issue> = catalog
        .index
        .records()
        .iter()
        .filter(|record| record.entry.source_hash != record.body_hash())
        .map(|record| Issue {
            id: record.id().to_owned(),
            expected: record.entry.source_hash.clone(),
            actual: record.body_hash().to_owned(),
        })
        .collect();
    Ok(Verified {
        hash: catalog.index.hash().to_owned(),
        count: catalog.index.len(),
        issue_count: issues.len(),
        issues,
        rejected: rejected_files(&catalog),
    })
}
