//! Importing many entries as one change.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::add::Decision;
use super::{AddOptions, Author};
use crate::catalog::Catalog;
use crate::draft::Draft;
use crate::entry::Entry;
use crate::error::CatalogError;

/// What happens to entries that exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportMode {
    /// Leave them alone.
    #[default]
    Skip,
    /// Write over them.
    Overwrite,
}

/// One entry that was not taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ItemError {
    /// Id of the entry; `unknown` when it has none.
    pub id: String,
    /// Why it was not taken.
    pub error: String,
}

/// What became of an import.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Imported {
    /// Catalog hash afterwards.
    pub hash: String,
    /// Entries that are new.
    pub imported: usize,
    /// Entries that existed and were left alone.
    pub skipped: usize,
    /// Entries that existed and were written over.
    pub overwritten: usize,
    /// Entries given.
    pub total: usize,
    /// Entries that were not taken, each with the reason.
    pub errors: Vec<ItemError>,
    /// The change in the history; `instructions/restore` takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Catalog {
    /// Imports entries; a bad one is reported and the others are taken.
    pub fn import(
        &self,
        entries: Vec<Value>,
        mode: ImportMode,
        author: &Author,
    ) -> Result<Imported, CatalogError> {
        let mut session = self.session(author)?;
        let mut result = Imported { total: entries.len(), ..Imported::default() };
        let options = AddOptions { overwrite: mode == ImportMode::Overwrite, lax: false };
        // Entries of this import by id: a later one sees an earlier one as stored.
        let mut taken: BTreeMap<String, (Entry, bool)> = BTreeMap::new();
        for value in entries {
            let id = value["id"].as_str().filter(|id| !id.is_empty()).unwrap_or("unknown").to_owned();
            let Value::Object(record) = value else {
                result.errors.push(ItemError { id, error: "an entry must be an object".to_owned() });
                continue;
            };
            let decision = Draft::parse(record).and_then(|draft| {
                let stored = session.index.get(&draft.id).map(|record| &*record.entry);
                let stored = taken.get(&draft.id).map(|(entry, _)| entry).or(stored);
                session.decide(draft, stored, options)
            });
            match decision {
                Err(problem) => result.errors.push(ItemError { id, error: problem.short() }),
                Ok(Decision::Skip) => result.skipped += 1,
                Ok(Decision::Create(entry)) => {
                    result.imported += 1;
                    taken.insert(id, (*entry, true));
                }
                Ok(Decision::Overwrite(entry)) => {
                    result.overwritten += 1;
                    let created = taken.get(&id).is_some_and(|(_, created)| *created);
                    taken.insert(id, (*entry, created));
                }
            }
        }
        let uncount = |result: &mut Imported, created: bool, id: &str, error: String| {
            match created {
                true => result.imported -= 1,
                false => result.overwritten -= 1,
            }
            result.errors.push(ItemError { id: id.to_owned(), error });
        };
        let mut writes = Vec::with_capacity(taken.len());
        for (id, (entry, created)) in &taken {
            match session.write(entry) {
                Ok(write) => writes.push(write),
                Err(problem) => uncount(&mut result, *created, id, problem.short()),
            }
        }
        result.hash = session.index.hash().to_owned();
        if !writes.is_empty() {
            let outcome = session.commit("import", writes, Vec::new(), false)?;
            for (id, error) in &outcome.failed {
                uncount(&mut result, taken[id].1, id, format!("write-failed: {error}"));
            }
            result.hash = outcome.hash;
            result.revision = Some(outcome.revision);
        }
        Ok(result)
    }
}
