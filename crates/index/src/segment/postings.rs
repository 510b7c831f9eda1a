//! Lists of chunks per term, with how often the term occurs in which field.
//!
//! Most postings are one occurrence in a body: those take one varint. Names and signatures count once however often
//! they repeat a word.

use crate::disk::codec::{Reader, put};
use crate::error::Damaged;

pub(crate) const NAME: u8 = 1;
pub(crate) const SIGNATURE: u8 = 2;
pub(crate) const DOC: u8 = 4;
pub(crate) const BODY: u8 = 8;

/// How often a term occurs in the fields of one chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// `NAME` and `SIGNATURE` bits.
    pub heads: u8,
    pub doc: u8,
    pub body: u8,
}

impl Counts {
    pub fn add(&mut self, field: u8) {
        match field {
            DOC => self.doc = self.doc.saturating_add(1),
            BODY => self.body = self.body.saturating_add(1),
            head => self.heads |= head,
        }
    }

    /// Adds those of another stretch of the same chunk.
    pub fn join(&mut self, other: Counts) {
        self.heads |= other.heads;
        self.doc = self.doc.saturating_add(other.doc);
        self.body = self.body.saturating_add(other.body);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    pub chunk: u32,
    pub counts: Counts,
}

impl Posting {
    /// One that only says which chunk.
    pub fn bare(chunk: u32) -> Posting {
        Posting { chunk, counts: Counts { heads: 0, doc: 0, body: 1 } }
    }
}

const BODY_ONCE: u64 = 0;
const BODY_ONLY: u64 = 1;
const FIELDS: u64 = 2;

/// A list under construction; chunks are appended in ascending order.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// Most lists are a posting or two, which need no memory of their own.
    short: [u8; SHORT],
    long: Vec<u8>,
    short_bytes: u8,
    pub count: u32,
    next: u32,
}

const SHORT: usize = 11;

impl List {
    pub fn push(&mut self, posting: Posting) {
        let gap = u64::from(posting.chunk - self.next);
        let counts = posting.counts;
        match (counts.heads, counts.doc, counts.body) {
            (0, 0, 1) => self.number(gap << 2 | BODY_ONCE),
            (0, 0, body) => {
                self.number(gap << 2 | BODY_ONLY);
                self.byte(body);
            }
            (heads, doc, body) => {
                self.number(gap << 2 | FIELDS);
                self.byte(heads | if doc > 0 { DOC } else { 0 } | if body > 0 { BODY } else { 0 });
                [doc, body].into_iter().filter(|count| *count > 0).for_each(|count| self.byte(count));
            }
        }
        self.next = posting.chunk + 1;
        self.count += 1;
    }

    pub fn bytes(&self) -> &[u8] {
        if self.long.is_empty() { &self.short[..self.short_bytes as usize] } else { &self.long }
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    #[inline]
    fn byte(&mut self, byte: u8) {
        if self.long.is_empty() {
            if let Some(place) = self.short.get_mut(self.short_bytes as usize) {
                *place = byte;
                self.short_bytes += 1;
                return;
            }
            self.long.reserve(4 * SHORT);
            self.long.extend_from_slice(&self.short);
        }
        self.long.push(byte);
    }
}

/// Reads a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Postings<'b> {
    reader: Reader<'b>,
    pub count: u32,
    next: u32,
}

impl<'b> Postings<'b> {
    pub fn new(bytes: &'b [u8], count: u32) -> Postings<'b> {
        Postings { reader: Reader::new(bytes), count, next: 0 }
    }

    fn read(&mut self) -> Result<Posting, Damaged> {
        let head = self.reader.number()?;
        let gap = u32::try_from(head >> 2).map_err(|_| Damaged("a posting is out of range"))?;
        let chunk = self
            .next
            .checked_add(gap)
            .filter(|chunk| *chunk < u32::MAX)
            .ok_or(Damaged("a posting is out of range"))?;
        let counts = match head & 3 {
            BODY_ONCE => Counts { heads: 0, doc: 0, body: 1 },
            BODY_ONLY => Counts { heads: 0, doc: 0, body: self.reader.byte()? },
            FIELDS => {
                let mask = self.reader.byte()?;
                let doc = if mask & DOC != 0 { self.reader.byte()? } else { 0 };
                let body = if mask & BODY != 0 { self.reader.byte()? } else { 0 };
                Counts { heads: mask & (NAME | SIGNATURE), doc, body }
            }
            _ => return Err(Damaged("a posting has an unknown form")),
        };
        self.next = chunk + 1;
        Ok(Posting { chunk, counts })
    }
}

impl Iterator for Postings<'_> {
    type Item = Result<Posting, Damaged>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let posting = self.read();
        if posting.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(posting)
    }
}

/// Ascending numbers as gaps: the blobs of a trigram bucket.
#[derive(Debug, Default)]
pub(crate) struct Gaps {
    pub bytes: Vec<u8>,
    next: u32,
}

impl Gaps {
    pub fn push(&mut self, number: u32) {
        put(&mut self.bytes, u64::from(number - self.next));
        self.next = number + 1;
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.next = 0;
    }
}

pub(crate) fn read_gaps(bytes: &[u8]) -> impl Iterator<Item = Result<u32, Damaged>> + '_ {
    let mut reader = Reader::new(bytes);
    let mut next = 0u32;
    std::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let number = reader.number32().and_then(|gap| {
            next.checked_add(gap).filter(|number| *number < u32::MAX).ok_or(Damaged("a gap is out of range"))
        });
        match number {
            Ok(number) => next = number + 1,
            Err(_) => reader = Reader::new(&[]),
        }
        Some(number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postings_read_back() {
        let counts = [
            Counts { heads: 0, doc: 0, body: 1 },
            Counts { heads: 0, doc: 0, body: 9 },
            Counts { heads: NAME | SIGNATURE, doc: 0, body: 0 },
            Counts { heads: SIGNATURE, doc: 3, body: 200 },
        ];
        let wanted: Vec<Posting> =
            (0..400u32).map(|at| Posting { chunk: at * at, counts: counts[at as usize % 4] }).collect();
        let mut list = List::default();
        wanted.iter().for_each(|posting| list.push(*posting));
        let found: Vec<Posting> = Postings::new(list.bytes(), list.count).map(Result::unwrap).collect();
        assert_eq!(found, wanted);
    }
}
