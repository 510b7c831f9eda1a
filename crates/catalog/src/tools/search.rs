//! `instructions/search`: entries whose title or body holds a text.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::define;
use super::page::{Cut, Page};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::index::Record;
use crate::needle::Needle;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/search")
        .title("Search instructions")
        .summary("Find instructions whose title or body holds a text, upper and lower case alike")
        .reads()
        .stable()
        .example("By a word", json!({"q": "deploy"}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Text to look for, taken literally; the empty text matches everything.
    q: String,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Page, CatalogError> {
    let needle = Needle::new(&args.q);
    let matches = |record: &Record| record.holds(&needle);
    let cut = Cut { limit: None, cursor: None };
    Ok(Page::of(&catalog.snapshot()?, &cut, matches, |catalog, record| catalog.view(record)))
}
