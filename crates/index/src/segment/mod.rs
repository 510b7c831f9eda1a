//! A segment: the work on some thousand files, immutable, in one container.
//!
//! **Why not tantivy.** It was the first choice, under our own chunking. `bench/tantivy` on 38.1 MB of source: 1.52
//! CPU-s and 11.8 MB for words with positions, terms answered in 0.02 to 0.10 ms; ours has 14.6 MB with trigrams, chunk
//! records and counts per field, and answers ranked and with snippets in 0.7 to 2.9 CPU-ms. Speed and size do not
//! decide. What it misses is the goal that an incremental build answers like a full one: after deleting one file in a
//! hundred its best scores stay 7.509330, 6.239515 and 13.281113, after a full build of the same files they are
//! 7.499605, 6.249617 and 13.268159, because deleted documents count until a merge. Ours counts live chunks only, which
//! the tests hold to the last bit. It also files postings by document, so copies and branches could not share work,
//! and needs a list per field where ours has one with counts per field.
//!
//! Work is filed under the content of a file (`Key`), not under its path: paths belong to the generation. A chunk's
//! text is not stored; answers read the file, whose content is known by hash.

mod analyse;
mod builder;
mod collect;
pub(crate) mod dictionary;
mod grams;
mod heads;
mod key;
pub(crate) mod postings;
mod values;
mod words;

pub use analyse::Tier;
pub(crate) use analyse::{Key, Work, analyse, content_hash};
pub(crate) use builder::Builder;
pub(crate) use collect::Lists;
pub(crate) use heads::Heads;
pub(crate) use key::Key16;
pub(crate) use values::Values;

use crate::bits::Bits;
use crate::chunk::Kind;
use crate::disk::codec::{Reader, u32_at};
use crate::disk::{Container, Section};
use crate::error::{Damaged, IndexError};
use crate::facts::{COUNTS, Fact};
use crate::hash::FastMap;
use crate::lang::LangId;
use crate::vectors::{ChunkVectors, Table};
use dictionary::Dictionary;
use grams::Buckets;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

const FILE_KIND: u32 = 1;

/// Raise it when the same text would be cut or split into words differently; old work is then done again.
const ANALYSIS: u64 = 4;

/// What the work of this program depends on besides the text.
fn fingerprint() -> [u8; 16] {
    let mut out = [0; 16];
    out[..8].copy_from_slice(&ANALYSIS.to_le_bytes());
    out[8..].copy_from_slice(&crate::lang::FINGERPRINT.to_le_bytes());
    out
}

const BLOB_BYTES: usize = 32;
pub(crate) const IS_TEST: u8 = 1;
pub(crate) const IS_PART: u8 = 2;
/// Its documentation is worth reading by itself. The bits between belong to facts.
pub(crate) const HAS_PROSE: u8 = 32;

/// Numbers of the sections.
mod id {
    pub const TERM_BLOCKS: u32 = 1;
    pub const TERMS: u32 = 2;
    pub const LISTS: u32 = 3;
    pub const GRAM_OFFSETS: u32 = 4;
    pub const GRAMS: u32 = 5;
    pub const LANGS: u32 = 6;
    pub const BLOBS: u32 = 7;
    pub const DETAILS: u32 = 8;
    pub const KINDS: u32 = 9;
    pub const FLAGS: u32 = 10;
    pub const CHUNK_LANGS: u32 = 11;
    pub const LENGTHS: u32 = 12;
    pub const NAMES: u32 = 13;
    pub const FINGERPRINT: u32 = 14;
    pub const GRAM_KEYS: u32 = 15;
    pub const FACT_BLOCKS: u32 = 20;
    pub const FACT_KEYS: u32 = 21;
    pub const FACT_LISTS: u32 = 22;
    pub const COUNTS: u32 = 23;
}

/// What the list of a fact's value is filed under.
pub(crate) fn fact_key(fact: Fact, value: &str, key: &mut Vec<u8>) {
    key.clear();
    key.push(fact as u8);
    key.extend_from_slice(value.as_bytes());
}

/// What a folded name is looked up by; 0 means no name.
pub(crate) fn name_hash(folded: &str) -> u32 {
    if folded.is_empty() { 0 } else { (xxh3_64(folded.as_bytes()) as u32).max(1) }
}

