//! What changed since a client last looked.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::catalog::Snapshot;
use crate::entry::EntryView;
use crate::index::Record;

/// What a client holds.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Held {
    /// Catalog hash the client saw last.
    pub client_hash: Option<String>,
    /// Entries the client holds; without it a difference is answered with the whole catalog.
    pub known: Option<Vec<Known>>,
}

/// One entry a client holds.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Known {
    /// Id of the entry.
    pub id: String,
    /// Its `sourceHash` as the client knows it.
    pub source_hash: String,
}

/// The difference, in one of three shapes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Diff {
    #[serde(rename_all = "camelCase")]
    UpToDate {
        /// Nothing changed.
        up_to_date: bool,
        /// Catalog hash.
        hash: String,
    },
    Incremental {
        /// Catalog hash.
        hash: String,
        /// Entries the client does not have.
        added: Vec<EntryView>,
        /// Entries whose body the client has in another version.
        updated: Vec<EntryView>,
        /// Ids that no longer exist.
        removed: Vec<String>,
    },
    Full {
        /// Catalog hash.
        hash: String,
        /// Every entry.
        changed: Vec<EntryView>,
    },
}

impl Held {
    pub fn is_empty(&self) -> bool {
        self.client_hash.is_none() && self.known.is_none()
    }
}

/// Compares what a client holds with the catalog; only bodies count, not metadata.
pub fn diff(catalog: &Snapshot, held: &Held) -> Diff {
    let index = &catalog.index;
    let hash = index.hash().to_owned();
    let same_hash = held.client_hash.as_deref() == Some(&hash);
    let Some(known) = &held.known else {
        return match same_hash {
            true => Diff::UpToDate { up_to_date: true, hash },
            false => Diff::Full { hash, changed: catalog.views(index.records()) },
        };
    };
    let mut theirs: HashMap<&str, &str> = HashMap::with_capacity(known.len());
    let mut removed = Vec::new();
    for Known { id, source_hash } in known.iter().filter(|known| !known.id.is_empty()) {
        // Of two items with one id the first counts.
        if theirs.contains_key(id.as_str()) {
            continue;
        }
        theirs.insert(id, source_hash);
        if index.get(id).is_none() {
            removed.push(id.clone());
        }
    }
    let (mut added, mut updated): (Vec<&Arc<Record>>, Vec<&Arc<Record>>) = (Vec::new(), Vec::new());
    for record in index.records() {
        match theirs.get(record.id()) {
            None => added.push(record),
            Some(hash) if *hash != record.entry.source_hash => updated.push(record),
            Some(_) => {}
        }
    }
    if same_hash && added.is_empty() && updated.is_empty() && removed.is_empty() {
        return Diff::UpToDate { up_to_date: true, hash };
    }
    Diff::Incremental { hash, added: catalog.views(added), updated: catalog.views(updated), removed }
}
