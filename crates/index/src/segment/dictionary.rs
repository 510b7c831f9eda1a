//! A sorted dictionary of terms with their lists, read in place.
//!
//! Terms are front-coded in blocks of sixteen; a table of block offsets is searched by the first term of each block.

use super::postings::Postings;
use crate::disk::Section;
use crate::disk::codec::{Reader, put, u32_at};
use crate::error::Damaged;
use std::ops::Range;

const BLOCK_TERMS: usize = 16;

/// Encoded dictionary: three sections.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub blocks: Vec<u8>,
    pub terms: Vec<u8>,
    pub lists: Vec<u8>,
}

/// Encodes terms given in ascending order.
pub(crate) fn encode<'t>(terms: impl Iterator<Item = (&'t [u8], &'t [u8], u32)>) -> Encoded {
    let mut out = Encoded::default();
    let mut previous: &[u8] = &[];
    for (at, (term, list, count)) in terms.enumerate() {
        if at % BLOCK_TERMS == 0 {
            out.blocks.extend_from_slice(&(out.terms.len() as u32).to_le_bytes());
            put(&mut out.terms, out.lists.len() as u64);
            previous = &[];
        }
        let shared = previous.iter().zip(term).take_while(|(left, right)| left == right).count();
        put(&mut out.terms, shared as u64);
        put(&mut out.terms, (term.len() - shared) as u64);
        out.terms.extend_from_slice(&term[shared..]);
        put(&mut out.terms, u64::from(count));
        put(&mut out.terms, list.len() as u64);
        out.lists.extend_from_slice(list);
        previous = term;
    }
    out
}

/// A dictionary in an open file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dictionary<'c> {
    pub blocks: Section<'c>,
    pub terms: Section<'c>,
    pub lists: Section<'c>,
}

impl<'c> Dictionary<'c> {
    pub fn find(&self, wanted: &[u8]) -> Result<Option<Postings<'c>>, Damaged> {
        let (mut low, mut high) = (0, self.blocks.len() / 4);
        while low < high {
            let middle = (low + high) / 2;
            let (_, mut reader) = self.block(middle)?;
            reader.number()?;
            let length = reader.number()? as usize;
            if reader.take(length)? <= wanted { low = middle + 1 } else { high = middle }
        }
        let Some(block) = low.checked_sub(1) else {
            return Ok(None);
        };
        let mut found = None;
        self.each_in_block(block, |term, list, count| {
            if term == wanted {
                found = Some((list, count));
            }
            Ok(())
        })?;
        // Touching a list checks its blocks: those of other terms stay untouched.
        found.map(|(list, count)| Ok(Postings::new(self.lists.get(list)?, count))).transpose()
    }

    /// Calls `each` with every term in order.
    pub fn for_each(
        &self,
        mut each: impl FnMut(&[u8], Postings<'c>) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let lists = self.lists;
        let mut each = |term: &[u8], list, count| each(term, Postings::new(lists.get(list)?, count));
        (0..self.blocks.len() / 4).try_for_each(|block| self.each_in_block(block, &mut each))
    }

    /// Calls `each` with every term that starts with `prefix`, in order; the list is read only if asked for.
    pub fn for_each_with(
        &self,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], &dyn Fn() -> Result<Postings<'c>, Damaged>) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let lists = self.lists;
        self.for_each_place(prefix, |term, list, count| {
            each(term, &|| Ok(Postings::new(lists.get(list.clone())?, count)))
        })
    }

    /// The list at a place that `for_each_place` named.
    pub fn list(&self, list: Range<usize>, count: u32) -> Result<Postings<'c>, Damaged> {
        Ok(Postings::new(self.lists.get(list)?, count))
    }

    /// Calls `each` with every term that starts with `prefix`, in order, and the place and length of its list.
    pub fn for_each_place(
        &self,
        prefix: &[u8],
        mut each: impl FnMut(&[u8], Range<usize>, u32) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let (mut low, mut high) = (0, self.blocks.len() / 4);
        while low < high {
            let middle = (low + high) / 2;
            let (_, mut reader) = self.block(middle)?;
            reader.number()?;
            let length = reader.number()? as usize;
            if reader.take(length)? < prefix { low = middle + 1 } else { high = middle }
        }
        for block in low.saturating_sub(1)..self.blocks.len() / 4 {
            let mut past = false;
            self.each_in_block(block, |term, list, count| {
                if term.starts_with(prefix) {
                    return each(term, list, count);
                }
                past |= term > prefix;
                Ok(())
            })?;
            if past {
                break;
            }
        }
        Ok(())
    }

    /// The offset of a block's lists, and a reader at its first term.
    fn block(&self, block: usize) -> Result<(usize, Reader<'c>), Damaged> {
        let offsets = self.blocks.get(block * 4..(block * 4 + 8).min(self.blocks.len()))?;
        let start = u32_at(offsets, 0)? as usize;
        let end = if offsets.len() >= 8 { u32_at(offsets, 1)? as usize } else { self.terms.len() };
        let mut reader = Reader::new(self.terms.get(start..end)?);
        let lists = reader.number()? as usize;
        Ok((lists, reader))
    }

    fn each_in_block(
        &self,
        block: usize,
        mut each: impl FnMut(&[u8], Range<usize>, u32) -> Result<(), Damaged>,
    ) -> Result<(), Damaged> {
        let (mut list, mut reader) = self.block(block)?;
        let mut term = Vec::new();
        while !reader.is_empty() {
            let shared = reader.number()? as usize;
            if shared > term.len() {
                return Err(Damaged("a term shares more than there is"));
            }
            let length = reader.number()? as usize;
            term.truncate(shared);
            term.extend_from_slice(reader.take(length)?);
            let count = reader.number32()?;
            let end = list.checked_add(reader.number()? as usize).ok_or(Damaged("a list is too long"))?;
            each(&term, list..end, count)?;
            list = end;
        }
        Ok(())
    }
}
