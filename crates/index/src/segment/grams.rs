//! The trigrams of a segment: for every bucket the blobs in it.
//!
//! Buckets lie one after the other, each with the length of its list. A large segment has nearly all of them, and a
//! table that says where every sixteenth lies. In a small one most are empty: there only the others are written, each
//! with its distance from the one before, and the table names the bucket too.

use super::postings::{Gaps, read_gaps};
use crate::disk::Section;
use crate::disk::codec::{Reader, put, u32_at};
use crate::error::Damaged;
use crate::trigram::{BUCKET_BITS, each_bucket};

const BUCKETS: u32 = 1 << BUCKET_BITS;
const STRIDE: usize = 16;
/// With fewer buckets than this in use, the empty ones cost more than the distances.
const SPARSE_BELOW: usize = BUCKETS as usize / 4;
/// So many buckets are laid out at a time: their lists fit into a cache, all of them would not.
const GROUP: u32 = 1 << 12;

/// The trigrams of every blob, kept as they come.
#[derive(Default)]
pub(super) struct Grams {
    gaps: Vec<u16>,
    /// Where each blob's gaps end.
    ends: Vec<u32>,
}

/// Three sections.
#[derive(Default)]
pub(super) struct Encoded {
    /// Where every sixteenth bucket lies; empty where only some are written.
    pub offsets: Vec<u8>,
    /// Every sixteenth of the buckets that are written, and where it lies; empty where all are.
    pub keys: Vec<u8>,
    pub lists: Vec<u8>,
}

impl Grams {
    pub fn add(&mut self, gaps: &[u16]) {
        self.gaps.extend_from_slice(gaps);
        self.ends.push(self.gaps.len() as u32);
    }

    pub fn encode(self) -> Encoded {
        let mut out = Encoded::default();
        if self.gaps.is_empty() {
            return out;
        }
        let is_sparse = self.used() < SPARSE_BELOW;
        let mut cursors = self.cursors();
        let mut lists: Vec<Gaps> = (0..GROUP).map(|_| Gaps::default()).collect();
        let (mut written, mut last) = (0, 0);
        for first in (0..BUCKETS).step_by(GROUP as usize) {
            for ((blob, cursor), end) in (0u32..).zip(&mut cursors).zip(&self.ends) {
                each_bucket(&self.gaps[..*end as usize], cursor, first + GROUP, |bucket| {
                    lists[(bucket - first) as usize].push(blob);
                });
            }
            for (bucket, list) in (first..).zip(&mut lists) {
                if is_sparse && list.bytes.is_empty() {
                    continue;
                }
                let starts = written % STRIDE == 0;
                if starts {
                    let table = if is_sparse { &mut out.keys } else { &mut out.offsets };
                    if is_sparse {
                        table.extend_from_slice(&bucket.to_le_bytes());
                        last = bucket;
                    }
                    table.extend_from_slice(&(out.lists.len() as u32).to_le_bytes());
                }
                if is_sparse {
                    put(&mut out.lists, u64::from(bucket - last));
                    last = bucket;
                }
                put(&mut out.lists, list.bytes.len() as u64);
                out.lists.extend_from_slice(&list.bytes);
                list.clear();
                written += 1;
            }
        }
        out
    }

    /// A place in every blob's gaps, at the start.
    fn cursors(&self) -> Vec<(u32, u32)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.take(self.ends.len()).map(|start| (start, 0)).collect()
    }

    /// How many buckets are not empty.
    fn used(&self) -> usize {
        let mut seen = vec![false; BUCKETS as usize];
        for (mut cursor, end) in self.cursors().into_iter().zip(&self.ends) {
            each_bucket(&self.gaps[..*end as usize], &mut cursor, BUCKETS, |bucket| {
                seen[bucket as usize] = true;
            });
        }
        seen.into_iter().filter(|seen| *seen).count()
    }
}

/// The trigrams in an open file.
#[derive(Clone, Copy)]
pub(super) struct Buckets<'c> {
    pub offsets: Section<'c>,
    pub keys: Section<'c>,
    pub lists: Section<'c>,
}

impl<'c> Buckets<'c> {
    /// The blobs in a bucket, ascending.
    pub fn find(&self, wanted: u32) -> Result<Vec<u32>, Damaged> {
        let mut out = Vec::new();
        if self.offsets.len() > 0 {
            let mut reader = self.stretch(&self.offsets, wanted as usize / STRIDE, 1)?;
            for _ in 0..wanted as usize % STRIDE {
                skip(&mut reader)?;
            }
            let length = reader.number()? as usize;
            return read_gaps(reader.take(length)?).collect();
        }
        let (mut low, mut high) = (0, self.keys.len() / 8);
        while low < high {
            let middle = (low + high) / 2;
            let key = u32_at(self.keys.get(middle * 8..middle * 8 + 4)?, 0)?;
            if key <= wanted { low = middle + 1 } else { high = middle }
        }
        if let Some(at) = low.checked_sub(1) {
            self.each_of(at, |bucket, list| {
                if bucket == wanted {
                    out = read_gaps(list).collect::<Result<_, Damaged>>()?;
                }
                Ok(())
            })?;
        }
        Ok(out)
    }

