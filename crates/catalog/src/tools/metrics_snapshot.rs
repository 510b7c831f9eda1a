//! `metrics/snapshot`: how often and how fast each method ran.

use std::sync::Arc;

use mainstay_contract::{Call, Tool, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{NoArgs, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::features::Features;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("metrics/snapshot")
        .title("Show metrics")
        .summary("Show how often each method was called and how long it took, and which features are active")
        .reads()
        .stable()
        .policy(mainstay_contract::Policy::instant())
        .example("Metrics", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Metrics {
    /// When the snapshot was taken.
    generated_at: String,
    /// One item per method, sorted by name.
    methods: Vec<Method>,
    /// What `feature/status` answers.
    features: Features,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Method {
    /// Id of the method.
    method: String,
    /// Calls, failed ones included.
    count: u64,
    /// Mean duration in milliseconds.
    avg_ms: f64,
    /// Longest duration in milliseconds.
    max_ms: f64,
}

fn run(catalog: &Catalog, call: &Call, _: NoArgs) -> Result<Metrics, CatalogError> {
    let mut methods: Vec<Method> = call
        .host()
        .usage()
        .into_iter()
        .filter(|usage| usage.count > 0)
        .map(|usage| Method {
            avg_ms: millis(usage.total_micros as f64 / usage.count as f64),
            max_ms: millis(usage.max_micros as f64),
            method: usage.id,
            count: usage.count,
        })
        .collect();
    methods.sort_by(|a, b| a.method.cmp(&b.method));
    Ok(Metrics {
        generated_at: timestamp(call.now()),
        methods,
        features: catalog.counters.report(&catalog.config),
    })
}

/// Milliseconds with two decimals.
fn millis(micros: f64) -> f64 {
    (micros / 10.0).round() / 100.0
}
