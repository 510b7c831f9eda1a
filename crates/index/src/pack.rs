//! An index outside its folder: its parts as bytes, and as rows for a database, and back to something that answers.
//!
//! The parts are the ones the index itself reads, so that what is unpacked ranks like what was packed.

use crate::document::Documents;
use crate::error::{Damaged, IndexError};
use crate::facts::{Fact, Shape, count_slot, flag};
use crate::fresh::Changes;
use crate::generation::OpenGeneration;
use crate::git::Revision;
use crate::held::Root;
use crate::index::Index;
use crate::segment::{Blob, Detail, IS_PART, IS_TEST, Segment, Tier, content_hash};
use crate::store::Opened;
use crate::traits;
use crate::vectors::Table as VectorTable;
use crate::view::View;
use std::collections::{BTreeSet, HashMap};
use std::io::Read as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One generation of an index, held still while it is copied.
#[derive(Clone, Debug)]
pub struct Pack {
    repo: PathBuf,
    opened: Arc<Opened>,
}

/// A file of the repository and where the work on it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedFile {
    pub path: String,
    pub segment: String,
    /// Number of the content in its segment.
    pub blob: u32,
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: i64,
    pub traits: Vec<&'static str>,
}

/// The work on one content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedContent {
    pub blob: u32,
    /// Of the bytes of the file.
    pub hash: u128,
    pub lang: &'static str,
    pub is_structural: bool,
    pub text_bytes: u32,
    pub chunks: Vec<PackedChunk>,
}

/// A chunk with everything that can be asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedChunk {
    pub kind: &'static str,
    pub lang: &'static str,
    pub name: String,
    /// Names it is nested in, outermost first.
    pub scope: String,
    pub span: Range<u32>,
    pub lines: (u32, u32),
    /// Empty when the file is no longer the one that was indexed.
    pub signature: String,
    pub doc: String,
    pub is_test: bool,
    /// A continuation of the chunk before it.
    pub is_part: bool,
    /// How many words it has.
    pub words: u16,
    /// Its own text, without that of the chunks nested in it.
    pub text: String,
    /// What it is found by: its index terms, each once.
    pub terms: String,
    /// What is known of it, by the argument of `search` that asks for it. What a body reads, writes and uses is left
    /// out: that is most of its words again.
    pub facts: Vec<(&'static str, String)>,
}

/// The facts that are packed.
const FACTS: &[Fact] = &[
    Fact::Param,
    Fact::Decorator,
    Fact::ReturnType,
    Fact::Visibility,
    Fact::Extends,
    Fact::Import,
    Fact::Call,
    Fact::Await,
    Fact::Throw,
    Fact::Async,
    Fact::Generator,
    Fact::Returns,
    Fact::Branch,
    Fact::Loop,
    Fact::Break,
    Fact::Continue,
];

impl Index {
    /// The generation that answers now, without changes made since it was built.
    pub fn pack(&self) -> Pack {
        Pack { repo: self.repo().to_owned(), opened: self.opened() }
    }

    /// Opens an index of `repo` from parts; `folder` is where they came from.
    ///
    /// It is compared with the files like any other, and never takes over another generation.
    pub fn unpack(
        repo: &Path,
        folder: &Path,
        generation: Vec<u8>,
        segments: Vec<(String, Vec<u8>)>,
    ) -> Result<Index, IndexError> {
        let damaged = |what| IndexError::Damaged { file: folder.to_owned(), what };
        let tables = OpenGeneration::in_memory(generation)?;
        let mut opened = Vec::new();
        let mut segments: HashMap<String, Vec<u8>> = segments.into_iter().collect();
        for name in &tables.generation.segments {
            let bytes = segments.remove(name).ok_or_else(|| damaged("a segment is missing"))?;
            opened.push(Arc::new(Segment::in_memory(bytes)?));
        }
        let in_range =
            |file: &crate::generation::FileEntry| file.blob < opened[file.segment as usize].blob_count();
        if !tables.generation.files.iter().all(in_range) {
            return Err(damaged("a file names no blob of its segment"));
        }
        let opened = Arc::new(Opened {
            tables,
            segments: opened,
            documents: Documents::new(folder, None),
            fallback_from: None,
        });
        Ok(Index::over(repo, folder, View::new(opened, Changes::default(), None)?))
    }
}

impl Pack {
    pub fn number(&self) -> u64 {
        self.opened.tables.generation.number
    }

    pub fn built_at_ms(&self) -> u64 {
        self.opened.tables.generation.built_at_ms
    }

    pub fn revision(&self) -> Option<&Revision> {
        self.opened.tables.generation.revision.as_ref()
    }

    /// The table of files, as [`Index::unpack`] takes it.
    pub fn generation(&self) -> Vec<u8> {
        self.opened.tables.generation.encode()
    }

