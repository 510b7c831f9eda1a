//! From facts in a text to facts of chunks.

use super::risk::{self, Flow};
use super::walk::{Mark, MarkValue, Owner};
use super::{COUNTS, Fact, Place, Shape, count_slot, value};
use crate::chunk::{Cut, Kind};
use crate::hash::FastMap;
use crate::lang::LangId;
use std::borrow::Cow;
use std::collections::BTreeSet;
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
    /// Values from outside that reach a sink, by chunk.
    pub flows: FastMap<u32, Vec<Flow>>,
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
    // Values are followed only where a call or read that a rule names stands in the file.
    let mut risky = Risky::of_file(text, cut, marks);
    let mut moving: Vec<Vec<&Mark>> = vec![Vec::new(); if risky.any { cut.chunks.len() } else { 0 }];
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
        if risky.of(cut.chunks[chunk as usize].lang)
            && matches!(mark.fact, Fact::Call | Fact::Read | Fact::Write | Fact::Mutate)
        {
            moving[chunks[0] as usize].push(mark);
        }
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
    for (chunk, marks) in (0u32..).zip(moving).filter(|(_, marks)| !marks.is_empty()) {
        let book = risk::book(cut.chunks[chunk as usize].lang);
        let Some(risks) = book.and_then(|book| risk::analyse(text, book, &marks)) else { continue };
        let flows: BTreeSet<String> =
            risks.flows.iter().map(|flow| format!("{}->{}", flow.source, flow.sink)).collect();
        let words = |fact: Fact, words: &BTreeSet<&'static str>| -> Vec<(Fact, Cow<'static, str>)> {
            words.iter().map(|word| (fact, Cow::Borrowed(*word))).collect()
        };
        let mut said = words(Fact::RiskTag, &risks.tags);
        said.extend(words(Fact::RiskSource, &risks.sources));
        said.extend(words(Fact::RiskSink, &risks.sinks));
        said.extend(words(Fact::RiskCategory, &risks.categories));
        said.extend(flows.into_iter().map(|flow| (Fact::RiskFlow, Cow::Owned(flow))));
        for (fact, value) in said {
            let number = u64::from(number(fact, value));
            let chunks = places.with_parts(&chunk).iter();
            seen.extend(chunks.map(|chunk| number << 32 | u64::from(*chunk)));
        }
        if !risks.flows.is_empty() {
            out.flows.insert(chunk, risks.flows);
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

/// Which languages of a file have rules about risks, if the file holds anything they name.
struct Risky {
    any: bool,
    last: Option<(LangId, bool)>,
}

impl Risky {
    fn of_file(text: &str, cut: &Cut, marks: &[Mark]) -> Risky {
        let mut langs: Vec<LangId> = cut.chunks.iter().map(|chunk| chunk.lang).collect();
        langs.sort_unstable();
        langs.dedup();
        let books: Vec<&risk::Book> = langs.into_iter().filter_map(risk::book).collect();
        let any = books.iter().any(|book| marks.iter().any(|mark| book.names(mark, text)));
        Risky { any, last: None }
    }

    fn of(&mut self, lang: LangId) -> bool {
        if !self.any {
            return false;
        }
        match self.last.filter(|(last, _)| *last == lang) {
            Some((_, has)) => has,
            None => {
                let has = risk::book(lang).is_some();
                self.last = Some((lang, has));
                has
            }
        }
    }
}

/// Finds the chunk of a definition or a place.
struct Places<'c> {
    cut: &'c Cut,
    /// By number of the definition: its chunk, its parts behind it.
    of_def: Vec<Vec<u32>>,
}

impl Places<'_> {
    fn of(cut: &Cut) -> Places<'_> {
        let defs = cut.chunks.iter().filter_map(|chunk| chunk.def).max().map_or(0, |last| last as usize + 1);
        let mut of_def: Vec<Vec<u32>> = vec![Vec::new(); defs];
        for (at, chunk) in cut.chunks.iter().enumerate() {
            if let Some(def) = chunk.def {
                of_def[def as usize].push(at as u32);
            }
        }
        Places { cut, of_def }
    }

    fn of_mark(&self, mark: &Mark) -> Option<u32> {
        if mark.fact.place() == Place::File {
            return (!self.cut.chunks.is_empty()).then_some(0);
        }
        let of_def = match mark.owner {
            Owner::Def(def) => self.of_def.get(def as usize).and_then(|chunks| chunks.first()).copied(),
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
        match self.cut.chunks[*chunk as usize].def.and_then(|def| self.of_def.get(def as usize)) {
            Some(chunks) => chunks,
            None => std::slice::from_ref(chunk),
        }
    }
}
