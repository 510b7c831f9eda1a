//! Keeps indexes fresh from file events, for servers that run for long.
//!
//! Folders are watched one by one, those the index knows, so that ignored trees cost no watches. Events only say that
//! something happened: what changed is found by the same look at the files that every search makes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use mainstay_contract::{Call, ToolDef, Toolset};
use mainstay_index::IndexError;
use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::{Search, SearchError, sqlite};

/// Events that wait to be looked at; when more come, everything is looked at.
const MAX_WAITING: usize = 1024;
/// Repositories that are kept fresh at once.
const MAX_REPOS: usize = 16;
/// How often a repository is looked at whose folders cannot be watched, and whether the server is still there.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How soon a change is taken up.
#[derive(Debug, Clone, Copy)]
pub struct Debounce {
    /// After the last event, so that a checkout is taken up once.
    pub quiet: Duration,
    /// After the first event, so that a file that is written all the time does not hold up the rest.
    pub longest: Duration,
}

impl Default for Debounce {
    fn default() -> Debounce {
        Debounce { quiet: Duration::from_millis(300), longest: Duration::from_secs(2) }
    }
}

enum Note {
    /// Something happened in these places.
    Touched(Vec<PathBuf>),
    /// A repository is used from now on.
    Used(PathBuf),
}

/// Tells the watch which repositories are in use.
#[derive(Debug, Clone)]
pub struct Uses(SyncSender<Note>);

impl std::fmt::Debug for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Note")
    }
}

impl Uses {
    /// Never waits: a repository that finds no room is told of at its next opening.
    pub fn tell(&self, repo: &Path) {
        let _ = self.0.try_send(Note::Used(repo.to_owned()));
    }
}

/// A watch that is not started yet.
pub struct Watch {
    notes: Receiver<Note>,
    sender: SyncSender<Note>,
    debounce: Debounce,
}

impl Watch {
    pub fn new(debounce: Debounce) -> (Watch, Uses) {
        let (sender, notes) = sync_channel(MAX_WAITING);
        (Watch { notes, sender: sender.clone(), debounce }, Uses(sender))
    }

    /// Runs in a thread of its own until the toolset is gone; the server's own repository is indexed at once.
    pub fn start(self, search: &Arc<Search>) {
        let search = Arc::downgrade(search);
        let run = move || Run::new(self, search).go();
        if let Err(error) = std::thread::Builder::new().name("watch".into()).spawn(run) {
            tracing::warn!("indexes are not kept fresh: {error}");
        }
    }
}

/// What is known of one repository.
#[derive(Default)]
struct Repo {
    watched: BTreeSet<PathBuf>,
    /// Some folder could not be watched.
    is_polled: bool,
    /// The first and the last event that have not been taken up.
    pending: Option<(Instant, Instant)>,
    looked: Option<Instant>,
}

struct Run {
    notes: Receiver<Note>,
    watcher: Option<RecommendedWatcher>,
    overflow: Arc<AtomicBool>,
    debounce: Debounce,
    search: Weak<Search>,
    repos: BTreeMap<PathBuf, Repo>,
    job: Arc<ToolDef>,
}

