//! Where the arguments of a call stand, by brackets and commas: one scanner for all languages.

use std::ops::Range;

/// The ranges of a call's arguments. `from` is where the callee ends, `until` where the call does.
pub(super) fn arguments(text: &str, from: usize, until: usize) -> Vec<Range<usize>> {
    let Some(inner) = text.get(from..until) else { return Vec::new() };
    let bytes = inner.as_bytes();
    let blank = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'!';
    let open = bytes.iter().position(|byte| !blank(byte)).unwrap_or(bytes.len());
    // Calls without brackets: `echo $x`, `system "ls #{x}"`.
    let (start, nested) = if bytes.get(open) == Some(&b'(') { (open + 1, true) } else { (open, false) };
    let mut out = Vec::new();
    let (mut depth, mut at, mut begin) = (0usize, start, start);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => at = string_end(bytes, at, quote),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 && nested => break,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                out.push(from + begin..from + at);
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let end = at.min(bytes.len());
    if begin < end && !inner.get(begin..end).unwrap_or_default().trim().is_empty() {
        out.push(from + begin..from + end);
    }
    out
}

/// The last byte of a string that starts at `at`; the start itself if it does not end.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = at + 1;
    while end < bytes.len() {
        match bytes[end] {
            b'\\' => end += 1,
            byte if byte == quote => return end,
            _ => {}
        }
        end += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_cut_at_their_commas() {
        for (text, callee, expected) in [
            ("f(a, b)", 1, vec!["a", " b"]),
            ("f(g(a, b), \"x, y\")", 1, vec!["g(a, b)", " \"x, y\""]),
            ("echo $a . $b;", 4, vec!["$a . $b;"]),
            ("f()", 1, vec![]),
            ("f(a", 1, vec!["a"]),
        ] {
            let found: Vec<&str> =
                arguments(text, callee, text.len()).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
