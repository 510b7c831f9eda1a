//! From a ranked candidate to a hit a reader can use: names, lines, a snippet with what matched.

use super::answer::{Contribution, Hit, RiskFlow, RiskStep, Snippet};
use super::plan::Plan;
use super::rank::Ranked;
use super::score::{in_docs, term_score};
use super::source::Source;
use super::weights;
use super::{Options, Trouble};
use super::{resolved, risks};
use crate::chunk::{Depth, Kind, Lines, cut};
use crate::error::Damaged;
use crate::facts::risk::Step;
use crate::facts::{ChunkFacts, Fact, attach};
use crate::hash::FastMap;
use crate::lang::{Class, LangId};
use crate::relations::Texts;
use crate::segment::Detail;
use crate::token;
use crate::traits;
use crate::view::View;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// How much of a long chunk is looked at for the best line.
const LOOK_BYTES: usize = 12 * 1024;
/// Snippets past this are cut; five hits are meant to fit a small budget of tokens.
const SNIPPET_BYTES: usize = 1_200;
const SIGNATURE_BYTES: usize = 300;
const DOC_BYTES: usize = 300;

pub(super) fn show(
    view: &View,
    source: &Source<'_>,
    plan: &Plan,
    ranked: &Ranked,
    options: &Options,
    known: &mut Known,
) -> Result<Hit, Trouble> {
    let candidate = &ranked.candidate;
    let number = candidate.part as usize;
    let part = &view.parts[number];
    let entry = view.file(candidate.file);
    let blob = part.segment.blob(entry.blob)?;
    let details = part.segment.details(entry.blob)?;
    let at = (candidate.chunk - blob.chunks.start) as usize;
    let whole = details.get(at).ok_or(Damaged("a chunk has no record"))?;
    let kind = part.segment.kind(candidate.chunk)?;
    let text = source.text(number, candidate.file);
    let is_document = blob.lang.is_some_and(|lang| lang.get().class == Class::Document);
    let comment = text.as_deref().filter(|_| plan.only_docs && !is_document && !whole.doc.is_empty());
    let detail = &comment.map_or_else(|| whole.clone(), |text| doc_alone(text, whole));
    let slice = |range: &Range<u32>| {
        text.as_deref()
            .and_then(|text| text.get(range.start as usize..range.end as usize))
            .unwrap_or_default()
    };
    let mut present = entry.traits | blob.traits;
    if part.segment.flags()?[candidate.chunk as usize] & crate::segment::IS_TEST != 0 {
        present |= traits::TEST;
    }
    let (mut facts, mut flows) = match text.as_deref().filter(|_| options.facts) {
        Some(text) => known.of((candidate.part, entry.blob), text, blob.lang, details.len(), at as u32),
        None => Default::default(),
    };
    let relations = if options.facts { source.relations()? } else { None };
    let resolved = relations
        .as_ref()
        .map(|relations| resolved::of_chunk(relations, &mut known.texts, candidate.file, at as u32))
        .unwrap_or_default();
    if let Some(relations) = &relations {
        let nodes = relations.nodes.of_file(candidate.file);
        let node = nodes.start + at as u32;
        // Files without structure have no nodes.
        if nodes.contains(&node) {
            let layer = relations.risks(options.rules)?;
            risks::correct(relations, &layer, &mut known.texts, node, &mut facts, &mut flows);
        }
    }
    Ok(Hit {
        id: stable_id(&entry.path, kind, &details, at, slice(&whole.span)),
        path: entry.path.to_string(),
        lang: part.segment.chunk_lang(candidate.chunk)?.get().id,
        kind,
        name: detail.name.to_owned(),
        scope: scope(&details, whole),
        signature: one_line(slice(&detail.signature), SIGNATURE_BYTES),
        doc: one_line(slice(&detail.doc), DOC_BYTES),
        lines: detail.lines,
        span: detail.span.clone(),
        score: ranked.score,
        snippet: text.as_deref().and_then(|text| snippet(text, detail, plan, options.context)),
        traits: traits::NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| present >> bit & 1 == 1)
            .map(|(_, name)| *name)
            .collect(),
        explain: if options.explain { explain(view, plan, ranked)? } else { Vec::new() },
        facts,
        flows,
        resolved,
    })
}

/// A chunk of which only the documentation is shown.
fn doc_alone<'d>(text: &str, detail: &Detail<'d>) -> Detail<'d> {
    let lines = Lines::of(text);
    let end = (detail.doc.end as usize).min(text.len()).max(1) - 1;
    let range = (lines.line(detail.doc.start as usize), lines.line(end));
    Detail { span: detail.doc.clone(), lines: range, ..detail.clone() }
}

