//! Trigrams of a text, and what a literal or regular expression requires of them.
//!
//! Trigrams are taken over ASCII-lower-cased bytes and hashed into buckets: candidates are always verified on the
//! bytes, so a collision costs a look, never an answer, and one index serves both cases.

use regex_syntax::hir::{Hir, HirKind};

/// 2^18 buckets: a bitmap of 32 KiB fits the first-level cache, and a file of 10 kB fills about one bucket in a hundred.
pub(crate) const BUCKET_BITS: u32 = 18;

/// What a text must contain to be worth looking at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Anything,
    Bucket(u32),
    All(Vec<Need>),
    Any(Vec<Need>),
}

/// Reusable bitmap for collecting the buckets of one text after another.
pub(crate) struct Collector {
    seen: Vec<u64>,
}

impl Collector {
    pub fn new() -> Collector {
        Collector { seen: vec![0; 1 << (BUCKET_BITS - 6)] }
    }

    /// The buckets of `text`, ascending.
    pub fn collect(&mut self, text: &[u8]) -> Vec<u32> {
        let mut window = 0u32;
        let mut distinct = 0;
        for (at, byte) in text.iter().enumerate() {
            window = (window << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00FF_FFFF;
            if at >= 2 {
                let bucket = bucket(window) as usize;
                let bit = 1u64 << (bucket & 63);
                let word = &mut self.seen[bucket >> 6];
                distinct += usize::from(*word & bit == 0);
                *word |= bit;
            }
        }
        let mut out = Vec::with_capacity(distinct);
        for (index, word) in self.seen.iter_mut().enumerate() {
            let mut rest = std::mem::take(word);
            while rest != 0 {
                out.push(index as u32 * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        out
    }
}

fn bucket(window: u32) -> u32 {
    window.wrapping_mul(0x9E37_79B1) >> (32 - BUCKET_BITS)
}

/// What a text with `literal` in it must contain.
pub(crate) fn need_literal(literal: &[u8]) -> Need {
    let lower = literal.to_ascii_lowercase();
    all(lower.windows(3).map(|window| {
        let window = u32::from(window[0]) << 16 | u32::from(window[1]) << 8 | u32::from(window[2]);
        Need::Bucket(bucket(window))
    }))
}

/// What a text that matches the expression must contain.
pub(crate) fn need_regex(expression: &Hir) -> Need {
    match expression.kind() {
        HirKind::Literal(literal) => need_literal(&literal.0),
        HirKind::Capture(capture) => need_regex(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => need_regex(&repetition.sub),
        HirKind::Concat(parts) => {
            let mut needs = Vec::new();
            let mut run = Vec::new();
            for part in parts {
                match exact(part) {
                    Some(bytes) => run.extend_from_slice(&bytes),
                    None => {
                        needs.push(need_literal(&std::mem::take(&mut run)));
                        needs.push(need_regex(part));
                    }
                }
            }
            needs.push(need_literal(&run));
            all(needs)
        }
        HirKind::Alternation(parts) => {
            let needs: Vec<Need> = parts.iter().map(need_regex).collect();
            if needs.contains(&Need::Anything) { Need::Anything } else { Need::Any(needs) }
        }
        _ => Need::Anything,
    }
}

/// The bytes a part stands for, if it stands for one string (up to ASCII case, which trigrams ignore).
fn exact(part: &Hir) -> Option<Vec<u8>> {
    match part.kind() {
        HirKind::Literal(literal) => Some(literal.0.to_vec()),
        HirKind::Class(class) => {
            let single = match class {
                regex_syntax::hir::Class::Unicode(class) => {
                    let mut letters = class.iter().flat_map(|range| range.start()..=range.end());
                    let (first, second) = (letters.next()?, letters.next()?);
                    (letters.next().is_none() && first.is_ascii() && first.eq_ignore_ascii_case(&second))
                        .then_some(first as u8)
                }
                regex_syntax::hir::Class::Bytes(class) => {
                    let mut bytes = class.iter().flat_map(|range| range.start()..=range.end());
                    let (first, second) = (bytes.next()?, bytes.next()?);
                    (bytes.next().is_none() && first.eq_ignore_ascii_case(&second)).then_some(first)
                }
            };
            single.map(|byte| vec![byte])
        }
        HirKind::Capture(capture) => exact(&capture.sub),
        _ => None,
    }
}

fn all(needs: impl IntoIterator<Item = Need>) -> Need {
    let mut out = Vec::new();
    for need in needs {
        match need {
            Need::Anything => {}
            Need::All(inner) => out.extend(inner),
            other => out.push(other),
        }
    }
    out.dedup();
    if out.is_empty() { Need::Anything } else { Need::All(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn satisfied(need: &Need, buckets: &[u32]) -> bool {
        match need {
            Need::Anything => true,
            Need::Bucket(bucket) => buckets.binary_search(bucket).is_ok(),
            Need::All(needs) => needs.iter().all(|need| satisfied(need, buckets)),
            Need::Any(needs) => needs.iter().any(|need| satisfied(need, buckets)),
        }
    }

    #[test]
    fn whatever_matches_satisfies_its_need() {
        let texts =
            ["fn parse_query(text: &str)", "PARSE_QUERY", "struct Foo;", "foobar baz", "naïve Café", ""];
        let expressions = [
            "parse_query",
            "(?i)parse_query",
            "fn [a-z]+_query",
            "foo(bar|baz)",
            "(foo|struct) ?\\w+",
            "x*",
            "caf.",
            "(?i)struct",
        ];
        let mut collector = Collector::new();
        for text in texts {
            let buckets = collector.collect(text.as_bytes());
            for expression in expressions {
                let need = need_regex(&regex_syntax::parse(expression).unwrap());
                if regex::Regex::new(expression).unwrap().is_match(text) {
                    assert!(satisfied(&need, &buckets), "{expression} on {text}");
                }
            }
        }
        let need = need_regex(&regex_syntax::parse("parse_query").unwrap());
        assert!(!satisfied(&need, &collector.collect(b"nothing of the kind")));
    }
}
