//! CSS, SCSS and Less by top-level rules; small neighbours share a chunk.

use super::{Def, Kind};

const RULE_BYTES: usize = 400;

pub(super) fn rules(text: &str) -> Vec<Def> {
    let bytes = text.as_bytes();
    let mut out: Vec<Def> = Vec::new();
    let (mut at, mut depth, mut start, mut brace) = (0, 0usize, None, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                start = start.or((depth == 0).then_some(at));
                at =
                    memchr::memmem::find(&bytes[at + 2..], b"*/").map_or(bytes.len(), |found| at + found + 4);
                continue;
            }
            quote @ (b'"' | b'\'') => {
                start = start.or((depth == 0).then_some(at));
                at = string_end(bytes, at, quote);
                continue;
            }
            b'{' => {
                if depth == 0 {
                    brace = at;
                }
                depth += 1;
            }
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    add(text, &mut out, start.take().unwrap_or(at), brace, at + 1);
                }
            }
            b';' if depth == 0 => start = None,
            byte if depth == 0 && !byte.is_ascii_whitespace() => start = start.or(Some(at)),
            _ => {}
        }
        at += 1;
    }
    out
}

fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match *byte {
            b'\\' => end += 1,
            b'\n' => return end,
            byte if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

fn add(text: &str, out: &mut Vec<Def>, start: usize, brace: usize, end: usize) {
    if let Some(last) =
        out.last_mut().filter(|last| last.span.len() < RULE_BYTES && end - last.span.start < 4 * RULE_BYTES)
    {
        last.span.end = end;
        return;
    }
    let head = text.get(start..brace).unwrap_or_default();
    let selector = head.rsplit("*/").next().unwrap_or(head).split_whitespace().collect::<Vec<_>>().join(" ");
    out.push(Def {
        span: start..end,
        kind: Some(Kind::Rule),
        name: selector.chars().take(120).collect(),
        signature: start..brace.max(start),
        ..Def::default()
    });
}
