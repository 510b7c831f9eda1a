//! All work on one file that depends on nothing but its content: chunks, words, trigrams.

use super::postings::{BODY, Counts, DOC, NAME, SIGNATURE};
use crate::chunk::{Chunk, Cut, Depth, Piece, cut, is_worth_reading};
use crate::facts::{ChunkFacts, attach};
use crate::hash::FastMap;
use crate::lang::LangId;
use crate::token;
use crate::traits;
use crate::trigram::Collector;
use std::cell::RefCell;
use std::sync::Arc;
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
    pub terms: Vec<Arc<str>>,
    /// Sorted by term, then chunk.
    pub hits: Vec<Hit>,
    pub buckets: Vec<u32>,
    pub facts: ChunkFacts,
    /// Per chunk, whether its documentation is worth reading by itself.
    pub prose: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub term: u32,
    pub chunk: u32,
    pub counts: Counts,
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
    let mut lengths = vec![0u32; chunks.len()];
    let (terms, hits) =
        LEXICON.with_borrow_mut(|lexicon| count(text, &chunks, &pieces, lexicon, &mut lengths));
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
        buckets: COLLECTOR.with_borrow_mut(|collector| collector.collect(text.as_bytes())),
        facts,
    }
}

/// Collects the words of every chunk, and how many each has.
fn count(
    text: &str,
    chunks: &[Chunk],
    pieces: &[Piece],
    lexicon: &mut Lexicon,
    lengths: &mut [u32],
) -> (Vec<Arc<str>>, Vec<Hit>) {
    if lexicon.known.len() > MAX_LEXICON_WORDS {
        *lexicon = Lexicon::default();
    }
    let mut words = Words {
        lexicon,
        known: FastMap::with_capacity_and_hasher(text.len() / 40, Default::default()),
        seen: Vec::with_capacity(text.len() / 4),
    };
    for piece in pieces {
        let chunk = &chunks[piece.chunk as usize];
        let length = &mut lengths[piece.chunk as usize];
        let base = piece.start as usize;
        token::words(&text[base..piece.end as usize], |at, word| {
            let at = (base + at) as u32;
            let field = if chunk.signature.contains(&at) {
                SIGNATURE
            } else if chunk.doc.contains(&at) {
                DOC
            } else {
                BODY
            };
            *length += 1;
            words.add(word, piece.chunk, field);
        });
    }
    for (at, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| !chunk.is_part) {
        token::words(&chunk.name, |_, word| words.add(word, at as u32, NAME));
        // A method is found by the name of its type too.
        let mut above = chunk.parent;
        while let Some(parent) = above.map(|parent| &chunks[parent as usize]) {
            if parent.kind.is_definition() {
                token::words(&parent.name, |_, word| words.add(word, at as u32, SIGNATURE));
            }
            above = parent.parent;
        }
    }
    words.finish()
}

/// What a thread knows of words: every word is taken apart once, not once per file.
#[derive(Default)]
struct Lexicon {
    known: FastMap<Box<str>, (u32, u32)>,
    of_words: Vec<u32>,
    ids: FastMap<Arc<str>, u32>,
    terms: Vec<Arc<str>>,
}

/// Bounds a thread's lexicon to some ten megabytes; past it the thread starts to learn anew.
const MAX_LEXICON_WORDS: usize = 100_000;

impl Lexicon {
    fn of(&mut self, word: &str) -> (u32, u32) {
        match self.known.get(word) {
            Some(range) => *range,
            None => self.learn(word),
        }
    }

    fn learn(&mut self, word: &str) -> (u32, u32) {
        let start = self.of_words.len();
        token::terms(word, |term| {
            let id = match self.ids.get(term) {
                Some(id) => *id,
                None => {
                    let (id, term) = (self.terms.len() as u32, Arc::<str>::from(term));
                    self.terms.push(Arc::clone(&term));
                    self.ids.insert(term, id);
                    id
                }
            };
            if !self.of_words[start..].contains(&id) {
                self.of_words.push(id);
            }
        });
        let range = (start as u32, self.of_words.len() as u32);
        self.known.insert(word.into(), range);
        range
    }
}

/// Counts terms per chunk of one file.
struct Words<'l, 't> {
    lexicon: &'l mut Lexicon,
    /// Words of this file: few enough to stay in the cache, where the lexicon is not.
    known: FastMap<&'t str, (u32, u32)>,
    /// Term, chunk and field packed, so that sorting groups them.
    seen: Vec<u64>,
}

impl<'t> Words<'_, 't> {
    fn add(&mut self, word: &'t str, chunk: u32, field: u8) {
        let (start, end) = match self.known.get(word) {
            Some(range) => *range,
            None => {
                let range = self.lexicon.of(word);
                self.known.insert(word, range);
                range
            }
        };
        for term in &self.lexicon.of_words[start as usize..end as usize] {
            self.seen.push(u64::from(*term) << 36 | u64::from(chunk) << 4 | u64::from(field));
        }
    }

    /// The distinct terms, and the hits that refer to them by position.
    fn finish(mut self) -> (Vec<Arc<str>>, Vec<Hit>) {
        self.seen.sort_unstable();
        let mut terms: Vec<Arc<str>> = Vec::new();
        let mut hits: Vec<Hit> = Vec::new();
        let mut current = u32::MAX;
        for seen in self.seen {
            let (term, chunk, field) = ((seen >> 36) as u32, (seen >> 4) as u32, (seen & 15) as u8);
            if term != current {
                current = term;
                terms.push(Arc::clone(&self.lexicon.terms[term as usize]));
            }
            let term = terms.len() as u32 - 1;
            match hits.last_mut().filter(|last| last.term == term && last.chunk == chunk) {
                Some(last) => last.counts.add(field),
                None => {
                    let mut counts = Counts::default();
                    counts.add(field);
                    hits.push(Hit { term, chunk, counts });
                }
            }
        }
        (terms, hits)
    }
}
