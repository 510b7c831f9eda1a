//! Correcting recorded hashes that do not fit their bodies.

use schemars::JsonSchema;
use serde::Serialize;

use super::Author;
use crate::catalog::Catalog;
use crate::entry::Entry;
use crate::error::CatalogError;

/// What became of a repair.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Repaired {
    /// Number of entries corrected.
    pub repaired: usize,
    /// Their ids.
    pub updated: Vec<String>,
}

impl Catalog {
    /// Corrects recorded hashes. A catalog that may not be written is refused only when there is something to write.
    pub fn repair(&self, author: &Author, writable: bool) -> Result<Repaired, CatalogError> {
        let needs_repair =
            |index: &crate::index::Index| index.records().iter().any(|record| record.hash_is_stale);
        if !needs_repair(&self.snapshot()?.index) {
            return Ok(Repaired::default());
        }
        if !writable {
            return Err(CatalogError::MutationDisabled);
        }
        let mut session = self.session(author)?;
        let mut writes = Vec::new();
        for record in session.index.records().iter().filter(|record| record.hash_is_stale) {
            let mut entry = Entry::clone(&record.entry);
            entry.source_hash = record.body_hash().to_owned();
            // What loaded loads again, so a problem here can only be one of size; the file then stays as it is.
            writes.extend(session.write(&entry));
        }
        if writes.is_empty() {
            return Ok(Repaired::default());
        }
        let ids: Vec<String> = writes.iter().map(|(write, _)| write.id.clone()).collect();
        let outcome = session.commit("repair", writes, Vec::new(), false)?;
        let updated: Vec<String> = ids.into_iter().filter(|id| !outcome.failed.contains_key(id)).collect();
        Ok(Repaired { repaired: updated.len(), updated })
    }
}
