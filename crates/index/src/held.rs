//! The files of a repository, and none but those.
//!
//! A walk follows no links, so no path of an index leads through one. Whoever can write the repository could swap one
//! in between the walk and the opening, and so have a file from elsewhere indexed or shown.

use crate::walk::Stamp;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of a repository, held open where the system can open files beneath a folder.
#[derive(Debug)]
pub(crate) struct Root {
    path: PathBuf,
    #[cfg(target_os = "linux")]
    folder: Option<rustix::fd::OwnedFd>,
}

impl Root {
    pub fn new(path: &Path) -> Root {
        Root {
            path: path.to_owned(),
            #[cfg(target_os = "linux")]
            folder: linux::folder(path),
        }
    }

    /// Opens the file at a relative path; a link anywhere on the way, and all that is not a file, is refused.
    pub fn open(&self, relative: &str) -> io::Result<(File, Metadata)> {
        let file = self.open_beneath(relative)?;
        let metadata = file.metadata()?;
        if metadata.is_file() { Ok((file, metadata)) } else { Err(changed()) }
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(&self, relative: &str) -> io::Result<File> {
        match self.folder.as_ref().and_then(|folder| linux::open(folder, relative)) {
            Some(opened) => opened,
            None => open_resolved(&self.path.canonicalize()?.join(relative)),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, relative: &str) -> io::Result<File> {
        open_resolved(&self.path.canonicalize()?.join(relative))
    }

    /// What tells that a file or folder changed, without opening it. A link is not followed.
    pub fn stamp(&self, relative: &str) -> io::Result<Stamp> {
        #[cfg(target_os = "linux")]
        if let Some(folder) = &self.folder {
            return linux::stamp(folder, relative);
        }
        Ok(Stamp::of(&self.path.join(relative).symlink_metadata()?))
    }
}

/// Opens the file at a path whose links are resolved. A link that was swapped in on the way is found out: what was
/// opened must be what lies there, and no link may lead there any more.
pub fn open_resolved(path: &Path) -> io::Result<File> {
    // A pipe would keep us waiting.
    if !path.symlink_metadata()?.is_file() {
        return Err(changed());
    }
    let file = File::open(path)?;
    let (held, lies_there) = (file.metadata()?, path.symlink_metadata()?);
    match held.is_file() && is_same(&held, &lies_there) && path.canonicalize()? == path {
        true => Ok(file),
        false => Err(changed()),
    }
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the file changed while it was opened")
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    other.is_file() && one.len() == other.len() && one.modified().ok() == other.modified().ok()
}

#[cfg(target_os = "linux")]
mod linux {
    use crate::walk::Stamp;
    use rustix::fd::OwnedFd;
    use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, open as open_at, openat2, statat};
    use rustix::io::Errno;
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub fn folder(path: &Path) -> Option<OwnedFd> {
        open_at(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty()).ok()
    }

    /// Opens in one step, so that there is no moment to swap anything. `None` where the kernel or a sandbox around the
    /// process does not have this.
    pub fn open(folder: &OwnedFd, relative: &str) -> Option<io::Result<File>> {
        // A pipe would keep us waiting, a terminal could become ours.
        let how = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(folder, relative, how, Mode::empty(), resolve) {
            Ok(file) => Some(Ok(file.into())),
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    pub fn stamp(folder: &OwnedFd, relative: &str) -> io::Result<Stamp> {
        // The root itself has an empty name.
        let relative = if relative.is_empty() { "." } else { relative };
        let found = statat(folder, relative, AtFlags::SYMLINK_NOFOLLOW)?;
        let modified = i128::from(found.st_mtime) * 1_000_000_000 + i128::from(found.st_mtime_nsec);
        let modified = i64::try_from(modified).unwrap_or(if modified < 0 { i64::MIN } else { i64::MAX });
        Ok(Stamp { size: found.st_size.unsigned_abs(), modified })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_that_of_the_open_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a"), "text").unwrap();
        let root = Root::new(folder.path());
        let (file, metadata) = root.open("a").unwrap();
        assert_eq!(root.stamp("a").unwrap(), Stamp::of(&metadata));
        assert_eq!(root.stamp("").unwrap().modified, Stamp::of(&folder.path().metadata().unwrap()).modified);
        for (seconds, nanos) in [(-5, 250_000_000), (0, 0), (1_700_000_000, 999_999_999)] {
            let time = if seconds < 0 {
                std::time::UNIX_EPOCH - std::time::Duration::new(4, 750_000_000)
            } else {
                std::time::UNIX_EPOCH + std::time::Duration::new(seconds as u64, nanos)
            };
            file.set_modified(time).unwrap();
            assert_eq!(root.stamp("a").unwrap(), Stamp::of(&file.metadata().unwrap()), "{seconds} {nanos}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_and_pipes_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let (repo, outside) = (folder.path().join("repo"), folder.path().join("outside"));
        std::fs::create_dir_all(repo.join("deep")).unwrap();
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(repo.join("deep/a"), "inside").unwrap();
        std::fs::write(outside.join("a"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.join("a"), repo.join("file")).unwrap();
        std::os::unix::fs::symlink(&outside, repo.join("folder")).unwrap();
        std::process::Command::new("mkfifo").arg(repo.join("pipe")).status().unwrap();
        let root = Root::new(&repo);
        let resolved = |relative: &str| open_resolved(&repo.canonicalize().unwrap().join(relative));
        for relative in ["file", "folder/a", "pipe", "deep", "../outside/a"] {
            assert!(root.open(relative).is_err(), "{relative}");
            assert!(resolved(relative).is_err(), "{relative}");
        }
        assert!(root.open("deep/a").is_ok() && resolved("deep/a").is_ok());
        // A root that is itself a link is what the user named.
        std::os::unix::fs::symlink(&repo, folder.path().join("named")).unwrap();
        assert!(Root::new(&folder.path().join("named")).open("deep/a").is_ok());
    }
}
