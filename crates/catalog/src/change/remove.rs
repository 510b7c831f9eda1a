//! Taking entries out: into the archive, or for good.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Author, ItemError};
use crate::catalog::Catalog;
use crate::error::CatalogError;

/// What became of a removal.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Number of entries taken out.
    pub removed: usize,
    /// Their ids.
    pub removed_ids: Vec<String>,
    /// Ids that name no entry.
    pub missing: Vec<String>,
    /// Number of failures.
    pub error_count: usize,
    /// Failures by id.
    pub errors: Vec<ItemError>,
    /// The change in the history; `instructions/restore` takes it back unless it was a purge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Catalog {
    /// Takes entries out. They move to the archive unless `purge` is set.
    pub fn remove(&self, ids: &[String], purge: bool, author: &Author) -> Result<Removed, CatalogError> {
        let mut result = Removed::default();
        let mut seen = BTreeSet::new();
        let ids: Vec<&String> =
            ids.iter().filter(|id| !id.trim().is_empty() && seen.insert(id.as_str())).collect();
        if ids.is_empty() {
            result.errors.push(ItemError { id: String::new(), error: "no ids supplied".to_owned() });
            result.error_count = 1;
            return Ok(result);
        }
        let mut session = self.session(author)?;
        let mut removals = Vec::new();
        for id in ids {
            match session.removal(id) {
                Some(removal) => removals.push(removal),
                None => result.missing.push(id.clone()),
            }
        }
        if removals.is_empty() {
            return Ok(result);
        }
        let asked: Vec<String> = removals.iter().map(|removal| removal.id.clone()).collect();
        let outcome = session.commit("remove", Vec::new(), removals, purge)?;
        for id in asked {
            match outcome.failed.get(&id) {
                None => result.removed_ids.push(id),
                Some(error) => result.errors.push(ItemError { id, error: error.clone() }),
            }
        }
        result.removed = result.removed_ids.len();
        result.error_count = result.errors.len();
        result.revision = Some(outcome.revision);
        Ok(result)
    }
}
