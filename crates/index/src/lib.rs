//! The search engine: cuts a repository into chunks, keeps them in an index on disk, answers queries with ranked hits.
//!
//! ```no_run
//! # fn main() -> Result<(), mainstay_index::IndexError> {
//! use mainstay_index::{BuildOptions, Index, Options, Query};
//! use std::path::Path;
//!
//! let (repo, store) = (Path::new("."), Path::new(".mainstay/index"));
//! Index::build(repo, store, &BuildOptions::default(), &mut |_| {}, &|| false)?;
//! let index = Index::open(repo, store)?;
//! index.refresh()?;
//! let answer = index.search(&Query::parse("how are sessions closed")?, &Options::default())?;
//! for hit in &answer.hits {
//!     let _ = (&hit.path, hit.lines, &hit.name);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `lang`, `chunk` | languages as data; cutting a text |
//! | `token`, `trigram`, `text`, `traits` | words, trigrams, encodings, what kind of file it is |
//! | `segment`, `generation`, `store`, `disk` | the format on disk and how it is switched |
//! | `pack` | an index outside its folder: as bytes and as rows |
//! | `walk`, `git`, `build`, `fresh` | from a repository to an index, and what changed since |
//! | `document` | texts of files that are none, read by somebody outside |
//! | `query`, `search`, `view` | from a query to an answer |
//! | `relations` | what imports, calls and types mean across files |
//! | `vectors` | search by meaning with a table of word vectors |
//!
//! It knows nothing of tools, JSON, terminals or async.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bits;
mod build;
pub mod chunk;
mod disk;
mod document;
mod error;
mod facts;
mod fresh;
mod generation;
mod git;
mod hash;
mod held;
mod index;
mod journal;
pub mod lang;
mod pack;
mod query;
pub mod relations;
mod relist;
mod search;
mod segment;
mod store;
mod text;
mod token;
mod traits;
mod trigram;
mod vectors;
mod view;
mod walk;

pub use build::{BuildOptions, BuildReport, Phase, Progress};
pub use document::{DocumentReader, Unread};
pub use error::IndexError;
pub use facts::{Fact, RiskRules};
pub use git::Revision;
pub use held::open_resolved;
pub use index::{Index, Status};
pub use pack::{Pack, PackedChunk, PackedContent, PackedFile};
pub use query::Query;
pub use relations::Relations;
pub use search::{
    Answer, Contribution, FactFilter, Filters, Freshness, Hit, Mode, Options, Ranking, Reported, Resolved,
    RiskFlow, RiskStep, Snippet, Target, Unknown, Want,
};
pub use segment::Tier;
pub use vectors::Table as VectorTable;
pub use walk::{SkipReason, Skipped};

/// Cuts one text into its chunks, without an index: what a file consists of.
pub fn outline(path: &str, text: &str) -> Vec<chunk::Chunk> {
    chunk::cut(text, lang::detect(path, text), chunk::Depth::Structural).0.chunks
}

/// Cuts one text into its chunks and says what is known of each, in a fixed order.
pub fn facts(path: &str, text: &str) -> Vec<(chunk::Chunk, Vec<(Fact, String)>)> {
    let (cut, marks) = chunk::cut(text, lang::detect(path, text), chunk::Depth::Structural);
    let known = facts::attach(text, &cut, &marks);
    cut.chunks.into_iter().enumerate().map(|(at, chunk)| (chunk, known.of(at as u32))).collect()
}

/// Every language of which facts are known, and which: the table in the reference.
pub fn fact_coverage() -> Vec<(&'static str, Vec<Fact>)> {
    let known = lang::LangId::all().map(|lang| (lang.get().id, lang::facts_of(lang)));
    known
        .filter(|(_, facts)| !facts.is_empty())
        .map(|(id, facts)| (id, facts.iter().copied().collect()))
        .collect()
}

/// Calls `found` with every word of a text as the index knows it: identifiers split, lower case, without endings.
pub fn for_each_word(text: &str, mut found: impl FnMut(&str)) {
    token::words(text, |_, word| token::parts(word, &mut found));
}

/// Puts good checksums over damaged bytes of an index file, for showing readers what no writer wrote.
#[doc(hidden)]
pub fn signed(bytes: Vec<u8>) -> Vec<u8> {
    disk::container::signed(bytes)
}

/// Decodes a file to text; `None` when it is binary.
pub fn decode(bytes: &[u8]) -> Option<String> {
    text::decode(bytes).ok().map(std::borrow::Cow::into_owned)
}
