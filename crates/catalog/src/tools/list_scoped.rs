//! `instructions/listScoped`: the entries that apply to somebody.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::entry::EntryView;
use crate::error::CatalogError;
use crate::scope::{Level, Scope, resolve};

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/listScoped")
        .title("List instructions for a scope")
        .summary("List the instructions that apply to a user, workspace or team; the most specific level with any entry wins")
        .reads()
        .stable()
        .example("What applies to everybody", json!({}))
        .example("A user of two teams", json!({"userId": "ann", "teamIds": ["core", "docs"]}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
struct Scoped {
    /// Catalog hash.
    hash: String,
    /// Number of items.
    count: usize,
    /// The level that answered.
    scope: Level,
    /// The entries.
    items: Vec<EntryView>,
}

fn run(catalog: &Catalog, _: &Call, scope: Scope) -> Result<Scoped, CatalogError> {
    let catalog = catalog.snapshot()?;
    let (scope, found) = resolve(&catalog.index, &scope);
    let items = catalog.views(found);
    Ok(Scoped { hash: catalog.index.hash().to_owned(), count: items.len(), scope, items })
}
