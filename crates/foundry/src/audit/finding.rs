//! What an audit found: places, messages, and edits that would mend them.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use super::rules::Severity;

/// A comment with this word allows the findings of its line, `…-next-line` those of the next.
const ALLOW: &str = "purity-ignore";

/// Where something stands: lines and columns count from 1, columns in UTF-16 units as editors count them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
}

/// One drift from the design system.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    pub rule: &'static str,
    pub severity: Severity,
    /// Relative to the root, with `/`.
    pub path: String,
    #[serde(flatten)]
    pub place: Place,
    pub message: String,
    /// The line it stands in, shortened.
    pub snippet: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
    /// The custom property used, while it is not known whether the project defines it.
    #[serde(skip)]
    pub property: Option<String>,
}

/// Edits that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// Nothing changes on screen, so it can be made without looking.
    pub exact: bool,
    /// The token written, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    pub edits: Vec<Edit>,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    #[serde(skip)]
    pub range: Range<usize>,
    #[serde(flatten)]
    pub place: Place,
    /// What to write there.
    pub replacement: String,
}

impl Edit {
    pub fn new(range: Range<usize>, replacement: String) -> Edit {
        Edit { range, place: Place::default(), replacement }
    }
}

/// The lines of a file, for places and for comments that allow a finding.
pub struct Lines<'s> {
    text: &'s str,
    starts: Vec<usize>,
    /// Whether the word stands anywhere, which it rarely does.
    has_marks: bool,
    allows_all: bool,
}

impl<'s> Lines<'s> {
    pub fn new(text: &'s str) -> Lines<'s> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let has_marks = text.contains(ALLOW);
        let allows_all = has_marks && text.lines().take(10).any(|line| line.contains("purity-ignore-file"));
        Lines { text, starts, has_marks, allows_all }
    }

    pub fn place(&self, range: &Range<usize>) -> Place {
        let (line, column) = self.position(range.start);
        let (end_line, end_column) = self.position(range.end);
        Place { line, column, end_line, end_column }
    }

    /// The number of the line a byte stands in.
    pub fn number(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.number(at);
        let before = self.text.get(self.starts[line - 1]..at).unwrap_or_default();
        (line, before.encode_utf16().count() + 1)
    }

    fn line(&self, number: usize) -> &'s str {
        let Some(&start) = number.checked_sub(1).and_then(|index| self.starts.get(index)) else { return "" };
        let end = self.starts.get(number).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or_default().trim()
    }

    /// At most 160 characters of a line.
    pub fn snippet(&self, number: usize) -> String {
        self.line(number).chars().take(160).collect()
    }

    /// Whether a comment allows a rule in a line.
    pub fn allows(&self, rule: &str, number: usize) -> bool {
        if !self.has_marks {
            return false;
        }
        let names = |line: &str, word: &str| {
            let Some((_, rest)) = line.split_once(word) else { return false };
            if rest.starts_with("-") {
                return false;
            }
            let mut listed = rest
                .split(|c: char| c.is_whitespace() || c == ',')
                .filter(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
                .peekable();
            listed.peek().is_none() || listed.any(|name| name == rule)
        };
        self.allows_all
            || names(self.line(number), ALLOW)
            || names(self.line(number.saturating_sub(1)), "purity-ignore-next-line")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_editors_count_them() {
        let lines = Lines::new("a\n🎨b\n");
        assert_eq!(lines.place(&(6..7)), Place { line: 2, column: 3, end_line: 2, end_column: 4 });
        assert_eq!(lines.place(&(0..1)).line, 1);
    }

    #[test]
    fn comments_allow_rules_by_line() {
        let lines = Lines::new("a /* purity-ignore raw-color */\n// purity-ignore-next-line\nb\nc\n");
        assert!(lines.allows("raw-color", 1) && !lines.allows("raw-font", 1));
        assert!(lines.allows("raw-font", 3) && !lines.allows("raw-font", 4) && !lines.allows("raw-font", 2));
        assert!(Lines::new("/* purity-ignore-file */\nx").allows("raw-font", 2));
    }
}
