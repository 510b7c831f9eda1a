//! Sections of Markdown, reStructuredText, AsciiDoc and Org by their headings; fenced code as its own language.

use super::{Def, Host, Kind};
use crate::lang::LangId;
use std::ops::Range;

pub(super) fn sections(text: &str) -> Host {
    let mut host = Host::default();
    let mut heads: Vec<(usize, String)> = Vec::new();
    let mut fence: Option<(char, usize, usize, Option<LangId>)> = None;
    let mut previous: Option<Range<usize>> = None;
    let mut at = 0;
    if let Some(end) = front_matter(text) {
        host.embedded.extend(LangId::by_name("yaml").map(|yaml| (4..end, yaml)));
        at = end;
    }
    while at < text.len() {
        let next = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |found| at + found + 1);
        let line = text[at..next].trim_end();
        let bare = line.trim_start();
        if let Some((mark, length, start, lang)) = fence {
            if bare.starts_with(mark) && bare.trim_end_matches(mark).is_empty() && bare.len() >= length {
                host.embedded.extend(lang.map(|lang| (start..at, lang)));
                fence = None;
            }
        } else if let Some((mark, length)) = fence_mark(bare) {
            let info = bare.trim_start_matches(mark).trim();
            let word = info
                .split(|letter: char| !letter.is_alphanumeric() && !"+#_-".contains(letter))
                .find(|word| !word.is_empty());
            fence = Some((mark, length, next, word.and_then(LangId::by_name)));
        } else if let Some(title) = heading(line) {
            heads.push((at, title));
        } else if let Some(above) =
            previous.clone().filter(|above| underlines(line, text[above.clone()].trim_end()))
        {
            heads.push((above.start, text[above].trim().to_owned()));
        }
        previous = (fence.is_none() && !bare.is_empty()).then_some(at..next);
        at = next;
    }
    for (index, (start, title)) in heads.iter().enumerate() {
        let end = heads.get(index + 1).map_or(text.len(), |(next, _)| *next);
        let line_end = text[*start..].find('\n').map_or(text.len(), |found| start + found);
        host.defs.push(Def {
            span: *start..end,
            kind: Some(Kind::Section),
            name: title.chars().take(120).collect(),
            signature: *start..line_end,
            ..Def::default()
        });
    }
    host
}

/// The end of a `---` block at the very top.
fn front_matter(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("---\n")?;
    let end = rest.find("\n---")?;
    (end < 16 * 1024).then_some(4 + end + 1)
}

fn fence_mark(line: &str) -> Option<(char, usize)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|letter| *letter == mark).count();
    (length >= 3 && (mark == '~' || !line[length..].contains('`'))).then_some((mark, length))
}

/// `# Title`, `== Title` (AsciiDoc), `** Title` (Org).
fn heading(line: &str) -> Option<String> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '#' | '=' | '*'))?;
    let level = line.chars().take_while(|letter| *letter == mark).count();
    let title = line[level..].strip_prefix(' ')?.trim().trim_end_matches('#').trim();
    // A single `*` is a list item in most of these formats.
    (level <= 6 && !title.is_empty() && (mark != '*' || level >= 2)).then(|| title.to_owned())
}

/// A Setext or reStructuredText underline: one punctuation mark, about as long as the title above.
fn underlines(line: &str, title: &str) -> bool {
    let Some(mark) = line.chars().next().filter(|mark| "=-~^\"'`#*+".contains(*mark)) else {
        return false;
    };
    let length = line.chars().count();
    length >= 3
        && line.chars().all(|letter| letter == mark)
        && title.chars().any(char::is_alphanumeric)
        && !title.starts_with(['-', '*', '|', '>', ' '])
        && title.chars().count() <= length + 20
        && title.len() < 120
}
