//! A help text as a page: usage, commands, options, arguments.
//!
//! One reader for all styles: clap, cobra, argparse, optparse and GNU differ in headings and spacing, not in what a line
//! with an option or a command looks like.

use super::draft::{DraftArg, identifier, one_line};
use super::option::parse_option;
use super::usage_line::{Usage, parse_usage};

#[derive(Debug, Default)]
pub struct Page {
    pub summary: String,
    pub usage: Usage,
    pub has_usage: bool,
    pub commands: Vec<(String, String)>,
    pub options: Vec<DraftArg>,
    /// Descriptions of positionals by name.
    arguments: Vec<(String, String)>,
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Other,
    Usage,
    Commands,
    Arguments,
    /// Examples and prose: what looks like an option there is none.
    Skipped,
}

impl Page {
    /// Reads a help text of the command `words` (the program itself for none).
    pub fn parse(text: &str, words: &[String]) -> Page {
        let text = plain(text);
        let lines: Vec<&str> = text.lines().collect();
        let mut page = Page::default();
        let mut section = Section::Other;
        let mut usage_lines: Vec<String> = Vec::new();
        let mut is_inline = false;
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if let Some(rest) = usage_start(line) {
                page.has_usage = true;
                section = Section::Usage;
                is_inline = !rest.is_empty();
                if is_inline {
                    usage_lines.push(rest.to_owned());
                }
                continue;
            }
            if let Some(next) = heading(line) {
                section = next;
                continue;
            }
            if section == Section::Usage {
                match line.trim() {
                    "" if usage_lines.is_empty() => {}
                    "" => section = Section::Other,
                    // Behind a usage on the heading's own line, what is not indented is prose.
                    _ if is_inline && indent_of(line) == 0 => section = Section::Other,
                    more => usage_lines.push(more.to_owned()),
                }
                if section == Section::Usage || line.trim().is_empty() {
                    continue;
                }
            }
            let indent = indent_of(line);
            if section != Section::Skipped
                && line.trim_start().starts_with('-')
                && let Some((arg, _)) = parse_option(line)
            {
                let (more, next) = continuation(&lines, at, indent);
                at = next;
                let description = one_line(&format!("{} {more}", arg.description));
                page.options.push(arg.described(&description).with_remarks());
                continue;
            }
            match section {
                Section::Commands => page.read_command(line, indent),
                Section::Arguments => {
                    if line.trim_start().starts_with('{') && line.trim_end().ends_with('}') {
                        section = Section::Commands;
                    } else if let Some((name, description)) = line.trim().split_once("  ") {
                        page.arguments.push((identifier(name.trim_end_matches('.')), one_line(description)));
                    }
                }
                _ if line.trim_start().starts_with("[-") => {
                    // npm lists its options as one long usage.
                    let usage = parse_usage(&format!("x {}", line.trim()), &[]);
                    page.options.extend(usage.options);
                }
                _ if page.summary.is_empty() && indent == 0 && !line.trim().is_empty() => {
                    page.summary = one_line(line);
                }
                _ => {}
            }
        }
        page.finish(&usage_lines, words);
        page
    }

    /// Tells whether the text was a help text at all.
    pub fn is_help(&self) -> bool {
        self.has_usage || self.options.len() > 1 || !self.commands.is_empty()
    }

    fn read_command(&mut self, line: &str, indent: usize) {
        let text = line.trim();
        let is_name = |word: &str| {
            word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
        };
        if indent == 0 || text.is_empty() {
            return;
        }
        let (names, description) = text.split_once("  ").unwrap_or((text, ""));
        let mut names =
            names.split(',').map(|name| name.trim().trim_end_matches('*')).filter(|name| !name.is_empty());
        if description.is_empty() && text.contains(',') {
            let words: Vec<&str> = names.collect();
            if words.iter().all(|word| is_name(word)) {
                self.commands.extend(words.into_iter().map(|word| (word.to_owned(), String::new())));
            }
        } else if let Some(name) = names.next().filter(|name| is_name(name) && !description.is_empty()) {
            self.commands.push((name.to_owned(), one_line(description)));
        }
    }

    fn finish(&mut self, usage_lines: &[String], words: &[String]) {
        self.usage = parse_usage(&first_usage(usage_lines), words);
        for arg in &mut self.usage.positionals {
            if let Some((_, description)) = self.arguments.iter().find(|(name, _)| *name == arg.name) {
                arg.description.clone_from(description);
            }
        }
        // Arguments that only their own section names.
        if self.usage.positionals.is_empty() && !self.arguments.is_empty() && self.commands.is_empty() {
            let named = self.arguments.iter().filter(|(name, _)| !name.is_empty());
            self.usage.positionals =
                named.map(|(name, text)| DraftArg::positional(name).described(text)).collect();
        }
        let mut options: Vec<DraftArg> = Vec::new();
        for arg in self.options.drain(..).chain(self.usage.options.drain(..)) {
            match options.iter_mut().find(|known| known.name == arg.name) {
                // npm says the value in one place and the meaning in another.
                Some(known) if known.description.is_empty() => known.description = arg.description,
                Some(_) => {}
                None => options.push(arg),
            }
        }
        self.options = options;
    }
}

/// Removes colours and the overstriking of manual pages.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match c {
            '\u{8}' => {
                plain.pop();
            }
            '\u{1b}' => {
                if characters.next() == Some('[') {
                    for c in characters.by_ref() {
                        if c.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '\t' => plain.push_str("        "),
            c => plain.push(c),
        }
    }
    plain
}

/// Tells whether a text is a manual page, whose options stand among prose.
pub fn is_manual(text: &str) -> bool {
    let text = plain(text);
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let begins_so =
        first.split_whitespace().next().is_some_and(|word| word.ends_with(')') && word.contains('('));
    begins_so || text.lines().take(5).any(|line| line.trim() == "NAME")
}

fn usage_start(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let head = text.get(..6)?;
    head.eq_ignore_ascii_case("usage:").then(|| text[6..].trim())
}

/// A line that opens a section: short, hardly indented, ending in a colon or all capitals.
fn heading(line: &str) -> Option<Section> {
    let text = line.trim();
    let is_capitals = text.len() > 3 && text.chars().all(|c| c.is_ascii_uppercase() || c == ' ');
    if indent_of(line) > 1
        || text.starts_with('-')
        || text.len() > 80
        || !(text.ends_with(':') || is_capitals)
    {
        return None;
    }
    let lower = text.to_lowercase();
    Some(if lower.contains("command") {
        Section::Commands
    } else if lower.contains("argument") && !lower.contains("optional") {
        Section::Arguments
    } else if ["example", "description", "environment"].iter().any(|word| lower.contains(word)) {
        Section::Skipped
    } else {
        Section::Other
    })
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Joins the lines that belong to the option above: deeper, and no option themselves.
fn continuation(lines: &[&str], from: usize, indent: usize) -> (String, usize) {
    let mut text = String::new();
    let mut at = from;
    while let Some(line) = lines.get(at) {
        if line.trim().is_empty() || indent_of(line) <= indent || line.trim_start().starts_with("--") {
            break;
        }
        text.push(' ');
        text.push_str(line.trim());
        at += 1;
    }
    (text, at)
}

/// The first usage, with its wrapped lines.
fn first_usage(lines: &[String]) -> String {
    let Some(first) = lines.first() else { return String::new() };
    let program = first.split_whitespace().next().unwrap_or_default();
    let mut usage = first.clone();
    for line in &lines[1..] {
        if line.starts_with("or:") || line.split_whitespace().next() == Some(program) {
            break;
        }
        usage.push(' ');
        usage.push_str(line);
    }
    usage
}