/// Facts of the files of an answer. They are lists of chunks in the index; for the few chunks that are shown the file
/// is worked on again.
#[derive(Default)]
pub(super) struct Known {
    files: FastMap<(u32, u32), ChunkFacts>,
    texts: Texts,
}

impl Known {
    fn of(
        &mut self,
        file: (u32, u32),
        text: &str,
        lang: Option<LangId>,
        chunks: usize,
        at: u32,
    ) -> (Vec<(Fact, String)>, Vec<RiskFlow>) {
        let facts = self.files.entry(file).or_insert_with(|| {
            let (cut, marks) = cut(text, lang.unwrap_or_else(LangId::text), Depth::Structural);
            // A file of which only words are known has other chunks.
            if cut.chunks.len() == chunks { attach(text, &cut, &marks) } else { ChunkFacts::default() }
        });
        let lines = Lines::of(text);
        let step = |step: &Step| {
            let Step::Here(offset) = step else { return None };
            let line = lines.line(*offset as usize);
            let whole = text.lines().nth(line as usize - 1).unwrap_or_default();
            Some(RiskStep { file: None, line, text: one_line(whole, 160) })
        };
        let flows = facts.flows.get(&at).map(Vec::as_slice).unwrap_or_default().iter().map(|flow| {
            let mut path: Vec<RiskStep> = flow.path.iter().filter_map(step).collect();
            path.dedup();
            RiskFlow {
                source: flow.source,
                sink: flow.sink,
                category: flow.category,
                severity: flow.severity,
                ids: flow.ids,
                path,
            }
        });
        (facts.of(at), flows.collect())
    }
}

