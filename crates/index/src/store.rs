//! The folder of an index: segments, generations, the pointer to the current one, the builders' lock.
//!
//! ```text
//! current               name of the generation that answers
//! generation-00000012   immutable
//! segment-9f86d0…       immutable, shared between generations
//! vectors-segment-9f86… what a table of word vectors makes of a segment; can be made again
//! document-1-5d41402a… what came of reading a PDF or the like; can be read again
//! build.lock            held while a build writes
//! ```

use crate::disk::write;
use crate::document::{DocumentReader, Documents};
use crate::error::IndexError;
use crate::generation::{Generation, OpenGeneration};
use crate::segment::Segment;
use crate::vectors::PREFIX as VECTORS;
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

const CURRENT: &str = "current";
const SEGMENT: &str = "segment-";
const GENERATION: &str = "generation-";

#[derive(Clone, Debug)]
pub(crate) struct Store {
    pub folder: PathBuf,
    reader: Option<Arc<dyn DocumentReader>>,
}

/// A generation with its segments, all opened.
#[derive(Debug)]
pub(crate) struct Opened {
    pub tables: OpenGeneration,
    pub segments: Vec<Arc<Segment>>,
    pub documents: Documents,
    /// Set when the current generation could not be opened and an older one answers.
    pub fallback_from: Option<String>,
}

impl Opened {
    /// Refuses to go on with a file that was cut short since it was opened.
    pub fn check_length(&self) -> Result<(), IndexError> {
        self.tables.check_length()?;
        self.segments.iter().try_for_each(|segment| segment.check_length())
    }
}

impl Store {
    pub fn new(folder: &Path) -> Store {
        Store { folder: folder.to_owned(), reader: None }
    }

    /// A store whose changed documents can be read.
    pub fn reading(folder: &Path, reader: Option<Arc<dyn DocumentReader>>) -> Store {
        Store { reader, ..Store::new(folder) }
    }

    pub fn create(&self) -> Result<(), IndexError> {
        fs::create_dir_all(&self.folder).map_err(IndexError::io(&self.folder))
    }

    /// Takes the builders' lock; it goes when the file is dropped, or its process.
    pub fn lock(&self) -> Result<File, IndexError> {
        let path = self.folder.join("build.lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(IndexError::io(&path))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(IndexError::Busy { store: self.folder.clone() }),
            Err(TryLockError::Error(source)) => Err(IndexError::Io { path, source }),
        }
    }

