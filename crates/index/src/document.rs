//! Documents that are no text: somebody outside reads them, once, and what came of it is kept beside the index.
//!
//! A document is kept under the hash of its content, as its text or as the reason why there is none, so that a file that
//! cannot be read costs its time once and not with every look at the files.

use crate::disk::write;
use crate::lang::{Class, LangId, by_extension};
use crate::segment::content_hash;
use crate::walk::SkipReason;
use std::collections::HashSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Names of the files that hold what was read; raise the number when the same document would read differently.
pub(crate) const PREFIX: &str = "document-1-";
/// Documents carry pictures and fonts, so that they may be larger than other files.
pub(crate) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;

/// Reads documents. It has to bound time and memory: files may be made to harm.
pub trait DocumentReader: Debug + Send + Sync {
    /// The text of a document; `format` is the id of its language.
    fn read(&self, format: &str, bytes: Vec<u8>) -> Result<String, Unread>;
}

/// Why a document has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// Nor will it have one the next time.
    Skipped(SkipReason),
    /// The reader could not work now; the next time it may.
    NotNow,
    /// Somebody stopped the reader.
    Stopped,
}

/// The documents of an index.
#[derive(Clone, Debug)]
pub(crate) struct Documents {
    folder: PathBuf,
    reader: Option<Arc<dyn DocumentReader>>,
    /// Hashes of documents that somebody asked for.
    asked: Arc<Mutex<HashSet<u128>>>,
}

impl Documents {
    pub fn new(store: &Path, reader: Option<Arc<dyn DocumentReader>>) -> Documents {
        Documents { folder: store.to_owned(), reader, asked: Arc::default() }
    }

    /// The language of a file that is a document and can be read.
    pub fn format(&self, path: &str, bytes: &[u8]) -> Option<LangId> {
        self.reader.as_ref()?;
        let lang = format_of(path)?;
        let head = &bytes[..bytes.len().min(1024)];
        let is_so = match lang.get().id {
            "pdf" => head.windows(5).any(|window| window == b"%PDF-"),
            // An archive, or the container that holds an encrypted one.
            _ => head.starts_with(b"PK") || head.starts_with(&[0xD0, 0xCF, 0x11, 0xE0]),
        };
        is_so.then_some(lang)
    }

    /// Whether a file of this name may be a document that can be read.
    pub fn may_read(&self, path: &str) -> bool {
        self.reader.is_some() && format_of(path).is_some()
    }

    /// The text of a document, read now if it was never read.
    pub fn text(&self, lang: LangId, bytes: &[u8]) -> Result<String, Unread> {
        let hash = content_hash(bytes);
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(hash);
        if let Some(known) = self.known(hash) {
            return known.map_err(Unread::Skipped);
        }
        let reader = self.reader.as_ref().ok_or(Unread::Skipped(SkipReason::Binary))?;
        let outcome = reader.read(lang.get().id, bytes.to_vec());
        let kept = match &outcome {
            Ok(text) => format!("ok\n{text}"),
            Err(Unread::Skipped(reason)) => format!("{}\n", reason.name()),
            Err(Unread::NotNow | Unread::Stopped) => return outcome,
        };
        // What cannot be kept is read again.
        let _ = write::whole(&self.folder, &name(hash), kept.as_bytes());
        outcome
    }

    /// What came of a document that was read before.
    pub fn known(&self, hash: u128) -> Option<Result<String, SkipReason>> {
        let kept = fs::read_to_string(self.folder.join(name(hash))).ok()?;
        let (word, text) = kept.split_once('\n')?;
        if word == "ok" {
            return Some(Ok(text.to_owned()));
        }
        SkipReason::ALL.iter().find(|reason| reason.name() == word).map(|reason| Err(*reason))
    }

    /// Removes what is neither of these nor was asked for.
    pub fn keep_only(&self, hashes: impl Iterator<Item = u128>) {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let keep: HashSet<String> = hashes.chain(asked.iter().copied()).map(name).collect();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let is_old = |name: &str| name.starts_with("document-") && !keep.contains(name);
            if entry.file_name().to_str().is_some_and(is_old) {
                // Best effort: what stays is removed by the next build.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn name(hash: u128) -> String {
    format!("{PREFIX}{hash:032x}")
}

fn format_of(path: &str) -> Option<LangId> {
    by_extension(path).filter(|lang| lang.get().class == Class::Document)
}

/// The most bytes a file may have to be looked at.
pub(crate) fn size_limit(path: &str, max_file_bytes: u64) -> u64 {
    match format_of(path) {
        Some(_) => max_file_bytes.max(MAX_DOCUMENT_BYTES),
        None => max_file_bytes,
    }
}
