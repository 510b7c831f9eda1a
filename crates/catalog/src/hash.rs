//! SHA-256 as lower-case hex, and the catalog hash kept up to date at low cost.

use std::sync::Arc;

use sha2::{Digest, Sha256};

/// SHA-256 of some bytes, as 64 lower-case hex digits.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex(&Sha256::digest(bytes.as_ref()))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}

/// Most items of one block; a fuller one is cut in two.
const FULL: usize = 128;

/// The hash over `id:sourceHash` items joined by `|`, kept so that a change costs little.
///
/// The text lies in blocks, each with the state before it. A change rewrites one block and hashes on from there: SHA-256
/// runs from front to back, so what follows must be hashed again, but as plain memory and not entry by entry.
#[derive(Debug, Clone)]
pub(crate) struct CatalogHash {
    blocks: Vec<Arc<Block>>,
    /// `before[n]` is the state before block `n`, valid up to the first dirty block.
    before: Vec<Sha256>,
    dirty: Option<usize>,
    len: usize,
    hex: String,
}

/// Consecutive items, each as `|id:hash`.
#[derive(Debug, Clone, Default)]
struct Block {
    text: Vec<u8>,
    /// Where each item ends.
    ends: Vec<u32>,
}

impl Block {
    fn start(&self, item: usize) -> usize {
        item.checked_sub(1).map_or(0, |previous| self.ends[previous] as usize)
    }

    fn insert(&mut self, item: usize, id: &str, hash: &str) {
        let start = self.start(item);
        let bytes = [b"|", id.as_bytes(), b":", hash.as_bytes()].concat();
        let len = bytes.len();
        self.text.splice(start..start, bytes);
        self.ends.insert(item, start as u32);
        self.ends[item..].iter_mut().for_each(|end| *end += len as u32);
    }

    fn remove(&mut self, item: usize) {
        let (start, end) = (self.start(item), self.ends[item]);
        self.text.drain(start..end as usize);
        self.ends.remove(item);
        self.ends[item..].iter_mut().for_each(|later| *later -= end - start as u32);
    }

    fn split(&mut self) -> Block {
        let half = self.ends.len() / 2;
        let at = self.start(half);
        let text = self.text.split_off(at);
        let ends = self.ends.split_off(half).into_iter().map(|end| end - at as u32).collect();
        Block { text, ends }
    }
}

impl CatalogHash {
    pub fn new() -> CatalogHash {
        CatalogHash { blocks: Vec::new(), before: Vec::new(), dirty: None, len: 0, hex: sha256_hex(b"") }
    }

    pub fn hex(&self) -> &str {
        &self.hex
    }

    /// Puts an item at a position; those from there on move up.
    pub fn insert(&mut self, position: usize, id: &str, hash: &str) {
        if self.blocks.is_empty() {
            self.blocks.push(Arc::default());
        }
        // Building goes from front to back; finding the end must not cost a walk.
        let (at, item) = match position == self.len {
            true => (self.blocks.len() - 1, self.blocks.last().map_or(0, |block| block.ends.len())),
            false => self.find(position, |item, len| item <= len),
        };
        self.len += 1;
        let block = Arc::make_mut(&mut self.blocks[at]);
        block.insert(item, id, hash);
        if block.ends.len() > FULL {
            let rest = block.split();
            self.blocks.insert(at + 1, Arc::new(rest));
        }
        self.touch(at);
    }

    /// Takes the item at a position out; those after it move down.
    pub fn remove(&mut self, position: usize) {
        let (at, item) = self.find(position, |item, len| item < len);
        self.len -= 1;
        let block = Arc::make_mut(&mut self.blocks[at]);
        block.remove(item);
        if block.ends.is_empty() {
            self.blocks.remove(at);
        }
        self.touch(at);
    }

    /// Brings the hash up to date after a row of changes.
    pub fn finish(&mut self) {
        let Some(from) = self.dirty.take() else { return };
        let text = |at: usize| &self.blocks[at].text[usize::from(at == 0)..];
        let mut state = Sha256::new();
        if let Some(previous) = from.checked_sub(1) {
            state = self.before[previous].clone();
            state.update(text(previous));
        }
        self.before.truncate(from);
        for at in from..self.blocks.len() {
            self.before.push(state.clone());
            state.update(text(at));
        }
        self.hex = hex(&state.finalize());
    }

    /// The block of a position and the place inside it.
    fn find(&self, position: usize, fits: impl Fn(usize, usize) -> bool) -> (usize, usize) {
        let mut item = position;
        for (at, block) in self.blocks.iter().enumerate() {
            if fits(item, block.ends.len()) {
                return (at, item);
            }
            item -= block.ends.len();
        }
        unreachable!("positions lie within the items")
    }

    fn touch(&mut self, block: usize) {
        self.dirty = Some(self.dirty.map_or(block, |dirty| dirty.min(block)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_catalog_has_the_hash_of_nothing() {
        assert_eq!(
            CatalogHash::new().hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn incremental_hash_equals_the_hash_of_the_whole_text() {
        let mut items: Vec<(String, String)> = Vec::new();
        let mut hash = CatalogHash::new();
        for step in 0..3000usize {
            let mut at = (step * 7919) % (items.len() + 1);
            if (step % 5 == 4 || step > 2000) && !items.is_empty() {
                at = at.min(items.len() - 1);
                items.remove(at);
                hash.remove(at);
            } else {
                items.insert(at, (format!("id-{step}"), sha256_hex(step.to_string())));
                hash.insert(at, &items[at].0, &items[at].1);
            }
            // Several changes may come before the hash is asked for.
            if step % 3 == 0 || step > 2900 {
                hash.finish();
                let text: Vec<String> = items.iter().map(|(id, hash)| format!("{id}:{hash}")).collect();
                assert_eq!(hash.hex(), sha256_hex(text.join("|")), "step {step}");
            }
        }
    }
}
