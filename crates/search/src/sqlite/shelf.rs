//! Databases loaded for searching, kept while their file is the same.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

use mainstay_index::Index;

use super::{SqliteError, load};
use crate::look::Looks;

/// They are held in memory whole, so that fewer are kept than of those that are mapped.
const MAX_LOADED: usize = 4;

struct Loaded {
    index: Arc<Index>,
    /// Length and time of the file it was loaded from.
    stamp: (u64, SystemTime),
    looks: Arc<Looks>,
    used: Instant,
}

#[derive(Default)]
pub struct Shelf {
    loaded: Mutex<HashMap<(PathBuf, PathBuf), Loaded>>,
}

impl Shelf {
    /// The index of `repo` in the database at `path`, compared with the files as they are now.
    pub fn index(&self, repo: &Path, path: &Path) -> Result<Arc<Index>, SqliteError> {
        let meta = std::fs::metadata(path).map_err(|_| SqliteError::Missing)?;
        let stamp = (meta.len(), meta.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        let key = (repo.to_owned(), path.to_owned());
        let now = Instant::now();
        let found = {
            let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
            loaded.get_mut(&key).filter(|one| one.stamp == stamp).map(|one| {
                one.used = now;
                (Arc::clone(&one.index), Arc::clone(&one.looks))
            })
        };
        let (index, looks) = match found {
            Some(found) => found,
            None => (Arc::new(load::load(repo, path)?), Arc::default()),
        };
        looks.after(now, || index.refresh().map(drop))?;
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.len() >= MAX_LOADED && !loaded.contains_key(&key) {
            let oldest = loaded.iter().min_by_key(|(_, one)| one.used).map(|(key, _)| key.clone());
            oldest.map(|oldest| loaded.remove(&oldest));
        }
        loaded.insert(key, Loaded { index: Arc::clone(&index), stamp, looks, used: now });
        Ok(index)
    }
}
