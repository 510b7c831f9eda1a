//! The catalog on disk.
//!
//! ```text
//! instructions/
//!   <id>.json            one entry each
//!   gates.json           the gates
//!   .catalog/
//!     lock               held while anything changes
//!     history.jsonl      one line per change, append only
//!     archive/           <revision>.<id>.json: every file a change replaced or took out
//!     usage/             one journal per process, and base.json for those that ended
//! ```
//!
//! Nothing under the directory is created, changed or removed by a read.

mod apply;
mod atomic;
mod history;
#[cfg(target_os = "linux")]
mod inotify;
mod load;
mod lock;
#[cfg(any(test, not(target_os = "linux")))]
mod notified;
mod watch;

use std::path::{Path, PathBuf};

pub(crate) use apply::{Batch, Removal, Write};
pub(crate) use atomic::{append, replace, sync_dir};
pub use history::Change;
pub(crate) use history::{is_revision, new_revision as unique_name, read as read_history};
pub(crate) use load::{entry_name, load_all, load_file, parse_text, remove_leftovers, rescan};
pub(crate) use lock::{WriteLock, prepare};
pub(crate) use watch::{Changes, Watch};

/// The places of one catalog.
#[derive(Debug, Clone)]
pub struct Layout {
    dir: PathBuf,
}

impl Layout {
    pub fn new(dir: &Path) -> Layout {
        Layout { dir: dir.to_owned() }
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    pub fn state(&self) -> PathBuf {
        self.dir.join(STATE)
    }

    pub fn lock(&self) -> PathBuf {
        self.state().join("lock")
    }

    pub fn history(&self) -> PathBuf {
        self.state().join("history.jsonl")
    }

    pub fn archive(&self) -> PathBuf {
        self.state().join("archive")
    }

    pub fn archived(&self, revision: &str, id: &str) -> PathBuf {
        self.archive().join(format!("{revision}.{id}.json"))
    }

    pub fn usage(&self) -> PathBuf {
        self.state().join("usage")
    }
}

/// Name of the directory that holds everything but entries.
pub(crate) const STATE: &str = ".catalog";
