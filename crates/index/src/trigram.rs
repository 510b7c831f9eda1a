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

/// Ascending buckets as their distances; `FAR` is a distance without a bucket at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gaps {
    pub gaps: Vec<u16>,
    next: u32,
}

const FAR: u16 = u16::MAX;

impl Gaps {
    #[inline]
    pub fn push(&mut self, bucket: u32) {
        let mut gap = bucket - self.next;
        while gap >= u32::from(FAR) {
            self.gaps.push(FAR);
            gap -= u32::from(FAR);
        }
        self.gaps.push(gap as u16);
        self.next = bucket + 1;
    }
}

/// Calls `each` with the buckets below `limit` from a cursor on: a position and the bucket it counts from.
#[inline]
pub(crate) fn each_bucket(gaps: &[u16], cursor: &mut (u32, u32), limit: u32, mut each: impl FnMut(u32)) {
    let (mut at, mut next) = *cursor;
    while let Some(gap) = gaps.get(at as usize) {
        let bucket = next + u32::from(*gap);
        if *gap == FAR {
            (at, next) = (at + 1, bucket);
            continue;
        }
        if bucket >= limit {
            break;
        }
        each(bucket);
        (at, next) = (at + 1, bucket + 1);
    }
    *cursor = (at, next);
}

/// Reusable bitmap for collecting the buckets of one text after another.
pub(crate) struct Collector {
    seen: Vec<u64>,
    /// Words of the bitmap with anything in them.
    touched: Vec<u16>,
}

const WORDS: usize = 1 << (BUCKET_BITS - 6);

impl Collector {
    pub fn new() -> Collector {
        Collector { seen: vec![0; WORDS], touched: vec![0; WORDS + 1] }
    }

    /// The buckets of `text`, see `Gaps`.
    pub fn collect(&mut self, text: &[u8]) -> Vec<u16> {
        let Some((head, rest)) = text.split_first_chunk::<2>() else {
            return Vec::new();
        };
        let lower = |byte: u8| u32::from(byte.to_ascii_lowercase());
        let mut window = lower(head[0]) << 8 | lower(head[1]);
        let seen: &mut [u64; WORDS] = self.seen.as_mut_slice().try_into().expect("the bitmap has its size");
        for byte in rest {
            window = (window << 8 | lower(*byte)) & 0x00FF_FFFF;
            let bucket = bucket(window) as usize;
            seen[bucket >> 6] |= 1u64 << (bucket & 63);
        }
        // Which words hold anything is found without a branch, that they hold more than one is rare enough to guess.
        let mut touched = 0;
        for (index, word) in seen.iter().enumerate() {
            self.touched[touched] = index as u16;
            touched += usize::from(*word != 0);
        }
        let mut out = Gaps { gaps: Vec::with_capacity(touched * 2), next: 0 };
        for index in &self.touched[..touched] {
            let mut rest = std::mem::take(&mut seen[*index as usize]);
            while rest != 0 {
                out.push(u32::from(*index) * 64 + rest.trailing_zeros());
                rest &= rest - 1;
            }
        }
        out.gaps
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

    fn buckets(gaps: &[u16]) -> Vec<u32> {
        let mut out = Vec::new();
        each_bucket(gaps, &mut (0, 0), u32::MAX, |bucket| out.push(bucket));
        out
    }

    #[test]
    fn buckets_far_apart_read_back() {
        let wanted = [0, 1, 65_534, 65_535, 65_536, 131_072, 262_143];
        let mut gaps = Gaps::default();
        wanted.iter().for_each(|bucket| gaps.push(*bucket));
        assert_eq!(buckets(&gaps.gaps), wanted);
        let mut alone = Gaps::default();
        alone.push(262_143);
        assert_eq!(buckets(&alone.gaps), [262_143]);
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
            let buckets = buckets(&collector.collect(text.as_bytes()));
            for expression in expressions {
                let need = need_regex(&regex_syntax::parse(expression).unwrap());
                if regex::Regex::new(expression).unwrap().is_match(text) {
                    assert!(satisfied(&need, &buckets), "{expression} on {text}");
                }
            }
        }
        let need = need_regex(&regex_syntax::parse("parse_query").unwrap());
        assert!(!satisfied(&need, &buckets(&collector.collect(b"nothing of the kind"))));
    }
}
