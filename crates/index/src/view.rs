//! What a search sees: the current generation, and over it the files that changed since, worked on in memory.

use crate::bits::Bits;
use crate::error::{Damaged, IndexError};
use crate::fresh::Changes;
use crate::generation::FileEntry;
use crate::segment::{Segment, Tier};
use crate::store::Opened;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct View {
    pub opened: Arc<Opened>,
    /// Files that are not in the generation, or not as they are now. Numbered after those of the generation.
    pub extra: Vec<FileEntry>,
    pub parts: Arc<Vec<Part>>,
    /// Live chunks, each content counted once.
    pub chunks: u64,
    /// Words per live chunk.
    pub average_length: f32,
    /// Words per file, each content counted once.
    pub average_file: f32,
    /// Files whose structure is not worked out yet.
    pub lexical_files: u64,
    pub changes: Changes,
}

/// One segment as this view sees it.
#[derive(Debug)]
pub(crate) struct Part {
    pub segment: Arc<Segment>,
    /// The files with a blob's content: `files[starts[blob]..starts[blob + 1]]`, ascending.
    starts: Vec<u32>,
    files: Vec<u32>,
    pub blob_of_chunk: Vec<u32>,
    /// Traits of each blob's text.
    pub blob_traits: Vec<u8>,
    /// Words of each blob.
    pub blob_words: Vec<u32>,
    pub live: Bits,
    pub all_live: bool,
}

impl View {
    pub fn new(
        opened: Arc<Opened>,
        changes: Changes,
        overlay: Option<(Arc<Segment>, Vec<FileEntry>)>,
    ) -> Result<View, IndexError> {
        let base = &opened.tables.generation.files;
        let mut pairs: Vec<Vec<(u32, u32)>> = vec![Vec::new(); opened.segments.len()];
        for (file, entry) in
            base.iter().enumerate().filter(|(file, _)| !changes.hidden.contains(&(*file as u32)))
        {
            pairs[entry.segment as usize].push((entry.blob, file as u32));
        }
        let mut segments = opened.segments.clone();
        let mut extra = Vec::new();
        if let Some((segment, files)) = overlay {
            let first = base.len() as u32;
            pairs.push(files.iter().enumerate().map(|(at, entry)| (entry.blob, first + at as u32)).collect());
            segments.push(segment);
            extra = files;
        }
        let mut view = View {
            opened: Arc::clone(&opened),
            extra,
            parts: Arc::default(),
            chunks: 0,
            average_length: 1.0,
            average_file: 1.0,
            lexical_files: 0,
            changes,
        };
        let mut words = 0u64;
        let mut parts = Vec::with_capacity(segments.len());
        for (segment, pairs) in segments.into_iter().zip(pairs) {
            let damaged = segment.path().to_owned();
            let part = Part::new(segment, pairs, &mut view.chunks, &mut words, &mut view.lexical_files);
            parts.push(part.map_err(|error| error.in_file(&damaged))?);
        }
        view.parts = Arc::new(parts);
        view.average_length = (words as f32 / view.chunks.max(1) as f32).max(1.0);
        let texts = view.parts.iter().map(|part| part.blob_words.iter().filter(|words| **words > 0).count());
        view.average_file = (words as f32 / texts.sum::<usize>().max(1) as f32).max(1.0);
        Ok(view)
    }

    /// The same files after a look that found no change.
    pub fn confirmed(&self, changes: Changes) -> View {
        View {
            opened: Arc::clone(&self.opened),
            extra: self.extra.clone(),
            parts: Arc::clone(&self.parts),
            changes,
            ..*self
        }
    }

    /// Whether it shows its generation and nothing else.
    pub fn is_plain(&self) -> bool {
        self.extra.is_empty() && self.changes.hidden.is_empty()
    }

    pub fn file(&self, file: u32) -> &FileEntry {
        let base = &self.opened.tables.generation.files;
        base.get(file as usize).unwrap_or_else(|| &self.extra[file as usize - base.len()])
    }

    /// Differs where the files do: two views with one mark hold the same.
    pub fn mark(&self) -> u64 {
        let mut hidden: Vec<&u32> = self.changes.hidden.iter().collect();
        hidden.sort_unstable();
        let what = format!("{} {hidden:?} {:?}", self.opened.tables.generation.number, self.extra);
        xxhash_rust::xxh3::xxh3_64(what.as_bytes())
    }

    /// Whether a file answers; otherwise it is gone or another content took its place.
    pub fn is_live(&self, file: u32) -> bool {
        (file as usize) < self.file_count() && !self.changes.hidden.contains(&file)
    }

    /// The part with the work on a file.
    pub fn part_of(&self, file: u32) -> usize {
        let base = &self.opened.tables.generation.files;
        base.get(file as usize).map_or(self.parts.len() - 1, |entry| entry.segment as usize)
    }

    pub fn file_count(&self) -> usize {
        self.opened.tables.generation.files.len() + self.extra.len()
    }
}

impl Part {
    fn new(
        segment: Arc<Segment>,
        mut pairs: Vec<(u32, u32)>,
        chunks: &mut u64,
        words: &mut u64,
        lexical: &mut u64,
    ) -> Result<Part, Damaged> {
        pairs.sort_unstable();
        let blobs = segment.blob_count();
        let mut starts = vec![0u32; blobs as usize + 1];
        for (blob, _) in &pairs {
            starts[*blob as usize + 1] += 1;
        }
        for blob in 0..blobs as usize {
            starts[blob + 1] += starts[blob];
        }
        let mut blob_of_chunk = vec![0; segment.chunk_count() as usize];
        let mut live = Bits::none(blob_of_chunk.len());
        let mut all_live = true;
        let mut blob_traits = Vec::with_capacity(blobs as usize);
        let mut blob_words = Vec::with_capacity(blobs as usize);
        let lengths = segment.lengths()?;
        for blob in 0..blobs {
            let head = segment.blob(blob)?;
            let copies = starts[blob as usize + 1] - starts[blob as usize];
            all_live &= copies > 0;
            blob_traits.push(head.traits);
            if head.tier == Tier::Lexical {
                *lexical += u64::from(copies);
            }
            let mut blob_length = 0u32;
            for chunk in head.chunks {
                blob_of_chunk[chunk as usize] = blob;
                if copies > 0 {
                    live.insert(chunk);
                    *chunks += 1;
                    let at = chunk as usize * 2;
                    blob_length += u32::from(u16::from_le_bytes([lengths[at], lengths[at + 1]]));
                }
            }
            *words += u64::from(blob_length);
            blob_words.push(blob_length);
        }
        Ok(Part {
            segment,
            starts,
            files: pairs.into_iter().map(|(_, file)| file).collect(),
            blob_of_chunk,
            blob_traits,
            blob_words,
            live,
            all_live,
        })
    }

    pub fn files_of(&self, blob: u32) -> &[u32] {
        let range = self.starts[blob as usize] as usize..self.starts[blob as usize + 1] as usize;
        &self.files[range]
    }

    pub fn files_of_chunk(&self, chunk: u32) -> &[u32] {
        self.files_of(self.blob_of_chunk[chunk as usize])
    }
}
