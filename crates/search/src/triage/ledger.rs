//! The records of a repository on disk: one file, replaced whole.
//!
//! ```text
//! triage/NAME-HASH/ledger.json   findings and decisions
//! triage/NAME-HASH/ledger.lock   held while somebody writes
//! triage/NAME-HASH/records/      every record as a page, made from the ledger
//! triage/NAME-HASH/index/        the index of those pages
//! ```

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use mainstay_contract::{Call, ErrorCode, Fault, Target};
use serde::{Deserialize, Serialize};

use super::record::{Decision, Finding, digest};
use crate::SearchError;
use crate::store::repo_dir_name;

/// Findings and decisions one repository may have; past it somebody should look at the scanner.
pub const MAX_RECORDS: usize = 100_000;
/// A ledger may not grow larger, and one that is was not written by us.
const MAX_LEDGER_BYTES: u64 = 1 << 30;
/// Ledgers kept in memory; one more starts over.
const MAX_KNOWN: usize = 16;
/// How long a writer waits for another one.
const LOCK_PATIENCE: Duration = Duration::from_secs(10);
const FORMAT: &str = "mainstay-triage";
const VERSION: u32 = 1;

/// Everything known about the findings of one repository.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    format: String,
    version: u32,
    pub findings: BTreeMap<String, Finding>,
    /// In the order they were made.
    pub decisions: Vec<Decision>,
    /// Changes with every change of the ledger.
    #[serde(skip)]
    pub mark: String,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            format: FORMAT.to_owned(),
            version: VERSION,
            findings: BTreeMap::new(),
            decisions: Vec::new(),
            mark: String::new(),
        }
    }
}

/// When and how large a file was, to tell whether it is still the same.
type Stamp = (SystemTime, u64);

/// The ledgers of this process, read again only when they changed.
pub struct Ledgers {
    cache_dir: PathBuf,
    known: Mutex<HashMap<PathBuf, (Stamp, Arc<Ledger>)>>,
}

impl Ledgers {
    pub fn new(cache_dir: PathBuf) -> Ledgers {
        Ledgers { cache_dir, known: Mutex::default() }
    }

    /// The folder of a repository's records.
    pub fn dir(&self, repo: &Path) -> PathBuf {
        self.cache_dir.join("triage").join(repo_dir_name(repo))
    }

    /// The records of a repository; none where nothing was ever read.
    pub fn read(&self, repo: &Path) -> Result<Arc<Ledger>, SearchError> {
        let path = self.dir(repo).join("ledger.json");
        let Some(stamp) = stamp(&path) else { return Ok(Arc::default()) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, ledger)) = known.get(&path).filter(|(seen, _)| *seen == stamp) {
            return Ok(Arc::clone(ledger));
        }
        let ledger = Arc::new(load(&path)?);
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(path, (stamp, Arc::clone(&ledger)));
        Ok(ledger)
    }

    /// Changes the records of a repository: all of the change is written, or nothing is.
    pub fn change<T>(
        &self,
        call: &Call,
        repo: &Path,
        change: impl FnOnce(&mut Ledger) -> Result<T, SearchError>,
    ) -> Result<(T, Arc<Ledger>), SearchError> {
        let dir = self.dir(repo);
        let _lock = match call.changes().is_preview() {
            true => None,
            false => Some(self.lock(call, repo)?),
        };
        let before = self.read(repo)?;
        let mut ledger = Ledger::clone(&before);
        let done = change(&mut ledger)?;
        let path = dir.join("ledger.json");
        let after = || serde_json::to_string(&ledger).map(|text| digest(&text)).ok();
        let mark = Some(before.mark.clone()).filter(|mark| !mark.is_empty());
        call.changes().propose_all(|| vec![Target::exact(path.display().to_string(), mark, after())])?;
        if ledger == *before && path.exists() {
            return Ok((done, before));
        }
        call.cancel().check()?;
        let bytes = serde_json::to_vec(&ledger).map_err(|error| Fault::internal(&error))?;
        if bytes.len() as u64 > MAX_LEDGER_BYTES {
            return Err(Fault::invalid("the records of this repository would take more than 1 GiB").into());
        }
        write_whole(&dir, "ledger.json", &bytes)?;
        Ok((done, self.read(repo)?))
    }

    /// Waits for the right to write the records of a repository.
    pub fn lock(&self, call: &Call, repo: &Path) -> Result<File, SearchError> {
        let dir = self.dir(repo);
        fs::create_dir_all(&dir).map_err(failed(&dir))?;
        let path = dir.join("ledger.lock");
        let file =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(failed(&path))?;
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(failed(&path)(error)),
                Err(TryLockError::WouldBlock) => {}
            }
            if call.cancel().wait_timeout(Duration::from_millis(20)) {
                call.cancel().check()?;
            }
            if began.elapsed() > LOCK_PATIENCE {
                return Err(Fault::new(
                    ErrorCode::QueueOverloaded,
                    "somebody else is writing the records of this repository",
                )
                .hint("retry when it is done")
                .into());
            }
        }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

fn load(path: &Path) -> Result<Ledger, SearchError> {
    let damaged = |reason: String| SearchError::Ledger { path: path.display().to_string(), reason };
    let bytes = match fs::metadata(path).and_then(|meta| match meta.len() > MAX_LEDGER_BYTES {
        true => Err(std::io::Error::other("it is larger than any ledger")),
        false => fs::read(path),
    }) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Ledger::default()),
        Err(error) => return Err(damaged(error.to_string())),
    };
    let mut ledger: Ledger = serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if ledger.format != FORMAT || ledger.version > VERSION {
        return Err(damaged(format!("version {} of {:?} is not known", ledger.version, ledger.format)));
    }
    ledger.mark = digest(&String::from_utf8_lossy(&bytes));
    Ok(ledger)
}

/// Writes a file so that it is there whole or not at all.
pub fn write_whole(dir: &Path, name: &str, bytes: &[u8]) -> Result<(), SearchError> {
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(dir).map_err(failed(dir))?;
    file.write_all(bytes).map_err(failed(dir))?;
    file.as_file().sync_all().map_err(failed(dir))?;
    file.persist(dir.join(name)).map_err(|error| failed(dir)(error.error))?;
    if cfg!(unix) {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(failed(dir))?;
    }
    Ok(())
}

pub fn failed(path: &Path) -> impl Fn(std::io::Error) -> SearchError + '_ {
    move |error| SearchError::Cache { path: path.display().to_string(), reason: error.to_string() }
}
