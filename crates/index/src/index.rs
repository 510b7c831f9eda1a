//! An open index: search it, look at it, keep it fresh.

use crate::build::{self, BuildOptions, BuildReport, Progress};
use crate::document::DocumentReader;
use crate::error::IndexError;
use crate::fresh::{self, Changes};
use crate::git::Revision;
use crate::query::Query;
use crate::relations::Relations;
use crate::search::{self, Answer, Freshness, Options};
use crate::store::Store;
use crate::view::View;
use crate::walk::Skipped;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// An index of one repository. Cheap to share: every method takes `&self`.
#[derive(Debug)]
pub struct Index {
    repo: PathBuf,
    store: Store,
    view: RwLock<Arc<View>>,
    /// Its parts came from elsewhere: the folder's own generations are another index.
    is_unpacked: bool,
    /// What belongs together in the view with this mark, once somebody asked.
    relations: Mutex<Option<(u64, Arc<Relations>)>>,
}

/// How large and how fresh an index is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    pub freshness: Freshness,
    pub files: u64,
    pub source_bytes: u64,
    pub chunks: u64,
    pub segments: u64,
    pub index_bytes: u64,
    /// Files per language.
    pub languages: BTreeMap<&'static str, u64>,
    pub skipped: Skipped,
    /// What is checked out now.
    pub revision: Option<Revision>,
    /// The current generation could not be opened and an older one answers.
    pub fallback_from: Option<String>,
}

