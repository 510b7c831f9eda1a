//! Vectors of a segment's chunks: made from its postings, kept in a file beside it.

use super::table::{Table, add};
use super::{PREFIX, normalised};
use crate::disk::codec::u32_at;
use crate::disk::{Container, Writer, write};
use crate::error::{Damaged, IndexError};
use crate::segment::Segment;
use crate::segment::postings::NAME;
use std::path::Path;

const FILE_KIND: u32 = 3;

mod id {
    pub const HEAD: u32 = 1;
    pub const CHUNKS: u32 = 2;
    pub const SIGNS: u32 = 3;
    pub const VALUES: u32 = 4;
}

/// Chunks of fewer known words say too little to be found by meaning, and half of all chunks are such.
const LEAST_WORDS: u8 = 6;
/// A chunk's own name tells more about it than a word of its body.
const NAME_WEIGHT: f32 = 2.0;
/// So many chunks are summed up at a time: bounds the memory.
const AT_ONCE: u32 = 32_768;

/// Open vectors of one segment.
#[derive(Debug)]
pub(crate) struct ChunkVectors {
    container: Container,
    pub dimensions: usize,
    pub count: usize,
}

impl ChunkVectors {
    /// Those kept beside the segment, or made now where there are none that fit.
    pub fn of(segment: &Segment, table: &Table) -> Result<ChunkVectors, IndexError> {
        if let Some(kept) = Self::kept(segment, table) {
            return Ok(kept);
        }
        let bytes = encode(segment, table).map_err(|damaged| damaged.in_file(segment.path()))?;
        let made = Container::in_memory(bytes, FILE_KIND)?;
        ChunkVectors::read(made, table).map_err(|damaged| damaged.in_file(segment.path()))
    }

    fn kept(segment: &Segment, table: &Table) -> Option<ChunkVectors> {
        let path = segment.path();
        let name = file_name(path.file_name()?.to_str()?, table);
        let container = Container::open(&path.with_file_name(name), FILE_KIND).ok()?;
        ChunkVectors::read(container, table).ok()
    }

    /// Writes the file of a segment if it is not there; its size.
    pub fn keep(folder: &Path, name: &str, segment: &Segment, table: &Table) -> Result<u64, IndexError> {
        if let Some(kept) = Self::kept(segment, table).filter(|kept| kept.container.verify().is_ok()) {
            return Ok(kept.container.len() as u64);
        }
        let bytes = encode(segment, table).map_err(|damaged| damaged.in_file(segment.path()))?;
        write::whole(folder, &file_name(name, table), &bytes)?;
        Ok(bytes.len() as u64)
    }

    fn read(container: Container, table: &Table) -> Result<ChunkVectors, Damaged> {
        let head = container.section(id::HEAD)?.all()?;
        let dimensions = table.dimensions();
        let count = container.section(id::CHUNKS)?.len() / 4;
        let fits = head == table.mark().to_le_bytes()
            && container.section(id::SIGNS)?.len() == count * dimensions / 8
            && container.section(id::VALUES)?.len() == count * dimensions / 2;
        if !fits {
            return Err(Damaged("vectors are of another table"));
        }
        Ok(ChunkVectors { container, dimensions, count })
    }

    pub fn check_length(&self) -> Result<(), IndexError> {
        self.container.check_length()
    }

    pub fn chunk(&self, at: usize) -> Result<u32, Damaged> {
        u32_at(self.container.section(id::CHUNKS)?.get(at * 4..at * 4 + 4)?, 0)
    }

    pub fn chunks(&self) -> Result<&[u8], Damaged> {
        self.container.section(id::CHUNKS)?.all()
    }

    pub fn signs(&self) -> Result<&[u8], Damaged> {
        self.container.section(id::SIGNS)?.all()
    }

    pub fn values(&self, at: usize) -> Result<&[u8], Damaged> {
        let width = self.dimensions / 2;
        self.container.section(id::VALUES)?.get(at * width..(at + 1) * width)
    }
}

fn file_name(segment: &str, table: &Table) -> String {
    format!("{PREFIX}{segment}-{:016x}", table.mark())
}

fn encode(segment: &Segment, table: &Table) -> Result<Vec<u8>, Damaged> {
    let (mut chunks, mut signs, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    while first < segment.chunk_count() {
        let end = (first + AT_ONCE).min(segment.chunk_count());
        let (sums, known) = sum(segment, table, first, end)?;
        for (chunk, (sum, known)) in (first..).zip(sums.chunks(table.dimensions()).zip(known)) {
            if known < LEAST_WORDS {
                continue;
            }
            let Some(direction) = normalised(sum.to_vec()) else {
                continue;
            };
            chunks.extend(u32::to_le_bytes(chunk));
            signs.extend(sign_bits(&direction));
            values.extend(quantised(&direction));
        }
        first = end;
    }
    let mut writer = Writer::new(FILE_KIND);
    writer.section(id::HEAD, table.mark().to_le_bytes().to_vec());
    writer.section(id::CHUNKS, chunks);
    writer.section(id::SIGNS, signs);
    writer.section(id::VALUES, values);
    Ok(writer.finish())
}

/// The sums of the rows of each chunk's words, and how many words are known.
fn sum(segment: &Segment, table: &Table, first: u32, end: u32) -> Result<(Vec<f32>, Vec<u8>), Damaged> {
    let dimensions = table.dimensions();
    let mut sums = vec![0.0f32; (end - first) as usize * dimensions];
    let mut known = vec![0u8; (end - first) as usize];
    segment.dictionary()?.for_each(|term, postings| {
        let Some((scale, row)) = table.row(term) else {
            return Ok(());
        };
        for posting in postings {
            let posting = posting?;
            if posting.chunk >= end {
                break;
            }
            if posting.chunk >= first {
                let at = (posting.chunk - first) as usize;
                let weight = if posting.counts.heads & NAME != 0 { NAME_WEIGHT } else { 1.0 };
                add(&mut sums[at * dimensions..(at + 1) * dimensions], row, scale * weight);
                known[at] = known[at].saturating_add(1);
            }
        }
        Ok(())
    })?;
    Ok((sums, known))
}

pub(super) fn sign_bits(direction: &[f32]) -> Vec<u8> {
    let byte = |eight: &[f32]| {
        eight.iter().enumerate().fold(0u8, |byte, (at, value)| byte | u8::from(*value > 0.0) << at)
    };
    direction.chunks(8).map(byte).collect()
}

/// Directions have length one; their largest part is stretched to 7, so that two parts fit a byte.
fn quantised(direction: &[f32]) -> Vec<u8> {
    let largest = direction.iter().fold(f32::MIN_POSITIVE, |largest, value| largest.max(value.abs()));
    let part = |value: &f32| (value / largest * 7.0).round() as i8 as u8 & 0x0F;
    direction.chunks(2).map(|pair| pair.iter().rev().fold(0, |byte, value| byte << 4 | part(value))).collect()
}

/// The two parts of a byte.
pub(super) fn parts(byte: u8) -> [f32; 2] {
    [f32::from((byte << 4) as i8 >> 4), f32::from(byte as i8 >> 4)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_byte_tells_a_part_to_a_fourteenth_of_the_largest() {
        let direction: Vec<f32> = (0..64u16).map(|at| f32::from(at % 15) - 7.3).collect();
        let read: Vec<f32> = quantised(&direction).into_iter().flat_map(parts).collect();
        assert_eq!(read.len(), direction.len());
        for (value, read) in direction.iter().zip(read) {
            assert!((value / 7.7 * 7.0 - read).abs() <= 0.75, "{value} {read}");
        }
    }
}
