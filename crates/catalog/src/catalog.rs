//! `Catalog`: one directory of entries, read from memory and written through the store.
//!
//! Opening costs nothing: the directory is read on first use. After that a read drains the file events, applies what
//! they name and answers from memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use jiff::Timestamp;
use mainstay_contract::{Target, timestamp};
use serde_json::json;

use crate::config::{CatalogConfig, Owners};
use crate::entry::EntryView;
use crate::error::CatalogError;
use crate::features::Counters;
use crate::gates::{self, Evaluation, GATES_FILE};
use crate::hash::sha256_hex;
use crate::index::{Index, Record};
use crate::review::Criteria;
use crate::store::{Changes, Layout, Watch, load_all, load_file, rescan};
use crate::usage::{Book, Table, Usage};

/// Largest criteria, owners or gates file.
const MAX_SIDE_FILE_BYTES: u64 = 4 * 1024 * 1024;

pub struct Catalog {
    pub(crate) config: CatalogConfig,
    pub(crate) layout: Layout,
    pub(crate) counters: Counters,
    state: Mutex<Option<State>>,
    /// Held by the thread that changes the catalog, before it asks for the lock of the directory.
    pub(crate) writing: Mutex<()>,
    /// Tidying that the first change of a process does.
    pub(crate) first_write: Once,
    owners: OnceLock<Owners>,
    criteria: OnceLock<Criteria>,
}

pub(crate) struct State {
    pub index: Arc<Index>,
    pub book: Book,
    watch: Watch,
}

/// The catalog at one moment; later changes do not touch it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub index: Arc<Index>,
    pub usage: Arc<Table>,
}

impl Snapshot {
    /// Entries with their usage counts.
    pub fn views<'a>(&self, records: impl IntoIterator<Item = &'a Arc<Record>>) -> Vec<EntryView> {
        records.into_iter().map(|record| self.view(record)).collect()
    }

    pub fn view(&self, record: &Record) -> EntryView {
        let usage = if self.usage.is_empty() { None } else { self.usage.get(record.id()) };
        EntryView::new(Arc::clone(&record.entry), usage)
    }
}

impl Catalog {
    /// Names a catalog. Nothing is read yet.
    pub fn new(config: CatalogConfig) -> Catalog {
        Catalog {
            layout: Layout::new(&config.dir),
            counters: Counters::new(&config),
            config,
            state: Mutex::new(None),
            writing: Mutex::new(()),
            first_write: Once::new(),
            owners: OnceLock::new(),
            criteria: OnceLock::new(),
        }
    }

    /// The catalog as it is now, with everything other processes have acknowledged.
    pub fn snapshot(&self) -> Result<Snapshot, CatalogError> {
        self.with_state(|state| Snapshot { index: Arc::clone(&state.index), usage: state.book.table() })
    }

    /// Drops what is in memory and reads the directory again.
    pub fn reload(&self) -> Result<Snapshot, CatalogError> {
        {
            let mut state = self.lock_state();
            if let Some(state) = state.as_mut() {
                state.watch = Watch::start(&self.layout);
                state.index = Arc::new(load_all(self.layout.dir(), self.owners())?);
                state.book.refresh(&self.layout);
            }
        }
        self.snapshot()
    }

