//! What is being parsed right now, so that a grammar that ends the process is known to the next one.
//!
//! A parser is C code: nothing inside a process keeps it from crashing. So the hash of a text is noted in a file of the
//! process before it is parsed, and taken out after. A note whose process is gone tells what that was at when it died.
//! What was being parsed at two deaths is not parsed any more: it stays searchable by words, and is counted. A death
//! may have had other reasons, so a text that is parsed to its end is cleared again, and a full build forgets all.

use crate::disk::write;
use crate::hash::FastMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const NOTES: &str = "parsing-";
const SUSPECTS: &str = "suspects";
/// So many deaths and a text is not parsed again.
const DEATHS: u8 = 2;
/// More suspects than this are not kept: the deaths had another reason.
const MAX_SUSPECTS: usize = 1_000;
const HASH_BYTES: usize = 16;

pub(crate) struct Journal {
    folder: PathBuf,
    /// Its own notes, a slot for every thread. Without a writable folder there are none.
    notes: Option<tempfile::NamedTempFile>,
    /// How many deaths each text was there for.
    suspects: FastMap<u128, u8>,
    cleared: Mutex<Vec<u128>>,
}

/// A text is being parsed while this lives.
pub(crate) struct Parsing<'j> {
    journal: &'j Journal,
    hash: u128,
}

impl Journal {
    /// Takes over what dead processes left in the folder, and starts notes of its own.
    pub fn open(folder: &Path) -> Journal {
        let mut suspects = read_suspects(&folder.join(SUSPECTS));
        let left = left_behind(folder);
        for hash in &left {
            let deaths = suspects.entry(*hash).or_default();
            *deaths = deaths.saturating_add(1);
        }
        let notes = tempfile::Builder::new().prefix(NOTES).tempfile_in(folder).ok();
        // Held for as long as the process lives, however it ends.
        let notes = notes.filter(|notes| notes.as_file().try_lock().is_ok());
        let journal = Journal { folder: folder.to_owned(), notes, suspects, cleared: Mutex::default() };
        if !left.is_empty() {
            journal.write_suspects();
        }
        journal
    }

    /// Forgets every suspect.
    pub fn forget(&mut self) {
        if !self.suspects.is_empty() {
            self.suspects.clear();
            self.write_suspects();
        }
    }

    /// Whether a text has ended the program too often to be parsed.
    pub fn is_bad(&self, hash: u128) -> bool {
        self.suspects.get(&hash).is_some_and(|deaths| *deaths >= DEATHS)
    }

    pub fn any_bad(&self) -> bool {
        self.suspects.values().any(|deaths| *deaths >= DEATHS)
    }

    /// Notes that a text is being parsed, until the answer is dropped.
    pub fn parsing(&self, hash: u128) -> Parsing<'_> {
        self.note(hash);
        Parsing { journal: self, hash }
    }

    fn note(&self, hash: u128) {
        let slot = rayon::current_thread_index().map_or(0, |thread| thread + 1) * HASH_BYTES;
        if let Some(notes) = &self.notes {
            // Best effort: without the note a crash costs another try.
            let _ = write_at(notes.as_file(), slot as u64, &hash.to_le_bytes());
        }
    }

    fn write_suspects(&self) {
        let mut lines: Vec<String> =
            self.suspects.iter().map(|(hash, deaths)| format!("{hash:032x} {deaths}\n")).collect();
        lines.sort_unstable();
        lines.truncate(MAX_SUSPECTS);
        let _ = write::whole(&self.folder, SUSPECTS, lines.concat().as_bytes());
    }
}

impl Drop for Parsing<'_> {
    fn drop(&mut self) {
        self.journal.note(0);
        if self.journal.suspects.contains_key(&self.hash) {
            self.journal.cleared.lock().unwrap_or_else(PoisonError::into_inner).push(self.hash);
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let cleared = std::mem::take(self.cleared.get_mut().unwrap_or_else(PoisonError::into_inner));
        if !cleared.is_empty() {
            cleared.iter().for_each(|hash| {
                self.suspects.remove(hash);
            });
            self.write_suspects();
        }
    }
}

#[cfg(unix)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, at)
}

#[cfg(windows)]
fn write_at(file: &File, at: u64, bytes: &[u8]) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, at)
}

/// The texts that processes now gone were parsing; their notes are removed.
fn left_behind(folder: &Path) -> Vec<u128> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_note = entry.file_name().to_str().is_some_and(|name| name.starts_with(NOTES));
        let path = entry.path();
        let Some(file) = is_note.then(|| File::open(&path).ok()).flatten() else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        let bytes = fs::read(&path).unwrap_or_default();
        let hashes = bytes
            .chunks_exact(HASH_BYTES)
            .map(|bytes| u128::from_le_bytes(bytes.try_into().expect("chunks of sixteen")));
        out.extend(hashes.filter(|hash| *hash != 0));
        let _ = fs::remove_file(path);
    }
    out
}

fn read_suspects(path: &Path) -> FastMap<u128, u8> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| {
        let (hash, deaths) = line.split_once(' ')?;
        Some((u128::from_str_radix(hash, 16).ok()?, deaths.parse().ok()?))
    };
    text.lines().take(MAX_SUSPECTS).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a process leaves that died while it parsed these.
    fn died(folder: &Path, hashes: &[u128]) {
        let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        fs::write(folder.join(format!("{NOTES}dead{}", hashes.len())), bytes).unwrap();
    }

    #[test]
    fn a_text_present_at_two_deaths_is_bad() {
        let folder = tempfile::tempdir().unwrap();
        died(folder.path(), &[0, 7, 0]);
        assert!(!Journal::open(folder.path()).is_bad(7));
        died(folder.path(), &[8, 7]);
        let journal = Journal::open(folder.path());
        assert!(journal.is_bad(7) && !journal.is_bad(8) && journal.any_bad());
        drop(journal);
        assert!(Journal::open(folder.path()).is_bad(7), "it is remembered");
        Journal::open(folder.path()).forget();
        assert!(!Journal::open(folder.path()).any_bad());
    }

    #[test]
    fn a_text_parsed_to_its_end_is_no_suspect() {
        let folder = tempfile::tempdir().unwrap();
        died(folder.path(), &[7]);
        drop(Journal::open(folder.path()).parsing(7));
        died(folder.path(), &[7]);
        assert!(!Journal::open(folder.path()).is_bad(7));
    }

    #[test]
    fn notes_of_the_living_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let living = Journal::open(folder.path());
        let parsing = living.parsing(7);
        for _ in 0..3 {
            assert!(Journal::open(folder.path()).suspects.is_empty());
        }
        drop(parsing);
        drop(living);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a good end leaves nothing");
    }
}
