//! Answering a query: plan, admit, score, rank, show.
//!
//! ```text
//! plan    words become terms with weights, atoms become sets of chunks (trigrams, then the bytes)
//! admit   filters become bitmaps over chunks and files, before anything is scored
//! score   BM25 over the fields of every admitted chunk
//! meaning where asked for, the chunks whose vectors lie nearest join them
//! rank    query-aware boosts and demotions, several hits per file
//! show    names, lines, snippets, read from the files of the few hits that are returned
//! ```

mod answer;
mod atoms;
mod facts;
mod filter;
mod meaning;
mod plan;
mod rank;
mod related;
mod resolved;
mod risks;
mod score;
mod show;
mod signature;
mod source;
mod weights;

pub(crate) use answer::freshness;
pub use answer::{Answer, Contribution, Freshness, Hit, RiskFlow, RiskStep, Snippet};
pub use facts::{FactFilter, Reported, Unknown, Want};
pub use filter::{Filters, Mode};
pub use resolved::{Resolved, Target};
pub(crate) use source::{Relate, Source};

use crate::error::{Damaged, IndexError};
use crate::facts::RiskRules;
use crate::query::Query;
use crate::vectors::Table;
use crate::view::View;
use std::path::Path;

/// How to answer.
#[derive(Clone, Debug)]
pub struct Options {
    pub limit: usize,
    /// Where the last answer ended.
    pub cursor: Option<String>,
    pub mode: Mode,
    pub filters: Filters,
    /// Lines around the best line of a hit.
    pub context: usize,
    pub explain: bool,
    /// Say what is known of each hit.
    pub facts: bool,
    pub ranking: Ranking,
    /// Rules about risks.
    pub rules: RiskRules,
    /// Search by meaning too, with these word vectors.
    pub vectors: Option<Table>,
}

/// What decides the order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranking {
    #[default]
    Full,
    /// The text score alone: what the ranker is measured against.
    Text,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            limit: 10,
            cursor: None,
            mode: Mode::All,
            filters: Filters::default(),
            context: 2,
            explain: false,
            facts: false,
            ranking: Ranking::Full,
            rules: RiskRules::default(),
            vectors: None,
        }
    }
}

/// More hits per answer than this are fetched page by page.
pub(crate) const MAX_LIMIT: usize = 1_000;

/// Compiles an expression within bounds of size, so that no query can eat the machine.
pub(crate) fn compile_regex(source: &str, ignore_case: bool) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(source)
        .multi_line(true)
        .case_insensitive(ignore_case)
        .size_limit(4 << 20)
        .dfa_size_limit(8 << 20)
        .build()
}

/// A failure inside: either the caller's or the index's.
pub(crate) enum Trouble {
    Index(IndexError),
    Damaged(Damaged),
}

impl From<IndexError> for Trouble {
    fn from(error: IndexError) -> Trouble {
        Trouble::Index(error)
    }
}

impl From<Damaged> for Trouble {
    fn from(damaged: Damaged) -> Trouble {
        Trouble::Damaged(damaged)
    }
}

pub(crate) fn search(
    view: &View,
    repo: &Path,
    query: &Query,
    options: &Options,
    relate: &Relate<'_>,
) -> Result<Answer, IndexError> {
    run(view, &Source::related(view, repo, relate), query, options).map_err(|trouble| match trouble {
        Trouble::Index(error) => error,
        Trouble::Damaged(damaged) => {
            damaged.in_file(view.parts.first().map_or(repo, |part| part.segment.path()))
        }
    })
}

/// The files that answer, best first, without reading them for show.
pub(crate) fn files(
    view: &View,
    repo: &Path,
    query: &Query,
    options: &Options,
    limit: usize,
    relate: &Relate<'_>,
) -> Result<Vec<String>, IndexError> {
    let find = || -> Result<Vec<String>, Trouble> {
        let source = Source::related(view, repo, relate);
        let admitted = filter::admit(view, &source, options)?;
        let mut plan = plan::plan(view, &source, query, options)?;
        let mut found = score::score(view, &plan, &admitted)?;
        if found.is_empty() && plan.relax() {
            found = score::score(view, &plan, &admitted)?;
        }
        found.sort_by(|left, right| right.bm25.total_cmp(&left.bm25).then(left.file.cmp(&right.file)));
        let mut out: Vec<String> = Vec::new();
        for candidate in found {
            let path = &view.file(candidate.file).path;
            if out.len() < limit && !out.iter().any(|known| **known == **path) {
                out.push(path.to_string());
            }
        }
        Ok(out)
    };
    find().map_err(|trouble| match trouble {
        Trouble::Index(error) => error,
        Trouble::Damaged(damaged) => {
            damaged.in_file(view.parts.first().map_or(repo, |part| part.segment.path()))
        }
    })
}

fn run(view: &View, source: &Source<'_>, query: &Query, options: &Options) -> Result<Answer, Trouble> {
    let offset = answer::offset(view, query, options)?;
    let limit = options.limit.clamp(1, MAX_LIMIT);
    let admitted = filter::admit(view, source, options)?;
    let mut plan = plan::plan(view, source, query, options)?;
    let mut notes = query.notes.clone();
    let mut found = score::score(view, &plan, &admitted)?;
    let mut relaxed = false;
    if found.is_empty() && plan.relax() {
        found = score::score(view, &plan, &admitted)?;
        relaxed = !found.is_empty();
        if relaxed {
            notes.push("nothing holds all the words; hits hold some of them".to_owned());
        }
    }
    if let Some(table) = &options.vectors {
        meaning::add(view, &plan, query, table, &admitted, &mut found)?;
    }
    let total = found.len() as u64;
    let ranked = match options.ranking {
        Ranking::Full => rank::rank(view, &plan, found, offset + limit)?,
        Ranking::Text => rank::by_text_alone(view, found, f32::MAX).collect(),
    };
    let page = ranked.get(offset..).unwrap_or_default();
    let page = &page[..page.len().min(limit)];
    let mut hits = Vec::with_capacity(page.len());
    let mut known = show::Known::default();
    for candidate in page {
        hits.push(show::show(view, source, &plan, candidate, options, &mut known)?);
    }
    notes.extend(source.notes());
    let unknown = facts::unknown(view, &options.filters, options.rules);
    Ok(Answer { unknown, ..answer::finish(view, query, options, hits, total, offset, relaxed, notes) })
}
