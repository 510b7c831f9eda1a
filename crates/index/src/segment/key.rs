//! Short names for words and terms: their bytes where they fit, else a hash no bytes can be equal to.
//!
//! A build looks up every word of every file. With keys of sixteen bytes such a look is one comparison and no pointer
//! is followed; two long words would have to meet in 120 bits of hash to be taken for each other.

use std::hash::{BuildHasher, RandomState};
use xxhash_rust::xxh3::xxh3_128;

/// What fits beside the length.
const WHOLE_BYTES: usize = 15;
const HASHED: u128 = 0xFF << 120;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key16(u128);

impl Key16 {
    #[inline]
    pub fn of(bytes: &[u8]) -> Key16 {
        if bytes.len() > WHOLE_BYTES {
            return Key16(xxh3_128(bytes) | HASHED);
        }
        Key16(pack(bytes) | (bytes.len() as u128 + 1) << 120)
    }
}

/// At most fifteen bytes as a number, the first one lowest.
#[inline]
fn pack(bytes: &[u8]) -> u128 {
    let length = bytes.len();
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        let tail = u128::from(u64::from_le_bytes(*last)) << (8 * (length - 8));
        return u128::from(u64::from_le_bytes(*first)) | tail;
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let tail = u64::from(u32::from_le_bytes(*last)) << (8 * (length - 4));
        return u128::from(u64::from(u32::from_le_bytes(*first)) | tail);
    }
    u128::from(bytes.iter().rev().fold(0u32, |number, byte| number << 8 | u32::from(*byte)))
}

/// From keys to numbers: open addressing, never removing. Where a key lies differs from process to process, so that
/// no text can be written to make one slow.
#[derive(Debug)]
pub(crate) struct KeyMap {
    slots: Vec<Slot>,
    used: usize,
    seeds: [u64; 2],
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    /// 0 for an empty one: no key is 0.
    key: u128,
    value: u32,
}

const EMPTY: Slot = Slot { key: 0, value: 0 };
const FIRST_SLOTS: usize = 1 << 10;

impl Default for KeyMap {
    fn default() -> KeyMap {
        let random = RandomState::new();
        KeyMap { slots: Vec::new(), used: 0, seeds: [random.hash_one(1u8), random.hash_one(2u8)] }
    }
}

impl KeyMap {
    pub fn len(&self) -> usize {
        self.used
    }

    #[inline]
    pub fn get(&self, key: Key16) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slots[self.place(key)];
        (slot.key != 0).then_some(slot.value)
    }

    /// Adds a key that is not there yet.
    pub fn insert(&mut self, key: Key16, value: u32) {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let place = self.place(key);
        self.slots[place] = Slot { key: key.0, value };
        self.used += 1;
    }

    /// Where the key is, or would be.
    #[inline]
    fn place(&self, key: Key16) -> usize {
        let mask = self.slots.len() - 1;
        let product =
            u128::from(key.0 as u64 ^ self.seeds[0]) * u128::from((key.0 >> 64) as u64 ^ self.seeds[1]);
        let mut at = (product as u64 ^ (product >> 64) as u64) as usize & mask;
        while self.slots[at].key != key.0 && self.slots[at].key != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for slot in old.into_iter().filter(|slot| slot.key != 0) {
            let place = self.place(Key16(slot.key));
            self.slots[place] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_words_have_different_keys() {
        let text = b"abcdefghijklmnopqrstuvwxyz\0\0\0";
        let mut words: Vec<&[u8]> =
            (0..text.len()).flat_map(|from| (from..=text.len()).map(move |to| &text[from..to])).collect();
        words.sort_unstable();
        words.dedup();
        let mut map = KeyMap::default();
        for (number, word) in words.iter().enumerate() {
            assert_eq!(map.get(Key16::of(word)), None, "{word:?}");
            map.insert(Key16::of(word), number as u32);
        }
        for (number, word) in words.iter().enumerate() {
            assert_eq!(map.get(Key16::of(word)), Some(number as u32));
        }
        assert_eq!(map.len(), words.len());
    }
}