    /// Folders that hold files of the index, or could.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.opened.tables.generation.folders.iter().map(|(path, _)| path.as_str())
    }

    /// Names of the segments.
    pub fn segments(&self) -> &[String] {
        &self.opened.tables.generation.segments
    }

    /// The bytes of a segment, every one checked; a build that removes its file meanwhile does not matter.
    pub fn segment(&self, name: &str) -> Result<&[u8], IndexError> {
        let segment = self.find(name)?;
        segment.verify().map_err(|damaged| damaged.in_file(segment.path()))?;
        Ok(segment.bytes())
    }

    /// The files, in path order.
    pub fn files(&self) -> impl Iterator<Item = PackedFile> + '_ {
        let generation = &self.opened.tables.generation;
        generation.files.iter().map(|file| PackedFile {
            path: file.path.to_string(),
            segment: generation.segments[file.segment as usize].clone(),
            blob: file.blob,
            size: file.stamp.size,
            modified: file.stamp.modified,
            traits: traits_named(file.traits),
        })
    }

    /// Calls `each` with the work on some contents of a segment.
    pub fn contents<E: From<IndexError>>(
        &self,
        name: &str,
        wanted: &BTreeSet<u32>,
        mut each: impl FnMut(PackedContent) -> Result<(), E>,
    ) -> Result<(), E> {
        let segment = self.find(name)?;
        let at = self.segments().iter().position(|known| known == name).unwrap_or_default() as u32;
        let in_file = |damaged: Damaged| damaged.in_file(segment.path());
        let mut paths: HashMap<u32, Vec<&str>> = HashMap::new();
        for file in self.opened.tables.generation.files.iter().filter(|file| file.segment == at) {
            paths.entry(file.blob).or_default().push(&file.path);
        }
        let mut found = Found {
            terms: terms_of(segment, wanted).map_err(in_file)?,
            facts: facts_of(segment, wanted).map_err(in_file)?,
        };
        for blob in wanted {
            let head = segment.blob(*blob).map_err(in_file)?;
            let text = paths.get(blob).and_then(|paths| self.text(paths, head.hash));
            let content = describe(segment, *blob, &head, text.as_deref(), &mut found).map_err(in_file)?;
            each(content)?;
        }
        Ok(())
    }

    /// Calls `each` with the vectors of some contents of a segment: the content, the place of the chunk in it, and a unit
    /// vector as signed bytes. A chunk of few words that the table knows has none.
    pub fn vectors<E: From<IndexError>>(
        &self,
        name: &str,
        wanted: &BTreeSet<u32>,
        table: &VectorTable,
        mut each: impl FnMut(u32, usize, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let segment = self.find(name)?;
        let in_file = |damaged: Damaged| damaged.in_file(segment.path());
        let mut places = HashMap::new();
        for blob in wanted {
            let chunks = segment.blob(*blob).map_err(in_file)?.chunks;
            places.extend(chunks.enumerate().map(|(at, chunk)| (chunk, (*blob, at))));
        }
        let vectors = segment.vectors(table)?;
        for at in 0..vectors.count {
            if let Some((blob, place)) = places.get(&vectors.chunk(at).map_err(in_file)?) {
                each(*blob, *place, vectors.values(at).map_err(in_file)?)?;
            }
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<&Arc<Segment>, IndexError> {
        let at = self.segments().iter().position(|known| known == name);
        at.and_then(|at| self.opened.segments.get(at))
            .ok_or_else(|| IndexError::NoIndex { store: self.repo.join(name) })
    }

    /// The text of a content, from any file that still holds it.
    fn text(&self, paths: &[&str], hash: u128) -> Option<String> {
        let root = Root::new(&self.repo);
        paths.iter().find_map(|path| {
            let mut bytes = Vec::new();
            root.open(path).ok()?.0.read_to_end(&mut bytes).ok()?;
            (content_hash(&bytes) == hash).then(|| crate::decode(&bytes)).flatten()
        })
    }
}

fn traits_named(bits: u8) -> Vec<&'static str> {
    let names = traits::NAMES.iter().enumerate();
    names.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, name)| *name).collect()
}

