//! Bringing back what a change replaced or took out.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Author, ItemError, Session};
use crate::catalog::Catalog;
use crate::draft::{Draft, Problem};
use crate::entry::Entry;
use crate::error::CatalogError;
use crate::store::{Change, Removal, is_revision, read_history};

/// What to bring back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreTarget {
    /// One entry, as it was before the given (or its latest) change.
    Entry { id: String, revision: Option<String> },
    /// Everything a change touched, as it was before.
    Revision(String),
}

/// What became of a restore.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// The change whose former state is back.
    pub revision: String,
    /// Ids brought back.
    pub restored: Vec<String>,
    /// Ids the change had created, now in the archive.
    pub removed: Vec<String>,
    /// Ids that could not be brought back, each with the reason.
    pub errors: Vec<ItemError>,
    /// Catalog hash afterwards.
    pub hash: String,
}

impl Catalog {
    /// Changes of one entry, or of all, newest first.
    pub fn history(&self, id: Option<&str>) -> Result<Vec<Change>, CatalogError> {
        let mut changes = read_history(&self.layout)?;
        changes.retain(|change| id.is_none_or(|id| change.touches(id)));
        changes.reverse();
        Ok(changes)
    }

    /// Whether the former content of an entry is still in the archive.
    pub fn is_archived(&self, revision: &str, id: &str) -> bool {
        is_revision(revision) && self.layout.archived(revision, id).is_file()
    }

    /// An entry as it was stored before a change; nothing when the archive does not have it.
    pub fn former(&self, revision: &str, id: &str) -> Result<Option<Map<String, Value>>, CatalogError> {
        if !is_revision(revision) || crate::draft::check_id(id).is_err() {
            return Ok(None);
        }
        let path = self.layout.archived(revision, id);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(CatalogError::io("read", &path)(error)),
        }
    }

    /// Brings back what a change replaced or took out. This is itself a change, and can be taken back.
    pub fn restore(&self, target: &RestoreTarget, author: &Author) -> Result<Restored, CatalogError> {
        let mut session = self.session(author)?;
        let changes = read_history(&self.layout)?;
        let find = |revision: &str| {
            let found = changes.iter().rev().find(|change| change.revision == revision);
            found.ok_or_else(|| CatalogError::UnknownRevision { revision: revision.to_owned() })
        };
        let (change, ids, created): (&Change, Vec<String>, Vec<String>) = match target {
            RestoreTarget::Revision(revision) => {
                let change = find(revision)?;
                (change, change.kept().cloned().collect(), change.created.clone())
            }
            RestoreTarget::Entry { id, revision: Some(revision) } => {
                (find(revision)?, vec![id.clone()], Vec::new())
            }
            RestoreTarget::Entry { id, revision: None } => {
                let kept = |change: &&Change| {
                    change.kept().any(|kept| kept == id) && self.is_archived(&change.revision, id)
                };
                let change = changes.iter().rev().find(kept);
                let change = change.ok_or_else(|| CatalogError::UnknownEntry { id: id.clone() })?;
                (change, vec![id.clone()], Vec::new())
            }
        };
        let mut result = Restored { revision: change.revision.clone(), ..Restored::default() };
        let mut writes = Vec::new();
        for id in ids {
            match session.former(&change.revision, &id).and_then(|entry| session.write(&entry)) {
                Ok(write) => writes.push(write),
                Err(problem) => result.errors.push(ItemError { id, error: problem.to_string() }),
            }
        }
        let removals: Vec<Removal> = created.iter().filter_map(|id| session.removal(id)).collect();
        result.restored = writes.iter().map(|(write, _)| write.id.clone()).collect();
        result.removed = removals.iter().map(|removal| removal.id.clone()).collect();
        result.hash = session.index.hash().to_owned();
        if !(writes.is_empty() && removals.is_empty()) {
            let outcome = session.commit("restore", writes, removals, false)?;
            result.restored.retain(|id| !outcome.failed.contains_key(id));
            result.removed.retain(|id| !outcome.failed.contains_key(id));
            let failed = outcome.failed.into_iter().map(|(id, error)| ItemError { id, error });
            result.errors.extend(failed);
            result.hash = outcome.hash;
        }
        Ok(result)
    }
}

impl Session<'_> {
    fn former(&self, revision: &str, id: &str) -> Result<Entry, Problem> {
        let invalid = |reason: &str| Problem::Invalid(reason.to_owned());
        crate::draft::check_id(id)?;
        let bytes = self.archived(revision, id).ok_or_else(|| invalid("not in the archive"))?;
        let record =
            serde_json::from_slice(&bytes).map_err(|_| invalid("the archived file is not valid JSON"))?;
        let draft = Draft::parse(record)?;
        let done = crate::complete::from_file(draft, self.author.now, self.catalog.owners())?;
        match done.entry.id == id {
            true => Ok(done.entry),
            false => Err(invalid("the archived file holds another entry")),
        }
    }
}
