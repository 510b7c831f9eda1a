//! `Book`: the counts this process sees, and the journal it writes.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::timestamp;

use super::files::{BASE, Base, Line, fold_ended, journals, lock_name, read_lines};
use super::{Table, Usage, add};
use crate::error::CatalogError;
use crate::store::{Layout, WriteLock, prepare, sync_dir};

/// Size at which a process starts a new journal, so that the old one can be folded.
const ROTATE_BYTES: u64 = 1024 * 1024;
/// Journals that may lie around before a new one folds those that ended.
const MAX_JOURNALS: usize = 16;

#[derive(Default)]
pub(crate) struct Book {
    table: Arc<Table>,
    base: Base,
    base_text: Vec<u8>,
    offsets: HashMap<String, u64>,
    /// Counts of a process that may not write, and of an earlier server's snapshot.
    unwritten: Table,
    journal: Option<Journal>,
}

struct Journal {
    name: String,
    file: File,
    len: u64,
    /// Held while this process may append.
    _lock: File,
}

impl Book {
    /// Opens the book; `earlier` are counts another server left behind.
    pub fn open(layout: &Layout, earlier: Table) -> Book {
        let mut book = Book { unwritten: earlier, ..Book::default() };
        book.refresh(layout);
        book
    }

    pub fn table(&self) -> Arc<Table> {
        Arc::clone(&self.table)
    }

    /// File name of the own journal, whose events are no news.
    pub fn own_journal(&self) -> Option<&str> {
        self.journal.as_ref().map(|journal| journal.name.as_str())
    }

    /// Takes in what other processes have written since.
    pub fn refresh(&mut self, layout: &Layout) {
        let base_text = std::fs::read(layout.usage().join(BASE)).unwrap_or_default();
        let mut table = match base_text == self.base_text && !self.offsets.is_empty() {
            true => Arc::unwrap_or_clone(std::mem::take(&mut self.table)),
            false => {
                self.base = serde_json::from_slice(&base_text).unwrap_or_default();
                self.base_text = base_text;
                self.offsets.clear();
                let mut table = self.base.counts.clone();
                for (id, usage) in &self.unwritten {
                    add(&mut table, id, usage.count, &usage.first, &usage.last);
                }
                table
            }
        };
        for name in journals(layout, &self.base) {
            let offset = self.offsets.entry(name.clone()).or_default();
            *offset =
                read_lines(&layout.usage().join(&name), *offset, |line| self.base.count(&mut table, &line));
        }
        self.table = Arc::new(table);
    }

    /// Counts one use in memory only.
    pub fn count_unwritten(&mut self, id: &str, now: Timestamp) -> Usage {
        let ts = timestamp(now);
        add(&mut self.unwritten, id, 1, &ts, &ts);
        self.count(id, &ts)
    }

    /// Counts one use and appends it to the journal. The new count is visible only once it is written.
    pub fn count_written(
        &mut self,
        layout: &Layout,
        id: &str,
        now: Timestamp,
    ) -> Result<Usage, CatalogError> {
        let ts = timestamp(now);
        let line = Line { id: id.to_owned(), n: 1, ts };
        let mut bytes = serde_json::to_vec(&line).expect("a line holds only strings and a number");
        bytes.push(b'\n');
        let journal = self.journal(layout)?;
        let path = layout.usage().join(&journal.name);
        if let Err(error) = journal.file.write_all(&bytes) {
            // A torn line spoils the end of this journal; the next count begins a new one.
            self.journal = None;
            return Err(CatalogError::io("write", path)(error));
        }
        journal.len += bytes.len() as u64;
        let (name, len) = (journal.name.clone(), journal.len);
        self.offsets.insert(name, len);
        if len > ROTATE_BYTES {
            self.journal.take().map(|journal| journal.file.sync_data());
        }
        Ok(self.count(id, &line.ts))
    }

    /// The journal to sync, so that everything counted so far is on disk; syncing needs no lock.
    pub fn to_sync(&self) -> Option<std::io::Result<File>> {
        self.journal.as_ref().map(|journal| journal.file.try_clone())
    }

    /// Drops the counts of entries that are gone; returns how many had any.
    pub fn forget(
        &mut self,
        layout: &Layout,
        _lock: &WriteLock,
        ids: &[String],
        now: Timestamp,
    ) -> Result<usize, CatalogError> {
        self.refresh(layout);
        let counted: Vec<&String> = ids.iter().filter(|id| self.table.contains_key(*id)).collect();
        if counted.is_empty() {
            return Ok(0);
        }
        let mut base = Base::read(layout);
        for id in &counted {
            base.counts.remove(*id);
            base.forgotten.insert((*id).clone(), timestamp(now));
            self.unwritten.remove(*id);
        }
        base.write(layout)?;
        let count = counted.len();
        self.refresh(layout);
        Ok(count)
    }

    fn count(&mut self, id: &str, ts: &str) -> Usage {
        let table = Arc::make_mut(&mut self.table);
        add(table, id, 1, ts, ts);
        table[id].clone()
    }

    /// The own journal, begun on first use.
    fn journal(&mut self, layout: &Layout) -> Result<&mut Journal, CatalogError> {
        if self.journal.is_none() {
            prepare(layout)?;
            if journals(layout, &self.base).len() > MAX_JOURNALS
                && let Some(lock) = WriteLock::try_take(layout)
            {
                fold_ended(layout, &lock)?;
            }
            let name = format!("{}.jsonl", crate::store::unique_name(Timestamp::now()));
            let open = |name: &str| {
                let path = layout.usage().join(name);
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&path)
                    .map_err(CatalogError::io("create", path))
            };
            let held = open(&lock_name(&name))?;
            held.try_lock()
                .map_err(|error| CatalogError::io("lock", layout.usage().join(&name))(error.into()))?;
            let file = open(&name)?;
            sync_dir(&layout.usage()).map_err(CatalogError::io("write", layout.usage()))?;
            self.offsets.insert(name.clone(), 0);
            self.journal = Some(Journal { name, file, len: 0, _lock: held });
        }
        Ok(self.journal.as_mut().expect("the journal was just begun"))
    }
}
