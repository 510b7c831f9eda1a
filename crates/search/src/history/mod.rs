//! Who changed which file when, and how much: one pass over `git log`, kept and brought up to date.
//!
//! The filters `author`, `churnMin`, `modifiedAfter` and `modifiedSince` are about files and become a list of files before
//! anything is searched. `chunkAuthor` is about lines: see `blame`.

mod blame;
mod log;
mod naming;
mod shelf;

pub use blame::{Blames, MAX_FILES};

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use mainstay_contract::{Call, Fault};
use serde::{Deserialize, Serialize};

use crate::SearchError;
use crate::git::Git;

/// Raise it with every change of what is kept.
const VERSION: u32 = 2;
const FILE: &str = "history.json";
/// A first look at a long history is given this long; what it found until then is kept and said to be incomplete.
const PATIENCE: Duration = Duration::from_secs(45);
/// Histories kept in memory.
const MAX_OPEN: usize = 8;

/// What is known of the history of a repository's files.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct History {
    version: u32,
    /// The commit it was read up to.
    head: String,
    /// Follows from what says who is meant by a name.
    naming: String,
    /// The whole history was read.
    complete: bool,
    files: BTreeMap<String, FileHistory>,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct FileHistory {
    /// Author of the last commit that changed it, name and address.
    pub author: String,
    /// When that was, in seconds since 1970.
    pub time: i64,
    /// Lines added and deleted in all commits.
    pub churn: u64,
    /// Follows from the commits that changed it, in whatever order they were read.
    pub commit_mark: u64,
}

/// The histories this process has read.
#[derive(Default)]
pub struct Histories {
    open: Mutex<Vec<(PathBuf, Arc<History>)>>,
    pub blames: Blames,
}

/// What files must have in their history.
#[derive(Debug, Default, PartialEq)]
pub struct Wanted {
    /// Parts of the name or address of the last author, any of them.
    pub authors: Vec<String>,
    pub churn_min: Option<u64>,
    pub changed_since: Option<Timestamp>,
}

impl Wanted {
    pub fn new(
        author: Option<&str>,
        churn_min: Option<u64>,
        modified_after: Option<&str>,
        modified_since_days: Option<f64>,
        now: Timestamp,
    ) -> Result<Wanted, Fault> {
        let after = modified_after.map(parse_date).transpose()?;
        let since = modified_since_days
            .map(|days| {
                SignedDuration::try_from_secs_f64(days * 86_400.0)
                    .ok()
                    .and_then(|age| now.checked_sub(age).ok())
                    .ok_or_else(|| Fault::invalid("modifiedSince is too large"))
            })
            .transpose()?;
        // Two bounds: the later one decides.
        Ok(Wanted { authors: names(author), churn_min, changed_since: after.max(since) })
    }

    fn holds(&self, file: &FileHistory) -> bool {
        let author = file.author.to_lowercase();
        (self.authors.is_empty() || self.authors.iter().any(|part| author.contains(part)))
            && self.churn_min.is_none_or(|least| file.churn >= least)
            && self.changed_since.is_none_or(|bound| file.time >= bound.as_second())
    }
}

/// Names separated by commas, in small letters; blanks belong to a name.
pub fn names(text: Option<&str>) -> Vec<String> {
    let list = text.unwrap_or_default().split(',');
    list.map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
}

fn parse_date(text: &str) -> Result<Timestamp, Fault> {
    let text = text.trim();
    let day = || text.parse::<jiff::civil::Date>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let moment = || text.parse::<jiff::civil::DateTime>().ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok();
    let parsed =
        text.parse::<Timestamp>().ok().or_else(|| moment().or_else(day).map(|zoned| zoned.timestamp()));
    parsed.ok_or_else(|| {
        Fault::invalid("modifiedAfter is not a date")
            .detail("field", "modifiedAfter")
            .hint("write it as 2026-01-31 or 2026-01-31T12:00:00Z")
    })
}

impl Histories {
    /// The files whose history is as wanted, and whether all of it was looked at.
    pub fn files(
        &self,
        call: &Call,
        git: &Git,
        repo: &Path,
        store: &Path,
        wanted: &Wanted,
    ) -> Result<Vec<String>, SearchError> {
        let history = self.of(call, git, repo, store)?;
        if !history.complete {
            call.warn(
                "HISTORY_INCOMPLETE",
                "the history is shallow or very long; files without a known commit are left out",
            );
        }
        let fitting = history.files.iter().filter(|(_, file)| wanted.holds(file));
        Ok(fitting.map(|(path, _)| path.clone()).collect())
    }

    /// The history of a repository, as of the commit that is checked out.
    pub fn of(&self, call: &Call, git: &Git, repo: &Path, store: &Path) -> Result<Arc<History>, SearchError> {
        let head = git.run(call, repo, &["rev-parse", "--verify", "HEAD"])?;
        let head = head.map_err(|reason| SearchError::NoHistory { reason })?.trim().to_owned();
        let naming = naming::digest(call, git, repo)?;
        let known = self.known(repo).or_else(|| read(&store.join(FILE)).map(Arc::new));
        if let Some(known) = known.as_ref().filter(|known| known.head == head && known.naming == naming) {
            self.keep(repo, known);
            return Ok(Arc::clone(known));
        }
        call.progress("history", "reading the history");
        let history = Arc::new(log::update(call, git, repo, known.as_deref(), &head, &naming)?);
        write(&store.join(FILE), &history)?;
        self.keep(repo, &history);
        Ok(history)
    }

    fn known(&self, repo: &Path) -> Option<Arc<History>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().find(|(path, _)| path == repo).map(|(_, history)| Arc::clone(history))
    }

    fn keep(&self, repo: &Path, history: &Arc<History>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(path, _)| path != repo);
        open.push((repo.to_owned(), Arc::clone(history)));
        if open.len() > MAX_OPEN {
            open.remove(0);
        }
    }
}

impl History {
    pub fn file(&self, path: &str) -> Option<&FileHistory> {
        self.files.get(path)
    }
}

fn read(path: &Path) -> Option<History> {
    let history: History = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (history.version == VERSION).then_some(history)
}

fn write(path: &Path, history: &History) -> Result<(), SearchError> {
    let bytes = serde_json::to_vec(history).map_err(|error| SearchError::Cache {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    replace(path, &bytes)
}

/// Writes a file of the cache, where its folder still is.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), SearchError> {
    let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else { return Ok(()) };
    let cache = |error: std::io::Error| SearchError::Cache {
        path: path.display().to_string(),
        reason: error.to_string(),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(cache)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(cache)?;
    file.persist(path).map_err(|error| cache(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_or_moments_and_nothing_else() {
        assert_eq!(parse_date("1970-01-02").unwrap().as_second(), 86_400);
        assert_eq!(parse_date("1970-01-01T00:01:00Z").unwrap().as_second(), 60);
        assert_eq!(parse_date("1970-01-01T00:01:00").unwrap().as_second(), 60);
        for wrong in ["", "yesterday", "2026-13-01", "12"] {
            assert!(parse_date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_later_of_two_bounds_decides() {
        let now = Timestamp::from_second(10 * 86_400).unwrap();
        let bound = |after: &str, days: f64| {
            Wanted::new(None, None, Some(after), Some(days), now).unwrap().changed_since.unwrap().as_second()
                / 86_400
        };
        assert_eq!((bound("1970-01-03", 1.0), bound("1970-01-10", 5.0)), (9, 9));
    }
}
