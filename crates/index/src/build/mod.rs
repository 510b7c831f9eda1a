//! Building an index: walk, work on what is new, write segments, switch to a new generation.
//!
//! Work is kept by content. A file whose size and time are those of the last build is not read; one whose content is
//! known is not worked on again; finished segments of a cancelled build are found by the next one. Files go through in
//! path order, in batches worked on in parallel and taken over in order, so the result does not depend on cores.

mod known;
mod merge;
mod read;

pub(crate) use read::{Content, Outcome, examine, read};

use crate::document::{DocumentReader, Documents};
use crate::error::IndexError;
use crate::generation::{FileEntry, Generation};
use crate::git;
use crate::hash::FastMap;
use crate::held::Root;
use crate::journal::Journal;
use crate::lang::{Class, LangId};
use crate::relist::{relist, rules, unlisted_rules};
use crate::segment::{Builder, Key, Segment, Tier};
use crate::store::Store;
use crate::traits;
use crate::vectors::{ChunkVectors, Table as VectorTable};
use crate::walk::{Found, Passed, SkipReason, Skipped, Stamp, walk};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// Source bytes per segment: bounds the memory of a build.
const SEGMENT_BYTES: u64 = 48 << 20;
/// Source bytes worked on between two looks at progress.
const BATCH_BYTES: u64 = 4 << 20;
/// What a file costs beside its text: bounds the memory where files are tiny and many.
const FILE_BYTES: u64 = 512;
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Larger files are skipped and counted.
    pub max_file_bytes: u64,
    /// Threads to work with; all cores when `None`.
    pub threads: Option<usize>,
    /// With more new source than this, make everything searchable by words before working out its structure. Below
    /// it a structural pass is over before a lexical one would have paid.
    pub lexical_first_bytes: u64,
    /// Work on every file again, whatever is known.
    pub full: bool,
    /// Keep vectors of all chunks by this table.
    pub vectors: Option<VectorTable>,
    /// Reads PDF and the like; without one they are binary files.
    pub documents: Option<Arc<dyn DocumentReader>>,
    /// The time of the build, in milliseconds since 1970.
    pub now_ms: u64,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            max_file_bytes: 8 << 20,
            threads: None,
            lexical_first_bytes: 8 << 20,
            full: false,
            vectors: None,
            documents: None,
            now_ms: 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Walking,
    /// Words and trigrams, so that searching can start.
    Lexical,
    Structural,
    Writing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub phase: Phase,
    pub files_done: u64,
    pub files_total: u64,
    pub bytes_done: u64,
    pub bytes_total: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildReport {
    pub generation: u64,
    pub files: u64,
    pub source_bytes: u64,
    pub chunks: u64,
    pub segments: u64,
    pub index_bytes: u64,
    /// Files worked on in this build; the rest was known.
    pub analysed_files: u64,
    pub analysed_bytes: u64,
    pub skipped: Skipped,
}

/// Builds or brings up to date the index of `repo` in `store`.
///
/// On error or cancellation the previous generation goes on answering, and finished work is kept for the next build.
pub(crate) fn build(
    repo: &Path,
    store: &Path,
    options: &BuildOptions,
    progress: &mut dyn FnMut(Progress),
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<BuildReport, IndexError> {
    let store = Store::new(store);
    if !repo.is_dir() {
        return Err(IndexError::NotADirectory { path: repo.to_owned() });
    }
    store.create()?;
    let _lock = store.lock()?;
    let threads = options.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| IndexError::Io { path: repo.to_owned(), source: std::io::Error::other(error) })?;
    let mut journal = Journal::open(&store.folder);
    if options.full {
        journal.forget();
    }
    let mut run = Run::start(repo, store, options, pool, journal, progress, cancelled)?;
    let outcome = run.work();
    if outcome.is_err() {
        // Whatever is finished stays on disk for the next build to find.
        let _ = run.flush();
    }
    outcome?;
    run.merge_small()?;
    let documents = run.document_hashes();
    // What is left needs none of these, and a million files of them are a lot of memory.
    (run.found, run.known) = (Vec::new(), FastMap::default());
    let entries = std::mem::take(&mut run.entries);
    let report = run.publish(entries.into_values(), options.vectors.as_ref())?;
    run.store.collect_garbage();
    run.documents.keep_only(documents.into_iter());
    Ok(report)
}

