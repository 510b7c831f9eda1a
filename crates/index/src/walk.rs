//! Which files a repository consists of.
//!
//! `.gitignore`, `.git/info/exclude` and `.mainstayignore` are honoured; no folder is skipped for its name, except the
//! stores of version control and our own. Links are not followed, so loops cannot happen. Order is by path.

use crate::document::size_limit;
use crate::error::IndexError;
use ignore::WalkBuilder;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Files that change what a walk finds.
pub(crate) const IGNORE_FILES: &[&str] = &[".gitignore", ".mainstayignore", ".ignore"];

const VERSION_CONTROL: &[&str] = &[".git", ".hg", ".svn", ".jj"];

/// Why a file is not in the index. The numbers are written to disk: append only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    Binary,
    Oversized,
    Unreadable,
    Link,
    /// Sockets, devices, pipes.
    Special,
    /// The path is not UTF-8.
    Name,
    /// In the index by its words only: its grammar ended the program twice.
    ParserCrash,
    /// A document that cannot be read without a password.
    Encrypted,
    /// A document that holds no text, only pictures.
    Scanned,
    /// A document that took too long to read.
    Timeout,
    /// A document that could not be read.
    Failed,
}

impl SkipReason {
    pub const ALL: &'static [SkipReason] = &[
        SkipReason::Binary,
        SkipReason::Oversized,
        SkipReason::Unreadable,
        SkipReason::Link,
        SkipReason::Special,
        SkipReason::Name,
        SkipReason::ParserCrash,
        SkipReason::Encrypted,
        SkipReason::Scanned,
        SkipReason::Timeout,
        SkipReason::Failed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            SkipReason::Binary => "binary",
            SkipReason::Oversized => "oversized",
            SkipReason::Unreadable => "unreadable",
            SkipReason::Link => "link",
            SkipReason::Special => "special",
            SkipReason::Name => "name",
            SkipReason::ParserCrash => "parser-crash",
            SkipReason::Encrypted => "unsupported_encrypted",
            SkipReason::Scanned => "unsupported_scanned",
            SkipReason::Timeout => "extract_timeout",
            SkipReason::Failed => "extract_failed",
        }
    }
}

/// How many files were skipped for each reason, with a few of them by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    pub counts: BTreeMap<SkipReason, u64>,
    /// At most `Skipped::EXAMPLES` paths per reason, in path order.
    pub examples: BTreeMap<SkipReason, Vec<String>>,
}

impl Skipped {
    pub const EXAMPLES: usize = 10;

    pub(crate) fn add(&mut self, reason: SkipReason, path: &str) {
        *self.counts.entry(reason).or_default() += 1;
        let examples = self.examples.entry(reason).or_default();
        if examples.len() < Skipped::EXAMPLES {
            examples.push(path.to_owned());
        }
    }

    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// A file as the walk saw it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// Relative to the repository, separated by `/`.
    pub path: String,
    pub stamp: Stamp,
}

/// A file without text, and why it has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Passed {
    pub path: String,
    pub stamp: Stamp,
    pub reason: SkipReason,
}

/// What tells cheaply that a file may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
}

impl Stamp {
    pub fn of(metadata: &Metadata) -> Stamp {
        Stamp { size: metadata.len(), modified: modified(metadata) }
    }
}

/// How far apart two writes have to be for times to tell.
pub(crate) const TICK_NANOS: i64 = 20_000_000;

fn modified(metadata: &Metadata) -> i64 {
    let time = metadata.modified().unwrap_or(UNIX_EPOCH);
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanos| -nanos),
    }
}

/// Everything a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub files: Vec<Found>,
    /// Folders and when their list of names last changed.
    pub folders: Vec<(String, i64)>,
    /// What is no file, by reason.
    pub skipped: Skipped,
    /// Files that may have text the next time.
    pub passed: Vec<Passed>,
}

pub(crate) fn walk(repo: &Path, store: &Path, max_file_bytes: u64) -> Result<Walk, IndexError> {
    if !repo.is_dir() {
        return Err(IndexError::NotADirectory { path: repo.to_owned() });
    }
    let store: PathBuf = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    let mut builder = WalkBuilder::new(repo);
    builder
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .add_custom_ignore_filename(".mainstayignore")
        .follow_links(false)
        .sort_by_file_path(|left, right| left.cmp(right))
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let version_control =
                entry.depth() > 0 && VERSION_CONTROL.iter().any(|name| entry.file_name() == *name);
            let is_store = is_folder
                && Some(entry.file_name()) == store.file_name()
                && entry.path().canonicalize().is_ok_and(|path| path == store);
            !version_control && !is_store
        });
    let mut out = Walk::default();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64);
    for entry in builder.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                out.skipped.add(SkipReason::Unreadable, &describe(repo, &error));
                continue;
            }
        };
        let relative = entry.path().strip_prefix(repo).unwrap_or(entry.path());
        let Some(path) = slashed(relative) else {
            out.skipped.add(SkipReason::Name, &relative.to_string_lossy());
            continue;
        };
        let Some(kind) = entry.file_type() else {
            continue;
        };
        let Ok(metadata) = entry.metadata() else {
            out.skipped.add(SkipReason::Unreadable, &path);
            continue;
        };
        if kind.is_dir() {
            // A name that comes in the same tick as the last one leaves no trace in the time of a folder.
            let time = modified(&metadata);
            out.folders.push((path, if now.saturating_sub(time) < TICK_NANOS { i64::MIN } else { time }));
        } else if kind.is_symlink() {
            out.skipped.add(SkipReason::Link, &path);
        } else if !kind.is_file() {
            out.skipped.add(SkipReason::Special, &path);
        } else if metadata.len() > size_limit(&path, max_file_bytes) {
            out.passed.push(Passed { path, stamp: Stamp::of(&metadata), reason: SkipReason::Oversized });
        } else {
            out.files.push(Found { path, stamp: Stamp::of(&metadata) });
        }
    }
    out.files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(out)
}

fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// What the walker's error is about, without the absolute part of the path.
fn describe(repo: &Path, error: &ignore::Error) -> String {
    error.to_string().replace(&repo.to_string_lossy().into_owned(), ".")
}
