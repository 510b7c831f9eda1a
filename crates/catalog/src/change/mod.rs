//! Changing the catalog: everything that writes passes through a [`Session`].

mod add;
mod govern;
mod groom;
mod import;
mod remove;
mod repair;
mod restore;

use std::collections::HashMap;
use std::fs;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use mainstay_contract::{Changes, Target};

pub use add::{AddOptions, Added};
pub use govern::{Bump, GovernanceChange, Governed};
pub use groom::Groomed;
pub use import::{ImportMode, Imported, ItemError};
pub use remove::Removed;
pub use repair::Repaired;
pub use restore::{RestoreTarget, Restored};

use crate::catalog::Catalog;
use crate::draft::{MAX_FILE_BYTES, Problem};
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::hash::sha256_hex;
use crate::index::{Index, Loaded};
use crate::store::{Batch, Removal, Write, WriteLock, parse_text, remove_leftovers};
use crate::usage::fold_ended;

/// Temporary files this old belong to nobody. A writer holds its own for milliseconds.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// Log target of changes, which an operator can follow alone (`MCP_LOG_MUTATION`).
const MUTATIONS: &str = "mainstay_catalog::mutation";

/// Who changes the catalog, and when.
#[derive(Debug, Clone)]
pub struct Author {
    pub name: Option<String>,
    pub now: Timestamp,
    /// What may be changed.
    pub changes: Changes,
}

impl Author {
    pub fn at(now: Timestamp) -> Author {
        Author { name: None, now, changes: Changes::default() }
    }
}

/// The catalog while nobody else can change it.
pub(crate) struct Session<'a> {
    pub catalog: &'a Catalog,
    pub author: &'a Author,
    /// The catalog as it was when the lock was taken; empty after a commit.
    pub index: Arc<Index>,
    /// Absent in a preview, which ends before anything is written.
    lock: Option<WriteLock>,
    _writing: MutexGuard<'a, ()>,
}

/// What became of the files of a change.
pub(crate) struct Outcome {
    pub revision: String,
    /// Failures by id.
    pub failed: HashMap<String, String>,
    /// The catalog hash afterwards.
    pub hash: String,
}

impl Catalog {
    /// Locks the directory against other writers and brings the index up to date.
    pub(crate) fn session<'a>(&'a self, author: &'a Author) -> Result<Session<'a>, CatalogError> {
        let writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = match author.changes.is_preview() {
            true => None,
            false => Some(WriteLock::take(&self.layout)?),
        };
        if let Some(lock) = &lock {
            self.first_write.call_once(|| {
                remove_leftovers(&self.layout, LEFTOVER_AGE);
                // Failing to fold loses nothing: the journals stay and are summed.
                let _ = fold_ended(&self.layout, lock);
            });
        }
        let index = self.snapshot()?.index;
        Ok(Session { catalog: self, author, index, lock, _writing: writing })
    }
}

impl Session<'_> {
    /// The file an entry is to be written to.
    pub fn file_for(&self, id: &str) -> String {
        if let Some(record) = self.index.get(id) {
            return record.file.to_string();
        }
        let own = format!("{id}.json");
        match self.index.of_file(&own) {
            None => own,
            // The name belongs to an entry with another id; it must not be overwritten.
            Some(_) => format!("{id}.entry.json"),
        }
    }

    /// Prepares an entry for writing: the text must load again as exactly what it says.
    pub fn write(&self, entry: &Entry) -> Result<(Write, Loaded), Problem> {
        let file = self.file_for(&entry.id);
        let text = entry.file_text();
        if text.len() > MAX_FILE_BYTES {
            return Err(Problem::Invalid(format!("the entry is larger than {MAX_FILE_BYTES} bytes")));
        }
        let loaded = parse_text(&text, &file, self.author.now, self.catalog.owners());
        match loaded {
            Err(rejected) => Err(Problem::Invalid(rejected.reason)),
            Ok(record) => {
                let replaces =
                    self.index.get(&entry.id).is_some() || self.index.rejected().contains_key(&file);
                Ok((Write { id: entry.id.clone(), file, text, replaces }, Ok(record)))
            }
        }
    }

    /// Writes entries and takes others out, then brings the index up to date.
    pub fn commit(
        &mut self,
        action: &'static str,
        writes: Vec<(Write, Loaded)>,
        removals: Vec<Removal>,
        purge: bool,
    ) -> Result<Outcome, CatalogError> {
        let (writes, records): (Vec<Write>, Vec<Loaded>) = writes.into_iter().unzip();
        let mut loaded: HashMap<String, Loaded> =
            writes.iter().map(|write| write.file.clone()).zip(records).collect();
        self.author.changes.propose_all(|| self.targets(&writes, &removals))?;
        let batch = Batch { action, by: self.author.name.clone(), writes, removals, purge };
        let applied = batch.apply(&self.catalog.layout, self.lock(), self.author.now)?;
        let mut failed = HashMap::new();
        let mut files = Vec::new();
        for written in applied.written {
            match written.result {
                Ok(_) => files.push(written.file),
                Err(error) => drop(failed.insert(written.id, error.to_string())),
            }
        }
        for (removal, result) in applied.removed {
            match result {
                Ok(()) => files.push(removal.file),
                Err(error) => drop(failed.insert(removal.id, error.to_string())),
            }
        }
        tracing::info!(
            target: MUTATIONS,
            action, revision = applied.revision, files = files.len(), failed = failed.len(), "catalog changed"
        );
        let loaded = std::cell::RefCell::new(&mut loaded);
        // Our own reference would force a copy of the whole index.
        self.index = Arc::default();
        let hash = self.catalog.with_state(|state| {
            state.take_in(files, |name| {
                let ours = loaded.borrow_mut().remove(name);
                // A file that a duplicate had shadowed is read from disk.
                ours.or_else(|| {
                    crate::store::load_file(self.catalog.layout.dir(), name, self.catalog.owners())
                })
            });
            state.index.hash().to_owned()
        })?;
        Ok(Outcome { revision: applied.revision, failed, hash })
    }

    /// The lock under which everything is written.
    pub fn lock(&self) -> &WriteLock {
        self.lock.as_ref().expect("a preview ends before anything is written")
    }

    /// The files of a change, as they are and as they would be.
    fn targets(&self, writes: &[Write], removals: &[Removal]) -> Vec<Target> {
        let now = |file: &str| fs::read(self.catalog.layout.file(file)).ok().map(|bytes| sha256_hex(&bytes));
        let written = writes.iter().map(|write| {
            Target::exact(&write.file, now(&write.file), Some(sha256_hex(write.text.as_bytes())))
        });
        let removed = removals.iter().map(|removal| Target::exact(&removal.file, now(&removal.file), None));
        written.chain(removed).collect()
    }

    /// The file to take out for an id. A file that is not served can be taken out by its name.
    pub fn removal(&self, id: &str) -> Option<Removal> {
        let file = match self.index.get(id) {
            Some(record) => record.file.to_string(),
            None => {
                let own = format!("{id}.json");
                self.index.rejected().contains_key(&own).then_some(own)?
            }
        };
        Some(Removal { id: id.to_owned(), file })
    }

    /// Reads the archived form of an entry.
    pub fn archived(&self, revision: &str, id: &str) -> Option<Vec<u8>> {
        fs::read(self.catalog.layout.archived(revision, id)).ok()
    }
}
