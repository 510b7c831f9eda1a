//! Risks: values from outside that reach a call which must not be given them as they are.
//!
//! `risk/rules.toml` names sources, sinks and sanitizers; `flow` follows values through one definition; this module
//! matches names. Language decides which rules count, so that `spawn` of an async runtime is not a command.

mod args;
mod flow;

pub(crate) use flow::{Flow, analyse};

use crate::facts::Fact;
use crate::facts::walk::Mark;
use crate::hash::FastMap;
use crate::lang::LangId;
use std::sync::OnceLock;

/// A kind of damage.
#[derive(Debug)]
pub(crate) struct Category {
    pub name: &'static str,
    pub tags: &'static [&'static str],
    /// Numbers in the lists of CWE and OWASP.
    pub ids: &'static [&'static str],
    pub severity: &'static str,
    /// Its sinks are worth telling without a value from outside in sight.
    pub alone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Source,
    Sink,
    Sanitizer,
}

#[derive(Debug)]
pub(crate) struct Rule {
    pub role: Role,
    pub name: &'static str,
    pub languages: &'static [&'static str],
    pub calls: &'static [&'static str],
    pub reads: &'static [&'static str],
    /// Calls that write what they got into their arguments.
    pub fills: &'static [&'static str],
    /// Members whose assignment is a sink.
    pub writes: &'static [&'static str],
    /// Positions in `CATEGORIES`. A sink has one; a sanitizer without any cleans for all.
    pub categories: &'static [usize],
    /// The argument that matters; any where `None`.
    pub arg: Option<usize>,
    pub when: &'static str,
    pub unless: &'static str,
    pub tags: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/risk.rs"));

impl Rule {
    pub fn category(&self) -> Option<&'static Category> {
        self.categories.first().map(|at| &CATEGORIES[*at])
    }
}

/// The rules of one language by the last name of a call, the first of a read and the last of a write.
#[derive(Default)]
pub(crate) struct Book {
    calls: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    fills: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    reads: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    writes: Vec<(&'static str, &'static Rule)>,
}

/// The rules of a language; `None` where there are none.
pub(crate) fn book(lang: LangId) -> Option<&'static Book> {
    static BOOKS: OnceLock<FastMap<&'static str, Book>> = OnceLock::new();
    let books = BOOKS.get_or_init(|| {
        let mut books: FastMap<&'static str, Book> = FastMap::default();
        for rule in RULES {
            for language in rule.languages {
                let book = books.entry(*language).or_default();
                for call in rule.calls {
                    book.calls.entry(last(call)).or_default().push((*call, rule));
                }
                for call in rule.fills {
                    book.fills.entry(last(call)).or_default().push((*call, rule));
                }
                for read in rule.reads {
                    book.reads.entry(first(read)).or_default().push((*read, rule));
                }
                book.writes.extend(rule.writes.iter().map(|write| (*write, rule)));
            }
        }
        books
    });
    books.get(lang.get().id)
}

const SEPARATORS: [char; 3] = ['.', ':', '>'];

fn last(name: &str) -> &str {
    name.rsplit(SEPARATORS).next().unwrap_or(name)
}

fn first(name: &str) -> &str {
    name.split(['.', ':', '-', '[']).next().unwrap_or(name)
}

impl Book {
    /// The rules about a call written so.
    pub fn of_call(&self, written: &str, has_receiver: bool) -> impl Iterator<Item = &'static Rule> {
        matching(&self.calls, written, has_receiver)
    }

    pub fn of_fill(&self, written: &str, has_receiver: bool) -> impl Iterator<Item = &'static Rule> {
        matching(&self.fills, written, has_receiver)
    }

    /// The source a read takes from.
    pub fn of_read(&self, written: &str) -> Option<&'static Rule> {
        let known = self.reads.get(first(written))?;
        let inside = |name: &str| {
            written.strip_prefix(name).is_some_and(|rest| {
                rest.is_empty()
                    || rest.starts_with(['.', '['])
                    || rest.starts_with("->")
                    || rest.starts_with("::")
            })
        };
        known.iter().find(|(name, _)| inside(name)).map(|(_, rule)| *rule)
    }

    pub fn of_write(&self, written: &str) -> Option<&'static Rule> {
        self.writes.iter().find(|(end, _)| written.ends_with(end)).map(|(_, rule)| *rule)
    }

    /// Whether a rule may be about what stands there.
    pub fn names(&self, mark: &Mark, text: &str) -> bool {
        match mark.fact {
            Fact::Call => self.knows_call(mark.written(text)),
            Fact::Read => self.of_read(mark.written(text)).is_some(),
            Fact::Mutate => self.of_write(mark.written(text)).is_some(),
            _ => false,
        }
    }

    /// Whether anything at all is known of a last name: most calls end here.
    pub fn knows_call(&self, written: &str) -> bool {
        let name = last(written);
        self.calls.contains_key(name) || self.fills.contains_key(name)
    }
}

fn matching(
    known: &FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    written: &str,
    has_receiver: bool,
) -> impl Iterator<Item = &'static Rule> {
    let list = known.get(last(written)).map(Vec::as_slice).unwrap_or_default().iter();
    let fitting: Vec<&'static Rule> =
        list.filter(|(pattern, _)| fits(pattern, written, has_receiver)).map(|(_, rule)| *rule).collect();
    fitting.into_iter()
}

fn fits(pattern: &str, written: &str, has_receiver: bool) -> bool {
    if let Some(name) = pattern.strip_prefix("*.") {
        return written == name && has_receiver
            || written.len() > name.len() + 1 && written.ends_with(name) && written.contains(SEPARATORS);
    }
    if written == pattern {
        return !has_receiver;
    }
    // `self.os.system` is os.system; `mysystem` and `shell.exec` are not system and exec.
    let qualified = pattern.contains(SEPARATORS);
    qualified
        && written
            .strip_suffix(pattern)
            .is_some_and(|before| before.ends_with(SEPARATORS) || before.ends_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_whole_or_behind_something() {
        for (pattern, written, expected) in [
            ("os.system", "os.system", true),
            ("os.system", "self.os.system", true),
            ("os.system", "pos.system", false),
            ("eval", "eval", true),
            ("eval", "model.eval", false),
            ("*.execute", "cursor.execute", true),
            ("*.execute", "execute", false),
            ("$db->query", "$db->query", true),
            ("DB::raw", "DB::raw", true),
        ] {
            assert_eq!(fits(pattern, written, false), expected, "{pattern} {written}");
        }
    }

    #[test]
    fn every_rule_is_of_a_known_language_and_a_sink_has_a_category() {
        for rule in RULES {
            assert!(rule.languages.iter().all(|name| LangId::by_name(name).is_some()), "{}", rule.name);
            assert_eq!(
                rule.role == Role::Sink,
                rule.categories.len() == 1 && rule.role == Role::Sink,
                "{}",
                rule.name
            );
            assert!(rule.role != Role::Source || !rule.tags.is_empty(), "{}", rule.name);
        }
    }
}
