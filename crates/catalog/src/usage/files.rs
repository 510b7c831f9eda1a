//! The files behind the counts: journals and the base they are folded into.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Table, add};
use crate::error::CatalogError;
use crate::store::{Layout, WriteLock, replace, sync_dir};

pub(super) const BASE: &str = "base.json";

/// One line of a journal.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Line {
    pub id: String,
    pub n: u64,
    pub ts: String,
}

/// The sum of ended journals.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Base {
    /// Journals already counted; one may still lie around after a crash.
    pub folded: BTreeSet<String>,
    /// Ids whose earlier uses no longer count, with the time of the decision.
    pub forgotten: BTreeMap<String, String>,
    pub counts: Table,
}

impl Base {
    pub fn read(layout: &Layout) -> Base {
        let text = fs::read(layout.usage().join(BASE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    pub fn write(&self, layout: &Layout) -> Result<(), CatalogError> {
        let dir = layout.usage();
        let text = serde_json::to_vec(self).expect("a base holds only strings and numbers");
        replace(&dir, BASE, &text)
            .and_then(|_| sync_dir(&dir))
            .map_err(CatalogError::io("write", dir.join(BASE)))
    }

    /// Adds a journal line, unless the id was forgotten since.
    pub fn count(&self, table: &mut Table, line: &Line) {
        if self.forgotten.get(&line.id).is_none_or(|since| line.ts > *since) {
            add(table, &line.id, line.n, &line.ts, &line.ts);
        }
    }
}

/// Names of the journals that are not folded yet.
pub(super) fn journals(layout: &Layout, base: &Base) -> Vec<String> {
    let Ok(listing) = fs::read_dir(layout.usage()) else { return Vec::new() };
    listing
        .flatten()
        .filter_map(|item| item.file_name().into_string().ok())
        .filter(|name| name.ends_with(".jsonl") && !base.folded.contains(name))
        .collect()
}

/// Reads the complete lines of a journal from `offset`; returns where the next read starts.
pub(super) fn read_lines(path: &Path, offset: u64, mut line: impl FnMut(Line)) -> u64 {
    let read = || -> io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = read().unwrap_or_default();
    let complete = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    for text in bytes[..complete].split(|byte| *byte == b'\n') {
        if let Ok(parsed) = serde_json::from_slice(text) {
            line(parsed);
        }
    }
    offset + complete as u64
}

/// Folds journals whose process has ended into the base.
pub(crate) fn fold_ended(layout: &Layout, _lock: &WriteLock) -> Result<(), CatalogError> {
    let dir = layout.usage();
    let mut base = Base::read(layout);
    let ended: Vec<String> =
        journals(layout, &base).into_iter().filter(|name| has_ended(&dir, name)).collect();
    let leftover: Vec<String> = base.folded.iter().filter(|name| dir.join(name).exists()).cloned().collect();
    if !ended.is_empty() {
        let mut counts = std::mem::take(&mut base.counts);
        for name in &ended {
            read_lines(&dir.join(name), 0, |line| base.count(&mut counts, &line));
        }
        base.counts = counts;
        base.folded = leftover.iter().chain(&ended).cloned().collect();
        base.write(layout)?;
    }
    for name in leftover.iter().chain(&ended) {
        // What stays is named in the base and counted once.
        let _ = fs::remove_file(dir.join(name));
        let _ = fs::remove_file(dir.join(lock_name(name)));
    }
    Ok(())
}

pub(super) fn lock_name(journal: &str) -> String {
    format!("{}.lock", journal.trim_end_matches(".jsonl"))
}

fn has_ended(dir: &Path, journal: &str) -> bool {
    match OpenOptions::new().write(true).open(dir.join(lock_name(journal))) {
        Ok(file) => file.try_lock().is_ok(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}
