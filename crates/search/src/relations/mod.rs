//! What the tools over relations share: symbols as they are shown, pages, changes, outlines.

pub mod changes;
pub mod outline;
pub mod page;

use mainstay_index::relations::{Certainty, Relations, Symbol, SymbolId, Texts};
use schemars::JsonSchema;
use serde::Serialize;

/// A definition, or code outside of definitions, as it is shown.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SymbolJson {
    /// Its name with the names it is nested in; empty for code outside of definitions.
    pub name: String,
    /// What it is: function, method, class and the like.
    pub kind: &'static str,
    /// Path relative to the repository.
    pub file: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its language.
    pub lang: &'static str,
    /// Its signature.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    /// Whether it is a test.
    pub test: bool,
}

impl SymbolJson {
    pub fn of(relations: &Relations, texts: &mut Texts, id: SymbolId) -> SymbolJson {
        let Symbol { path, name, kind, lang, lines, is_test, .. } = relations.symbol(id);
        SymbolJson {
            name,
            kind: kind.name(),
            file: path,
            start_line: lines.0,
            end_line: lines.1,
            lang,
            signature: relations.signature(texts, id),
            test: is_test,
        }
    }
}

/// How sure a reference is, in the words of answers.
pub fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Resolved => "resolved",
        Certainty::ByName => "by-name",
    }
}