/// Survives edits elsewhere in the file: path, kind, full name and which of several equals it is; unnamed blocks go by
/// their text.
fn stable_id(path: &str, kind: Kind, details: &[Detail<'_>], at: usize, text: &str) -> String {
    let detail = &details[at];
    let name = format!("{}.{}", scope(details, detail), detail.name);
    let what = if detail.name.is_empty() {
        format!("{path}\0{}\0{:016x}", kind.name(), xxh3_64(text.as_bytes()))
    } else {
        let earlier = details[..at]
            .iter()
            .filter(|other| other.name == detail.name && other.parent == detail.parent)
            .count();
        format!("{path}\0{}\0{name}\0{earlier}", kind.name())
    };
    format!("{:016x}", xxh3_64(what.as_bytes()))
}

/// The names of what a chunk is nested in, outermost first.
fn scope(details: &[Detail<'_>], detail: &Detail<'_>) -> String {
    let mut names = Vec::new();
    let mut above = detail.parent;
    while let Some(parent) = above.and_then(|parent| details.get(parent as usize)) {
        if !parent.name.is_empty() {
            names.push(parent.name);
        }
        above = parent.parent;
    }
    names.reverse();
    names.join(".")
}

fn one_line(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.len() > limit {
        true => format!("{}…", &line[..line.floor_char_boundary(limit)]),
        false => line,
    }
}

/// The rarest term of the query in a word.
fn best_term(word: &str, plan: &Plan) -> Option<(f32, usize)> {
    let mut best: Option<(f32, usize)> = None;
    token::terms(word, |term| {
        let found = plan.terms.iter().position(|known| known.weight > 0.0 && known.text == term);
        if let Some(number) =
            found.filter(|number| best.is_none_or(|(weight, _)| plan.terms[*number].idf > weight))
        {
            best = Some((plan.terms[number].idf, number));
        }
    });
    best
}

/// Where the query occurs in `text`, with the weight of each occurrence and what it is an occurrence of.
fn occurrences(text: &str, plan: &Plan) -> Vec<(Range<usize>, f32, usize)> {
    let mut out = Vec::new();
    let mut known: FastMap<&str, Option<(f32, usize)>> = FastMap::default();
    token::words(text, |at, word| {
        let best = *known.entry(word).or_insert_with(|| best_term(word, plan));
        out.extend(best.map(|(weight, number)| (at..at + word.len(), weight, number)));
    });
    for (number, matcher) in plan.matchers.iter().enumerate() {
        let weight = 5.0;
        out.extend(matcher.find(text, 100).into_iter().map(|range| (range, weight, usize::MAX - number)));
    }
    out.sort_by_key(|(range, ..)| (range.start, usize::MAX - range.end));
    out
}

fn snippet(text: &str, detail: &Detail<'_>, plan: &Plan, context: usize) -> Option<Snippet> {
    let start = line_start(text, detail.span.start as usize)?;
    let end = text.floor_char_boundary((detail.span.end as usize).min(start + LOOK_BYTES).min(text.len()));
    let chunk = text.get(start..end)?;
    let lines = Lines::of(chunk);
    let found = occurrences(chunk, plan);
    let signature =
        (detail.signature.start as usize).checked_sub(start).filter(|_| !detail.signature.is_empty());
    let home = signature.map_or(1, |at| lines.line(at));
    // Who asks for a name wants to see it defined.
    let asked_for = !plan.only_docs && !detail.name.is_empty() && is_asked_for(detail.name, plan);
    let best = if asked_for { home } else { best_line(&lines, &found, home) };
    let first = best.saturating_sub(context as u32).max(1);
    let last = (best + context as u32).min(lines.count());
    let mut from = lines.start(first)?;
    let mut to = lines.start(last + 1).unwrap_or(chunk.len());
    // A line can be longer than any snippet: then the match is the middle.
    if to - from > SNIPPET_BYTES {
        let middle = found
            .iter()
            .find(|(range, ..)| lines.line(range.start) == best)
            .map_or(from, |(range, ..)| range.start);
        from = chunk.floor_char_boundary(from.max(middle.saturating_sub(SNIPPET_BYTES / 4)));
        to = chunk.floor_char_boundary(to.min(from + SNIPPET_BYTES));
    }
    let body = chunk.get(from..to)?.trim_end();
    let mut matches: Vec<Range<u32>> = Vec::new();
    for (range, ..) in
        found.iter().filter(|(range, ..)| range.start >= from && range.end <= from + body.len())
    {
        let range = (range.start - from) as u32..(range.end - from) as u32;
        match matches.last_mut().filter(|last| last.end > range.start) {
            Some(last) => last.end = last.end.max(range.end),
            None => matches.push(range),
        }
    }
    Some(Snippet {
        text: body.to_owned(),
        first_line: detail.lines.0 + lines.line(from) - 1,
        start: (start + from) as u32,
        matches,
    })
}

/// The start of the line a chunk begins on, when only blanks stand before it.
fn line_start(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Some(if before[start..].trim().is_empty() { start } else { at })
}

fn is_asked_for(name: &str, plan: &Plan) -> bool {
    let name = name.to_lowercase();
    plan.terms.iter().any(|term| term.weight > 0.0 && term.text == name)
}

/// The line with the most telling words, each counted once; the signature on a tie, then the first.
fn best_line(lines: &Lines, found: &[(Range<usize>, f32, usize)], home: u32) -> u32 {
    let mut best = (home, 0.0f32);
    for group in found.chunk_by(|left, right| lines.line(left.0.start) == lines.line(right.0.start)) {
        let line = lines.line(group[0].0.start);
        let mut seen = Vec::new();
        let mut weight = if line == home { 0.5 } else { 0.0 };
        for (_, value, what) in group {
            if !seen.contains(what) {
                seen.push(*what);
                weight += value;
            }
        }
        if weight > best.1 {
            best = (line, weight);
        }
    }
    best.0
}

fn explain(view: &View, plan: &Plan, ranked: &Ranked) -> Result<Vec<Contribution>, Damaged> {
    let candidate = &ranked.candidate;
    let part = &view.parts[candidate.part as usize];
    let length = f32::from(part.segment.length(candidate.chunk)?);
    let is_document = part.segment.chunk_lang(candidate.chunk)?.get().class == Class::Document;
    let only_docs = plan.only_docs && !is_document;
    let mut out = Vec::new();
    let mut named = 0.0;
    for term in plan.terms.iter().filter(|term| term.weight > 0.0) {
        let Some(postings) = part.segment.dictionary()?.find(term.text.as_bytes())? else {
            continue;
        };
        for posting in postings {
            let posting = posting?;
            if posting.chunk == candidate.chunk {
                let counts = if only_docs { in_docs(posting.counts) } else { posting.counts };
                let value = term_score(counts, length, view.average_length, term.idf * term.weight);
                named += value;
                let what = if term.is_related { "related term" } else { "term" };
                out.push(Contribution { what: format!("{what} {}", term.text), value });
                break;
            }
        }
    }
    let rest = candidate.bm25 - named;
    if rest.abs() > 1e-4 {
        out.push(Contribution { what: "file name and matches".to_owned(), value: rest });
    }
    if candidate.file_bm25 > 0.0 {
        let value = weights::FILE_SHARE * candidate.file_bm25;
        out.push(Contribution { what: "words of the whole file".to_owned(), value });
    }
    if candidate.vector > 0.0 {
        out.push(Contribution { what: "nearness of meaning".to_owned(), value: candidate.vector });
    }
    let factors = &ranked.factors;
    for (what, value) in [
        ("× coverage", factors.coverage),
        ("× definition of the name", factors.name),
        ("× words in the name", factors.name_words),
        ("× path", factors.path),
        ("× traits", factors.traits),
        ("× kind", factors.kind),
        ("× other hits in the file", factors.company),
        ("× room for other files", factors.room),
    ] {
        if value != 1.0 {
            out.push(Contribution { what: what.to_owned(), value });
        }
    }
    Ok(out)
}