    /// The name of the generation that should answer.
    pub fn current(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder.join(CURRENT)).ok()?;
        let name = text.trim();
        (name.starts_with(GENERATION) && !name.contains(['/', '\\'])).then(|| name.to_owned())
    }

    /// Opens the current generation; if it cannot be opened, the newest one that can.
    pub fn open(&self) -> Result<Opened, IndexError> {
        let mut first_error = None;
        // A builder may replace the generation, and remove an old one, between our reading its name and opening it.
        for _ in 0..3 {
            let current = self.current();
            let mut names: Vec<String> = current.iter().cloned().collect();
            let mut others = self.names(GENERATION);
            others.sort_by(|left, right| right.cmp(left));
            names.extend(others.into_iter().filter(|name| Some(name) != current.as_ref()));
            for (at, name) in names.iter().enumerate() {
                match self.open_generation(name) {
                    Ok(opened) => {
                        let fallback_from = if at > 0 { current.clone() } else { None };
                        return Ok(Opened { fallback_from, ..opened });
                    }
                    Err(error) => first_error = first_error.or(Some(error)),
                }
            }
            if self.current() == current {
                break;
            }
            first_error = None;
        }
        Err(first_error.unwrap_or_else(|| IndexError::NoIndex { store: self.folder.clone() }))
    }

    fn open_generation(&self, name: &str) -> Result<Opened, IndexError> {
        let path = self.folder.join(name);
        let tables = OpenGeneration::open(&path)?;
        let mut segments = Vec::new();
        for segment in &tables.generation.segments {
            if !segment.starts_with(SEGMENT) || segment.contains(['/', '\\']) {
                return Err(IndexError::Damaged { file: path, what: "a segment has no proper name" });
            }
            segments.push(Arc::new(Segment::open(&self.folder.join(segment))?));
        }
        let in_range = tables
            .generation
            .files
            .iter()
            .all(|file| file.blob < segments[file.segment as usize].blob_count());
        if !in_range {
            return Err(IndexError::Damaged { file: path, what: "a file names no blob of its segment" });
        }
        let documents = Documents::new(&self.folder, self.reader.clone());
        Ok(Opened { tables, segments, documents, fallback_from: None })
    }

    /// Every segment that opens, also those no generation names: work that a cancelled or killed build had finished.
    pub fn all_segments(&self) -> Vec<(String, Arc<Segment>)> {
        let mut names = self.names(SEGMENT);
        names.sort();
        names
            .into_iter()
            .filter_map(|name| {
                Segment::open(&self.folder.join(&name)).ok().map(|segment| (name, Arc::new(segment)))
            })
            .collect()
    }

    pub fn write_segment(&self, bytes: &[u8]) -> Result<(String, Arc<Segment>), IndexError> {
        let name = format!("{SEGMENT}{:032x}", xxh3_128(bytes));
        write::whole(&self.folder, &name, bytes)?;
        let segment = Segment::open(&self.folder.join(&name))?;
        Ok((name, Arc::new(segment)))
    }

    /// Writes a generation and makes it the current one.
    pub fn publish(&self, generation: &Generation) -> Result<(), IndexError> {
        let name = Generation::file_name(generation.number);
        write::whole(&self.folder, &name, &generation.encode())?;
        write::whole(&self.folder, CURRENT, format!("{name}\n").as_bytes())
    }

    pub fn next_number(&self) -> u64 {
        let numbers = self
            .names(GENERATION)
            .into_iter()
            .filter_map(|name| name[GENERATION.len()..].parse::<u64>().ok());
        numbers.max().map_or(1, |last| last.saturating_add(1))
    }

    /// Removes the whole folder, unless a build is writing it. An index that is open goes on answering.
    pub fn remove(&self) -> Result<(), IndexError> {
        let lock = self.lock()?;
        // Without its pointer an index is not found any more, so a crash here leaves none, not half of one.
        let pointer = self.folder.join(CURRENT);
        match fs::remove_file(&pointer) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(IndexError::io(&pointer)(error));
            }
            _ => {}
        }
        fs::remove_dir_all(&self.folder).map_err(IndexError::io(&self.folder))?;
        drop(lock);
        Ok(())
    }

    /// Removes what neither the current generation nor the one before it names.
    pub fn collect_garbage(&self) {
        let mut generations = self.names(GENERATION);
        generations.sort_by(|left, right| right.cmp(left));
        let mut keep: HashSet<String> = HashSet::new();
        let kept = self.current().into_iter().chain(generations.iter().cloned());
        for name in kept.filter(|name| generations.contains(name)) {
            if keep.iter().filter(|kept| kept.starts_with(GENERATION)).count() >= 2 {
                break;
            }
            if let Ok(tables) = OpenGeneration::open(&self.folder.join(&name)) {
                keep.extend(tables.generation.segments);
                keep.insert(name);
            }
        }
        let of_kept = |name: &String| {
            let segment = name.strip_prefix(VECTORS).and_then(|name| name.rsplit_once('-'));
            segment.is_some_and(|(segment, _)| keep.contains(segment))
        };
        let old = generations.into_iter().chain(self.names(SEGMENT)).chain(self.names(".writing-"));
        let old = old.filter(|name| !keep.contains(name));
        for name in old.chain(self.names(VECTORS).into_iter().filter(|name| !of_kept(name))) {
            // Best effort: what stays is removed by the next build.
            let _ = fs::remove_file(self.folder.join(name));
        }
    }

    /// Size of all files of vectors.
    pub fn vector_bytes(&self) -> u64 {
        let sizes = self.names(VECTORS).into_iter().map(|name| fs::metadata(self.folder.join(name)));
        sizes.flatten().map(|file| file.len()).sum()
    }

    fn names(&self, prefix: &str) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect()
    }
}
