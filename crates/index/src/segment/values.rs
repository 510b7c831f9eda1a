//! The values of one fact as one text in small letters, so that a part of a value is found by one pass over it.

use super::Segment;
use crate::bits::Bits;
use crate::error::Damaged;
use crate::facts::Fact;
use crate::hash::FastMap;
use memchr::memmem::Finder;
use std::sync::{Arc, Mutex, PoisonError};

/// Stands between values; no text holds this byte.
const BETWEEN: u8 = 0xFF;
/// The set of a value that so large a share of the chunks has is kept: one in so many.
const COMMON: u32 = 32;

#[derive(Debug, Default)]
pub(crate) struct Values {
    text: Vec<u8>,
    starts: Vec<u32>,
    /// Where the list of each value lies, and how long it is.
    lists: Vec<(u32, u32, u32)>,
    /// Sets of common values.
    common: Mutex<FastMap<u32, Arc<Bits>>>,
}

impl Values {
    pub(super) fn of(segment: &Segment, fact: Fact) -> Result<Values, Damaged> {
        let mut out = Values::default();
        segment.facts()?.for_each_place(&[fact as u8], |key, list, count| {
            out.starts.push(out.text.len() as u32);
            let value = &key[1..];
            if value.is_ascii() {
                out.text.extend(value.iter().map(u8::to_ascii_lowercase));
            } else {
                out.text.extend(String::from_utf8_lossy(value).to_lowercase().into_bytes());
            }
            out.text.push(BETWEEN);
            out.lists.push((list.start as u32, list.end as u32, count));
            Ok(())
        })?;
        Ok(out)
    }

    /// Adds the chunks with a value that holds `part`, in any case.
    pub fn add_holding(&self, segment: &Segment, part: &str, bits: &mut Bits) -> Result<(), Damaged> {
        let part = part.to_lowercase();
        if part.is_empty() {
            return (0..self.starts.len()).try_for_each(|value| self.add(segment, value, bits));
        }
        let finder = Finder::new(part.as_bytes());
        let mut from = 0;
        while let Some(at) = self.text.get(from..).and_then(|rest| finder.find(rest)) {
            let value = self.starts.partition_point(|start| *start as usize <= from + at) - 1;
            self.add(segment, value, bits)?;
            from = self.starts.get(value + 1).map_or(self.text.len(), |next| *next as usize);
        }
        Ok(())
    }

    fn add(&self, segment: &Segment, value: usize, bits: &mut Bits) -> Result<(), Damaged> {
        let (start, end, count) = self.lists[value];
        let list = || segment.facts()?.list(start as usize..end as usize, count);
        if count < segment.chunk_count() / COMMON {
            for posting in list()? {
                bits.insert(posting?.chunk);
            }
            return Ok(());
        }
        let key = value as u32;
        let known = self.common.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone);
        let common = match known {
            Some(common) => common,
            None => {
                let mut common = Bits::none(segment.chunk_count() as usize);
                for posting in list()? {
                    common.insert(posting?.chunk);
                }
                let common = Arc::new(common);
                self.common.lock().unwrap_or_else(PoisonError::into_inner).insert(key, Arc::clone(&common));
                common
            }
        };
        bits.add(&common);
        Ok(())
    }
}
