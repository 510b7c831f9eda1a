//! What a search returns.

use super::{Options, Resolved, Unknown};
use crate::chunk::Kind;
use crate::error::IndexError;
use crate::facts::Fact;
use crate::git::Revision;
use crate::query::Query;
use crate::view::View;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Best first.
    pub hits: Vec<Hit>,
    /// How many hits there are in all.
    pub total: u64,
    /// Where the next answer starts; `None` at the end.
    pub cursor: Option<String>,
    /// Nothing held all the words, so hits hold some of them.
    pub relaxed: bool,
    /// What the reader should know: how the query was read, what could not be done.
    pub notes: Vec<String>,
    /// Filters on facts that are not known in some of the languages searched; their chunks are left out.
    pub unknown: Vec<Unknown>,
    pub freshness: Freshness,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// Stays the same while the file is edited elsewhere.
    pub id: String,
    /// Relative to the repository, separated by `/`.
    pub path: String,
    pub lang: &'static str,
    pub kind: Kind,
    /// Empty for blocks.
    pub name: String,
    /// The names it is nested in, outermost first, separated by dots.
    pub scope: String,
    pub signature: String,
    pub doc: String,
    /// First and last line, counted from 1.
    pub lines: (u32, u32),
    /// Bytes of the decoded text.
    pub span: Range<u32>,
    pub score: f32,
    /// `None` when the file changed between looking and reading.
    pub snippet: Option<Snippet>,
    /// `test`, `docs`, `example`, `generated`, `vendored`, `minified`, `declarations`.
    pub traits: Vec<&'static str>,
    /// Every contribution to the score, when asked for.
    pub explain: Vec<Contribution>,
    /// What is known of it, when asked for.
    pub facts: Vec<(Fact, String)>,
    /// Values from outside that reach a call they must not, when asked for.
    pub flows: Vec<RiskFlow>,
    /// What its names mean, when asked for.
    pub resolved: Resolved,
}

/// A value from outside on its way to a call that must not be given it as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskFlow {
    pub source: &'static str,
    pub sink: &'static str,
    pub category: &'static str,
    pub severity: &'static str,
    /// Numbers in the lists of CWE and OWASP.
    pub ids: &'static [&'static str],
    /// Lines it passes.
    pub path: Vec<RiskStep>,
}

/// A line a value passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RiskStep {
    /// Where it is another file than that of the hit.
    pub file: Option<String>,
    pub line: u32,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
    pub first_line: u32,
    /// Where it starts in the decoded text.
    pub start: u32,
    /// What matched, as bytes of `text`, in order and apart.
    pub matches: Vec<Range<u32>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    pub what: String,
    pub value: f32,
}

/// How much of what was searched is as it is on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    pub generation: u64,
    pub built_at_ms: u64,
    pub revision: Option<Revision>,
    /// Whether anybody compared the index with the files; without it the counts below mean nothing.
    pub checked: bool,
    pub modified_files: u64,
    pub added_files: u64,
    pub deleted_files: u64,
    /// Changed files that were too many to search directly: their old content answered, or nothing did.
    pub not_searched_files: u64,
    /// Files whose structure is not worked out yet: found by words, without names and signatures.
    pub lexical_files: u64,
    pub skipped_files: u64,
}

pub(crate) fn freshness(view: &View) -> Freshness {
    let generation = &view.opened.tables.generation;
    Freshness {
        generation: generation.number,
        built_at_ms: generation.built_at_ms,
        revision: generation.revision.clone(),
        checked: view.changes.checked,
        modified_files: view.changes.modified,
        added_files: view.changes.added,
        deleted_files: view.changes.deleted,
        not_searched_files: view.changes.not_searched,
        lexical_files: view.lexical_files,
        skipped_files: generation.skipped.total(),
    }
}

/// Ties a cursor to its query, options and generation.
fn mark(view: &View, query: &Query, options: &Options) -> u64 {
    let what = format!(
        "{}\0{}\0{:?}\0{:?}\0{:?}\0{:?}",
        view.opened.tables.generation.number,
        query.text(),
        options.mode,
        options.filters,
        options.rules,
        options.vectors
    );
    xxh3_64(what.as_bytes())
}

pub(super) fn offset(view: &View, query: &Query, options: &Options) -> Result<usize, IndexError> {
    let Some(cursor) = &options.cursor else {
        return Ok(0);
    };
    let parsed = cursor
        .split_once('-')
        .and_then(|(offset, mark)| Some((offset.parse().ok()?, u64::from_str_radix(mark, 16).ok()?)));
    match parsed {
        Some((offset, given)) if given == mark(view, query, options) && offset <= MAX_OFFSET => Ok(offset),
        _ => Err(IndexError::BadCursor),
    }
}

/// Nobody reads further, and ranking that far costs memory.
const MAX_OFFSET: usize = 100_000;

#[allow(clippy::too_many_arguments)]
pub(super) fn finish(
    view: &View,
    query: &Query,
    options: &Options,
    hits: Vec<Hit>,
    total: u64,
    offset: usize,
    relaxed: bool,
    notes: Vec<String>,
) -> Answer {
    let next = offset + hits.len();
    let more = (next as u64) < total && !hits.is_empty() && next <= MAX_OFFSET;
    let cursor = more.then(|| format!("{next}-{:016x}", mark(view, query, options)));
    Answer { hits, total, cursor, relaxed, notes, unknown: Vec::new(), freshness: freshness(view) }
}
