//! SHA-256 as lower-case hex, and the catalog hash kept up to date at low cost.

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

/// How many items lie between two saved states. A change rehashes from the state before it.
const STRIDE: usize = 64;

/// The hash over `id:sourceHash` items joined by `|`, with saved states along the way.
///
/// SHA-256 runs from front to back, so a change in the middle costs the rest of the list; the saved states spare
/// the part before it.
#[derive(Debug, Clone)]
pub(crate) struct CatalogHash {
    /// `states[n]` is the state after `n * STRIDE` items.
    states: Vec<Sha256>,
    hex: String,
}

impl CatalogHash {
    pub fn new() -> CatalogHash {
        CatalogHash { states: vec![Sha256::new()], hex: sha256_hex(b"") }
    }

    pub fn hex(&self) -> &str {
        &self.hex
    }

    /// Hashes again after a change at position `from`; `item` gives the id and hash at a position.
    pub fn update<'a>(&mut self, from: usize, count: usize, item: impl Fn(usize) -> (&'a str, &'a str)) {
        let kept = (from / STRIDE).min(self.states.len() - 1);
        self.states.truncate(kept + 1);
        let mut state = self.states[kept].clone();
        let mut buffer = Vec::with_capacity(STRIDE * 96);
        for position in kept * STRIDE..count {
            if position % STRIDE == 0 && position != kept * STRIDE {
                state.update(&buffer);
                buffer.clear();
                self.states.push(state.clone());
            }
            let (id, hash) = item(position);
            if position > 0 {
                buffer.push(b'|');
            }
            buffer.extend_from_slice(id.as_bytes());
            buffer.push(b':');
            buffer.extend_from_slice(hash.as_bytes());
        }
        state.update(&buffer);
        self.hex = hex(&state.finalize());
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
        for step in 0..400usize {
            let mut at = (step * 7919) % (items.len() + 1);
            if step % 5 == 4 {
                at = at.min(items.len() - 1);
                items.remove(at);
            } else {
                items.insert(at, (format!("id-{step}"), sha256_hex(step.to_string())));
            }
            hash.update(at, items.len(), |n| (&items[n].0, &items[n].1));
            let text: Vec<String> = items.iter().map(|(id, hash)| format!("{id}:{hash}")).collect();
            assert_eq!(hash.hex(), sha256_hex(text.join("|")), "step {step}");
        }
    }
}
