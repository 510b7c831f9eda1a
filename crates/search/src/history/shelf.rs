//! Blames of one repository, kept beside its index for the next process.
//!
//! A line for each: a checksum, the key and the stretches of lines. What does not fit its checksum is passed over.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::blame::{Key, Lines};
use super::replace;
use crate::SearchError;
use crate::hex::hex;

const FILE: &str = "blames";
const MAX_KEPT: usize = 2_048;
const MAX_BYTES: usize = 8 << 20;

/// Raise it with every change of what a line holds.
const VERSION: &str = "1";

#[derive(Default)]
pub(super) struct Shelf {
    kept: BTreeMap<String, Kept>,
    /// Counts the uses; the largest is the latest.
    uses: u64,
    is_changed: bool,
}

struct Kept {
    lines: Arc<Lines>,
    used: u64,
    bytes: usize,
}

impl Shelf {
    /// What was kept in a folder; nothing where that cannot be read.
    pub fn open(store: &Path) -> Shelf {
        let mut shelf = Shelf::default();
        let path = store.join(FILE);
        if !path.metadata().is_ok_and(|file| file.len() <= (MAX_BYTES * 2) as u64) {
            return shelf;
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        for line in String::from_utf8_lossy(&bytes).lines() {
            let Some((sum, rest)) = line.split_once(' ') else { continue };
            let Some((key, lines)) = rest.split_once(' ').filter(|_| checksum(rest) == sum) else { continue };
            let Ok(lines) = serde_json::from_str::<Lines>(lines) else { continue };
            shelf.insert(key.to_owned(), Arc::new(lines), line.len());
        }
        shelf.is_changed = false;
        shelf
    }

    pub fn get(&mut self, key: &Key) -> Option<Arc<Lines>> {
        self.uses += 1;
        let kept = self.kept.get_mut(&hex(key))?;
        kept.used = self.uses;
        Some(Arc::clone(&kept.lines))
    }

    pub fn keep(&mut self, key: &Key, lines: &Arc<Lines>) {
        self.insert(hex(key), Arc::clone(lines), lines.iter().map(|(.., author)| author.len() + 20).sum());
    }

    fn insert(&mut self, name: String, lines: Arc<Lines>, bytes: usize) {
        self.uses += 1;
        self.kept.insert(name, Kept { lines, used: self.uses, bytes });
        self.is_changed = true;
        let mut bytes: usize = self.kept.values().map(|kept| kept.bytes).sum();
        while self.kept.len() > MAX_KEPT || bytes > MAX_BYTES {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used).map(|(name, _)| name.clone());
            let Some(dropped) = oldest.and_then(|name| self.kept.remove(&name)) else { break };
            bytes -= dropped.bytes;
        }
    }

    /// Writes what is new, the longest unused first.
    pub fn save(&mut self, store: &Path) -> Result<(), SearchError> {
        if !std::mem::take(&mut self.is_changed) {
            return Ok(());
        }
        let mut kept: Vec<(&String, &Kept)> = self.kept.iter().collect();
        kept.sort_by_key(|(_, kept)| kept.used);
        let mut text = String::new();
        for (name, kept) in kept {
            let Ok(lines) = serde_json::to_string(&*kept.lines) else { continue };
            let rest = format!("{name} {lines}");
            text.push_str(&format!("{} {rest}\n", checksum(&rest)));
        }
        replace(&store.join(FILE), text.as_bytes())
    }
}

fn checksum(text: &str) -> String {
    hex(&Sha256::digest(format!("{VERSION} {text}"))[..8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(author: &str) -> Arc<Lines> {
        Arc::new(vec![(1, 2, author.to_owned())])
    }

    #[test]
    fn a_damaged_line_is_passed_over_and_the_others_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let mut shelf = Shelf::open(dir.path());
        shelf.keep(&[1; 32], &lines("Ann <ann@x>"));
        shelf.keep(&[2; 32], &lines("Bob <bob@x>"));
        shelf.save(dir.path()).unwrap();
        let path = dir.path().join(FILE);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("\n{}no line", text.replace("Bob", "Eve"))).unwrap();
        let mut shelf = Shelf::open(dir.path());
        assert_eq!(shelf.get(&[1; 32]).unwrap()[0].2, "Ann <ann@x>");
        assert!(shelf.get(&[2; 32]).is_none(), "what was changed does not fit its checksum");
    }

    #[test]
    fn what_was_unused_for_longest_makes_room() {
        let mut shelf = Shelf::default();
        let key = |at: usize| {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&at.to_le_bytes());
            key
        };
        for at in 0..MAX_KEPT {
            shelf.keep(&key(at), &lines("Ann"));
        }
        assert!(shelf.get(&key(0)).is_some());
        shelf.keep(&key(MAX_KEPT), &lines("Ann"));
        assert!(shelf.get(&key(0)).is_some() && shelf.get(&key(1)).is_none());
        shelf.keep(&key(7_000), &lines(&"A".repeat(MAX_BYTES - 100)));
        assert!(shelf.kept.len() < 8, "{}", shelf.kept.len());
    }
}
