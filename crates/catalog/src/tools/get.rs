//! `instructions/get`: one entry.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{NotFound, define};
use crate::catalog::Catalog;
use crate::entry::EntryView;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/get")
        .title("Get an instruction")
        .summary("Get one instruction by id")
        .reads()
        .stable()
        .example("By id", json!({"id": "house-style"}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the entry.
    id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Found {
    Entry {
        /// Catalog hash.
        hash: String,
        /// The entry.
        item: Box<EntryView>,
    },
    Missing(NotFound),
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Found, CatalogError> {
    let catalog = catalog.snapshot()?;
    Ok(match catalog.index.get(&args.id) {
        Some(record) => {
            Found::Entry { hash: catalog.index.hash().to_owned(), item: Box::new(catalog.view(record)) }
        }
        None => Found::Missing(NotFound::ANSWER),
    })
}