impl Index {
    /// Builds or brings up to date the index of `repo` in the folder `store`.
    ///
    /// `cancelled` is asked for every file. An index that is open meanwhile goes on answering.
    pub fn build(
        repo: &Path,
        store: &Path,
        options: &BuildOptions,
        progress: &mut dyn FnMut(Progress),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<BuildReport, IndexError> {
        build::build(repo, store, options, progress, cancelled)
    }

    /// Opens the index of `repo` in the folder `store`.
    pub fn open(repo: &Path, store: &Path) -> Result<Index, IndexError> {
        Index::open_reading(repo, store, None)
    }

    /// Opens an index that can read documents which changed since it was built.
    pub fn open_reading(
        repo: &Path,
        store: &Path,
        documents: Option<Arc<dyn DocumentReader>>,
    ) -> Result<Index, IndexError> {
        let store = Store::reading(store, documents);
        let opened = Arc::new(store.open()?);
        let view = View::new(opened, Changes::default(), None)?;
        let view = RwLock::new(Arc::new(view));
        Ok(Index { repo: repo.to_owned(), store, view, is_unpacked: false, relations: Mutex::default() })
    }

    /// An index over parts that are not in its folder.
    pub(crate) fn over(repo: &Path, folder: &Path, view: View) -> Index {
        let (store, view) = (Store::new(folder), RwLock::new(Arc::new(view)));
        Index { repo: repo.to_owned(), store, view, is_unpacked: true, relations: Mutex::default() }
    }

    pub(crate) fn repo(&self) -> &Path {
        &self.repo
    }

    pub(crate) fn opened(&self) -> Arc<crate::store::Opened> {
        Arc::clone(&self.view().opened)
    }

    /// Deletes the index in the folder `store`; refused while a build is writing it.
    pub fn remove(store: &Path) -> Result<(), IndexError> {
        Store::new(store).remove()
    }

    /// Compares the index with the files and searches changed ones directly from now on.
    ///
    /// Takes over a newer generation if one was built. Costs a `stat` per file when nothing changed.
    pub fn refresh(&self) -> Result<Freshness, IndexError> {
        let before = self.view();
        let mut opened = Arc::clone(&before.opened);
        let current = self.store.current();
        let known = crate::generation::Generation::file_name(opened.tables.generation.number);
        if !self.is_unpacked && current.is_some_and(|current| current != known) {
            opened = Arc::new(self.store.open()?);
        }
        opened.check_length()?;
        let (changes, overlay) = fresh::look(&self.repo, &self.store.folder, &opened)?;
        // Most looks find nothing: what was worked out for the view still holds.
        let is_same = overlay.is_none()
            && changes.hidden.is_empty()
            && before.is_plain()
            && Arc::ptr_eq(&opened, &before.opened);
        let view = if is_same { before.confirmed(changes) } else { View::new(opened, changes, overlay)? };
        let view = Arc::new(view);
        let freshness = search::freshness(&view);
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = view;
        Ok(freshness)
    }

    /// What the last look found.
    pub fn freshness(&self) -> Freshness {
        search::freshness(&self.view())
    }

    pub fn search(&self, query: &Query, options: &Options) -> Result<Answer, IndexError> {
        let view = self.view();
        view.opened.check_length()?;
        search::search(&view, &self.repo, query, options, &|| self.relations_of(&view))
    }

    /// What imports, calls and types mean across the files of the index; worked out when they have changed.
    pub fn relations(&self) -> Result<Arc<Relations>, IndexError> {
        self.relations_of(&self.view())
    }

    pub(crate) fn relations_of(&self, view: &Arc<View>) -> Result<Arc<Relations>, IndexError> {
        let mut kept = self.relations.lock().unwrap_or_else(PoisonError::into_inner);
        let mark = view.mark();
        if let Some((_, relations)) = kept.as_ref().filter(|(known, _)| *known == mark) {
            return Ok(Arc::clone(relations));
        }
        let relations = Arc::new(Relations::of(view, &self.repo)?);
        *kept = Some((mark, Arc::clone(&relations)));
        Ok(relations)
    }

    /// Every file that answers, relative to the repository, in no particular order.
    pub fn paths(&self) -> Vec<String> {
        let view = self.view();
        let known = (0u32..).zip(&view.opened.tables.generation.files);
        let kept = known.filter(|(file, _)| !view.changes.hidden.contains(file)).map(|(_, entry)| entry);
        kept.chain(&view.extra).map(|entry| entry.path.to_string()).collect()
    }

    /// The files that answer a query, best first: what a filter outside the index has to look at.
    pub fn files(&self, query: &Query, options: &Options, limit: usize) -> Result<Vec<String>, IndexError> {
        let view = self.view();
        view.opened.check_length()?;
        search::files(&view, &self.repo, query, options, limit, &|| self.relations_of(&view))
    }

    pub fn status(&self) -> Status {
        let view = self.view();
        let generation = &view.opened.tables.generation;
        let mut languages = BTreeMap::new();
        // Of a file that was cut short nothing may be touched; searching says what is wrong with it.
        let readable = if view.opened.check_length().is_ok() { &generation.files[..] } else { &[] };
        for file in readable {
            let blob = view.opened.segments[file.segment as usize].blob(file.blob).ok();
            if let Some(lang) = blob.and_then(|blob| blob.lang) {
                *languages.entry(lang.get().id).or_default() += 1;
            }
        }
        Status {
            freshness: search::freshness(&view),
            files: generation.files.len() as u64,
            source_bytes: generation.files.iter().map(|file| file.stamp.size).sum(),
            chunks: view.chunks,
            segments: view.opened.segments.len() as u64,
            index_bytes: view.opened.segments.iter().map(|segment| segment.file_bytes()).sum::<u64>()
                + self.store.vector_bytes(),
            languages,
            skipped: generation.skipped.clone(),
            revision: crate::git::revision(&self.repo),
            fallback_from: view.opened.fallback_from.clone(),
        }
    }

    /// Reads every byte of the index and checks it.
    pub fn verify(&self) -> Result<(), IndexError> {
        let opened = Arc::clone(&self.view().opened);
        opened.check_length()?;
        let name = crate::generation::Generation::file_name(opened.tables.generation.number);
        opened.tables.verify().map_err(|damaged| damaged.in_file(&self.store.folder.join(name)))?;
        for segment in &opened.segments {
            segment.verify().map_err(|damaged| damaged.in_file(segment.path()))?;
        }
        Ok(())
    }

    fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }
}
