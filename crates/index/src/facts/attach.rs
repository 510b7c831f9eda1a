//! From facts in a text to facts of chunks.

use super::walk::{Mark, MarkValue, Owner};
use super::{COUNTS, Fact, Place, Shape, count_slot, value};
use crate::chunk::{Cut, Kind};
use crate::hash::FastMap;
use std::borrow::Cow;
use std::ops::Range;

/// The facts of a file's chunks.
#[derive(Debug, Default)]
pub(crate) struct ChunkFacts {
    /// The distinct values; `hits` refers to them by position.
    pub values: Vec<(Fact, Box<str>)>,
    /// Value and chunk, sorted.
    pub hits: Vec<(u32, u32)>,
    pub counts: Vec<[u8; COUNTS]>,
    /// Flags of each chunk, as the segment writes them.
    pub flags: Vec<u8>,
}

impl ChunkFacts {
    /// Everything known of a chunk: values, flags without one, counts.
    pub fn of(&self, chunk: u32) -> Vec<(Fact, String)> {
        let values = self.hits.iter().filter(|hit| hit.1 == chunk).map(|hit| &self.values[hit.0 as usize]);
        let mut out: Vec<(Fact, String)> = values.map(|(fact, value)| (*fact, value.to_string())).collect();
        let flags = self.flags.get(chunk as usize).copied().unwrap_or_default();
        let set = FLAGS.iter().filter(|(_, bit)| flags & bit != 0);
        out.extend(set.map(|(fact, _)| (*fact, String::new())));
        let counted = Fact::ALL.iter().filter(|fact| fact.shape() == Shape::Count);
        let count =
            |fact: &&Fact| self.counts.get(chunk as usize).map_or(0, |counts| counts[count_slot(**fact)]);
        out.extend(counted.filter(|fact| count(fact) > 0).map(|fact| (*fact, count(&fact).to_string())));
        out.sort();
        out
    }
}

/// Bits of `ChunkFacts::flags`.
pub(crate) const FLAGS: [(Fact, u8); 3] = [(Fact::Async, 4), (Fact::Generator, 8), (Fact::Returns, 16)];

pub(crate) fn flag(fact: Fact) -> u8 {
    FLAGS.iter().find(|(known, _)| *known == fact).map_or(0, |(_, bit)| *bit)
}

pub(crate) fn attach<'text>(text: &'text str, cut: &Cut, marks: &'text [Mark]) -> ChunkFacts {
    let mut out = ChunkFacts {
        counts: vec![[0; COUNTS]; cut.chunks.len()],
        flags: vec![0; cut.chunks.len()],
        ..ChunkFacts::default()
    };
    if marks.is_empty() {
        return out;
    }
    let places = Places::of(cut);
    let mut known: Vec<FastMap<Cow<'text, str>, u32>> =
        Fact::ALL.iter().map(|_| FastMap::default()).collect();
    let mut seen_visible = vec![false; cut.chunks.len()];
    let mut seen: Vec<u64> = Vec::with_capacity(marks.len());
    let mut values: Vec<(Fact, Box<str>)> = Vec::new();
    let mut number = |fact: Fact, value: Cow<'text, str>| {
        let known = &mut known[fact as usize];
        match known.get(&*value) {
            Some(number) => *number,
            None => {
                values.push((fact, (&*value).into()));
                known.insert(value, values.len() as u32 - 1);
                values.len() as u32 - 1
            }
        }
    };
    for mark in marks {
        let Some(chunk) = places.of_mark(mark) else { continue };
        let chunks = places.with_parts(&chunk);
        match mark.fact.shape() {
            Shape::Flag => chunks.iter().for_each(|chunk| out.flags[*chunk as usize] |= flag(mark.fact)),
            Shape::Count => chunks.iter().for_each(|chunk| {
                let count = &mut out.counts[*chunk as usize][count_slot(mark.fact)];
                *count = count.saturating_add(1);
            }),
            Shape::Values => {
                if mark.fact == Fact::Visibility {
                    chunks.iter().for_each(|chunk| seen_visible[*chunk as usize] = true);
                }
                value::values(mark.fact, mark.written(text), |value| {
                    let number = u64::from(number(mark.fact, value));
                    seen.extend(chunks.iter().map(|chunk| number << 32 | u64::from(*chunk)));
                });
            }
        }
    }
    for (at, chunk) in cut.chunks.iter().enumerate() {
        if seen_visible[at] || !chunk.kind.is_definition() || chunk.kind == Kind::Impl {
            continue;
        }
        if let Some(word) = chunk.lang.get().unmarked.visibility(&chunk.name) {
            seen.push(u64::from(number(Fact::Visibility, Cow::Borrowed(word))) << 32 | at as u64);
        }
    }
    out.values = values;
    seen.sort_unstable();
    seen.dedup();
    out.hits = seen.into_iter().map(|both| ((both >> 32) as u32, both as u32)).collect();
    out
}

impl Mark {
    /// The value as it stands in the text.
    pub(crate) fn written<'m>(&'m self, text: &'m str) -> &'m str {
        let slice =
            |range: &Range<u32>| text.get(range.start as usize..range.end as usize).unwrap_or_default();
        match &self.value {
            MarkValue::Text(range) => slice(range),
            MarkValue::Head(range) => value::head(slice(range)),
            MarkValue::Constant(word) => word,
            MarkValue::Made(made) => made,
        }
    }
}

/// Finds the chunk of a definition or a place.
struct Places<'c> {
    cut: &'c Cut,
    /// By number of the definition: its chunk, its parts behind it.
    of_def: FastMap<u32, Vec<u32>>,
}

impl Places<'_> {
    fn of(cut: &Cut) -> Places<'_> {
        let mut of_def: FastMap<u32, Vec<u32>> = FastMap::default();
        for (at, chunk) in cut.chunks.iter().enumerate() {
            if let Some(def) = chunk.def {
                of_def.entry(def).or_default().push(at as u32);
            }
        }
        Places { cut, of_def }
    }

    fn of_mark(&self, mark: &Mark) -> Option<u32> {
        if mark.fact.place() == Place::File {
            return (!self.cut.chunks.is_empty()).then_some(0);
        }
        let of_def = match mark.owner {
            Owner::Def(def) => self.of_def.get(&def).map(|chunks| chunks[0]),
            Owner::Nobody => return None,
            Owner::Text => None,
        };
        // What the head of a definition without a chunk says is not said of the one around it.
        if mark.fact.place() == Place::Head {
            return of_def;
        }
        of_def.or_else(|| {
            let pieces = &self.cut.pieces;
            let piece = pieces.partition_point(|piece| piece.end <= mark.at);
            pieces.get(piece).filter(|piece| piece.start <= mark.at).map(|piece| piece.chunk)
        })
    }

    /// A chunk and the parts it is continued in: what is true of a function is true of all of it.
    fn with_parts<'s>(&'s self, chunk: &'s u32) -> &'s [u32] {
        match self.cut.chunks[*chunk as usize].def.and_then(|def| self.of_def.get(&def)) {
            Some(chunks) => chunks,
            None => std::slice::from_ref(chunk),
        }
    }
}