/// What the lists of a segment say, turned round: by chunk.
struct Found {
    terms: Vec<String>,
    facts: Vec<Vec<(&'static str, String)>>,
}

/// Which chunks of a segment are those of some contents.
fn chunks_of(segment: &Segment, wanted: &BTreeSet<u32>) -> Result<Vec<bool>, Damaged> {
    let mut is_wanted = vec![false; segment.chunk_count() as usize];
    for blob in wanted {
        for chunk in segment.blob(*blob)?.chunks {
            is_wanted[chunk as usize] = true;
        }
    }
    Ok(is_wanted)
}

fn terms_of(segment: &Segment, wanted: &BTreeSet<u32>) -> Result<Vec<String>, Damaged> {
    let is_wanted = chunks_of(segment, wanted)?;
    let mut terms = vec![String::new(); is_wanted.len()];
    segment.dictionary()?.for_each(|term, postings| {
        let term = std::str::from_utf8(term).map_err(|_| Damaged("a term is not UTF-8"))?;
        for posting in postings {
            let chunk = posting?.chunk as usize;
            if *is_wanted.get(chunk).ok_or(Damaged("a posting names no chunk"))? {
                terms[chunk].push_str(term);
                terms[chunk].push(' ');
            }
        }
        Ok(())
    })?;
    Ok(terms)
}

fn facts_of(segment: &Segment, wanted: &BTreeSet<u32>) -> Result<Vec<Vec<(&'static str, String)>>, Damaged> {
    let is_wanted = chunks_of(segment, wanted)?;
    let mut facts = vec![Vec::new(); is_wanted.len()];
    segment.facts()?.for_each(|key, postings| {
        let Some((number, value)) = key.split_first() else { return Ok(()) };
        let fact = Fact::ALL.iter().find(|fact| **fact as u8 == *number && FACTS.contains(fact));
        let (Some(fact), Ok(value)) = (fact, std::str::from_utf8(value)) else { return Ok(()) };
        for posting in postings {
            let chunk = posting?.chunk as usize;
            if *is_wanted.get(chunk).ok_or(Damaged("a fact names no chunk"))? {
                facts[chunk].push((fact.argument(), value.to_owned()));
            }
        }
        Ok(())
    })?;
    Ok(facts)
}

/// Adds flags and counts to what the lists say.
fn facts(
    segment: &Segment,
    chunk: u32,
    mut values: Vec<(&'static str, String)>,
) -> Result<Vec<(&'static str, String)>, Damaged> {
    let flags = segment.flags()?[chunk as usize];
    let counts = segment.counts(chunk)?;
    for fact in FACTS {
        match fact.shape() {
            Shape::Flag if flags & flag(*fact) != 0 => values.push((fact.argument(), "true".to_owned())),
            Shape::Count if counts[count_slot(*fact)] > 0 => {
                values.push((fact.argument(), counts[count_slot(*fact)].to_string()));
            }
            _ => {}
        }
    }
    Ok(values)
}

fn describe(
    segment: &Segment,
    blob: u32,
    head: &Blob,
    text: Option<&str>,
    found: &mut Found,
) -> Result<PackedContent, Damaged> {
    let details = segment.details(blob)?;
    let slice = |range: &Range<u32>| {
        let found = text.and_then(|text| text.get(range.start as usize..range.end as usize));
        found.unwrap_or_default().to_owned()
    };
    let mut chunks = Vec::with_capacity(details.len());
    for (at, (detail, chunk)) in details.iter().zip(head.chunks.clone()).enumerate() {
        let flags = segment.flags()?[chunk as usize];
        chunks.push(PackedChunk {
            kind: segment.kind(chunk)?.name(),
            lang: segment.chunk_lang(chunk)?.get().id,
            name: detail.name.to_owned(),
            scope: scope(&details, detail),
            span: detail.span.clone(),
            lines: detail.lines,
            signature: slice(&detail.signature),
            doc: slice(&detail.doc),
            is_test: flags & IS_TEST != 0,
            is_part: flags & IS_PART != 0,
            words: segment.length(chunk)?,
            text: own_spans(&details, at).iter().map(slice).collect::<Vec<_>>().join(" "),
            terms: std::mem::take(&mut found.terms[chunk as usize]),
            facts: facts(segment, chunk, std::mem::take(&mut found.facts[chunk as usize]))?,
        });
    }
    Ok(PackedContent {
        blob,
        hash: head.hash,
        lang: head.lang.map_or("text", |lang| lang.get().id),
        is_structural: head.tier == Tier::Structural,
        text_bytes: head.text_bytes,
        chunks,
    })
}

/// A chunk's span without those of its children; chunks stand in the order of their start.
fn own_spans(details: &[Detail<'_>], at: usize) -> Vec<Range<u32>> {
    let span = &details[at].span;
    let mut spans = Vec::new();
    let mut from = span.start;
    let later = details[at + 1..].iter().take_while(|other| other.span.start < span.end);
    for child in later.filter(|other| other.parent == Some(at as u32)) {
        spans.push(from..child.span.start.max(from));
        from = child.span.end.max(from);
    }
    spans.push(from..span.end.max(from));
    spans.retain(|span| !span.is_empty());
    spans
}

fn scope(details: &[Detail<'_>], detail: &Detail<'_>) -> String {
    let mut names = Vec::new();
    let mut above = detail.parent;
    while let Some(parent) = above.and_then(|parent| details.get(parent as usize)) {
        names.extend(Some(parent.name).filter(|name| !name.is_empty()));
        above = parent.parent;
    }
    names.reverse();
    names.join(".")
}
