//! `health/check`: whether the catalog serves, and what it leaves out.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainstay_contract::{Body, Call, TOOLING_VERSION, Tool, result_schema_of, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{RejectedFile, define, rejected_files};
use crate::catalog::Catalog;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("health/check")
        .title("Check health")
        .summary(
            "Say whether the catalog can be read, and name every file that is not served with the reason",
        )
        .reads()
        .stable()
        .output(result_schema_of::<Health>())
        .example("Health", json!({}))
        .raw_handler(move |call, _| Body::json(&run(&catalog, call)))
}

#[derive(Serialize, JsonSchema)]
struct Health {
    /// `ok`, or `degraded` when the catalog cannot be read.
    status: &'static str,
    /// When this was written.
    timestamp: String,
    /// Version of the server.
    version: &'static str,
    /// What the catalog holds; absent when it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    catalog: Option<CatalogHealth>,
    /// Why the catalog cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct CatalogHealth {
    /// Files looked at.
    scanned: usize,
    /// Files that are entries.
    accepted: usize,
    /// Files that are not served.
    skipped: usize,
    /// Number of files by reason.
    reasons: BTreeMap<String, usize>,
    /// The files that are not served, and why.
    rejected: Vec<RejectedFile>,
}

fn run(catalog: &Catalog, call: &Call) -> Health {
    let mut health = Health {
        status: "ok",
        timestamp: timestamp(call.now()),
        version: TOOLING_VERSION,
        catalog: None,
        error: None,
    };
    match catalog.snapshot() {
        Ok(snapshot) => {
            let rejected = rejected_files(&snapshot);
            let mut reasons = BTreeMap::new();
            for file in &rejected {
                *reasons.entry(file.reason.clone()).or_default() += 1;
            }
            health.catalog = Some(CatalogHealth {
                scanned: snapshot.index.len() + rejected.len(),
                accepted: snapshot.index.len(),
                skipped: rejected.len(),
                reasons,
                rejected,
            });
        }
        Err(error) => {
            health.status = "degraded";
            health.error = Some(mainstay_contract::Fault::from(error).message);
        }
    }
    health
}
