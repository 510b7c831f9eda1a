//! Atoms become sets of chunks: literals and expressions through the trigram index and then the bytes themselves.

use super::filter::{PathTest, has_extension};
use super::source::Source;
use super::{Trouble, compile_regex};
use crate::bits::Bits;
use crate::error::{Damaged, IndexError};
use crate::hash::FastMap;
use crate::lang::Class;
use crate::query::Atom;
use crate::segment::{Detail, Segment, name_hash};
use crate::token::fold_name;
use crate::trigram::{Need, need_literal, need_regex};
use crate::view::{Part, View};
use memchr::memmem;
use rayon::prelude::*;
use std::ops::Range;

/// The chunks an atom holds for, per part.
pub(crate) struct AtomSet {
    pub parts: Vec<Bits>,
    /// How many matches a chunk has, for those atoms that can have several.
    pub matches: Vec<FastMap<u32, u32>>,
    /// Set where the atom is about files: copies of one content may differ.
    pub files: Option<Bits>,
}

/// Matches past this in one chunk change no ranking: the next chunk is looked at instead.
const MAX_MATCHES: u32 = 1_000;

/// Finds an atom's text.
pub(crate) enum Matcher {
    Exact(Box<memmem::Finder<'static>>, usize),
    Pattern(regex::Regex),
}

impl Matcher {
    pub fn new(atom: &Atom, case: bool) -> Result<Option<Matcher>, IndexError> {
        let bad = |error: regex::Error| IndexError::BadQuery { reason: error.to_string(), at: 0 };
        Ok(match atom {
            Atom::Literal(text) if case => {
                Some(Matcher::Exact(Box::new(memmem::Finder::new(text.as_bytes()).into_owned()), text.len()))
            }
            Atom::Literal(text) => {
                Some(Matcher::Pattern(compile_regex(&regex::escape(text), true).map_err(bad)?))
            }
            Atom::Regex(source) => Some(Matcher::Pattern(compile_regex(source, false).map_err(bad)?)),
            _ => None,
        })
    }

    /// The first match that begins at `from` or later.
    fn next(&self, text: &str, from: usize) -> Option<Range<usize>> {
        match self {
            Matcher::Exact(finder, length) => {
                let at = finder.find(text.as_bytes().get(from..)?)? + from;
                Some(at..at + length)
            }
            Matcher::Pattern(pattern) => {
                let mut from = from;
                while from < text.len() {
                    let found = pattern.find_at(text, text.ceil_char_boundary(from))?;
                    if !found.is_empty() {
                        return Some(found.range());
                    }
                    from = found.end() + 1;
                }
                None
            }
        }
    }