    /// Calls `each` with every bucket and blob, buckets ascending.
    pub fn for_each(&self, mut each: impl FnMut(u32, u32) -> Result<(), Damaged>) -> Result<(), Damaged> {
        let mut of_list = |bucket, list| read_gaps(list).try_for_each(|blob| each(bucket, blob?));
        if self.offsets.len() == 0 {
            let mut next = 0;
            return (0..self.keys.len() / 8).try_for_each(|at| {
                self.each_of(at, |bucket, list| {
                    if bucket < next {
                        return Err(Damaged("buckets are out of order"));
                    }
                    next = bucket + 1;
                    of_list(bucket, list)
                })
            });
        }
        let mut reader = Reader::new(self.lists.all()?);
        (0..BUCKETS).try_for_each(|bucket| {
            let length = reader.number()? as usize;
            of_list(bucket, reader.take(length)?)
        })
    }

    /// Calls `each` with the buckets from an entry of `keys` to the next one.
    fn each_of(
        &self,
        at: usize,
        mut each: impl FnMut(u32, &'c [u8]) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let mut bucket = u32_at(self.keys.get(at * 8..at * 8 + 4)?, 0)?;
        let mut reader = self.stretch(&self.keys, at, 2)?;
        while !reader.is_empty() {
            let gap = reader.number32()?;
            bucket = bucket
                .checked_add(gap)
                .filter(|bucket| *bucket < BUCKETS)
                .ok_or(Damaged("a bucket is out of range"))?;
            let length = reader.number()? as usize;
            each(bucket, reader.take(length)?)?;
        }
        Ok(())
    }

    /// The lists from an entry of a table to the next one; the offset is the last of its `width` numbers.
    fn stretch(&self, table: &Section<'c>, at: usize, width: usize) -> Result<Reader<'c>, Damaged> {
        let bytes = width * 4;
        let two = table.get(at * bytes..(at * bytes + 2 * bytes).min(table.len()))?;
        let start = u32_at(two, width - 1)? as usize;
        let end =
            if two.len() >= 2 * bytes { u32_at(two, 2 * width - 1)? as usize } else { self.lists.len() };
        Ok(Reader::new(self.lists.get(start..end)?))
    }
}

fn skip(reader: &mut Reader<'_>) -> Result<(), Damaged> {
    let length = reader.number()? as usize;
    reader.take(length).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{Container, Writer};
    use crate::trigram;

    /// Blobs by bucket, written and read back.
    fn check(blobs: &[Vec<u32>], sparse: bool) {
        let mut grams = Grams::default();
        for buckets in blobs {
            let mut gaps = trigram::Gaps::default();
            buckets.iter().for_each(|bucket| gaps.push(*bucket));
            grams.add(&gaps.gaps);
        }
        let encoded = grams.encode();
        assert_eq!(encoded.offsets.is_empty(), sparse);
        let mut writer = Writer::new(1);
        [encoded.offsets, encoded.keys, encoded.lists].into_iter().zip(1..).for_each(|(bytes, id)| {
            writer.section(id, bytes);
        });
        let container = Container::in_memory(writer.finish(), 1).unwrap();
        let section = |id| container.section(id).unwrap();
        let buckets = Buckets { offsets: section(1), keys: section(2), lists: section(3) };
        let holds = |bucket: u32| {
            let of = (0u32..).zip(blobs).filter(|(_, buckets)| buckets.contains(&bucket));
            of.map(|(blob, _)| blob).collect::<Vec<u32>>()
        };
        let mut all: Vec<u32> = blobs.concat();
        all.extend([0, 1, 77_777, BUCKETS - 1]);
        all.iter().step_by(97).for_each(|bucket| {
            assert_eq!(buckets.find(*bucket).unwrap(), holds(*bucket), "{bucket}");
        });
        let mut seen = vec![Vec::new(); blobs.len()];
        let mut note = |bucket, blob: u32| seen[blob as usize].push(bucket);
        buckets
            .for_each(|bucket, blob| {
                note(bucket, blob);
                Ok(())
            })
            .unwrap();
        assert_eq!(seen, blobs);
    }

    #[test]
    fn few_and_many_buckets_read_back() {
        let every = |step: usize, from: u32| (from..BUCKETS).step_by(step).collect::<Vec<u32>>();
        check(&[vec![5, 6, 262_143], vec![], vec![0, 6]], true);
        check(&[every(9, 0), every(17, 3)], true);
        check(&[every(2, 0), every(3, 1)], false);
    }

    #[test]
    fn a_small_segment_is_small() {
        let mut grams = Grams::default();
        let mut gaps = trigram::Gaps::default();
        (0..500).for_each(|number| gaps.push(number * 500));
        grams.add(&gaps.gaps);
        let encoded = grams.encode();
        assert!(encoded.offsets.len() + encoded.keys.len() + encoded.lists.len() < 4_000);
    }
}
