//! Instructions where people already keep them: read into draft entries, written back as one document.

mod markdown;
mod sources;

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalog::Catalog;
use crate::change::{Author, ImportMode, Imported};
use crate::collate;
use crate::entry::{Requirement, Status};
use crate::error::CatalogError;
use crate::index::{Index, Record};
use crate::scope::{Level, Scope, resolve};

/// Whether an import only shows what it would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Intent {
    Preview,
    Apply(ImportMode),
}

/// What files became, or would become.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileImport {
    /// Draft entries, in the order of their files.
    pub drafts: Vec<FileDraft>,
    /// Files that could not be read, with the reason.
    pub unread: Vec<UnreadFile>,
    /// What became of the import; absent in a preview.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<Imported>,
}

/// One draft entry and where it comes from.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FileDraft {
    /// File it was read from, relative to the given path.
    pub source: String,
    /// Whether the catalog already holds an entry of this id.
    pub exists: bool,
    /// The entry as `instructions/import` takes it.
    pub entry: Map<String, Value>,
}

/// A file that could not be read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct UnreadFile {
    /// The file, relative to the given path.
    pub file: String,
    /// Why.
    pub reason: String,
}

impl Catalog {
    /// Reads instruction files below `path` (or one file) into draft entries, and imports them on request.
    pub fn import_files(
        &self,
        path: &Path,
        intent: Intent,
        author: &Author,
    ) -> Result<FileImport, CatalogError> {
        let (texts, unread) = sources::read(path)?;
        let index = self.snapshot()?.index;
        let mut drafts: Vec<FileDraft> = Vec::new();
        for text in &texts {
            for section in markdown::sections(&text.body, &text.label) {
                let id = free_id(&section.id(text.kind.prefix()), &drafts);
                drafts.push(FileDraft {
                    source: text.name.clone(),
                    exists: index.get(&id).is_some(),
                    entry: entry_of(&id, text, &section),
                });
            }
        }
        let applied = match intent {
            Intent::Preview => None,
            Intent::Apply(_) if drafts.is_empty() => None,
            Intent::Apply(mode) => {
                let entries = drafts.iter().map(|draft| Value::Object(draft.entry.clone())).collect();
                Some(self.import(entries, mode, author)?)
            }
        };
        Ok(FileImport { drafts, unread, applied })
    }
}

fn entry_of(id: &str, text: &sources::SourceText, section: &markdown::Section) -> Map<String, Value> {
    let mut entry = Map::new();
    let mut set = |key: &str, value: Value| drop(entry.insert(key.to_owned(), value));
    set("id", id.into());
    set("title", section.title.clone().into());
    set("body", section.body.clone().into());
    set("priority", 50.into());
    set("audience", "all".into());
    set("requirement", section.requirement.unwrap_or(Requirement::Recommended).name().into());
    set("categories", json!([text.kind.category()]));
    set("status", Status::Draft.name().into());
    set("importedFrom", text.name.clone().into());
    for (key, value) in &text.facts {
        set(key, value.clone());
    }
    entry
}

/// An id that no other draft of this import has.
fn free_id(wanted: &str, drafts: &[FileDraft]) -> String {
    let is_taken = |id: &str| drafts.iter().any(|draft| draft.entry["id"] == id);
    let numbered = (2..).map(|n| format!("{wanted}-{n}"));
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|id| !is_taken(id))
        .expect("the numbers do not end")
}

/// The entries of a scope as one document; returns the level that answered and the number of entries.
pub fn agents_md(index: &Index, scope: &Scope) -> (Level, usize, String) {
    let (level, mut found) = resolve(index, scope);
    found.retain(|record| {
        record.entry.requirement != Requirement::Deprecated && record.entry.status != Status::Deprecated
    });
    let key = |record: &Arc<Record>| (record.entry.requirement, record.entry.priority);
    found.sort_by(|a, b| key(a).cmp(&key(b)).then_with(|| collate::compare(a.id(), b.id())));
    let mut text = String::from(
        "# Instructions\n\n<!-- Written from the catalog: change the entries, not this file. -->\n",
    );
    for record in &found {
        let entry = &record.entry;
        let (title, id, requirement) = (&entry.title, &entry.id, entry.requirement.name());
        text.push_str(&format!(
            "\n## {title}\n<!-- id: {id}; requirement: {requirement} -->\n\n{}\n",
            entry.body
        ));
    }
    (level, found.len(), text)
}
