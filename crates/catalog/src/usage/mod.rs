//! Usage counts: every process appends to its own journal, and reading sums them all.
//!
//! A count is written when it is reported, so it survives the process; `flush` makes it survive the machine. Nothing
//! is overwritten by two processes, because no two write to one file. Journals of processes that ended are folded
//! into `base.json` under the catalog lock.

mod book;
mod files;

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub(crate) use book::Book;
pub(crate) use files::fold_ended;

/// How often and when an entry was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    #[serde(rename = "usageCount")]
    pub count: u64,
    #[serde(rename = "firstSeenTs")]
    pub first: String,
    #[serde(rename = "lastUsedAt")]
    pub last: String,
}

/// Counts by entry id.
pub type Table = HashMap<String, Usage>;

/// Adds uses to a table.
fn add(table: &mut Table, id: &str, count: u64, first: &str, last: &str) {
    match table.get_mut(id) {
        None => {
            table.insert(id.to_owned(), Usage { count, first: first.to_owned(), last: last.to_owned() });
        }
        Some(usage) => {
            usage.count = usage.count.saturating_add(count);
            if first < usage.first.as_str() {
                usage.first = first.to_owned();
            }
            if last > usage.last.as_str() {
                usage.last = last.to_owned();
            }
        }
    }
}
