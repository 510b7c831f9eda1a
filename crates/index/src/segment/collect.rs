//! What a builder gathers by term, by fact and by trigram until it is laid out.

use super::dictionary::{self, Encoded};
use super::key::{Key16, KeyMap};
use super::postings::{Gaps, List};
use crate::disk::codec::put;
use crate::trigram::{BUCKET_BITS, each_bucket};

/// Lists by name.
#[derive(Default)]
pub(crate) struct Lists {
    ids: KeyMap,
    /// All names one after the other, and where each ends.
    names: Vec<u8>,
    ends: Vec<u32>,
    lists: Vec<List>,
}

impl Lists {
    /// The list of a name, which is empty where it is new.
    #[inline]
    pub fn list(&mut self, key: Key16, name: &[u8]) -> &mut List {
        let id = match self.ids.get(key) {
            Some(id) => id,
            None => {
                let id = self.lists.len() as u32;
                self.names.extend_from_slice(name);
                self.ends.push(self.names.len() as u32);
                self.lists.push(List::default());
                self.ids.insert(key, id);
                id
            }
        };
        &mut self.lists[id as usize]
    }

    fn name(&self, id: u32) -> &[u8] {
        let start = id.checked_sub(1).map_or(0, |before| self.ends[before as usize] as usize);
        &self.names[start..self.ends[id as usize] as usize]
    }

    pub fn encode(self) -> Encoded {
        // Most names differ in their first eight bytes, which are compared without a look at the rest.
        let head = |name: &[u8]| {
            let mut eight = [0; 8];
            let shown = name.len().min(8);
            eight[..shown].copy_from_slice(&name[..shown]);
            u64::from_be_bytes(eight)
        };
        let mut order: Vec<(u64, u32)> =
            (0..self.lists.len() as u32).map(|id| (head(self.name(id)), id)).collect();
        order.sort_unstable_by(|left, right| {
            left.0.cmp(&right.0).then_with(|| self.name(left.1).cmp(self.name(right.1)))
        });
        dictionary::encode(order.iter().map(|(_, id)| {
            let list = &self.lists[*id as usize];
            (self.name(*id), list.bytes(), list.count)
        }))
    }
}

/// So many buckets are laid out at a time: their lists fit into a cache, all of them would not.
const GROUP: u32 = 1 << 12;

/// The trigrams of every blob, kept as they come.
#[derive(Default)]
pub(super) struct Grams {
    gaps: Vec<u16>,
    /// Where each blob's gaps end.
    ends: Vec<u32>,
}

impl Grams {
    pub fn add(&mut self, gaps: &[u16]) {
        self.gaps.extend_from_slice(gaps);
        self.ends.push(self.gaps.len() as u32);
    }

    /// Buckets one after the other, each with its length; an offset for every sixteenth.
    pub fn encode(self) -> (Vec<u8>, Vec<u8>) {
        let (mut offsets, mut grams) = (Vec::new(), Vec::new());
        if self.gaps.is_empty() {
            return (offsets, grams);
        }
        let mut cursors: Vec<(u32, u32)> = Vec::with_capacity(self.ends.len());
        let mut start = 0;
        for end in &self.ends {
            cursors.push((start, 0));
            start = *end;
        }
        let mut lists: Vec<Gaps> = (0..GROUP).map(|_| Gaps::default()).collect();
        for first in (0..1 << BUCKET_BITS).step_by(GROUP as usize) {
            for ((blob, cursor), end) in (0u32..).zip(&mut cursors).zip(&self.ends) {
                each_bucket(&self.gaps[..*end as usize], cursor, first + GROUP, |bucket| {
                    lists[(bucket - first) as usize].push(blob);
                });
            }
            for (at, list) in lists.iter_mut().enumerate() {
                if at % super::GRAM_STRIDE == 0 {
                    offsets.extend_from_slice(&(grams.len() as u32).to_le_bytes());
                }
                put(&mut grams, list.bytes.len() as u64);
                grams.extend_from_slice(&list.bytes);
                list.clear();
            }
        }
        (offsets, grams)
    }
}