impl Run {
    fn new(watch: Watch, search: Weak<Search>) -> Run {
        let overflow = Arc::new(AtomicBool::new(false));
        let (sender, lost) = (watch.sender, Arc::clone(&overflow));
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let paths = match event {
                Ok(event) if is_change(&event.kind) && !event.need_rescan() => event.paths,
                Ok(event) if !event.need_rescan() => return,
                // Events were lost, or the queue is broken: look at everything.
                _ => Vec::new(),
            };
            if paths.is_empty() || sender.try_send(Note::Touched(paths)).is_err() {
                lost.store(true, Ordering::Release);
            }
        });
        let watcher = watcher
            .inspect_err(|error| tracing::warn!("no file events ({error}); files are looked at instead"))
            .ok();
        let job = Arc::new(ToolDef::new("watch", Toolset::Search));
        Run {
            notes: watch.notes,
            watcher,
            overflow,
            debounce: watch.debounce,
            search,
            repos: BTreeMap::new(),
            job,
        }
    }

    fn go(mut self) {
        if let Some(search) = self.search.upgrade()
            && let Ok(repo) = search.config.repo.canonicalize()
        {
            self.used(repo);
        }
        loop {
            match self.notes.recv_timeout(self.until_due()) {
                Ok(Note::Touched(paths)) => self.touched(&paths),
                Ok(Note::Used(repo)) => self.used(repo),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.overflow.swap(false, Ordering::AcqRel) {
                let all: Vec<PathBuf> = self.repos.keys().cloned().collect();
                self.touched(&all);
            }
            let Some(search) = self.search.upgrade() else { return };
            for repo in self.due() {
                self.take_up(&search, &repo);
            }
        }
    }

    fn used(&mut self, repo: PathBuf) {
        if self.repos.len() < MAX_REPOS && !self.repos.contains_key(&repo) {
            // Due at once: the index may be older than the server.
            let long_ago = Instant::now().checked_sub(self.debounce.longest);
            let pending = long_ago.or(Some(Instant::now())).map(|at| (at, at));
            self.repos.insert(repo, Repo { pending, ..Repo::default() });
        }
    }

    fn touched(&mut self, paths: &[PathBuf]) {
        let now = Instant::now();
        for path in paths {
            for (_, repo) in self.repos.iter_mut().filter(|(root, _)| path.starts_with(root)) {
                let first = repo.pending.map_or(now, |(first, _)| first);
                repo.pending = Some((first, now));
            }
        }
    }

    /// When the next repository is due.
    fn until_due(&self) -> Duration {
        let now = Instant::now();
        let times = self.repos.values().filter_map(|repo| self.due_at(repo));
        times.map(|at| at.saturating_duration_since(now)).min().unwrap_or(LOOK_EVERY).min(LOOK_EVERY)
    }

    fn due_at(&self, repo: &Repo) -> Option<Instant> {
        let event =
            repo.pending.map(|(first, last)| (first + self.debounce.longest).min(last + self.debounce.quiet));
        let poll = repo.looked.filter(|_| repo.is_polled).map(|looked| looked + LOOK_EVERY);
        event.into_iter().chain(poll).min()
    }

    fn due(&self) -> Vec<PathBuf> {
        let now = Instant::now();
        let is_due = |repo: &Repo| self.due_at(repo).is_some_and(|at| at <= now);
        self.repos.iter().filter(|(_, repo)| is_due(repo)).map(|(root, _)| root.clone()).collect()
    }

    /// Brings an index up to date and watches the folders it then knows.
    fn take_up(&mut self, search: &Search, root: &Path) {
        let Some(repo) = self.repos.get_mut(root) else { return };
        repo.pending = None;
        let outcome = freshen(search, root, &self.job);
        repo.looked = Some(Instant::now());
        match outcome {
            Ok(folders) => {
                let added = self.watch(root, folders);
                // What came into a new folder before it was watched raised no event.
                if added && let Some(repo) = self.repos.get_mut(root) {
                    let now = Instant::now();
                    repo.pending = Some((now, now));
                }
            }
            Err(SearchError::Index(IndexError::Busy { .. })) => {
                let later = Instant::now() + self.debounce.longest;
                repo.pending = Some((later, later));
            }
            Err(error) => {
                tracing::warn!("the index of {} is not kept fresh: {error}", root.display());
                if !root.is_dir() {
                    self.repos.remove(root);
                }
            }
        }
    }

    /// Watches these folders and no others; whether any is new.
    fn watch(&mut self, root: &Path, folders: BTreeSet<PathBuf>) -> bool {
        let (Some(watcher), Some(repo)) = (&mut self.watcher, self.repos.get_mut(root)) else {
            self.repos.get_mut(root).into_iter().for_each(|repo| repo.is_polled = true);
            return false;
        };
        for gone in repo.watched.difference(&folders) {
            // A folder that was deleted is no longer watched anyway.
            let _ = watcher.unwatch(gone);
        }
        let new: Vec<&PathBuf> = folders.difference(&repo.watched).collect();
        let mut is_polled = false;
        let mut added = false;
        for folder in new {
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => added = true,
                Err(_) => is_polled |= folder.is_dir(),
            }
        }
        if is_polled && !repo.is_polled {
            tracing::warn!(
                "too many folders to watch in {}; its files are looked at instead",
                root.display()
            );
        }
        repo.is_polled = is_polled;
        repo.watched = folders;
        added
    }
}

/// Reading a file is no change, and neither is a change of its rights.
fn is_change(kind: &EventKind) -> bool {
    !matches!(kind, EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)))
}

/// Builds what is out of date; returns the folders the index knows.
fn freshen(search: &Search, repo: &Path, job: &Arc<ToolDef>) -> Result<BTreeSet<PathBuf>, SearchError> {
    let is_stale = match search.engine.index(repo).map(|index| index.freshness()) {
        Ok(fresh) => fresh.modified_files + fresh.added_files + fresh.deleted_files > 0,
        Err(SearchError::Index(error)) if error.wants_rebuild() => true,
        Err(error) => return Err(error),
    };
    let call = Call::detached(Arc::clone(job));
    if is_stale {
        let began = Instant::now();
        let built = search.engine.build(&call, repo, false)?;
        tracing::info!(
            "generation {} of the index of {}: {} files anew in {} ms",
            built.generation,
            repo.display(),
            built.analysed_files,
            began.elapsed().as_millis()
        );
    }
    let pack = search.engine.index(repo)?.pack();
    let database = sqlite::default_path(&search.engine.index_dir(repo));
    if is_stale && database.is_file() {
        let target = sqlite::Target { path: &database, cache_dir: &search.config.cache_dir };
        let vectors = search.vectors.table().ok().flatten();
        sqlite::write(&call, &pack, target, true, vectors.as_ref())?;
    }
    Ok(pack.folders().map(|folder| repo.join(folder)).chain([repo.to_owned()]).collect())
}
