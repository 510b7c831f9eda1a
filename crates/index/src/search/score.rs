//! BM25 over the fields of every admitted chunk, and who holds what the query asks.

use super::filter::{Admitted, documents};
use super::plan::{Place, Plan, Step};
use super::weights;
use crate::error::Damaged;
use crate::segment::postings::{Counts, NAME, SIGNATURE};
use crate::view::{Part, View};
use std::cell::RefCell;

/// A chunk in a file, with its text score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub part: u32,
    pub chunk: u32,
    pub file: u32,
    pub mask: u64,
    pub bm25: f32,
    /// The text score of the whole file.
    pub file_bm25: f32,
    /// What its vector adds.
    pub vector: f32,
}

pub(super) fn score(view: &View, plan: &Plan, admitted: &Admitted<'_>) -> Result<Vec<Candidate>, Damaged> {
    let mut out = Vec::new();
    // Taken, not borrowed: whatever fails on the way leaves no half-used table behind.
    let mut table = TABLE.take();
    for (number, part) in view.parts.iter().enumerate() {
        table.fit(part.segment.chunk_count() as usize, part.segment.blob_count() as usize);
        add_terms(view, part, plan, &mut table)?;
        add_paths(view, part, plan, number, &mut table)?;
        add_matches(plan, number, &mut table);
        if plan.asks_only_exclusions() {
            // It is about everything else.
            part.live.iter().for_each(|chunk| table.add(chunk, 0, 0.0));
        }
        table.touched.sort_unstable();
        let allowed = admitted.chunks[number].as_ref();
        for chunk in table
            .touched
            .iter()
            .copied()
            .filter(|chunk| allowed.is_none_or(|allowed| allowed.contains(*chunk)))
        {
            let mask = table.masks[chunk as usize] & !VISITED;
            let blob = part.blob_of_chunk[chunk as usize] as usize;
            for file in part.files_of_chunk(chunk) {
                let file_mask = table.file_masks[blob] | mask;
                let place = Place { mask, file_mask, part: number, chunk, file: *file };
                let by_file = admitted.files.as_ref().is_none_or(|files| files.contains(*file));
                if by_file && plan.holds(&plan.root, &place) && admitted.by_text(number, chunk)? {
                    out.push(Candidate {
                        part: number as u32,
                        chunk,
                        file: *file,
                        mask,
                        bm25: table.scores[chunk as usize],
                        file_bm25: table.file_scores[blob],
                        vector: 0.0,
                    });
                }
            }
        }
        table.clear();
    }
    TABLE.set(table);
    Ok(out)
}

thread_local! {
    /// Kept between queries: fresh memory for every chunk of a large index would cost more than most queries.
    static TABLE: RefCell<Table> = RefCell::default();
}

/// Scores of one part while they are summed up. Clean between parts.
#[derive(Default)]
struct Table {
    scores: Vec<f32>,
    masks: Vec<u64>,
    touched: Vec<u32>,
    file_scores: Vec<f32>,
    file_masks: Vec<u64>,
    touched_files: Vec<u32>,
}

/// The last bit of a mask marks a chunk that is a candidate without any term.
const VISITED: u64 = 1 << 63;

impl Table {
    fn fit(&mut self, chunks: usize, files: usize) {
        if self.file_masks.len() < files {
            self.file_masks.resize(files, 0);
            self.file_scores.resize(files, 0.0);
        }
        if self.masks.len() < chunks {
            self.masks.resize(chunks, 0);
            self.scores.resize(chunks, 0.0);
        }
    }

    fn clear(&mut self) {
        for chunk in self.touched.drain(..) {
            self.masks[chunk as usize] = 0;
            self.scores[chunk as usize] = 0.0;
        }
        for file in self.touched_files.drain(..) {
            self.file_masks[file as usize] = 0;
            self.file_scores[file as usize] = 0.0;
        }
    }

    fn add_to_file(&mut self, blob: u32, bits: u64, score: f32) {
        if self.file_masks[blob as usize] == 0 {
            self.touched_files.push(blob);
        }
        self.file_masks[blob as usize] |= bits;
        self.file_scores[blob as usize] += score;
    }

    fn add(&mut self, chunk: u32, bits: u64, score: f32) {
        let Some(mask) = self.masks.get_mut(chunk as usize) else {
            return;
        };
        if *mask == 0 {
            self.touched.push(chunk);
        }
        *mask |= bits | VISITED;
        self.scores[chunk as usize] += score;
    }
}

/// How often a term occurs, by the weight of its fields.
fn frequency(counts: Counts) -> f32 {
    let mut tf = weights::DOC_TF * f32::from(counts.doc) + f32::from(counts.body);
    if counts.heads & NAME != 0 {
        tf += weights::NAME_TF;
    }
    if counts.heads & SIGNATURE != 0 {
        tf += weights::SIGNATURE_TF;
    }
    tf
}

