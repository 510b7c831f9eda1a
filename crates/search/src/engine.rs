//! Open indexes, kept warm between calls.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainstay_contract::{Call, CancelToken, Progress, Target};
use mainstay_index::{BuildOptions, BuildReport, Index, Phase};

use crate::SearchError;
use crate::cache::{self, Cached};
use crate::documents::DocumentProgram;
use crate::look::Looks;
use crate::store::index_dir;
use crate::vectors::Vectors;
use crate::warm::Kept;
use crate::watch::Uses;

/// Indexes kept open; one more pushes out the one unused for longest.
const MAX_OPEN: usize = 16;

struct One {
    index: Arc<Index>,
    looks: Arc<Looks>,
    used: Instant,
}

/// The open indexes of one cache folder.
#[derive(Default)]
pub struct Opened {
    indexes: Mutex<HashMap<PathBuf, One>>,
    ever: AtomicU64,
}

impl Opened {
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, One>> {
        self.indexes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are open, and how many times one was opened.
    pub fn counts(&self) -> (usize, u64) {
        (self.lock().len(), self.ever.load(Ordering::Relaxed))
    }
}

/// The indexes one toolset works with.
pub struct Engine {
    cache_dir: PathBuf,
    kept: Arc<Kept>,
    /// Who keeps used indexes fresh.
    uses: Option<Uses>,
    documents: Option<DocumentProgram>,
}

impl Engine {
    pub fn new(
        cache_dir: PathBuf,
        kept: Arc<Kept>,
        uses: Option<Uses>,
        documents: Option<DocumentProgram>,
    ) -> Engine {
        Engine { cache_dir, kept, uses, documents }
    }

    /// What search by meaning needs.
    fn vectors(&self) -> &Vectors {
        &self.kept.vectors
    }

    pub fn index_dir(&self, repo: &Path) -> PathBuf {
        index_dir(&self.cache_dir, repo)
    }

    /// The index of a repository as something to be changed.
    pub fn target(&self, repo: &Path) -> Target {
        let dir = self.index_dir(repo);
        Target::update(dir.display().to_string(), cache::look(&dir).state())
    }

    /// The index of a repository, compared with the files as they are now.
    pub fn index(&self, repo: &Path) -> Result<Arc<Index>, SearchError> {
        let now = Instant::now();
        let (index, looks) = {
            let mut open = self.kept.opened.lock();
            match open.get_mut(repo) {
                Some(opened) => {
                    opened.used = now;
                    (Arc::clone(&opened.index), Arc::clone(&opened.looks))
                }
                None => {
                    let reader = self.documents.as_ref().map(|program| program.until(&CancelToken::new()));
                    let index = Arc::new(Index::open_reading(repo, &self.index_dir(repo), reader)?);
                    self.kept.opened.ever.fetch_add(1, Ordering::Relaxed);
                    self.uses.iter().for_each(|uses| uses.tell(repo));
                    if open.len() >= MAX_OPEN
                        && let Some(oldest) =
                            open.iter().min_by_key(|(_, opened)| opened.used).map(|(path, _)| path.clone())
                    {
                        open.remove(&oldest);
                    }
                    let looks = Arc::<Looks>::default();
                    let one = One { index: Arc::clone(&index), looks: Arc::clone(&looks), used: now };
                    open.insert(repo.to_owned(), one);
                    (index, looks)
                }
            }
        };
        if let Err(error) = looks.after(now, || index.refresh().map(drop)) {
            self.forget(repo);
            return Err(error.into());
        }
        Ok(index)
    }

    fn forget(&self, repo: &Path) {
        self.kept.opened.lock().remove(repo);
    }

    /// Builds or updates the index of a repository, reporting progress and stopping when told to.
    pub fn build(&self, call: &Call, repo: &Path, full: bool) -> Result<BuildReport, SearchError> {
        let now_ms = u64::try_from(call.now().as_millisecond()).unwrap_or(0);
        // A table that cannot be read is no reason to go without an index.
        let vectors = self.vectors().table().ok().flatten();
        let documents = self.documents.as_ref().map(|program| program.until(call.cancel()));
        let options = BuildOptions { full, vectors, documents, now_ms, ..BuildOptions::default() };
        let began = Instant::now();
        let mut report = |progress: mainstay_index::Progress| call.report(step(&progress, began.elapsed()));
        let built = Index::build(repo, &self.index_dir(repo), &options, &mut report, &|| {
            call.cancel().is_cancelled()
        })?;
        cache::remember(&self.index_dir(repo), repo)?;
        Ok(built)
    }

    /// Deletes an index; refused while a build is writing it.
    pub fn remove(&self, cached: &Cached) -> Result<(), SearchError> {
        Index::remove(&cached.dir)?;
        let mut open = self.kept.opened.lock();
        open.retain(|repo, _| self.index_dir(repo) != cached.dir);
        Ok(())
    }
}

fn step(progress: &mainstay_index::Progress, elapsed: Duration) -> Progress {
    let (phase, verb) = match progress.phase {
        Phase::Walking => ("walk", "finding files"),
        Phase::Lexical => ("lexical", "reading words"),
        Phase::Structural => ("structure", "reading structure"),
        Phase::Writing => ("write", "writing the index"),
    };
    let seconds = elapsed.as_secs_f64().max(0.001);
    let rate = progress.bytes_done as f64 / seconds / 1e6;
    let mut message = format!("{verb}: {} of {} files", progress.files_done, progress.files_total);
    if progress.bytes_done > 0 && progress.bytes_total > progress.bytes_done {
        let left =
            (progress.bytes_total - progress.bytes_done) as f64 / (progress.bytes_done as f64 / seconds);
        message.push_str(&format!(", {rate:.1} MB/s, {left:.0} s left"));
    }
    Progress {
        phase: phase.into(),
        message,
        done: Some(progress.bytes_done),
        total: (progress.bytes_total > 0).then_some(progress.bytes_total),
        ..Progress::default()
    }
}
