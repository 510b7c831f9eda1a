//! `instructions/diff`: what changed since a client last looked.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::diff::{Diff, Held, diff};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/diff")
        .title("Compare with what a client holds")
        .summary("Say what changed since a catalog hash, or since the entries a client holds; bodies count, metadata does not")
        .reads()
        .stable()
        .example("Everything, for a client that holds nothing", json!({}))
        .example(
            "Is an empty catalog still empty",
            json!({"clientHash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

fn run(catalog: &Catalog, _: &Call, held: Held) -> Result<Diff, CatalogError> {
    Ok(diff(&catalog.snapshot()?, &held))
}