    pub fn find(&self, text: &str, limit: usize) -> Vec<Range<usize>> {
        match self {
            Matcher::Exact(finder, length) => {
                finder.find_iter(text.as_bytes()).take(limit).map(|at| at..at + length).collect()
            }
            Matcher::Pattern(pattern) => pattern
                .find_iter(text)
                .filter(|found| !found.is_empty())
                .take(limit)
                .map(|found| found.range())
                .collect(),
        }
    }
}

/// `matcher` is that of the atom; `only_docs` leaves out matches in code that are not in its documentation.
pub(super) fn resolve(
    view: &View,
    source: &Source<'_>,
    atom: &Atom,
    case: bool,
    only_docs: bool,
    matcher: Option<&Matcher>,
) -> Result<AtomSet, Trouble> {
    let mut set = AtomSet {
        parts: view.parts.iter().map(|part| Bits::none(part.segment.chunk_count() as usize)).collect(),
        matches: view.parts.iter().map(|_| FastMap::default()).collect(),
        files: None,
    };
    match atom {
        Atom::Literal(text) => {
            verify(view, source, &mut set, &need_literal(text.as_bytes()), matcher, only_docs)?;
        }
        Atom::Regex(expression) => {
            let need = regex_syntax::parse(expression).map_or(Need::Anything, |parsed| need_regex(&parsed));
            verify(view, source, &mut set, &need, matcher, only_docs)?;
        }
        Atom::Symbol(name) => {
            let wanted = name_hash(&fold_name(name)).to_le_bytes();
            by_chunk(view, &mut set, |segment| {
                Ok(Box::new(segment.names()?.chunks_exact(4).map(move |name| name == wanted)))
            })?;
        }
        Atom::Kind(kind) => {
            let wanted = *kind as u8;
            by_chunk(view, &mut set, |segment| {
                Ok(Box::new(segment.kinds()?.iter().map(move |kind| *kind == wanted)))
            })?;
        }
        Atom::Lang(lang) => {
            let lang = *lang;
            by_chunk(view, &mut set, |segment| {
                Ok(Box::new(
                    segment
                        .chunk_langs()?
                        .iter()
                        .map(move |slot| segment.langs().get(*slot as usize) == Some(&Some(lang))),
                ))
            })?;
        }
        Atom::Path(value) => {
            let test = PathTest::new(value, case)?;
            by_file(view, &mut set, |path| test.holds(path))?;
        }
        Atom::Ext(ext) => by_file(view, &mut set, |path| has_extension(path, ext))?,
    }
    Ok(set)
}

fn by_chunk<'v>(
    view: &'v View,
    set: &mut AtomSet,
    column: impl Fn(&'v Segment) -> Result<Box<dyn Iterator<Item = bool> + 'v>, Damaged>,
) -> Result<(), Damaged> {
    for (part, bits) in view.parts.iter().zip(&mut set.parts) {
        for (chunk, holds) in column(&part.segment)?.enumerate() {
            if holds && part.live.contains(chunk as u32) {
                bits.insert(chunk as u32);
            }
        }
    }
    Ok(())
}

/// A chunk may hold if any file with its content does; `files` settles it for each.
fn by_file(view: &View, set: &mut AtomSet, holds: impl Fn(&str) -> bool) -> Result<(), Damaged> {
    let mut files = Bits::none(view.file_count());
    for (part, bits) in view.parts.iter().zip(&mut set.parts) {
        for blob in 0..part.segment.blob_count() {
            let mut any = false;
            for file in part.files_of(blob).iter().filter(|file| holds(&view.file(**file).path)) {
                files.insert(*file);
                any = true;
            }
            if any {
                part.segment.blob(blob)?.chunks.for_each(|chunk| bits.insert(chunk));
            }
        }
    }
    set.files = Some(files);
    Ok(())
}

/// Reads every file that may match and keeps the chunks in which a match starts.
fn verify(
    view: &View,
    source: &Source<'_>,
    set: &mut AtomSet,
    need: &Need,
    matcher: Option<&Matcher>,
    only_docs: bool,
) -> Result<(), Trouble> {
    let Some(matcher) = matcher else {
        return Ok(());
    };
    let mut jobs: Vec<(usize, u32)> = Vec::new();
    for (number, part) in view.parts.iter().enumerate() {
        let blobs = match candidates(&part.segment, need)? {
            Some(blobs) => blobs,
            None => (0..part.segment.blob_count()).collect(),
        };
        jobs.extend(
            blobs
                .into_iter()
                .filter(|blob| *blob < part.segment.blob_count() && !part.files_of(*blob).is_empty())
                .map(|blob| (number, blob)),
        );
    }
    let found: Vec<(usize, Vec<(u32, u32)>)> = jobs
        .into_par_iter()
        .map(|(number, blob)| {
            let part = &view.parts[number];
            Ok((number, matches_in(part, number, blob, source, matcher, only_docs)?))
        })
        .collect::<Result<_, Damaged>>()?;
    for (number, chunks) in found {
        for (chunk, matches) in chunks {
            set.parts[number].insert(chunk);
            *set.matches[number].entry(chunk).or_default() += matches;
        }
    }
    Ok(())
}

/// The chunks with a match in one file, and how many follow each other there.
fn matches_in(
    part: &Part,
    number: usize,
    blob: u32,
    source: &Source<'_>,
    matcher: &Matcher,
    only_docs: bool,
) -> Result<Vec<(u32, u32)>, Damaged> {
    let Some(text) = part.files_of(blob).iter().find_map(|file| source.text(number, *file)) else {
        return Ok(Vec::new());
    };
    let mut next = matcher.next(&text, 0);
    if next.is_none() {
        return Ok(Vec::new());
    }
    let details = part.segment.details(blob)?;
    let head = part.segment.blob(blob)?;
    let first = head.chunks.start;
    let is_document = head.lang.is_some_and(|lang| lang.get().class == Class::Document);
    let counts =
        |at: u32, offset: u32| !only_docs || is_document || details[at as usize].doc.contains(&offset);
    let mut out: Vec<(u32, u32)> = Vec::new();
    while let Some(found) = next {
        let offset = found.start as u32;
        let mut from = found.end;
        if let Some(at) = chunk_at(&details, offset).filter(|at| counts(*at, offset)) {
            match out.last_mut().filter(|(last, _)| *last == first + at) {
                Some((_, matches)) => *matches += 1,
                None => out.push((first + at, 1)),
            }
            if out.last().is_some_and(|(_, matches)| *matches >= MAX_MATCHES) {
                from = from.max(text.ceil_char_boundary(next_border(&details, offset) as usize));
            }
        }
        next = matcher.next(&text, from);
    }
    Ok(out)
}

/// Where the next chunk begins or one ends.
fn next_border(details: &[Detail<'_>], offset: u32) -> u32 {
    let borders = details.iter().flat_map(|detail| [detail.span.start, detail.span.end]);
    borders.filter(|border| *border > offset).min().unwrap_or(u32::MAX)
}

/// The innermost chunk at an offset; the nearest one before it where blank lines belong to none.
fn chunk_at(details: &[Detail<'_>], offset: u32) -> Option<u32> {
    let before = details.partition_point(|detail| detail.span.start <= offset);
    let inside = details[..before].iter().rposition(|detail| detail.span.contains(&offset));
    inside.or(before.checked_sub(1)).or((!details.is_empty()).then_some(0)).map(|at| at as u32)
}

/// The blobs that satisfy a need; `None` means any may.
pub(super) fn candidates(segment: &Segment, need: &Need) -> Result<Option<Vec<u32>>, Damaged> {
    Ok(match need {
        Need::Anything => None,
        Need::Bucket(bucket) => Some(segment.bucket(*bucket)?),
        Need::All(needs) => {
            let mut out: Option<Vec<u32>> = None;
            for need in needs {
                let Some(blobs) = candidates(segment, need)? else {
                    continue;
                };
                out = Some(match out {
                    Some(out) => intersect(&out, &blobs),
                    None => blobs,
                });
                if out.as_ref().is_some_and(Vec::is_empty) {
                    break;
                }
            }
            out
        }
        Need::Any(needs) => {
            let mut out = Vec::new();
            for need in needs {
                match candidates(segment, need)? {
                    Some(blobs) => out.extend(blobs),
                    None => return Ok(None),
                }
            }
            out.sort_unstable();
            out.dedup();
            Some(out)
        }
    })
}

fn intersect(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(left.len().min(right.len()));
    let mut at = 0;
    for number in left {
        while right.get(at).is_some_and(|other| other < number) {
            at += 1;
        }
        if right.get(at) == Some(number) {
            out.push(*number);
        }
    }
    out
}
