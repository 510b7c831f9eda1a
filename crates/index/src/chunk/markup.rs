//! HTML, Vue, Svelte and Astro: `script` and `style` (and Astro's head) are cut as the language they hold.
//!
//! Elements with an `id` and headings start sections; everything else is cut by layout.

use super::{Def, Host, Kind};
use crate::lang::LangId;
use memchr::memmem;
use std::ops::Range;

pub(super) fn elements(text: &str) -> Host {
    let mut host = Host::default();
    if let Some(end) = text.strip_prefix("---\n").and_then(|rest| rest.find("\n---")) {
        host.embedded.extend(LangId::by_name("typescript").map(|lang| (4..4 + end + 1, lang)));
    }
    let lower = text.to_ascii_lowercase();
    for (tag, fallback) in [("script", "javascript"), ("style", "css")] {
        for (open, body) in blocks(&lower, tag) {
            let attributes = &lower[open];
            host.embedded.extend(embedded_language(attributes, fallback).map(|lang| (body, lang)));
        }
    }
    host.embedded.sort_by_key(|(range, _)| range.start);
    let inside: Vec<Range<usize>> = host.embedded.iter().map(|(range, _)| range.clone()).collect();
    host.defs = headings(&lower, text)
        .into_iter()
        .filter(|def| !inside.iter().any(|range| range.contains(&def.span.start)))
        .collect();
    for index in 0..host.defs.len() {
        let end = host.defs.get(index + 1).map_or(text.len(), |next| next.span.start);
        let stop = inside.iter().map(|range| range.start).find(|start| *start > host.defs[index].span.start);
        host.defs[index].span.end = stop.map_or(end, |stop| stop.min(end));
    }
    host
}

/// The opening tag and the content of every `<tag …>…</tag>`.
fn blocks(lower: &str, tag: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (opening, closing) = (format!("<{tag}"), format!("</{tag}"));
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = memmem::find(&lower.as_bytes()[at..], opening.as_bytes()) {
        let start = at + found;
        let Some(open_end) = lower[start..].find('>').map(|found| start + found + 1) else {
            break;
        };
        let is_tag = lower[start + opening.len()..].starts_with([' ', '>', '\n', '\t', '\r', '/']);
        if !is_tag || lower[start..open_end].ends_with("/>") {
            at = open_end;
            continue;
        }
        let end = memmem::find(&lower.as_bytes()[open_end..], closing.as_bytes())
            .map_or(lower.len(), |found| open_end + found);
        out.push((start..open_end, open_end..end));
        at = end.max(open_end);
    }
    out
}

fn embedded_language(attributes: &str, fallback: &str) -> Option<LangId> {
    let value = |key: &str| {
        let after = attributes.split_once(key)?.1.trim_start_matches(['"', '\'']);
        after.split(['"', '\'', ' ', '>']).next().filter(|value| !value.is_empty())
    };
    let named = value("lang=").or_else(|| value("type="));
    match named {
        None | Some("module" | "text/javascript" | "text/css" | "application/javascript" | "text/babel") => {
            LangId::by_name(fallback)
        }
        Some(name) if name.contains("json") => LangId::by_name("json"),
        Some(name) => LangId::by_name(name.rsplit('/').next().unwrap_or(name)),
    }
}

fn headings(lower: &str, text: &str) -> Vec<Def> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(found) = memmem::find(&lower.as_bytes()[at..], b"<h") {
        let start = at + found;
        at = start + 2;
        let level = lower.as_bytes().get(start + 2).copied().unwrap_or_default();
        let closes = lower.as_bytes().get(start + 3).is_some_and(|byte| matches!(byte, b'>' | b' '));
        if !(b'1'..=b'6').contains(&level) || !closes {
            continue;
        }
        let Some(open) = lower[start..].find('>').map(|found| start + found + 1) else {
            break;
        };
        let end = lower[open..].find("</h").map_or(open, |found| open + found);
        let name = plain(&text[open..text.floor_char_boundary(end.min(open + 400))]);
        let signature = start..end;
        out.push(Def {
            span: start..text.len(),
            kind: Some(Kind::Section),
            name,
            signature,
            ..Def::default()
        });
    }
    out
}

/// The text of a heading without the tags in it.
fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut depth = 0;
    for letter in html.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth = 0,
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(120).collect()
}
