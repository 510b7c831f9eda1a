//! `instructions/export`: chosen entries, with or without their bodies.

use std::collections::HashSet;
use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::define;
use super::page::{Cut, Page};
use crate::catalog::{Catalog, Snapshot};
use crate::entry::{Entry, EntryView, Shared};
use crate::error::CatalogError;
use crate::index::Record;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/export")
        .title("Export instructions")
        .summary("Export chosen instructions, or all of them, with or without bodies")
        .reads()
        .stable()
        .example("Everything but the bodies", json!({"metaOnly": true}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Entries to export; all when absent or empty. Unknown ids are left out.
    ids: Option<Vec<String>>,
    /// Leave the bodies empty.
    meta_only: Option<bool>,
    /// Answer with at most this many entries; everything when absent.
    #[schemars(range(min = 1, max = 10_000))]
    limit: Option<usize>,
    /// Continue after this entry: `nextCursor` of the page before.
    cursor: Option<String>,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Page, CatalogError> {
    let ids: HashSet<&str> = args.ids.iter().flatten().map(String::as_str).collect();
    let matches = |record: &Record| ids.is_empty() || ids.contains(record.id());
    let view = match args.meta_only {
        Some(true) => without_body,
        _ => |catalog: &Snapshot, record: &Arc<Record>| catalog.view(record),
    };
    Ok(Page::of(&catalog.snapshot()?, &Cut { limit: args.limit, cursor: args.cursor }, matches, view))
}

fn without_body(catalog: &Snapshot, record: &Arc<Record>) -> EntryView {
    let mut view = catalog.view(record);
    view.entry = Shared(Arc::new(Entry { body: String::new(), ..Entry::clone(&record.entry) }));
    view
}
