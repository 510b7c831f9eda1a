//! `instructions/list`: entries, all or of one category.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::define;
use super::page::{Cut, Page};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::text::lower;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/list")
        .title("List instructions")
        .summary("List the instructions of the catalog, all or of one category, with the catalog hash")
        .reads()
        .stable()
        .example("Everything", json!({}))
        .example("One category, ten at a time", json!({"category": "security", "limit": 10}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Only entries of this category; upper and lower case are the same.
    category: Option<String>,
    /// Answer with at most this many entries; everything when absent.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
    /// Continue after this entry: `nextCursor` of the page before.
    cursor: Option<String>,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Page, CatalogError> {
    let category = args.category.as_deref().map(lower);
    let wanted =
        |categories: &[String]| category.as_ref().is_none_or(|category| categories.contains(category));
    let cut = Cut { limit: args.limit, cursor: args.cursor };
    let matches = |record: &crate::index::Record| wanted(&record.entry.categories);
    Ok(Page::of(&catalog.snapshot()?, &cut, matches, |catalog, record| catalog.view(record)))
}