/// An open segment.
#[derive(Debug)]
pub(crate) struct Segment {
    container: Container,
    langs: Vec<Option<LangId>>,
    blob_count: u32,
    chunk_count: u32,
    /// Vectors of its chunks and the mark of their table, once somebody asked for them.
    vectors: Mutex<Option<(u64, Arc<ChunkVectors>)>>,
    /// Signatures that were read from the files.
    heads: Mutex<heads::KeptHeads>,
    /// Chunks that call something, once somebody asked.
    calling: OnceLock<Bits>,
    /// The values of facts that were searched for a part.
    values: Mutex<FastMap<u8, Arc<Values>>>,
}

/// The head of the work on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub hash: u128,
    /// `None` when this program no longer knows the language; the work is then done again.
    pub lang: Option<LangId>,
    pub tier: Tier,
    pub traits: u8,
    pub text_bytes: u32,
    pub chunks: Range<u32>,
}

/// The columns of a segment, checked once and then read freely.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'s> {
    pub kinds: &'s [u8],
    pub flags: &'s [u8],
    pub langs: &'s [u8],
    lengths: &'s [u8],
    names: &'s [u8],
}

impl Columns<'_> {
    /// Words of a chunk.
    #[inline]
    pub fn length(&self, chunk: u32) -> Result<f32, Damaged> {
        let at = chunk as usize * 2;
        let two = self.lengths.get(at..at + 2).ok_or(Damaged("a posting names no chunk"))?;
        Ok(f32::from(u16::from_le_bytes([two[0], two[1]])))
    }

    pub fn name(&self, chunk: u32) -> Result<u32, Damaged> {
        u32_at(self.names, chunk as usize)
    }

    pub fn kind(&self, chunk: u32) -> Result<Kind, Damaged> {
        let number = self.kinds.get(chunk as usize).copied().ok_or(Damaged("a chunk is out of range"))?;
        Kind::from_u8(number).ok_or(Damaged("a chunk has an unknown kind"))
    }
}

/// Where a chunk lies in its text, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Detail<'s> {
    pub span: Range<u32>,
    pub lines: (u32, u32),
    /// Position among the blob's chunks.
    pub parent: Option<u32>,
    pub signature: Range<u32>,
    pub doc: Range<u32>,
    pub name: &'s str,
}

impl Segment {
    pub fn open(path: &Path) -> Result<Segment, IndexError> {
        Segment::from_container(Container::open(path, FILE_KIND)?)
    }

    pub fn in_memory(bytes: Vec<u8>) -> Result<Segment, IndexError> {
        Segment::from_container(Container::in_memory(bytes, FILE_KIND)?)
    }

    fn from_container(container: Container) -> Result<Segment, IndexError> {
        let read = || {
            let mut names = Reader::new(container.section(id::LANGS)?.all()?);
            let mut langs = Vec::new();
            while !names.is_empty() {
                langs.push(LangId::by_name(names.string()?));
            }
            let blobs = container.section(id::BLOBS)?.len();
            let chunks = container.section(id::KINDS)?.len();
            let columns = [
                (id::FLAGS, 1),
                (id::CHUNK_LANGS, 1),
                (id::LENGTHS, 2),
                (id::NAMES, 4),
                (id::COUNTS, COUNTS),
            ];
            let even = columns.iter().map(|(id, width)| Ok(container.section(*id)?.len() == chunks * width));
            if blobs % BLOB_BYTES != 0
                || chunks >= u32::MAX as usize
                || even.collect::<Result<Vec<bool>, Damaged>>()?.contains(&false)
            {
                return Err(Damaged("columns differ in length"));
            }
            Ok((langs, (blobs / BLOB_BYTES) as u32, chunks as u32))
        };
        match read() {
            Ok((langs, blob_count, chunk_count)) => Ok(Segment {
                langs,
                blob_count,
                chunk_count,
                container,
                vectors: Mutex::default(),
                heads: Mutex::default(),
                calling: OnceLock::new(),
                values: Mutex::default(),
            }),
            Err(damaged) => Err(damaged.in_file(container.path())),
        }
    }

    pub fn path(&self) -> &Path {
        self.container.path()
    }

    /// The work in it is what this program would do again.
    pub fn is_current_work(&self) -> bool {
        self.section(id::FINGERPRINT)
            .and_then(|section| section.all())
            .is_ok_and(|bytes| bytes == fingerprint())
    }

    pub fn file_bytes(&self) -> u64 {
        self.container.len() as u64
    }

    pub fn verify(&self) -> Result<(), Damaged> {
        self.container.verify()
    }

    /// See `Container::check_length`; vectors beside it are looked at too.
    pub fn check_length(&self) -> Result<(), IndexError> {
        self.container.check_length()?;
        let kept = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().map_or(Ok(()), |(_, vectors)| vectors.check_length())
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        self.container.bytes()
    }

