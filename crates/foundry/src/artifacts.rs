//! Writing below the project root: globs enforced on real paths, files replaced atomically.

use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use jiff::Timestamp;
use mainstay_contract::{Changes, Target};

use crate::error::FoundryError;
use crate::json::sha256_hex;

/// The records of a run. A tool that may write at all may write these, whatever its globs.
pub const TRANSCRIPT: &str = "transcript.json";
pub const BUNDLE: &str = "bundle.json";

/// What one call may write.
pub struct Scope {
    root: PathBuf,
    /// Globs with `${BASE}` and `${DATE}` filled in.
    allowed: Vec<String>,
    globs: GlobSet,
    changes: Changes,
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Relative to the root, with `/`.
    pub path: String,
    pub sha256: String,
    pub size: usize,
}

impl Scope {
    pub fn new(root: &Path, globs: &[String], base: &str, date: &str) -> Result<Scope, FoundryError> {
        let allowed: Vec<String> =
            globs.iter().map(|glob| glob.replace("${BASE}", base).replace("${DATE}", date)).collect();
        let records = [TRANSCRIPT, BUNDLE].map(|name| format!("{base}/{date}/**/{name}"));
        let mut set = GlobSetBuilder::new();
        for glob in allowed.iter().chain(records.iter().filter(|_| !allowed.is_empty())) {
            let glob = Glob::new(glob).map_err(|error| {
                FoundryError::refused(format!("write glob: {error}"), "correct the policy file")
            })?;
            set.add(glob);
        }
        let globs = set.build().map_err(|error| {
            FoundryError::refused(format!("write glob: {error}"), "correct the policy file")
        })?;
        let root = root.canonicalize().map_err(|source| FoundryError::Io {
            action: "find",
            path: ".".into(),
            source,
        })?;
        Ok(Scope { root, allowed, globs, changes: Changes::default() })
    }

    /// Names every file that is written before it is.
    pub fn watched_by(mut self, changes: Changes) -> Scope {
        self.changes = changes;
        self
    }

    /// A file as it is now and as it would be.
    pub fn target(&self, path: &str, bytes: &[u8]) -> Target {
        let before = fs::read(self.root.join(path)).ok().map(|bytes| sha256_hex(&bytes));
        Target::exact(path, before, Some(sha256_hex(bytes)))
    }

    /// The first name for a folder that nobody has: `wanted`, or with a number.
    pub fn free_name(&self, wanted: &str) -> String {
        let names =
            (0..).map(|number| if number == 0 { wanted.to_owned() } else { format!("{wanted}-{number}") });
        let is_free = |name: &String| fs::symlink_metadata(self.root.join(name)).is_err();
        names.into_iter().find(is_free).expect("numbers do not end")
    }

    fn denied(&self, path: &str) -> FoundryError {
        FoundryError::WriteDenied { path: path.to_owned(), allowed: self.allowed.clone() }
    }

    /// Replaces a file; the path is relative to the root.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<Written, FoundryError> {
        self.check(path)?;
        let written = Written { path: path.to_owned(), sha256: sha256_hex(bytes), size: bytes.len() };
        if !self.changes.propose(|| vec![self.target(path, bytes)])? {
            return Ok(written);
        }
        let target = self.real_target(path)?;
        replace_file(&target, bytes).map_err(|source| FoundryError::Io {
            action: "write",
            path: path.to_owned(),
            source,
        })?;
        Ok(written)
    }

    /// Refuses a path that the globs do not allow; says nothing about links.
    pub fn check(&self, path: &str) -> Result<(), FoundryError> {
        let relative = Path::new(path);
        let plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        if plain && !path.is_empty() && self.globs.is_match(relative) {
            Ok(())
        } else {
            Err(self.denied(path))
        }
    }

    /// Begins a folder that appears whole or not at all; `folder` is the name it is meant to get.
    pub fn stage(&self, folder: &str) -> Result<Staged, FoundryError> {
        let record = format!("{folder}/{TRANSCRIPT}");
        self.check(&record)?;
        let relative = Path::new(folder);
        let name = relative.file_name().expect("a plain path that is not empty has a name");
        let parent = self.real_directory(relative.parent().unwrap_or(Path::new("")), folder)?;
        let real = parent.join(name).join(TRANSCRIPT);
        if !real.strip_prefix(&self.root).is_ok_and(|inside| self.globs.is_match(inside)) {
            return Err(self.denied(folder));
        }
        let made = tempfile::Builder::new().prefix(".tmp-").tempdir_in(&parent);
        let inside =
            made.map_err(|source| FoundryError::Io { action: "make", path: folder.to_owned(), source })?;
        Ok(Staged { parent, inside })
    }

    /// The path after links, checked against the globs before and after; parents are created.
    fn real_target(&self, path: &str) -> Result<PathBuf, FoundryError> {
        self.check(path)?;
        let relative = Path::new(path);
        let file = relative.file_name().expect("a plain path that is not empty has a file name");
        let target = self.real_directory(relative.parent().unwrap_or(Path::new("")), path)?.join(file);
        let inside = target.strip_prefix(&self.root).map_err(|_| self.denied(path))?;
        if !self.globs.is_match(inside) {
            return Err(self.denied(path));
        }
        Ok(target)
    }

    /// A directory after links, made where it is missing; `path` is what errors are about.
    fn real_directory(&self, directory: &Path, path: &str) -> Result<PathBuf, FoundryError> {
        let failed = |action, source| FoundryError::Io { action, path: path.to_owned(), source };
        let mut real = self.root.clone();
        for part in directory.components() {
            real.push(part);
            match fs::create_dir(&real) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(failed("make the directory of", source)),
            }
            real = real.canonicalize().map_err(|source| failed("resolve", source))?;
            if !real.starts_with(&self.root) {
                return Err(self.denied(path));
            }
        }
        Ok(real)
    }
}