/// What is left where only documentation counts.
pub(super) fn in_docs(counts: Counts) -> Counts {
    Counts { doc: counts.doc, ..Counts::default() }
}

/// What one term adds to a chunk.
pub(super) fn term_score(counts: Counts, length: f32, average: f32, weight: f32) -> f32 {
    let tf = frequency(counts);
    let norm = weights::K1 * (1.0 - weights::B + weights::B * (length / average).max(weights::SHORT));
    weight * tf * (weights::K1 + 1.0) / (tf + norm)
}

/// What one term adds to a file.
fn file_score(tf: f32, length: f32, average: f32, weight: f32) -> f32 {
    let norm = weights::FILE_K1 * (1.0 - weights::FILE_B + weights::FILE_B * length / average);
    weight * tf * (weights::FILE_K1 + 1.0) / (tf + norm)
}

fn add_terms(view: &View, part: &Part, plan: &Plan, table: &mut Table) -> Result<(), Damaged> {
    let columns = part.segment.columns()?;
    let dictionary = part.segment.dictionary()?;
    for (at, term) in plan.terms.iter().enumerate() {
        let Some(postings) = dictionary.find(term.text.as_bytes())? else {
            continue;
        };
        let documents = plan.only_docs.then(|| documents(&part.segment));
        let (bit, weight) = (1 << at & !VISITED, term.idf * term.weight);
        // Postings are in the order of chunks, and those of one file follow each other.
        let (mut blob, mut tf) = (u32::MAX, 0.0);
        let finish = |table: &mut Table, blob: u32, tf: f32| {
            if blob != u32::MAX {
                let length = part.blob_words[blob as usize] as f32;
                table.add_to_file(blob, bit, file_score(tf, length, view.average_file, weight));
            }
        };
        for posting in postings {
            let posting = posting?;
            let chunk = posting.chunk;
            if !part.all_live && !part.live.contains(chunk) {
                continue;
            }
            let is_code = |documents: [bool; 256]| !documents[columns.langs[chunk as usize] as usize];
            let counts = match documents.is_some_and(is_code) {
                true if posting.counts.doc == 0 => continue,
                true => in_docs(posting.counts),
                false => posting.counts,
            };
            let length = columns.length(chunk)?;
            table.add(chunk, bit, term_score(counts, length, view.average_length, weight));
            if part.blob_of_chunk[chunk as usize] != blob {
                finish(table, blob, tf);
                (blob, tf) = (part.blob_of_chunk[chunk as usize], 0.0);
            }
            tf += frequency(counts);
        }
        finish(table, blob, tf);
    }
    Ok(())
}

/// A file whose name is asked for is a hit even if its text never says its name.
fn add_paths(view: &View, part: &Part, plan: &Plan, number: usize, table: &mut Table) -> Result<(), Damaged> {
    if plan.only_docs || !plan.is_question() {
        return Ok(());
    }
    let base = view.opened.tables.generation.files.len() as u32;
    let mut files: Vec<u32> =
        plan.paths.iter().filter(|(_, hit)| hit.name != 0).map(|(file, _)| *file).collect();
    files.sort_unstable();
    for file in files {
        let entry = view.file(file);
        let home = if file < base { entry.segment as usize } else { view.parts.len() - 1 };
        if home != number || !part.files_of(entry.blob).contains(&file) {
            continue;
        }
        let bits = plan.paths[&file].name;
        let first = part.segment.blob(entry.blob)?.chunks.start;
        for (at, term) in plan.terms.iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1) {
            let weight = term.idf * if term.weight == 0.0 { 1.0 } else { term.weight };
            let (tf, k1) = (weights::FILE_NAME_TF, weights::K1);
            table.add(first, 1 << at & !VISITED, weight * tf * (k1 + 1.0) / (tf + k1));
        }
    }
    Ok(())
}

fn add_matches(plan: &Plan, number: usize, table: &mut Table) {
    for set in &plan.sets {
        for chunk in set.parts[number].iter() {
            let matches = set.matches[number].get(&chunk).copied().unwrap_or_default();
            table.add(chunk, 0, weights::MATCH * (1.0 + matches as f32).ln());
        }
    }
}

impl Plan {
    /// A chunk without any word and in no set would hold: only exclusions are asked.
    fn asks_only_exclusions(&self) -> bool {
        fn holds_empty(step: &Step) -> bool {
            match step {
                Step::Word(_) | Step::Set(_) => false,
                Step::Question(steps) | Step::Any(steps) => steps.iter().any(holds_empty),
                Step::Together(steps) | Step::All(steps) => steps.iter().all(holds_empty),
                Step::Not(inner) => !holds_empty(inner),
            }
        }
        holds_empty(&self.root)
    }
}
