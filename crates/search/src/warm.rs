//! What stays in memory between calls, and among all toolsets of a process that work on the same cache.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::Opened;
use crate::history::Histories;
use crate::sqlite::Shelf;
use crate::triage::find::Finder;
use crate::triage::ledger::Ledgers;
use crate::vectors::Vectors;

/// Cache folders of which something is kept when no toolset uses them.
const MAX_UNUSED: usize = 4;

/// What was read from one cache folder.
pub(crate) struct Kept {
    pub opened: Opened,
    /// The SQLite indexes that are loaded.
    pub shelf: Shelf,
    pub ledgers: Ledgers,
    pub finder: Finder,
    pub histories: Histories,
    /// What search by meaning needs.
    pub vectors: Vectors,
}

impl Kept {
    fn new(cache_dir: &Path) -> Kept {
        Kept {
            opened: Opened::default(),
            shelf: Shelf::default(),
            ledgers: Ledgers::new(cache_dir.to_owned()),
            finder: Finder::default(),
            histories: Histories::default(),
            vectors: Vectors::new(cache_dir),
        }
    }
}

/// Cache folders, in the order they were first used.
type Caches = Vec<(PathBuf, Arc<Kept>)>;

/// Open indexes and what else is read once: toolsets that are given the same one share them.
///
/// What is kept follows from the files alone, never from the settings of the toolset that read them first.
#[derive(Clone, Default)]
pub struct Warm(Arc<Mutex<Caches>>);

impl std::fmt::Debug for Warm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Warm")
    }
}

impl Warm {
    pub(crate) fn of(&self, cache_dir: &Path) -> Arc<Kept> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kept)) = all.iter().find(|(dir, _)| dir == cache_dir) {
            return Arc::clone(kept);
        }
        let unused = |(_, kept): &(PathBuf, Arc<Kept>)| Arc::strong_count(kept) == 1;
        if all.iter().filter(|one| unused(one)).count() >= MAX_UNUSED
            && let Some(oldest) = all.iter().position(unused)
        {
            all.remove(oldest);
        }
        let kept = Arc::new(Kept::new(cache_dir));
        all.push((cache_dir.to_owned(), Arc::clone(&kept)));
        kept
    }

    /// How many indexes are open now, and how many were opened in all.
    pub fn indexes(&self) -> (usize, u64) {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = all.iter().map(|(_, kept)| kept.opened.counts());
        counts.fold((0, 0), |(open, ever), (more, more_ever)| (open + more, ever + more_ever))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cache_is_read_once_and_unused_ones_are_let_go() {
        let warm = Warm::default();
        let used = warm.of(Path::new("/used"));
        assert!(Arc::ptr_eq(&used, &warm.clone().of(Path::new("/used"))));
        for name in 0..20 {
            warm.of(&PathBuf::from(format!("/{name}")));
        }
        assert!(Arc::ptr_eq(&used, &warm.of(Path::new("/used"))));
        assert!(warm.0.lock().unwrap().len() <= MAX_UNUSED + 2);
    }
}
