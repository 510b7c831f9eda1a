//! Carrying out a change: history line, archive, replacement, in an order that a crash cannot turn into a loss.

use std::fs;
use std::io;
use std::path::Path;

use jiff::Timestamp;
use mainstay_contract::timestamp;

use super::history::{Change, new_revision, record};
use super::{Layout, WriteLock, replace, sync_dir};
use crate::error::CatalogError;
use crate::index::Signature;

/// Files to write and to take out, as one change.
#[derive(Debug, Default)]
pub struct Batch {
    pub action: &'static str,
    pub by: Option<String>,
    pub writes: Vec<Write>,
    pub removals: Vec<Removal>,
    /// Remove without a copy.
    pub purge: bool,
}

#[derive(Debug)]
pub struct Write {
    pub id: String,
    pub file: String,
    pub text: String,
    /// Whether the file holds an entry now.
    pub replaces: bool,
}

#[derive(Debug)]
pub struct Removal {
    pub id: String,
    pub file: String,
}

/// A file that is in place.
#[derive(Debug)]
pub struct Written {
    pub id: String,
    pub file: String,
    pub result: io::Result<Signature>,
}

/// What became of a batch.
#[derive(Debug)]
pub struct Applied {
    pub revision: String,
    pub written: Vec<Written>,
    pub removed: Vec<(Removal, io::Result<()>)>,
}

impl Batch {
    /// Carries the batch out under the caller's lock.
    ///
    /// 1. the history line, on disk;
    /// 2. every file to be replaced gets a second name in the archive;
    /// 3. new content goes to a temporary file, to disk, and into place;
    /// 4. removed files move into the archive;
    /// 5. the directories are synced. Only then is the change acknowledged.
    ///
    /// One failing file does not stop the others; each has its own result.
    pub(crate) fn apply(
        self,
        layout: &Layout,
        _lock: &WriteLock,
        now: Timestamp,
    ) -> Result<Applied, CatalogError> {
        let revision = new_revision(now);
        let ids = |replaces: bool| {
            let chosen = self.writes.iter().filter(move |write| write.replaces == replaces);
            chosen.map(|write| write.id.clone()).collect::<Vec<_>>()
        };
        let change = Change {
            revision: revision.clone(),
            at: timestamp(now),
            action: self.action.to_owned(),
            by: self.by.clone(),
            created: ids(false),
            replaced: ids(true),
            removed: self.removals.iter().map(|removal| removal.id.clone()).collect(),
            purged: self.purge && !self.removals.is_empty(),
        };
        record(layout, &change)?;
        let archived: Vec<io::Result<()>> = self
            .writes
            .iter()
            .map(|write| match write.replaces {
                true => second_name(&layout.file(&write.file), &layout.archived(&revision, &write.id)),
                false => Ok(()),
            })
            .collect();
        let archives = !change.replaced.is_empty() || (!self.purge && !self.removals.is_empty());
        if !change.replaced.is_empty() {
            sync_dir(&layout.archive()).map_err(CatalogError::io("write", layout.archive()))?;
        }
        let written = self
            .writes
            .into_iter()
            .zip(archived)
            .map(|(write, archived)| Written {
                result: archived.and_then(|()| replace(layout.dir(), &write.file, write.text.as_bytes())),
                id: write.id,
                file: write.file,
            })
            .collect();
        let removed: Vec<_> = self
            .removals
            .into_iter()
            .map(|removal| {
                let path = layout.file(&removal.file);
                let result = match self.purge {
                    true => fs::remove_file(path),
                    false => fs::rename(path, layout.archived(&revision, &removal.id)),
                };
                (removal, result)
            })
            .collect();
        if archives && !removed.is_empty() {
            sync_dir(&layout.archive()).map_err(CatalogError::io("write", layout.archive()))?;
        }
        sync_dir(layout.dir()).map_err(CatalogError::io("write", layout.dir()))?;
        Ok(Applied { revision, written, removed })
    }
}

/// Gives a file a second name; file systems without links get a copy.
fn second_name(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => {
            fs::copy(from, to)?;
            fs::File::open(to)?.sync_all()
        }
    }
}
