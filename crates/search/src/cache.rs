//! The indexes of all repositories on disk: what they are, how large and how old.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mainstay_contract::Caller;

use crate::SearchError;
use crate::triage::record::digest;

/// Remembers which repository an index belongs to, so that one whose repository is gone can be told.
const ORIGIN: &str = "repository";

/// The index of one repository on disk.
#[derive(Debug, Clone)]
pub struct Cached {
    pub dir: PathBuf,
    /// The repository it was built for; unknown for a cache that was never finished.
    pub repo: Option<PathBuf>,
    pub bytes: u64,
    /// When anything in it was last written.
    pub written: SystemTime,
}

impl Cached {
    /// Follows from what is there, to the byte and the moment it was written; nothing where there is nothing.
    pub fn state(&self) -> Option<String> {
        let written = self.written.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let is_empty = self.bytes == 0 && written.is_zero();
        (!is_empty)
            .then(|| digest(&format!("{}\0{}\0{}", self.dir.display(), self.bytes, written.as_nanos())))
    }

    /// Whether the repository it belongs to has been deleted.
    pub fn is_orphan(&self) -> bool {
        self.repo.as_ref().is_some_and(|repo| !repo.exists())
    }
}

/// Notes down the repository of an index.
pub fn remember(dir: &Path, repo: &Path) -> Result<(), SearchError> {
    let text = repo.as_os_str().as_encoded_bytes();
    if fs::read(dir.join(ORIGIN)).is_ok_and(|known| known == text) {
        return Ok(());
    }
    let failed = |error: std::io::Error| SearchError::Cache {
        path: dir.display().to_string(),
        reason: error.to_string(),
    };
    let file = tempfile::NamedTempFile::new_in(dir).map_err(failed)?;
    fs::write(file.path(), text).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(dir.join(ORIGIN)).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Every index below the cache directory that the caller may know of, largest first.
pub fn list(caller: &Caller, cache_dir: &Path) -> Vec<Cached> {
    let may_see = |cached: &Cached| match (&caller.roots, &cached.repo) {
        (None, _) => true,
        (Some(roots), Some(repo)) => {
            roots.iter().any(|root| repo.starts_with(root.canonicalize().as_ref().unwrap_or(root)))
        }
        (Some(_), None) => false,
    };
    let entries = fs::read_dir(cache_dir.join("repos")).into_iter().flatten().flatten();
    let mut found: Vec<Cached> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| look(&entry.path()))
        .filter(may_see)
        .collect();
    found.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.dir.cmp(&b.dir)));
    found
}

/// Follows from when a file was written and how large it is; nothing where there is none.
pub fn file_state(path: &Path) -> Option<String> {
    let meta = fs::metadata(path).ok()?;
    let written = meta.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(digest(&format!("{}\0{}\0{}", path.display(), meta.len(), written.as_nanos())))
}

/// One index folder; an index keeps all its files directly in it.
pub fn look(dir: &Path) -> Cached {
    let mut cached = Cached { dir: dir.to_owned(), repo: None, bytes: 0, written: SystemTime::UNIX_EPOCH };
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        cached.bytes += meta.len();
        cached.written = cached.written.max(meta.modified().unwrap_or(SystemTime::UNIX_EPOCH));
    }
    cached.repo = fs::read_to_string(dir.join(ORIGIN)).ok().map(PathBuf::from);
    cached
}
