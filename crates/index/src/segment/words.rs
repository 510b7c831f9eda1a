//! The words of one file, counted by chunk and field.
//!
//! A thread keeps a lexicon: every word is taken apart into terms once, not once per file. What a file's hits are
//! gathered in is kept with it, so that a file allocates nothing but its result.

use super::key::{Key16, KeyMap};
use super::postings::{BODY, Counts, DOC, NAME, SIGNATURE};
use crate::chunk::{Chunk, Piece};
use crate::token;
use std::sync::Arc;

/// A term of a file.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub key: Key16,
    pub text: Arc<str>,
}

/// How often a term of a file occurs in one of its chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hit {
    /// Position among the file's terms.
    pub term: u32,
    pub chunk: u32,
    pub counts: Counts,
}

/// The distinct terms of a file and their hits, sorted by term, then chunk.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub terms: Vec<Term>,
    pub hits: Vec<Hit>,
    /// Words per chunk.
    pub lengths: Vec<u32>,
}

/// Bounds a thread's lexicon to some ten megabytes; past it the thread starts to learn anew.
const MAX_LEXICON_WORDS: usize = 100_000;

#[derive(Default)]
pub(crate) struct Lexicon {
    words: KeyMap,
    /// Of each word: where its terms stand in `of_words`.
    ranges: Vec<(u32, u32)>,
    of_words: Vec<u32>,
    ids: KeyMap,
    terms: Vec<Term>,
    /// Of each term: its part in the file that was looked at last.
    parts: Vec<Part>,
    /// Number of the file.
    file: u32,
    of_file: Vec<u32>,
    /// Hits of each of the file's terms.
    counts: Vec<u32>,
    hits: Vec<Hit>,
}

#[derive(Clone, Copy, Default)]
struct Part {
    file: u32,
    term: u32,
    last: u32,
}

impl Lexicon {
    /// Collects the words of every chunk.
    pub fn count(&mut self, text: &str, chunks: &[Chunk], pieces: &[Piece]) -> Counted {
        if self.words.len() > MAX_LEXICON_WORDS || self.file == u32::MAX {
            *self = Lexicon::default();
        }
        self.file += 1;
        let mut lengths = vec![0u32; chunks.len()];
        for piece in pieces {
            let chunk = &chunks[piece.chunk as usize];
            let base = piece.start as usize;
            let body = &text[base..piece.end as usize];
            let mut found = 0;
            if chunk.signature.is_empty() && chunk.doc.is_empty() {
                token::words(body, |_, word| {
                    found += 1;
                    self.add(word, piece.chunk, BODY);
                });
            } else {
                token::words(body, |at, word| {
                    let at = (base + at) as u32;
                    let field = if chunk.signature.contains(&at) {
                        SIGNATURE
                    } else if chunk.doc.contains(&at) {
                        DOC
                    } else {
                        BODY
                    };
                    found += 1;
                    self.add(word, piece.chunk, field);
                });
            }
            lengths[piece.chunk as usize] += found;
        }
        for (at, chunk) in chunks.iter().enumerate().filter(|(_, chunk)| !chunk.is_part) {
            token::words(&chunk.name, |_, word| self.add(word, at as u32, NAME));
            // A method is found by the name of its type too.
            let mut above = chunk.parent;
            while let Some(parent) = above.map(|parent| &chunks[parent as usize]) {
                if parent.kind.is_definition() {
                    token::words(&parent.name, |_, word| self.add(word, at as u32, SIGNATURE));
                }
                above = parent.parent;
            }
        }
        self.take(lengths)
    }

    #[inline]
    fn add(&mut self, word: &str, chunk: u32, field: u8) {
        let key = Key16::of(word.as_bytes());
        let word = match self.words.get(key) {
            Some(word) => word,
            None => self.learn(key, word),
        };
        let (start, end) = self.ranges[word as usize];
        for term in &self.of_words[start as usize..end as usize] {
            let part = &mut self.parts[*term as usize];
            if part.file != self.file {
                *part = Part { file: self.file, term: self.of_file.len() as u32, last: u32::MAX };
                self.of_file.push(*term);
                self.counts.push(0);
            }
            match self.hits.get_mut(part.last as usize).filter(|hit| hit.chunk == chunk) {
                Some(hit) => hit.counts.add(field),
                None => {
                    part.last = self.hits.len() as u32;
                    self.counts[part.term as usize] += 1;
                    let mut counts = Counts::default();
                    counts.add(field);
                    self.hits.push(Hit { term: part.term, chunk, counts });
                }
            }
        }
    }

    #[cold]
    fn learn(&mut self, key: Key16, word: &str) -> u32 {
        let start = self.of_words.len();
        token::terms(word, |text| {
            let key = Key16::of(text.as_bytes());
            let id = match self.ids.get(key) {
                Some(id) => id,
                None => {
                    let id = self.terms.len() as u32;
                    self.terms.push(Term { key, text: text.into() });
                    self.parts.push(Part::default());
                    self.ids.insert(key, id);
                    id
                }
            };
            if !self.of_words[start..].contains(&id) {
                self.of_words.push(id);
            }
        });
        let number = self.ranges.len() as u32;
        self.ranges.push((start as u32, self.of_words.len() as u32));
        self.words.insert(key, number);
        number
    }

    /// Orders the hits by counting, and empties what is kept for the next file.
    fn take(&mut self, lengths: Vec<u32>) -> Counted {
        let mut next = 0;
        for count in &mut self.counts {
            (*count, next) = (next, next + *count);
        }
        let mut hits = vec![Hit::default(); self.hits.len()];
        for hit in self.hits.drain(..) {
            let place = &mut self.counts[hit.term as usize];
            hits[*place as usize] = hit;
            *place += 1;
        }
        self.counts.clear();
        let terms = self.of_file.drain(..).map(|term| self.terms[term as usize].clone()).collect();
        // The text of a chunk may lie before and behind that of one nested in it.
        let in_order = |pair: &[Hit]| pair[0].term != pair[1].term || pair[0].chunk < pair[1].chunk;
        if !hits.windows(2).all(in_order) {
            merge(&mut hits);
        }
        Counted { terms, hits, lengths }
    }
}

fn merge(hits: &mut Vec<Hit>) {
    for group in hits.chunk_by_mut(|left, right| left.term == right.term) {
        group.sort_by_key(|hit| hit.chunk);
    }
    hits.dedup_by(|later, first| {
        let same = (later.term, later.chunk) == (first.term, first.chunk);
        if same {
            first.counts.join(later.counts);
        }
        same
    });
}
