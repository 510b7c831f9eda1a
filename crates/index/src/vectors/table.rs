//! The table of word vectors and its file.
//!
//! ```text
//! "MSVEC1\0\0"  words u32  dimensions u32  bytes of names u32, little-endian
//! names         for each word, ascending by bytes: length u8, UTF-8
//! scales        for each word: f32
//! rows          for each word: one i8 per dimension, times its scale
//! ```
//!
//! Words are stems of our own splitter. The weight of a word is in the length of its row.

use super::normalised;
use crate::error::IndexError;
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"MSVEC1\0\0";
const HEAD: usize = 20;
/// A larger file is not a table for this purpose.
const MAX_BYTES: u64 = 64 << 20;

/// Word vectors, shared by everything that searches with them.
#[derive(Clone)]
pub struct Table(Arc<Inner>);

struct Inner {
    bytes: Vec<u8>,
    /// Where each word's name starts.
    names: Vec<u32>,
    dimensions: usize,
    scales_at: usize,
    rows_at: usize,
    mark: u64,
}

impl std::fmt::Debug for Table {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Table({} words, {:016x})", self.words(), self.mark())
    }
}

impl Table {
    pub fn open(path: &Path) -> Result<Table, IndexError> {
        let size = std::fs::metadata(path).map_err(IndexError::io(path))?.len();
        if size > MAX_BYTES {
            return Err(bad(path, "the table of vectors is too large"));
        }
        let bytes = std::fs::read(path).map_err(IndexError::io(path))?;
        Table::parse(bytes).ok_or_else(|| bad(path, "this is not a whole table of vectors"))
    }

    /// Reads a table; `None` for anything else, or one that is cut short or out of order.
    pub fn parse(bytes: Vec<u8>) -> Option<Table> {
        if bytes.get(..8)? != MAGIC {
            return None;
        }
        let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize);
        let (words, dimensions, name_bytes) = (number(8)?, number(12)?, number(16)?);
        let scales_at = HEAD.checked_add(name_bytes)?;
        let rows_at = scales_at.checked_add(words.checked_mul(4)?)?;
        let whole = rows_at.checked_add(words.checked_mul(dimensions)?)?;
        if bytes.len() != whole || dimensions == 0 || dimensions % 8 != 0 || dimensions > 1024 {
            return None;
        }
        let mut names = Vec::with_capacity(words);
        let (mut at, mut before): (usize, &[u8]) = (HEAD, &[]);
        for _ in 0..words {
            let length = *bytes.get(at)? as usize;
            let name = bytes.get(at + 1..at + 1 + length).filter(|_| at + 1 + length <= scales_at)?;
            if name <= before {
                return None;
            }
            names.push(at as u32);
            (at, before) = (at + 1 + length, name);
        }
        let mark = xxh3_64(&bytes);
        Some(Table(Arc::new(Inner { names, dimensions, scales_at, rows_at, mark, bytes })))
    }

    pub fn words(&self) -> usize {
        self.0.names.len()
    }

    /// Names this table among all.
    pub fn mark(&self) -> u64 {
        self.0.mark
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.0.dimensions
    }

    /// A word's row and what to multiply it by.
    pub(crate) fn row(&self, word: &[u8]) -> Option<(f32, &[u8])> {
        let inner = &*self.0;
        let name = |at: &u32| {
            let at = *at as usize;
            &inner.bytes[at + 1..at + 1 + inner.bytes[at] as usize]
        };
        let number = inner.names.binary_search_by(|at| name(at).cmp(word)).ok()?;
        let scale = inner.scales_at + number * 4;
        let scale = f32::from_le_bytes(inner.bytes[scale..scale + 4].try_into().ok()?);
        let row = inner.rows_at + number * inner.dimensions;
        scale.is_finite().then(|| (scale, &inner.bytes[row..row + inner.dimensions]))
    }

    /// The direction of some words together; `None` when none of them is known.
    pub(crate) fn direction<'w>(&self, words: impl Iterator<Item = &'w str>) -> Option<Vec<f32>> {
        let mut sum = vec![0.0; self.dimensions()];
        for word in words {
            if let Some((scale, row)) = self.row(word.as_bytes()) {
                add(&mut sum, row, scale);
            }
        }
        normalised(sum)
    }
}

/// Adds a row of int8, times its scale.
pub(super) fn add(sum: &mut [f32], row: &[u8], scale: f32) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += f32::from(*value as i8) * scale;
    }
}

fn bad(path: &Path, what: &'static str) -> IndexError {
    IndexError::Damaged { file: path.to_owned(), what }
}

#[cfg(test)]
pub(super) fn sample(words: &[(&str, [i8; 8])]) -> Vec<u8> {
    let mut words = words.to_vec();
    words.sort_unstable();
    let names: Vec<u8> =
        words.iter().flat_map(|(word, _)| [&[word.len() as u8], word.as_bytes()].concat()).collect();
    let mut out = MAGIC.to_vec();
    for number in [words.len(), 8, names.len()] {
        out.extend((number as u32).to_le_bytes());
    }
    out.extend(names);
    out.extend(words.iter().flat_map(|_| 0.5f32.to_le_bytes()));
    out.extend(words.iter().flat_map(|(_, row)| row.map(|value| value as u8)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_looked_up_and_summed() {
        let table = Table::parse(sample(&[("dog", [2; 8]), ("cat", [0, 4, 0, 0, 0, 0, 0, 0])])).unwrap();
        assert_eq!(table.words(), 2);
        assert_eq!(table.row(b"dog").unwrap(), (0.5, &[2u8; 8][..]));
        assert!(table.row(b"cow").is_none());
        let sum = table.direction(["cat", "cow"].into_iter()).unwrap();
        assert_eq!(sum, [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!(table.direction(["cow"].into_iter()).is_none());
    }

    #[test]
    fn damaged_tables_are_refused() {
        let good = sample(&[("dog", [2; 8]), ("cat", [1; 8])]);
        for length in 0..good.len() {
            assert!(Table::parse(good[..length].to_vec()).is_none(), "cut at {length}");
        }
        for at in 0..HEAD {
            let mut bad = good.clone();
            bad[at] ^= 0xFF;
            assert!(Table::parse(bad).is_none(), "byte {at}");
        }
    }
}