    pub fn blob_count(&self) -> u32 {
        self.blob_count
    }

    pub fn chunk_count(&self) -> u32 {
        self.chunk_count
    }

    pub fn blob(&self, blob: u32) -> Result<Blob, Damaged> {
        let record = self.blob_record(blob)?;
        let first = u32_at(record, 4)?;
        let end = if blob + 1 < self.blob_count {
            u32_at(self.blob_record(blob + 1)?, 4)?
        } else {
            self.chunk_count
        };
        if first > end || end > self.chunk_count {
            return Err(Damaged("a blob's chunks are out of range"));
        }
        Ok(Blob {
            hash: u128::from_le_bytes(record[..16].try_into().expect("sixteen bytes were taken")),
            lang: self.langs.get(record[28] as usize).copied().flatten(),
            traits: record[29],
            tier: if record[30] == 0 { Tier::Lexical } else { Tier::Structural },
            text_bytes: u32_at(record, 6)?,
            chunks: first..end,
        })
    }

    fn blob_record(&self, blob: u32) -> Result<&[u8], Damaged> {
        let at = blob as usize * BLOB_BYTES;
        self.section(id::BLOBS)?.get(at..at + BLOB_BYTES)
    }

    /// The records of a blob's chunks, as they are written.
    fn detail_bytes(&self, blob: u32) -> Result<&[u8], Damaged> {
        let section = self.section(id::DETAILS)?;
        let start = u32_at(self.blob_record(blob)?, 5)? as usize;
        let end = if blob + 1 < self.blob_count {
            u32_at(self.blob_record(blob + 1)?, 5)? as usize
        } else {
            section.len()
        };
        section.get(start..end)
    }

