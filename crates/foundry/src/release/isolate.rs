//! Copies of a project to pack in, so that nothing a packing script does reaches the project.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;
use tempfile::TempDir;

use super::packages::Package;
use crate::FoundryError;
use crate::exec::Programs;

/// A project larger than this holds files git should ignore.
const MAX_FILES: usize = 50_000;
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// A folder for one call, gone when it is dropped.
pub struct Scratch {
    folder: TempDir,
}

impl Scratch {
    /// Makes the folder where the operator's environment wants temporary files.
    pub fn new(programs: &Programs) -> Result<Scratch, FoundryError> {
        let parent = programs
            .env
            .get(std::ffi::OsStr::new("TMPDIR"))
            .map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let made = tempfile::Builder::new().prefix("mainstay-release-").tempdir_in(parent);
        let folder = made.map_err(|source| FoundryError::Io {
            action: "make",
            path: "a temporary folder".into(),
            source,
        })?;
        Ok(Scratch { folder })
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Copies what git would track of the project, and everything of the packages, into a folder `name`.
    pub fn copy(
        &self,
        name: &str,
        root: &Path,
        packages: &[&Package],
        leave_out: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<PathBuf, FoundryError> {
        let failed = |source| FoundryError::Io { action: "copy", path: "the project".into(), source };
        let root = root.canonicalize().map_err(failed)?;
        let to = self.path(name);
        let mut copy = Copy { from: root.clone(), to: to.clone(), files: 0, bytes: 0, stop };
        copy.tree(&root, true, &root.join(leave_out))?;
        for package in packages {
            // What is built and ignored is packed all the same.
            copy.tree(&root.join(&package.folder), false, &root.join(leave_out))?;
        }
        for folder in std::iter::once(".").chain(packages.iter().map(|package| package.folder.as_str())) {
            link_modules(&root.join(folder), &to.join(folder)).map_err(failed)?;
        }
        Ok(to)
    }
}

struct Copy<'a> {
    from: PathBuf,
    to: PathBuf,
    files: usize,
    bytes: u64,
    stop: &'a dyn Fn() -> bool,
}

impl Copy<'_> {
    fn tree(&mut self, folder: &Path, ignored: bool, leave_out: &Path) -> Result<(), FoundryError> {
        let failed = |path: &Path| {
            let path = path.strip_prefix(&self.from).unwrap_or(path).display().to_string();
            move |source| FoundryError::Io { action: "copy", path, source }
        };
        let leave_out = leave_out.to_owned();
        let walk = WalkBuilder::new(folder)
            .hidden(false)
            .standard_filters(false)
            .git_ignore(ignored)
            .git_exclude(ignored)
            .parents(false)
            .require_git(false)
            .follow_links(false)
            .filter_entry(move |entry| {
                let name = entry.file_name().to_str().unwrap_or_default();
                // Cargo marks the folder of its builds; others may be called the same.
                let is_build = name == "target" && entry.path().join("CACHEDIR.TAG").exists();
                !matches!(name, "node_modules" | ".git") && !is_build && !entry.path().starts_with(&leave_out)
            })
            .build();
        for entry in walk {
            if (self.stop)() {
                return Err(FoundryError::Cancelled);
            }
            let Ok(entry) = entry else { continue };
            let Ok(relative) = entry.path().strip_prefix(&self.from) else { continue };
            let to = self.to.join(relative);
            let Some(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                fs::create_dir_all(&to).map_err(failed(entry.path()))?;
            } else if kind.is_file() && !to.exists() {
                self.files += 1;
                self.bytes += entry.metadata().map_or(0, |data| data.len());
                if self.files > MAX_FILES || self.bytes > MAX_BYTES {
                    return Err(FoundryError::refused(
                        format!(
                            "the project has more than {MAX_FILES} files or {} MiB to pack",
                            MAX_BYTES >> 20
                        ),
                        "let .gitignore name what is not source",
                    ));
                }
                fs::copy(entry.path(), &to).map_err(failed(entry.path()))?;
            } else if kind.is_symlink() && fs::symlink_metadata(&to).is_err() {
                copy_link(entry.path(), relative, &to).map_err(failed(entry.path()))?;
            }
        }
        Ok(())
    }
}

/// Copies a link that stays inside the project; others are left out.
fn copy_link(link: &Path, relative: &Path, to: &Path) -> io::Result<()> {
    let target = fs::read_link(link)?;
    let mut depth = relative.components().count() as isize - 1;
    for part in target.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Ok(()),
        }
        if depth < 0 {
            return Ok(());
        }
    }
    symlink(&target, to)
}

/// Lets scripts of a package find the tools that are installed for it.
fn link_modules(from: &Path, to: &Path) -> io::Result<()> {
    let (installed, link) = (from.join("node_modules"), to.join("node_modules"));
    if installed.is_dir() && fs::symlink_metadata(&link).is_err() {
        symlink(&installed, &link)?;
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}
