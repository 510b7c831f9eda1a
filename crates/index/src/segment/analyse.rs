//! All work on one file that depends on nothing but its content: chunks, words, trigrams.

use super::words::{Counted, Hit, Lexicon, Term};
use crate::chunk::{Chunk, Cut, Depth, cut, is_worth_reading};
use crate::facts::{ChunkFacts, attach};
use crate::lang::LangId;
use crate::traits;
use crate::trigram::Collector;
use std::cell::RefCell;
use xxhash_rust::xxh3::xxh3_128;

/// What the work on a file is filed under. Equal keys mean equal work, whatever the path or branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub hash: u128,
    pub lang: LangId,
    pub tier: Tier,
}

/// How far a file has been worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// Words and trigrams over blocks of layout.
    Lexical,
    /// Definitions with names, signatures and documentation.
    Structural,
}

/// The result of working on one file.
#[derive(Debug)]
pub(crate) struct Work {
    pub key: Key,
    pub text_bytes: u32,
    pub traits: u8,
    pub chunks: Vec<Chunk>,
    /// Words per chunk.
    pub lengths: Vec<u16>,
    /// The distinct terms of the file; `hits` refers to them by position.
    pub terms: Vec<Term>,
    /// Sorted by term, then chunk.
    pub hits: Vec<Hit>,
    /// Its trigrams, see `trigram::Collector`.
    pub grams: Vec<u16>,
    pub facts: ChunkFacts,
    /// Per chunk, whether its documentation is worth reading by itself.
    pub prose: Vec<bool>,
}

thread_local! {
    static COLLECTOR: RefCell<Collector> = RefCell::new(Collector::new());
    static LEXICON: RefCell<Lexicon> = RefCell::new(Lexicon::default());
}

pub(crate) fn content_hash(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Works on a text. `hash` is that of the file's bytes.
pub(crate) fn analyse(text: &str, hash: u128, lang: LangId, tier: Tier) -> Work {
    let traits = traits::of_text(text);
    let depth = if tier == Tier::Structural && traits & traits::MINIFIED == 0 {
        Depth::Structural
    } else {
        Depth::Lexical
    };
    let (cut, marks) = cut(text, lang, depth);
    let facts = attach(text, &cut, &marks);
    let Cut { chunks, pieces } = cut;
    let Counted { terms, hits, lengths } =
        LEXICON.with_borrow_mut(|lexicon| lexicon.count(text, &chunks, &pieces));
    let is_prose = |chunk: &Chunk| {
        text.get(chunk.doc.start as usize..chunk.doc.end as usize).is_some_and(is_worth_reading)
    };
    Work {
        prose: chunks.iter().map(is_prose).collect(),
        key: Key { hash, lang, tier },
        text_bytes: text.len() as u32,
        traits,
        chunks,
        lengths: lengths.into_iter().map(|length| length.min(u32::from(u16::MAX)) as u16).collect(),
        terms,
        hits,
        grams: COLLECTOR.with_borrow_mut(|collector| collector.collect(text.as_bytes())),
        facts,
    }
}
