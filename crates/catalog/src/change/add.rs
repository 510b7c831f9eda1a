//! Adding one entry, or writing over it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Author, Session};
use crate::catalog::Catalog;
use crate::complete::{create, overwrite};
use crate::draft::{Draft, Problem, check_id};
use crate::entry::{Audience, Entry, Requirement};
use crate::error::CatalogError;

/// How an entry is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct AddOptions {
    /// Write over an existing entry.
    pub overwrite: bool,
    /// Fill the core fields that are missing.
    pub lax: bool,
}

/// What became of an entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Added {
    Done {
        /// Id of the entry.
        id: String,
        /// Catalog hash afterwards.
        hash: String,
        /// The entry existed and was left alone.
        skipped: bool,
        /// The entry is new.
        created: bool,
        /// The entry existed and was written over.
        overwritten: bool,
    },
    Failed {
        /// Why nothing was written.
        error: String,
        /// Id of the entry, where there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
    },
}

/// What is to happen to one entry of a caller.
pub(super) enum Decision {
    Skip,
    Create(Box<Entry>),
    Overwrite(Box<Entry>),
}

impl Catalog {
    /// Adds one entry; a bad one is refused with the reason, and nothing changes.
    pub fn add(
        &self,
        record: Map<String, Value>,
        options: AddOptions,
        author: &Author,
    ) -> Result<Added, CatalogError> {
        let given = record.get("id").and_then(Value::as_str).map(str::to_owned);
        let failed = |error: String| Added::Failed { error, id: given.clone().filter(|id| !id.is_empty()) };
        let draft = match Draft::parse(record) {
            Ok(draft) => draft,
            Err(problem) => return Ok(failed(problem.short())),
        };
        if draft.id.is_empty() || draft.body.as_deref().is_none_or(str::is_empty) {
            return Ok(failed("missing required id/body".to_owned()));
        }
        let mut session = self.session(author)?;
        let stored = session.index.get(&draft.id).map(|record| &*record.entry);
        let decision = match session.decide(draft, stored, options) {
            Ok(decision) => decision,
            Err(problem) => return Ok(failed(problem.short())),
        };
        let (entry, created) = match decision {
            Decision::Skip => {
                let hash = session.index.hash().to_owned();
                let id = given.unwrap_or_default();
                return Ok(Added::Done { id, hash, skipped: true, created: false, overwritten: false });
            }
            Decision::Create(entry) => (entry, true),
            Decision::Overwrite(entry) => (entry, false),
        };
        let write = match session.write(&entry) {
            Ok(write) => write,
            Err(problem) => return Ok(failed(problem.short())),
        };
        let outcome = match session.commit("add", vec![write], Vec::new(), false) {
            Ok(outcome) => outcome,
            Err(CatalogError::Io { source, path, action }) => {
                return Ok(failed(format!("could not {action} {}: {source}", session.relative(&path))));
            }
            Err(error) => return Err(error),
        };
        if let Some(error) = outcome.failed.get(&entry.id) {
            return Ok(failed(error.clone()));
        }
        Ok(Added::Done { id: entry.id, hash: outcome.hash, skipped: false, created, overwritten: !created })
    }
}

impl Session<'_> {
    /// Decides about one entry; `stored` is what the catalog (or the same batch) holds under its id.
    pub(super) fn decide(
        &self,
        mut draft: Draft,
        stored: Option<&Entry>,
        options: AddOptions,
    ) -> Result<Decision, Problem> {
        check_id(&draft.id)?;
        if !options.lax {
            draft.require_core()?;
        }
        if let Some(stored) = stored {
            return match options.overwrite {
                false => Ok(Decision::Skip),
                true => Ok(Decision::Overwrite(Box::new(overwrite(stored, draft, self.author.now)?))),
            };
        }
        let file = format!("{}.json", draft.id);
        let rejected = self.index.rejected().get(&file);
        if let Some(rejected) = rejected.filter(|_| !options.overwrite) {
            return Err(Problem::Invalid(format!(
                "{file} exists but is not served ({}); overwrite replaces it",
                rejected.reason
            )));
        }
        if options.lax {
            fill(&mut draft);
        }
        let entry = Box::new(create(draft, self.author.now, self.catalog.owners())?);
        Ok(match rejected {
            Some(_) => Decision::Overwrite(entry),
            None => Decision::Create(entry),
        })
    }

    /// A path as answers show it: inside the catalog directory.
    pub(super) fn relative(&self, path: &std::path::Path) -> String {
        let inside = path.strip_prefix(self.catalog.layout.dir()).unwrap_or(path);
        match inside.as_os_str().is_empty() {
            true => "the catalog directory".to_owned(),
            false => inside.display().to_string(),
        }
    }
}

/// The defaults of lax mode. Id and body have none.
fn fill(draft: &mut Draft) {
    if draft.title.as_deref().is_none_or(str::is_empty) {
        draft.title = Some(draft.id.clone());
    }
    draft.priority.get_or_insert(50);
    draft.audience.get_or_insert(Audience::All);
    draft.requirement.get_or_insert(Requirement::Optional);
    draft.categories.get_or_insert_default();
}
