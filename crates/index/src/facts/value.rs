//! From a stretch of text to the value a fact is filed under.

use super::Fact;
use std::borrow::Cow;

/// Longer values are not looked for by anyone.
const MAX_BYTES: usize = 96;

/// Calls `each` with the values of a fact written as `text`.
///
/// What is called has two: its own name and, where it is short, the whole of it: `close` and `self.file.close`.
pub(super) fn values<'t>(fact: Fact, text: &'t str, mut each: impl FnMut(Cow<'t, str>)) {
    let text = trimmed(fact, text);
    if text.is_empty() {
        return;
    }
    match fact {
        Fact::Type | Fact::ReturnType | Fact::Decorator | Fact::Extends | Fact::Import => {
            each(bounded(one_line(text)));
        }
        Fact::Alias => each(bounded(one_line(text))),
        Fact::Call => {
            let name = if is_name(text) { text } else { last_name(text) };
            if name.is_empty() {
                return;
            }
            each(Cow::Borrowed(name));
            if name.len() < text.len() && is_plain(text) {
                each(Cow::Borrowed(text));
            }
        }
        _ if is_plain(text) => each(Cow::Borrowed(text)),
        _ => {
            let name = last_name(text);
            if !name.is_empty() {
                each(Cow::Borrowed(name));
            }
        }
    }
}

/// Text up to the first bracket or blank.
pub(super) fn head(text: &str) -> &str {
    let text = text.trim_start();
    text.find(|letter: char| letter.is_whitespace() || "({[<;,".contains(letter))
        .map_or(text, |end| &text[..end])
}

fn trimmed(fact: Fact, text: &str) -> &str {
    let text = text.trim();
    match fact {
        Fact::Decorator => {
            text.trim_start_matches(['@', '#', '!']).trim_start_matches('[').trim_end_matches(']').trim()
        }
        Fact::Import => {
            let text = text.strip_prefix("import ").unwrap_or(text);
            let path = text.split(['{', '[']).next().unwrap_or(text);
            let path = path.trim_matches(['"', '\'', '`', '<', '>', ' ', ';']);
            // `from . import x` names the folder itself.
            if path.bytes().all(|byte| byte == b'.') { path } else { path.trim_end_matches('.') }
        }
        Fact::Type | Fact::ReturnType => {
            text.trim_start_matches([':', '-', '>']).trim_end_matches(';').trim()
        }
        Fact::Call => text.trim_end_matches(['.', ':']),
        Fact::Param => {
            text.trim_start_matches(['*', '&', '.', '$', '@', ':']).trim_end_matches([':', '?', '!']).trim()
        }
        _ => text,
    }
}

/// Short, and without blanks or brackets.
fn is_plain(text: &str) -> bool {
    let is_odd = |byte: u8| matches!(byte, 0..=b' ' | b'(' | b')' | b'{' | b'}' | b'"' | b'\'' | b'`');
    text.len() <= MAX_BYTES && !text.bytes().any(is_odd)
}

/// Nothing but a name, which most values are.
fn is_name(text: &str) -> bool {
    text.len() <= MAX_BYTES && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The last name in an expression: `c` of `a(b).c`.
fn last_name(text: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() || "_$@?!".contains(letter);
    let end = text.trim_end_matches(|letter: char| !is_part(letter));
    let start = end.char_indices().rev().take_while(|(_, letter)| is_part(*letter)).last();
    let name = start.map_or("", |(at, _)| &end[at..]);
    let end = name.len().min(MAX_BYTES);
    &name[..name.floor_char_boundary(end)]
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) || text.contains("  ") {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(text)
    }
}

fn bounded(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let end = text.floor_char_boundary(MAX_BYTES);
    Cow::Owned(text[..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fact: Fact, text: &str, expected: &[&str]) {
        let mut found = Vec::new();
        values(fact, text, |value| found.push(value.into_owned()));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn values_are_what_people_look_for() {
        check(Fact::Call, "self.file.close", &["close", "self.file.close"]);
        check(Fact::Call, "std::mem::take", &["take", "std::mem::take"]);
        check(Fact::Call, "open(path).read", &["read"]);
        check(Fact::Call, "user.save!", &["save!", "user.save!"]);
        check(Fact::Import, "\"net/http\"", &["net/http"]);
        check(Fact::Import, "<stdio.h>", &["stdio.h"]);
        check(Fact::Decorator, "#[derive(Debug,\n   Clone)]", &["derive(Debug, Clone)"]);
        check(Fact::Decorator, "@app.route(\"/\")", &["app.route(\"/\")"]);
        check(Fact::ReturnType, ": Promise<User[]>", &["Promise<User[]>"]);
        check(Fact::Param, "**kwargs", &["kwargs"]);
        check(Fact::Read, "a.b(c).total", &["total"]);
        check(Fact::Read, " ", &[]);
        assert_eq!(head("ValueError(\"x\")"), "ValueError");
    }
}
