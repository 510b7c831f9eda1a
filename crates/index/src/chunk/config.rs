//! JSON, YAML, TOML and INI by their top-level keys, with scanners that never build a tree.
//!
//! Entries are grouped until a chunk is worth having: a lock file of ten thousand one-line keys is not ten thousand
//! chunks. A malformed file is cut as far as it reads, then by layout.

use super::{Def, Kind};
use std::ops::Range;

/// Neighbouring entries smaller than this share a chunk, named after the first.
const ENTRY_BYTES: usize = 400;

/// A key and where its entry starts.
struct Key {
    at: usize,
    name: String,
}

pub(super) fn toml(text: &str) -> Vec<Def> {
    let mut keys = Vec::new();
    for (at, line) in lines(text) {
        let inner = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next());
        if let Some(inner) = inner.filter(|_| line.starts_with('[')) {
            let name = inner.trim_matches(['[', ']', ' ', '"']);
            if !name.is_empty() {
                keys.push(Key { at, name: name.to_owned() });
            }
        }
    }
    // Each table is a chunk however short: tables are what people look for.
    entries(text, keys, 0)
}

pub(super) fn yaml(text: &str) -> Vec<Def> {
    let mut keys = Vec::new();
    let mut in_text_until: Option<usize> = None;
    for (at, line) in lines(text) {
        let indent = line.len() - line.trim_start().len();
        let body = line.trim();
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if in_text_until.is_some_and(|limit| indent > limit) {
            continue;
        }
        in_text_until = None;
        if let Some((key, value)) =
            body.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with(' '))
        {
            if matches!(value.trim(), "|" | ">" | "|-" | ">-" | "|+" | ">+") {
                in_text_until = Some(indent);
            }
            if indent == 0 && !key.starts_with(['-', '{', '[']) {
                keys.push(Key { at, name: key.trim_matches(['"', '\'']).to_owned() });
            }
        }
    }
    entries(text, keys, ENTRY_BYTES)
}

pub(super) fn json(text: &str) -> Vec<Def> {
    let mut keys = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let after = bytes[end.min(bytes.len())..]
                    .iter()
                    .position(|byte| !byte.is_ascii_whitespace())
                    .map_or(bytes.len(), |skip| end + skip);
                if depth == 1 && bytes.get(after) == Some(&b':') {
                    keys.push(Key {
                        at,
                        name: text.get(at + 1..end.saturating_sub(1)).unwrap_or_default().to_owned(),
                    });
                }
                at = end;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    entries(text, keys, ENTRY_BYTES)
}

/// The offset after the closing quote of the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(end..).unwrap_or_default()) {
        match bytes[end + found] {
            b'"' => return end + found + 1,
            _ => end += found + 2,
        }
    }
    bytes.len()
}

fn entries(text: &str, keys: Vec<Key>, group_under: usize) -> Vec<Def> {
    let mut out: Vec<Def> = Vec::new();
    let ends: Vec<usize> = keys.iter().skip(1).map(|key| key.at).chain([text.len()]).collect();
    for (key, end) in keys.into_iter().zip(ends) {
        if let Some(last) = out
            .last_mut()
            .filter(|last| last.span.len() < group_under && end - last.span.start < 4 * group_under.max(1))
        {
            last.span.end = end;
            continue;
        }
        out.push(Def {
            span: key.at..end,
            kind: Some(Kind::Entry),
            name: key.name.chars().take(120).collect(),
            signature: first_line(text, key.at),
            ..Def::default()
        });
    }
    out
}

fn first_line(text: &str, at: usize) -> Range<usize> {
    let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found);
    at..text.floor_char_boundary(end.min(at + 200))
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    })
}
