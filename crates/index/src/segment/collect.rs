//! What a builder gathers by term and by fact until it is laid out.

use super::dictionary::{self, Encoded};
use super::key::{Key16, KeyMap};
use super::postings::List;

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