    /// Evaluates `gates.json` against the catalog.
    pub fn evaluate_gates(&self, now: Timestamp) -> Result<Evaluation, CatalogError> {
        let path = self.layout.file(GATES_FILE);
        match read_side_file(&path) {
            Ok(text) => Ok(gates::evaluate(&text, &self.snapshot()?.index, now)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Evaluation::NotConfigured { not_configured: true })
            }
            Err(error) => Err(CatalogError::io("read", path)(error)),
        }
    }

    /// The review criteria: the user's file, or the built-in ones.
    pub fn criteria(&self) -> Result<&Criteria, CatalogError> {
        if let Some(criteria) = self.criteria.get() {
            return Ok(criteria);
        }
        let criteria = match &self.config.criteria_file {
            None => Criteria::built_in(),
            Some(path) => {
                let text = read_side_file(path).map_err(CatalogError::io("read", path))?;
                Criteria::parse(&String::from_utf8_lossy(&text))?
            }
        };
        Ok(self.criteria.get_or_init(|| criteria))
    }

    /// Counts one use of an entry; `None` when there is no such entry. Only a `writable` catalog writes it down.
    pub fn track(&self, id: &str, now: Timestamp, writable: bool) -> Result<Option<Usage>, CatalogError> {
        self.with_state(|state| {
            if state.index.get(id).is_none() {
                return Ok(None);
            }
            match writable {
                true => state.book.count_written(&self.layout, id, now).map(Some),
                false => Ok(Some(state.book.count_unwritten(id, now))),
            }
        })?
    }

    /// What counting one use of each named entry would change; entries that do not exist are not counted.
    pub fn uses_of(&self, ids: &[String], now: Timestamp) -> Result<Vec<Target>, CatalogError> {
        self.with_state(|state| {
            let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
            for id in ids.iter().filter(|id| state.index.get(id).is_some()) {
                *counts.entry(id).or_default() += 1;
            }
            let table = state.book.table();
            let hash = |usage: &Usage| sha256_hex(json!(usage).to_string().as_bytes());
            let target = |(id, count): (&str, u64)| {
                let before = table.get(id);
                let last = timestamp(now);
                let first = before.map_or_else(|| last.clone(), |usage| usage.first.clone());
                let after = Usage { count: before.map_or(0, |usage| usage.count) + count, first, last };
                Target::exact(format!("usage of {id}"), before.map(hash), Some(hash(&after)))
            };
            counts.into_iter().map(target).collect()
        })
    }

    /// The counts as they are, which flushing leaves as they are.
    pub fn all_uses(&self) -> Result<Target, CatalogError> {
        let table = self.snapshot()?.usage;
        let sorted: BTreeMap<&String, &Usage> = table.iter().collect();
        let hash = sha256_hex(json!(sorted).to_string().as_bytes());
        Ok(Target::exact("usage", Some(hash.clone()), Some(hash)))
    }

    /// Puts every counted use on disk.
    pub fn flush_usage(&self) -> Result<(), CatalogError> {
        let journal = self.with_state(|state| state.book.to_sync())?;
        let synced = journal.map_or(Ok(()), |file| file.and_then(|file| file.sync_data()));
        synced.map_err(CatalogError::io("write", self.layout.usage()))
    }

    pub(crate) fn owners(&self) -> &Owners {
        self.owners.get_or_init(|| {
            let text = self.config.owners_file.as_ref().and_then(|path| read_side_file(path).ok());
            text.map(|text| Owners::read(&String::from_utf8_lossy(&text))).unwrap_or_default()
        })
    }

    /// Runs `work` on the state after taking in every pending change.
    pub(crate) fn with_state<T>(&self, work: impl FnOnce(&mut State) -> T) -> Result<T, CatalogError> {
        let mut guard = self.lock_state();
        let state = match guard.as_mut() {
            Some(state) => state,
            None => {
                // Watch first: a change during the first read is then an event, not a loss.
                let watch = Watch::start(&self.layout);
                let index = Arc::new(load_all(self.layout.dir(), self.owners())?);
                tracing::debug!(entries = index.len(), rejected = index.rejected().len(), "catalog loaded");
                let book = Book::open(&self.layout, self.earlier_usage());
                guard.insert(State { index, book, watch })
            }
        };
        let changes = state.watch.changes(&self.layout, state.book.own_journal());
        if changes != Changes::default() {
            self.refresh(state, changes)?;
        }
        Ok(work(state))
    }

    fn refresh(&self, state: &mut State, changes: Changes) -> Result<(), CatalogError> {
        let mut files: Vec<String> = changes.files.into_iter().collect();
        if changes.everything {
            files = rescan(self.layout.dir(), &state.index)?;
        }
        if !files.is_empty() {
            state.take_in(files, |name| load_file(self.layout.dir(), name, self.owners()));
        }
        if changes.usage {
            state.book.refresh(&self.layout);
        }
        Ok(())
    }

    fn earlier_usage(&self) -> Table {
        let text = self.config.usage_snapshot.as_ref().and_then(|path| read_side_file(path).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    fn lock_state(&self) -> MutexGuard<'_, Option<State>> {
        // A panic while refreshing leaves an index that is whole, at worst older than the directory.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Reads the named files again, and those a duplicate had shadowed.
    pub fn take_in(&mut self, mut files: Vec<String>, load: impl Fn(&str) -> Option<crate::index::Loaded>) {
        let index = Arc::make_mut(&mut self.index);
        while let Some(name) = files.pop() {
            files.extend(index.put(&name, load(&name)));
        }
        index.seal();
    }
}

fn read_side_file(path: &std::path::Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut text = Vec::new();
    std::fs::File::open(path)?.take(MAX_SIDE_FILE_BYTES).read_to_end(&mut text)?;
    Ok(text)
}