/// Where the work on a file is: segment and blob.
type Place = (u32, u32);

struct Run<'r> {
    repo: &'r Path,
    root: Root,
    rules: u64,
    rule_files: Vec<(String, i64)>,
    store: Store,
    options: &'r BuildOptions,
    pool: rayon::ThreadPool,
    journal: Journal,
    progress: &'r mut dyn FnMut(Progress),
    cancelled: &'r (dyn Fn() -> bool + Sync),
    found: Vec<Found>,
    folders: Vec<(String, i64)>,
    /// What is no file.
    skipped: Skipped,
    /// Files without text, see `Generation::passed`.
    passed: BTreeMap<String, (Stamp, SkipReason)>,
    segments: Vec<(String, Arc<Segment>)>,
    known: FastMap<Key, Place>,
    builder: Builder,
    documents: Documents,
    /// Those of `found` that are known to have no text.
    binaries: HashSet<usize>,
    /// Entries by position in `found`.
    entries: BTreeMap<usize, FileEntry>,
    analysed: (u64, u64),
}

impl<'r> Run<'r> {
    fn start(
        repo: &'r Path,
        store: Store,
        options: &'r BuildOptions,
        pool: rayon::ThreadPool,
        journal: Journal,
        progress: &'r mut dyn FnMut(Progress),
        cancelled: &'r (dyn Fn() -> bool + Sync),
    ) -> Result<Run<'r>, IndexError> {
        progress(Progress {
            phase: Phase::Walking,
            files_done: 0,
            files_total: 0,
            bytes_done: 0,
            bytes_total: 0,
        });
        // Rules that change while files are listed are found out by the next look.
        let rules = rules(repo);
        let root = Root::new(repo);
        let last = if options.full { None } else { store.open().ok() };
        let listed = last.as_ref().filter(|last| last.fallback_from.is_none());
        let listed = listed.map(|last| &last.tables.generation);
        let listed = listed.filter(|last| last.max_file_bytes == options.max_file_bytes);
        let relisted = listed.and_then(|last| Some((relist(repo, &root, last)?, last.rule_files.clone())));
        let (walk, rule_files) = match relisted {
            Some(relisted) => relisted,
            None => {
                let walk = walk(repo, &store.folder, options.max_file_bytes)?;
                let rule_files = unlisted_rules(repo, &walk);
                (walk, rule_files)
            }
        };
        let segments = if options.full { Vec::new() } else { store.all_segments() };
        let segments: Vec<_> =
            segments.into_iter().filter(|(_, segment)| segment.is_current_work()).collect();
        let mut known = FastMap::default();
        for (at, (_, segment)) in segments.iter().enumerate() {
            for number in 0..segment.blob_count() {
                if let Ok(blob) = segment.blob(number)
                    && let Some(lang) = blob.lang
                {
                    known.insert(Key { hash: blob.hash, lang, tier: blob.tier }, (at as u32, number));
                }
            }
        }
        let documents = Documents::new(&store.folder, options.documents.clone());
        let mut run = Run {
            repo,
            root,
            rules,
            rule_files,
            store,
            options,
            pool,
            journal,
            progress,
            cancelled,
            found: walk.files,
            folders: walk.folders,
            skipped: walk.skipped,
            passed: walk.passed.into_iter().map(|file| (file.path, (file.stamp, file.reason))).collect(),
            segments,
            known,
            builder: Builder::default(),
            documents,
            binaries: HashSet::new(),
            entries: BTreeMap::new(),
            analysed: (0, 0),
        };
        if let Some(last) = last {
            run.take_over_unchanged(&last);
        }
        Ok(run)
    }

    fn work(&mut self) -> Result<(), IndexError> {
        let is_new = |at: &usize| !self.entries.contains_key(at) && !self.binaries.contains(at);
        let new: Vec<usize> = (0..self.found.len()).filter(is_new).collect();
        let new_bytes: u64 = new.iter().map(|at| self.found[*at].stamp.size).sum();
        // Where an index with structure answers, a lexical one of the same files would be a step back.
        let helps = !(self.options.full && self.store.current().is_some());
        if helps && new_bytes > self.options.lexical_first_bytes {
            self.pass(&new, Tier::Lexical)?;
            let entries: Vec<FileEntry> = self.entries.values().cloned().collect();
            self.publish(entries.into_iter(), None)?;
        } else {
            self.pass(&new, Tier::Structural)?;
        }
        let shallow: Vec<usize> = self
            .entries
            .iter()
            .filter(|(_, entry)| self.tier(entry) == Tier::Lexical)
            .map(|(at, _)| *at)
            .collect();
        if !shallow.is_empty() {
            self.pass(&shallow, Tier::Structural)?;
        }
        self.flush()
    }

    fn tier(&self, entry: &FileEntry) -> Tier {
        match self.segments.get(entry.segment as usize) {
            Some((_, segment)) => segment.blob(entry.blob).map_or(Tier::Lexical, |blob| blob.tier),
            // Still in the builder: written by the pass that is running.
            None => Tier::Structural,
        }
    }

    fn pass(&mut self, files: &[usize], tier: Tier) -> Result<(), IndexError> {
        let phase = if tier == Tier::Lexical { Phase::Lexical } else { Phase::Structural };
        let size = |at: &usize| self.found[*at].stamp.size;
        let mut state = Progress {
            phase,
            files_done: 0,
            files_total: files.len() as u64,
            bytes_done: 0,
            bytes_total: files.iter().map(size).sum(),
        };
        (self.progress)(state);
        let mut rest = files;
        while !rest.is_empty() {
            let mut bytes = 0;
            let count = rest.iter().take_while(|at| {
                let fits = bytes < BATCH_BYTES;
                bytes += self.found[**at].stamp.size + FILE_BYTES;
                fits
            });
            let (batch, later) = rest.split_at(count.count());
            rest = later;
            let (root, limit, cancelled, known, found, documents, journal) = (
                &self.root,
                self.options.max_file_bytes,
                self.cancelled,
                &self.known,
                &self.found,
                &self.documents,
                &self.journal,
            );
            let is_known = |key: &Key| known.contains_key(key);
            let outcomes: Vec<Outcome> = self.pool.install(|| {
                let outcomes = batch.par_iter().with_max_len(1).map(|at| match cancelled() {
                    true => Outcome::Cancelled,
                    false => examine(root, &found[*at], limit, documents, tier, journal, &is_known),
                });
                outcomes.collect()
            });
            for (at, outcome) in batch.iter().zip(outcomes) {
                self.take(*at, outcome)?;
            }
            if self.builder_is_full() {
                self.flush()?;
            }
            state.files_done += batch.len() as u64;
            state.bytes_done += batch.iter().map(|at| self.found[*at].stamp.size).sum::<u64>();
            (self.progress)(state);
        }
        if tier == Tier::Lexical { self.flush() } else { Ok(()) }
    }

    fn take(&mut self, at: usize, outcome: Outcome) -> Result<(), IndexError> {
        let (place, stamp) = match outcome {
            Outcome::Cancelled => return Err(IndexError::Cancelled),
            Outcome::Skipped(reason, stamp) => {
                self.entries.remove(&at);
                self.passed.insert(self.found[at].path.clone(), (stamp, reason));
                return Ok(());
            }
            Outcome::Known(key, stamp) => (self.known[&key], stamp),
            Outcome::Fresh(work, stamp) => {
                // Two files of one batch may be copies of each other.
                let place = match self.known.get(&work.key) {
                    Some(place) => *place,
                    None => {
                        self.analysed.0 += 1;
                        self.analysed.1 += u64::from(work.text_bytes);
                        let place = (self.segments.len() as u32, self.builder.add(&work));
                        self.known.insert(work.key, place);
                        place
                    }
                };
                (place, stamp)
            }
        };
        let path = self.found[at].path.as_str();
        let entry = FileEntry {
            path: path.into(),
            segment: place.0,
            blob: place.1,
            stamp,
            traits: traits::of_path(path),
        };
        self.entries.insert(at, entry);
        Ok(())
    }

    /// The contents of the documents among the files.
    fn document_hashes(&self) -> Vec<u128> {
        let is_document = |lang: &LangId| lang.get().class == Class::Document;
        let blobs = self
            .entries
            .values()
            .filter_map(|entry| self.segments.get(entry.segment as usize)?.1.blob(entry.blob).ok());
        blobs.filter(|blob| blob.lang.as_ref().is_some_and(is_document)).map(|blob| blob.hash).collect()
    }

    fn builder_is_full(&self) -> bool {
        self.builder.source_bytes() + u64::from(self.builder.blob_count()) * FILE_BYTES >= SEGMENT_BYTES
    }

    /// Writes what the builder holds as a segment.
    fn flush(&mut self) -> Result<(), IndexError> {
        if self.builder.blob_count() == 0 {
            return Ok(());
        }
        let builder = std::mem::take(&mut self.builder);
        self.segments.push(self.store.write_segment(&builder.finish())?);
        Ok(())
    }

    /// What was left out, and what is in by its words only because its grammar crashes.
    fn skipped_now(&self, files: &[FileEntry], segments: &[(String, Arc<Segment>)]) -> Skipped {
        let mut skipped = self.skipped.clone();
        self.passed.iter().for_each(|(path, (_, reason))| skipped.add(*reason, path));
        if self.journal.any_bad() {
            for entry in files {
                let blob = segments[entry.segment as usize].1.blob(entry.blob);
                if blob.is_ok_and(|blob| self.journal.is_bad(blob.hash)) {
                    skipped.add(SkipReason::ParserCrash, &entry.path);
                }
            }
        }
        skipped
    }

    fn passed_now(&self) -> Vec<Passed> {
        let passed = self.passed.iter();
        passed
            .map(|(path, (stamp, reason))| Passed { path: path.clone(), stamp: *stamp, reason: *reason })
            .collect()
    }

    /// Makes what is known now the current generation.
    fn publish(
        &mut self,
        entries: impl ExactSizeIterator<Item = FileEntry>,
        vectors: Option<&VectorTable>,
    ) -> Result<BuildReport, IndexError> {
        let mut place: HashMap<u32, u32> = HashMap::new();
        let mut segments = Vec::new();
        let mut files = Vec::with_capacity(entries.len());
        for entry in entries {
            let segment = *place.entry(entry.segment).or_insert_with(|| {
                segments.push(self.segments[entry.segment as usize].clone());
                segments.len() as u32 - 1
            });
            files.push(FileEntry { segment, ..entry });
        }
        let generation = Generation {
            number: self.store.next_number(),
            built_at_ms: self.options.now_ms,
            max_file_bytes: self.options.max_file_bytes,
            rules: self.rules,
            rule_files: self.rule_files.clone(),
            revision: git::revision(self.repo),
            segments: segments.iter().map(|(name, _)| name.clone()).collect(),
            skipped: self.skipped_now(&files, &segments),
            files,
            folders: self.folders.clone(),
            passed: self.passed_now(),
        };
        let mut index_bytes: u64 = segments.iter().map(|(_, segment)| segment.file_bytes()).sum();
        if let Some(table) = vectors {
            for (name, segment) in &segments {
                index_bytes += ChunkVectors::keep(&self.store.folder, name, segment, table)?;
            }
        }
        self.store.publish(&generation)?;
        let chunks =
            generation.files.iter().filter_map(|file| segments[file.segment as usize].1.blob(file.blob).ok());
        Ok(BuildReport {
            generation: generation.number,
            files: generation.files.len() as u64,
            source_bytes: generation.files.iter().map(|file| file.stamp.size).sum(),
            chunks: chunks.map(|blob| blob.chunks.len() as u64).sum(),
            segments: segments.len() as u64,
            index_bytes,
            analysed_files: self.analysed.0,
            analysed_bytes: self.analysed.1,
            skipped: generation.skipped.clone(),
        })
    }
}
