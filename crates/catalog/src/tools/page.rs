//! Paging for tools that by default answer with everything.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::catalog::Snapshot;
use crate::entry::EntryView;
use crate::index::Record;

/// Entries and the catalog hash.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// Catalog hash, also when only some entries are asked for.
    pub hash: String,
    /// Number of items here.
    pub count: usize,
    /// The entries.
    pub items: Vec<EntryView>,
    /// Number of matching entries, when a limit was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// Pass as `cursor` to get the rest; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// Which part of the matching entries to answer with.
pub struct Cut {
    pub limit: Option<usize>,
    pub cursor: Option<String>,
}

impl Page {
    pub fn of(
        catalog: &Snapshot,
        cut: &Cut,
        matches: impl Fn(&Record) -> bool,
        view: impl Fn(&Snapshot, &Arc<Record>) -> EntryView,
    ) -> Page {
        let index = &catalog.index;
        let found = || index.after(cut.cursor.as_deref()).iter().filter(|record| matches(record));
        let hash = index.hash().to_owned();
        let Some(limit) = cut.limit else {
            let items: Vec<EntryView> = found().map(|record| view(catalog, record)).collect();
            return Page { hash, count: items.len(), items, total: None, next_cursor: None };
        };
        let mut rest = found();
        let chosen: Vec<&Arc<Record>> = rest.by_ref().take(limit).collect();
        let next_cursor = match rest.next() {
            Some(_) => chosen.last().map(|record| record.id().to_owned()),
            None => None,
        };
        let items: Vec<EntryView> = chosen.into_iter().map(|record| view(catalog, record)).collect();
        let total = index.records().iter().filter(|record| matches(record)).count();
        Page { hash, count: items.len(), items, total: Some(total), next_cursor }
    }
}
