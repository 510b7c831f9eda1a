//! The filter on signatures. They are not in the index: of the chunks a query finds, the text decides, file by file.

use super::Trouble;
use super::atoms::candidates;
use super::source::Source;
use crate::bits::Bits;
use crate::error::{Damaged, IndexError};
use crate::hash::FastMap;
use crate::segment::Heads;
use crate::trigram::need_literal;
use crate::view::View;
use memchr::memmem::Finder;
use std::sync::{Arc, Mutex, PoisonError};

/// The chunks that have it, by part and blob.
type Seen = FastMap<(u32, u32), Arc<Vec<u32>>>;

/// What signatures must hold, and what is known of the files looked at.
pub(crate) struct Signature<'v> {
    view: &'v View,
    source: &'v Source<'v>,
    finder: Finder<'static>,
    /// Files that may have it, for each part; `None` where all may.
    blobs: Vec<Option<Bits>>,
    seen: Mutex<Seen>,
}

impl<'v> Signature<'v> {
    /// Blanks stand for any blanks.
    pub fn new(view: &'v View, source: &'v Source<'v>, text: &str) -> Result<Signature<'v>, Trouble> {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.is_empty() {
            let reason = "it is empty".to_owned();
            return Err(IndexError::BadFilter { field: "signature", reason }.into());
        }
        let may_have = |segment| -> Result<Option<Bits>, Damaged> {
            let needs = words.iter().map(|word| need_literal(word.as_bytes())).collect();
            let blobs = candidates(segment, &crate::trigram::Need::All(needs))?;
            Ok(blobs.map(|blobs| {
                let mut bits = Bits::none(segment.blob_count() as usize);
                blobs.into_iter().for_each(|blob| bits.insert(blob));
                bits
            }))
        };
        let blobs = view.parts.iter().map(|part| may_have(&part.segment)).collect::<Result<_, Damaged>>()?;
        let finder = Finder::new(words.join(" ").as_bytes()).into_owned();
        Ok(Signature { view, source, finder, blobs, seen: Mutex::default() })
    }

    pub fn holds(&self, part: usize, chunk: u32) -> Result<bool, Damaged> {
        let blob = self.view.parts[part].blob_of_chunk[chunk as usize];
        if self.blobs[part].as_ref().is_some_and(|blobs| !blobs.contains(blob)) {
            return Ok(false);
        }
        let segment = &self.view.parts[part].segment;
        let at = chunk - segment.blob(blob)?.chunks.start;
        let key = (part as u32, blob);
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&key).map(Arc::clone);
        let chunks = match seen {
            Some(chunks) => chunks,
            None => {
                let heads = segment.heads(blob, || self.read(part, blob))?;
                let chunks = Arc::new(heads.map(|heads| heads.holding(&self.finder)).unwrap_or_default());
                let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
                seen.insert(key, Arc::clone(&chunks));
                chunks
            }
        };
        Ok(chunks.binary_search(&at).is_ok())
    }

    fn read(&self, part: usize, blob: u32) -> Result<Option<Heads>, Damaged> {
        let (number, part) = (part, &self.view.parts[part]);
        let Some(text) = part.files_of(blob).iter().find_map(|file| self.source.text(number, *file)) else {
            return Ok(None);
        };
        let details = part.segment.details(blob)?;
        Ok(Some(Heads::new(&text, details.into_iter().map(|detail| detail.signature))))
    }
}
