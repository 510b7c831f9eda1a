//! Reading one file and working on it. Whatever goes wrong here concerns this file only.

use crate::document::{Documents, Unread, size_limit};
use crate::held::Root;
use crate::journal::Journal;
use crate::lang::{self, Chunker, Class, LangId};
use crate::segment::{Key, Tier, Work, analyse, content_hash};
use crate::text;
use crate::walk::{Found, SkipReason, Stamp, TICK_NANOS};
use std::io::Read as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file read into memory, with a stamp that was true while it was read.
pub(crate) struct Content {
    pub bytes: Vec<u8>,
    pub stamp: Stamp,
}

/// Reads a file that may change under us: the stamp is taken before and after.
pub(crate) fn read(root: &Root, found: &Found, max_file_bytes: u64) -> Result<Content, SkipReason> {
    let max_file_bytes = size_limit(&found.path, max_file_bytes);
    let mut last = None;
    for _ in 0..2 {
        let (mut file, metadata) = root.open(&found.path).map_err(|_| SkipReason::Unreadable)?;
        let before = Stamp::of(&metadata);
        let mut bytes = Vec::with_capacity(before.size.min(max_file_bytes) as usize + 1);
        let limited = file.by_ref().take(max_file_bytes + 1).read_to_end(&mut bytes);
        limited.map_err(|_| SkipReason::Unreadable)?;
        if bytes.len() as u64 > max_file_bytes {
            return Err(SkipReason::Oversized);
        }
        let after = Stamp::of(&file.metadata().map_err(|_| SkipReason::Unreadable)?);
        let steady = before == after && after.size == bytes.len() as u64;
        // A file that never holds still, or was written within a tick of the file system's clock, is indexed as it is,
        // with a stamp that makes the next look read it again.
        let stamp =
            if steady && !is_just_written(after) { after } else { Stamp { modified: i64::MIN, ..after } };
        last = Some(Content { bytes, stamp });
        if steady {
            break;
        }
    }
    last.ok_or(SkipReason::Unreadable)
}

/// A write in the same tick as the last one leaves no trace in the time of a file.
fn is_just_written(stamp: Stamp) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    now.saturating_sub(stamp.modified) < TICK_NANOS
}

/// What came of one file.
pub(crate) enum Outcome {
    /// Work under this key exists already.
    Known(Key, Stamp),
    Fresh(Box<Work>, Stamp),
    Skipped(SkipReason, Stamp),
    Cancelled,
}

/// Reads and works on one file, unless its work is known.
pub(crate) fn examine(
    root: &Root,
    found: &Found,
    max_file_bytes: u64,
    documents: &Documents,
    tier: Tier,
    journal: &Journal,
    known: &(dyn Fn(&Key) -> bool + Sync),
) -> Outcome {
    let content = match read(root, found, max_file_bytes) {
        Ok(content) => content,
        Err(reason) => return Outcome::Skipped(reason, found.stamp),
    };
    let document = documents.format(&found.path, &content.bytes);
    let text = match document.map(|lang| documents.text(lang, &content.bytes)) {
        Some(Ok(text)) => Ok(text.into()),
        Some(Err(Unread::Stopped)) => return Outcome::Cancelled,
        Some(Err(Unread::Skipped(reason))) => return Outcome::Skipped(reason, content.stamp),
        Some(Err(Unread::NotNow)) => return Outcome::Skipped(SkipReason::Failed, content.stamp),
        None => text::decode(&content.bytes),
    };
    let Ok(text) = text else {
        return Outcome::Skipped(SkipReason::Binary, content.stamp);
    };
    let lang = document.unwrap_or_else(|| plain(lang::detect(&found.path, &text)));
    let key = Key { hash: content_hash(&content.bytes), lang, tier: tier_for(lang, tier) };
    let full = Key { tier: Tier::Structural, ..key };
    if let Some(key) = [full, key].into_iter().find(|key| known(key)) {
        return Outcome::Known(key, content.stamp);
    }
    // A chunker that panics on some text costs that text its structure, not the build.
    let attempt = |tier| catch_unwind(AssertUnwindSafe(|| analyse(&text, key.hash, lang, tier)));
    let parsed = match key.tier {
        Tier::Structural if journal.is_bad(key.hash) => None,
        Tier::Structural => {
            let _parsing = journal.parsing(key.hash);
            attempt(key.tier).ok()
        }
        Tier::Lexical => attempt(key.tier).ok(),
    };
    match parsed.map_or_else(|| attempt(Tier::Lexical).map(|work| Work { key, ..work }), Ok) {
        Ok(work) => Outcome::Fresh(Box::new(work), content.stamp),
        Err(_) => Outcome::Skipped(SkipReason::Unreadable, content.stamp),
    }
}

/// A text that is only named like a document is a text.
fn plain(lang: LangId) -> LangId {
    if lang.get().class == Class::Document { LangId::text() } else { lang }
}

/// Only grammars are slow enough to be put off: everything else is done fully at once.
fn tier_for(lang: LangId, tier: Tier) -> Tier {
    if lang.get().chunker == Chunker::Grammar { tier } else { Tier::Structural }
}