/// A folder being filled under a name of its own. Dropping it removes it.
pub struct Staged {
    /// Where it will stand.
    parent: PathBuf,
    inside: tempfile::TempDir,
}

impl Staged {
    /// Writes a file; `name` is relative to the folder and was checked.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FoundryError> {
        let write = || {
            let target = self.inside.path().join(name);
            fs::create_dir_all(target.parent().ok_or_else(|| io::Error::other("no directory"))?)?;
            let mut file = fs::File::create(&target)?;
            file.write_all(bytes)?;
            file.sync_all()
        };
        write().map_err(|source| FoundryError::Io { action: "write", path: name.to_owned(), source })
    }

    /// Gives the folder its name, the last part of `folder`; says no when that is taken.
    pub fn settle(&self, folder: &str) -> Result<bool, FoundryError> {
        let target = self.parent.join(folder.rsplit('/').next().unwrap_or(folder));
        let io = |source| FoundryError::Io { action: "make", path: folder.to_owned(), source };
        // Renaming replaces an empty folder or a link, which are somebody's name too.
        if fs::symlink_metadata(&target).is_ok() {
            return Ok(false);
        }
        #[cfg(unix)]
        fs::set_permissions(self.inside.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .map_err(io)?;
        fs::File::open(self.inside.path()).and_then(|folder| folder.sync_all()).map_err(io)?;
        match fs::rename(self.inside.path(), &target) {
            Ok(()) => {}
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::AlreadyExists
                        | io::ErrorKind::DirectoryNotEmpty
                        | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(false);
            }
            Err(source) => return Err(io(source)),
        }
        fs::File::open(&self.parent).and_then(|parent| parent.sync_all()).map_err(io)?;
        Ok(true)
    }
}

/// Writes a file so that a reader sees the old or the new one, never a part.
fn replace_file(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = target.parent().ok_or_else(|| io::Error::other("no directory"))?;
    let mut file = tempfile::Builder::new().prefix(".tmp-").tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    fs::File::open(directory)?.sync_all()
}

/// One hash for all files below a folder; nothing where there is no folder.
pub fn folder_state(folder: &Path) -> Option<String> {
    let mut lines = Vec::new();
    let mut folders = vec![folder.to_owned()];
    fs::symlink_metadata(folder).ok()?;
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).into_iter().flatten().flatten() {
            let path = entry.path();
            let inside = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                _ => lines.push(format!("{inside}\0{}", sha256_hex(&fs::read(&path).unwrap_or_default()))),
            }
        }
    }
    lines.sort();
    Some(sha256_hex(lines.join("\n").as_bytes()))
}

/// `YYYY-MM-DD` in UTC.
pub fn date_of(now: Timestamp) -> String {
    now.strftime("%Y-%m-%d").to_string()
}

/// `2026-02-24T05:09:44.123Z`.
pub fn iso_of(now: Timestamp) -> String {
    now.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// The ISO time with `:` and `.` replaced, as run directories are named.
pub fn stamp_of(now: Timestamp) -> String {
    iso_of(now).replace([':', '.'], "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(root: &Path) -> Scope {
        Scope::new(root, &["${BASE}/${DATE}/**".to_owned()], "out", "2026-02-24").unwrap()
    }

    #[test]
    fn only_paths_of_the_globs_are_written() {
        let root = tempfile::tempdir().unwrap();
        let scope = scope(root.path());
        let written = scope.write("out/2026-02-24/a/b.txt", b"hi").unwrap();
        assert_eq!((written.size, written.sha256.len()), (2, 64));
        assert_eq!(fs::read(root.path().join("out/2026-02-24/a/b.txt")).unwrap(), b"hi");
        for path in ["out/2026-02-25/a", "other", "out/2026-02-24/../../x", "/etc/x", "", "out/2026-02-24"] {
            assert!(matches!(scope.write(path, b"x"), Err(FoundryError::WriteDenied { .. })), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_of_the_globs() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("out/2026-02-24")).unwrap();
        fs::create_dir(root.path().join("src")).unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("out/2026-02-24/away")).unwrap();
        std::os::unix::fs::symlink(root.path().join("src"), root.path().join("out/2026-02-24/src")).unwrap();
        let scope = scope(root.path());
        assert!(matches!(scope.write("out/2026-02-24/away/x", b"x"), Err(FoundryError::WriteDenied { .. })));
        assert!(matches!(scope.write("out/2026-02-24/src/x", b"x"), Err(FoundryError::WriteDenied { .. })));
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
        assert_eq!(fs::read_dir(root.path().join("src")).unwrap().count(), 0);
        // A link in the place of the file is replaced, not followed.
        let victim = outside.path().join("victim");
        fs::write(&victim, "old").unwrap();
        std::os::unix::fs::symlink(&victim, root.path().join("out/2026-02-24/f")).unwrap();
        scope.write("out/2026-02-24/f", b"new").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "old");
    }

    #[test]
    fn stamps_are_file_names() {
        let now: Timestamp = "2026-02-24T05:00:00Z".parse().unwrap();
        assert_eq!(stamp_of(now), "2026-02-24T05-00-00-000Z");
        assert_eq!(date_of(now), "2026-02-24");
    }
}
