//! The append-only history: who changed what, and under which revision the former files are archived.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::PathBuf;

use jiff::Timestamp;
use mainstay_contract::timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layout, append, sync_dir};
use crate::error::CatalogError;

/// Size at which a new history file begins. Older ones stay beside it.
const ROTATE_BYTES: u64 = 32 * 1024 * 1024;

/// One change of the catalog. The line is written before the files change, so that a crash in between leaves a line
/// too many rather than a change without one.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// Name of the change; sorts by time.
    pub revision: String,
    /// When it was made.
    pub at: String,
    /// What was called: `add`, `import`, `remove`, `groom`, `repair`, `governance`, `restore`.
    pub action: String,
    /// Who called, as far as the surface knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Ids that did not exist before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<String>,
    /// Ids whose former content is archived under this revision.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<String>,
    /// Ids taken out, archived under this revision unless `purged`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// Removed without a copy.
    #[serde(default, skip_serializing_if = "is_false")]
    pub purged: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Change {
    pub fn touches(&self, id: &str) -> bool {
        [&self.created, &self.replaced, &self.removed].into_iter().flatten().any(|touched| touched == id)
    }

    /// Ids whose former content can be brought back.
    pub fn kept(&self) -> impl Iterator<Item = &String> {
        let removed = self.removed.iter().filter(|_| !self.purged);
        self.replaced.iter().chain(removed)
    }
}

/// A revision name: the time in a sortable, file-safe spelling and a random tail.
pub(crate) fn new_revision(now: Timestamp) -> String {
    let plain: String = timestamp(now).chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let mut tail = [0u8; 4];
    let seed = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), std::process::id());
    tail.copy_from_slice(&seed.to_le_bytes()[..4]);
    format!("{plain}-{}", crate::hash::hex(&tail))
}

/// Whether a text has the form of a revision, and so may become part of a file name.
pub(crate) fn is_revision(text: &str) -> bool {
    text.len() <= 64
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Adds a line; durable when former content depends on it.
pub(crate) fn record(layout: &Layout, change: &Change) -> Result<(), CatalogError> {
    let path = layout.history();
    let len = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    if len > ROTATE_BYTES {
        let old = layout.state().join(format!("history-{}.jsonl", change.revision));
        fs::rename(&path, &old).map_err(CatalogError::io("rotate", &path))?;
    }
    let line = serde_json::to_vec(change).expect("a change holds only strings");
    let durable = !(change.replaced.is_empty() && change.removed.is_empty());
    append(&path, &line, durable).map_err(CatalogError::io("write", &path))?;
    // A file that just began needs its name on disk too.
    match len == 0 || len > ROTATE_BYTES {
        true => sync_dir(&layout.state()).map_err(CatalogError::io("write", layout.state())),
        false => Ok(()),
    }
}

/// Reads every change, oldest first. Lines that a crash cut short are passed over.
pub(crate) fn read(layout: &Layout) -> Result<Vec<Change>, CatalogError> {
    let mut changes = Vec::new();
    for path in files(layout)? {
        let file = match fs::File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(CatalogError::io("read", &path)(error)),
        };
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(CatalogError::io("read", &path))?;
            changes.extend(serde_json::from_slice::<Change>(&line).ok());
        }
    }
    Ok(changes)
}

fn files(layout: &Layout) -> Result<Vec<PathBuf>, CatalogError> {
    let state = layout.state();
    let listing = match fs::read_dir(&state) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CatalogError::io("read", &state)(error)),
    };
    let is_old = |name: &str| name.starts_with("history-") && name.ends_with(".jsonl");
    let mut paths: Vec<PathBuf> = listing
        .flatten()
        .filter(|item| item.file_name().to_str().is_some_and(is_old))
        .map(|item| item.path())
        .collect();
    paths.sort();
    paths.push(layout.history());
    Ok(paths)
}
