//! `gates/evaluate`: the counts that must hold.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use serde_json::json;

use super::{NoArgs, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::gates::Evaluation;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("gates/evaluate")
        .title("Evaluate gates")
        .summary("Evaluate the gates of gates.json against the catalog")
        .reads()
        .stable()
        .example("Evaluate", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

fn run(catalog: &Catalog, call: &Call, _: NoArgs) -> Result<Evaluation, CatalogError> {
    catalog.evaluate_gates(call.now())
}