    pub fn details(&self, blob: u32) -> Result<Vec<Detail<'_>>, Damaged> {
        let mut reader = Reader::new(self.detail_bytes(blob)?);
        let mut out: Vec<Detail<'_>> = Vec::new();
        let (mut start, mut line) = (0u32, 1u32);
        let sum = |left: u32, right: u32| left.checked_add(right).ok_or(Damaged("an offset is out of range"));
        while !reader.is_empty() {
            start = sum(start, reader.number32()?)?;
            let end = sum(start, reader.number32()?)?;
            line = sum(line, reader.number32()?)?;
            let last_line = sum(line, reader.number32()?)?;
            let up = reader.number32()?;
            let parent = if up == 0 {
                None
            } else {
                Some((out.len() as u32).checked_sub(up).ok_or(Damaged("a parent is out of range"))?)
            };
            let mut range = || {
                let length = reader.number32()?;
                let from = if length == 0 { 0 } else { sum(start, reader.number32()?)? };
                Ok(from..sum(from, length)?)
            };
            let (signature, doc) = (range()?, range()?);
            let name = reader.string()?;
            out.push(Detail { span: start..end, lines: (line, last_line), parent, signature, doc, name });
        }
        Ok(out)
    }

    /// The vectors of its chunks by a table.
    pub fn vectors(&self, table: &Table) -> Result<Arc<ChunkVectors>, IndexError> {
        let mut kept = self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, vectors)) = kept.as_ref().filter(|(mark, _)| *mark == table.mark()) {
            return Ok(Arc::clone(vectors));
        }
        let vectors = Arc::new(ChunkVectors::of(self, table)?);
        *kept = Some((table.mark(), Arc::clone(&vectors)));
        Ok(vectors)
    }

    /// The signatures of a blob's chunks; `read` finds them where they are not kept yet.
    pub fn heads(
        &self,
        blob: u32,
        read: impl FnOnce() -> Result<Option<Heads>, Damaged>,
    ) -> Result<Option<Arc<Heads>>, Damaged> {
        let known = self.heads.lock().unwrap_or_else(PoisonError::into_inner).get(blob);
        if known.is_some() {
            return Ok(known);
        }
        let heads = read()?.map(Arc::new);
        if let Some(heads) = &heads {
            self.heads.lock().unwrap_or_else(PoisonError::into_inner).keep(blob, heads);
        }
        Ok(heads)
    }

    /// The values of a fact, to look for parts of them.
    pub fn values(&self, fact: Fact) -> Result<Arc<Values>, Damaged> {
        let mut kept = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.get(&(fact as u8)) {
            return Ok(Arc::clone(known));
        }
        let values = Arc::new(Values::of(self, fact)?);
        kept.insert(fact as u8, Arc::clone(&values));
        Ok(values)
    }

    /// The chunks that call something.
    pub fn calling(&self) -> Result<&Bits, Damaged> {
        if let Some(known) = self.calling.get() {
            return Ok(known);
        }
        let mut calling = Bits::none(self.chunk_count as usize);
        self.facts()?.for_each_with(&[Fact::Call as u8], |_, list| {
            for posting in list()? {
                calling.insert(posting?.chunk);
            }
            Ok(())
        })?;
        Ok(self.calling.get_or_init(|| calling))
    }

    pub fn dictionary(&self) -> Result<Dictionary<'_>, Damaged> {
        Ok(Dictionary {
            blocks: self.section(id::TERM_BLOCKS)?,
            terms: self.section(id::TERMS)?,
            lists: self.section(id::LISTS)?,
        })
    }

    /// Lists of chunks by fact and value, see `fact_key`.
    pub fn facts(&self) -> Result<Dictionary<'_>, Damaged> {
        Ok(Dictionary {
            blocks: self.section(id::FACT_BLOCKS)?,
            terms: self.section(id::FACT_KEYS)?,
            lists: self.section(id::FACT_LISTS)?,
        })
    }

    /// Branches, loops, breaks and continues of a chunk.
    pub fn counts(&self, chunk: u32) -> Result<&[u8], Damaged> {
        let at = chunk as usize * COUNTS;
        self.section(id::COUNTS)?.get(at..at + COUNTS)
    }

    /// As `counts`, of all chunks.
    pub fn all_counts(&self) -> Result<&[u8], Damaged> {
        self.section(id::COUNTS)?.all()
    }

    /// The blobs in a trigram bucket, ascending.
    pub fn bucket(&self, bucket: u32) -> Result<Vec<u32>, Damaged> {
        self.buckets()?.find(bucket)
    }

    fn buckets(&self) -> Result<Buckets<'_>, Damaged> {
        Ok(Buckets {
            offsets: self.section(id::GRAM_OFFSETS)?,
            keys: self.section(id::GRAM_KEYS)?,
            lists: self.section(id::GRAMS)?,
        })
    }

    pub fn columns(&self) -> Result<Columns<'_>, Damaged> {
        Ok(Columns {
            kinds: self.kinds()?,
            flags: self.flags()?,
            langs: self.chunk_langs()?,
            lengths: self.lengths()?,
            names: self.names()?,
        })
    }

    pub fn kinds(&self) -> Result<&[u8], Damaged> {
        self.section(id::KINDS)?.all()
    }

    pub fn flags(&self) -> Result<&[u8], Damaged> {
        self.section(id::FLAGS)?.all()
    }

    pub fn names(&self) -> Result<&[u8], Damaged> {
        self.section(id::NAMES)?.all()
    }

    pub fn lengths(&self) -> Result<&[u8], Damaged> {
        self.section(id::LENGTHS)?.all()
    }

    /// Positions in `langs` for every chunk.
    pub fn chunk_langs(&self) -> Result<&[u8], Damaged> {
        self.section(id::CHUNK_LANGS)?.all()
    }

    pub fn langs(&self) -> &[Option<LangId>] {
        &self.langs
    }

    pub fn kind(&self, chunk: u32) -> Result<Kind, Damaged> {
        let number = *self.kinds()?.get(chunk as usize).ok_or(Damaged("a chunk is out of range"))?;
        Kind::from_u8(number).ok_or(Damaged("a chunk has an unknown kind"))
    }

    pub fn chunk_lang(&self, chunk: u32) -> Result<LangId, Damaged> {
        let number = *self.chunk_langs()?.get(chunk as usize).ok_or(Damaged("a chunk is out of range"))?;
        Ok(self.lang(number))
    }

    /// The language at a position of `langs`.
    pub fn lang(&self, number: u8) -> LangId {
        self.langs.get(number as usize).copied().flatten().unwrap_or_else(LangId::text)
    }

    pub fn length(&self, chunk: u32) -> Result<u16, Damaged> {
        let at = chunk as usize * 2;
        let two = self.section(id::LENGTHS)?.get(at..at + 2)?;
        Ok(u16::from_le_bytes([two[0], two[1]]))
    }

    pub fn name(&self, chunk: u32) -> Result<u32, Damaged> {
        u32_at(self.names()?, chunk as usize)
    }

    fn section(&self, id: u32) -> Result<Section<'_>, Damaged> {
        self.container.section(id)
    }
}
