//! Signatures of files that were read once, so that the next question about them reads nothing.

use crate::hash::FastMap;
use memchr::memmem::Finder;
use std::ops::Range;
use std::sync::Arc;

/// Kept of one segment; more than this starts anew.
const MAX_BYTES: usize = 16 << 20;

/// The signatures of one file's chunks, with every run of blanks as one.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    /// A line each.
    text: String,
    /// Where the signature of each chunk begins.
    starts: Vec<u32>,
}

/// The signatures a segment keeps, by blob.
#[derive(Debug, Default)]
pub(super) struct KeptHeads {
    by_blob: FastMap<u32, Arc<Heads>>,
    bytes: usize,
}

impl Heads {
    pub fn new(text: &str, signatures: impl Iterator<Item = Range<u32>>) -> Heads {
        let mut out = Heads::default();
        for range in signatures {
            out.starts.push(out.text.len() as u32);
            let head = text.get(range.start as usize..range.end as usize).unwrap_or_default();
            for (at, word) in head.split_whitespace().enumerate() {
                if at > 0 {
                    out.text.push(' ');
                }
                out.text.push_str(word);
            }
            out.text.push('\n');
        }
        out
    }

    /// The chunks, by position in their file, whose signature holds what is looked for.
    pub fn holding(&self, wanted: &Finder<'_>) -> Vec<u32> {
        let mut out: Vec<u32> = Vec::new();
        for at in wanted.find_iter(self.text.as_bytes()) {
            let chunk = self.starts.partition_point(|start| *start as usize <= at) as u32 - 1;
            if out.last() != Some(&chunk) {
                out.push(chunk);
            }
        }
        out
    }
}

impl KeptHeads {
    pub fn get(&self, blob: u32) -> Option<Arc<Heads>> {
        self.by_blob.get(&blob).map(Arc::clone)
    }

    pub fn keep(&mut self, blob: u32, heads: &Arc<Heads>) {
        if self.bytes > MAX_BYTES {
            *self = KeptHeads::default();
        }
        self.bytes += heads.text.len() + heads.starts.len() * 4 + 64;
        self.by_blob.insert(blob, Arc::clone(heads));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_told_apart_and_blanks_are_alike() {
        let text = "def  get(\n    self):\n    pass\ndef get(a): pass";
        let heads = Heads::new(text, [0..20, 0..0, 29..40].into_iter());
        let holding = |wanted: &str| heads.holding(&Finder::new(wanted));
        assert_eq!(holding("def get("), [0, 2]);
        assert_eq!(holding("get( self"), [0]);
        assert_eq!(holding("get(a)"), [2]);
        assert_eq!(holding("self): def"), Vec::<u32>::new());
    }
}
