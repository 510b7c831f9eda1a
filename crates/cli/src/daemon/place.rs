//! Where daemons are found: one socket for each build of this program, in a folder only its user can enter.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use mainstay_contract::{ErrorCode, Fault, FaultResult, TOOLING_VERSION};
use rustix::process::getuid;

use crate::settings::Settings;

/// The folder of sockets, and the name this build uses there.
pub struct Place {
    pub dir: PathBuf,
    name: String,
}

impl Place {
    pub fn of(settings: &Settings) -> Place {
        Place { dir: dir(settings), name: build() }
    }

    pub fn socket(&self) -> PathBuf {
        self.dir.join(format!("{}.sock", self.name))
    }

    /// Held by the daemon that listens; a socket without a holder is left over.
    pub fn lock(&self) -> PathBuf {
        self.dir.join(format!("{}.lock", self.name))
    }

    /// The working directory of a daemon: a relative path that nobody resolved means nothing there.
    pub fn nowhere(&self) -> PathBuf {
        self.dir.join("empty")
    }

    /// Whether the folder is there and nobody else can put anything into it.
    pub fn is_ours(&self) -> bool {
        std::fs::symlink_metadata(&self.dir).is_ok_and(|found| {
            found.is_dir() && found.uid() == getuid().as_raw() && found.mode() & 0o077 == 0
        })
    }

    /// Makes the folder.
    pub fn create(&self) -> FaultResult<()> {
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir);
        let failed = |reason: String| {
            Fault::new(ErrorCode::CapabilityMissing, reason)
                .hint("name a folder that only you can enter with --runtime-dir")
        };
        made.map_err(|error| failed(format!("could not create {}: {error}", self.dir.display())))?;
        match self.is_ours() {
            true => Ok(()),
            false => {
                Err(failed(format!("{} belongs to somebody else or is open to others", self.dir.display())))
            }
        }
    }

    /// The sockets of all builds.
    pub fn sockets(&self) -> Vec<PathBuf> {
        if !self.is_ours() {
            return Vec::new();
        }
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let is_socket = |path: &PathBuf| {
            path.extension().is_some_and(|ending| ending == "sock")
                && std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
        };
        let mut sockets: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_socket).collect();
        sockets.sort();
        sockets
    }
}

/// The user's runtime folder. Clients hand on few variables, so that it must be found without any.
fn dir(settings: &Settings) -> PathBuf {
    if let Some(dir) = settings.path("runtime-dir") {
        return dir;
    }
    let user = getuid().as_raw();
    let named = settings.env.get("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let usual = || Some(PathBuf::from(format!("/run/user/{user}"))).filter(|dir| dir.is_dir());
    match named.or_else(usual) {
        Some(dir) => dir.join("mainstay"),
        None => Path::new("/tmp").join(format!("mainstay-{user}")),
    }
}

/// The name of this build: a daemon that was started before an upgrade is not joined after it.
fn build() -> String {
    let mut hasher = DefaultHasher::new();
    if let Ok(program) = std::env::current_exe().and_then(std::fs::metadata) {
        (program.len(), program.mtime(), program.mtime_nsec()).hash(&mut hasher);
    }
    format!("{TOOLING_VERSION}-{:016x}", hasher.finish())
}
