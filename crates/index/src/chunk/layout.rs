//! Cutting by layout: at blank lines before unindented text, within bounds.

use std::ops::Range;

/// A block longer than this is cut at the next good place, and at any line past twice as much.
const BLOCK_BYTES: usize = 2_000;
const BLOCK_LINES: usize = 50;

/// Cuts `range` of `text` into consecutive ranges at line boundaries; ranges of blank lines only are dropped.
pub(super) fn blocks(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut start = range.start;
    let mut lines = 0;
    let mut after_blank = false;
    let mut at = range.start;
    while at < range.end {
        let next = line_end(text, at, range.end);
        let line = &text[at..next];
        let blank = line.trim().is_empty();
        let outdented = !line.starts_with([' ', '\t', '}', ')', ']']);
        let long = lines >= BLOCK_LINES || at - start >= BLOCK_BYTES;
        let too_long = lines >= 2 * BLOCK_LINES || at - start >= 2 * BLOCK_BYTES;
        if !blank && lines > 0 && ((long && after_blank && outdented) || too_long) {
            out.push(start..at);
            (start, lines) = (at, 0);
        }
        after_blank = blank;
        lines += 1;
        at = next;
    }
    out.push(start..range.end);
    out.retain(|block| !text[block.clone()].trim().is_empty());
    out
}

/// A single line can be a whole file (minified code, data): lines are cut too, at a character boundary.
const LINE_BYTES: usize = 4_000;

fn line_end(text: &str, at: usize, end: usize) -> usize {
    let next = memchr::memchr(b'\n', &text.as_bytes()[at..end]).map_or(end, |found| at + found + 1);
    if next - at > LINE_BYTES { text.ceil_char_boundary(at + LINE_BYTES).min(end) } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_at_blank_lines_and_loses_nothing() {
        let text = "fn a() {\n    body\n}\n\n".repeat(300);
        let blocks = blocks(&text, 0..text.len());
        assert!(blocks.len() > 3);
        assert!(blocks.iter().all(|block| text[block.clone()].starts_with("fn a()")));
        assert_eq!(blocks.last().unwrap().end, text.len());
    }

    #[test]
    fn one_endless_line_is_cut_too() {
        let text = "é".repeat(50_000);
        assert!(blocks(&text, 0..text.len()).len() > 10);
    }
}
