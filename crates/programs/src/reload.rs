//! Noticing that a configuration changed on disk.
//!
//! Files are looked at, not watched: it works on every file system and with every way an editor saves. A file that
//! does not load is reported once per change, and the tools stay what they were.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::ProgramsError;
use crate::programs::{Programs, ProgramsConfig};

/// What tells one state of a file from another.
type Stamp = Option<(SystemTime, u64)>;

/// Looks after the files of one toolset.
pub struct Reloader {
    given: ProgramsConfig,
    files: Vec<(PathBuf, Stamp)>,
}

impl Reloader {
    /// Remembers the present state; call it before the first load, so that no change falls in between.
    pub fn new(given: ProgramsConfig) -> Reloader {
        let sources = given.sources();
        let files = sources.iter().filter_map(|source| source.file()).chain(given.policy.as_deref());
        let files = files.map(|path| (path.to_owned(), stamp(path))).collect();
        Reloader { given, files }
    }

    /// Tells whether there is anything to look at.
    pub fn is_needed(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns nothing when no file has changed, else the toolset loaded anew, or why it cannot be.
    pub fn check(&mut self) -> Option<Result<Programs, ProgramsError>> {
        let mut has_changed = false;
        for (path, seen) in &mut self.files {
            let now = stamp(path);
            has_changed |= now != *seen;
            *seen = now;
        }
        has_changed.then(|| Programs::load(&self.given))
    }
}

fn stamp(path: &Path) -> Stamp {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.modified().ok()?, facts.len()))
}
