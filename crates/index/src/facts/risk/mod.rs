//! Risks: values from outside that reach a call which must not be given them as they are.
//!
//! `risk/rules.toml` names sources, sinks and sanitizers, `read` those of a user, `book` holds both; `flow` follows values
//! through one definition; this module matches names. Language decides which rules count, so that `spawn` of an async runtime is not a command.

mod args;
mod book;
mod flow;
mod read;

pub use book::RiskRules;
pub(crate) use book::book;
pub(crate) use flow::{Callees, Flow, Step, Summary, analyse, summarise};

use crate::facts::Fact;
use crate::facts::walk::Mark;
use crate::hash::FastMap;

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
    /// Names of categories. A sink has one; a sanitizer without any cleans for all.
    pub categories: &'static [&'static str],
    /// That of a sink.
    pub category: Option<&'static Category>,
    /// The argument that matters; any where `None`.
    pub arg: Option<usize>,
    pub when: &'static str,
    pub unless: &'static str,
    pub tags: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/risk.rs"));

/// The rules of one language by the last name of a call, the first of a read and the last of a write.
#[derive(Debug, Default)]
pub(crate) struct Book {
    calls: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    fills: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    reads: FastMap<&'static str, Vec<(&'static str, &'static Rule)>>,
    writes: Vec<(&'static str, &'static Rule)>,
}

const SEPARATORS: [char; 3] = ['.', ':', '>'];

fn last(name: &str) -> &str {
    name.rsplit(SEPARATORS).next().unwrap_or(name)
}

fn first(name: &str) -> &str {
    name.split(['.', ':', '-', '[']).next().unwrap_or(name)
}

impl Book {
    fn add(&mut self, rule: &'static Rule) {
        for call in rule.calls {
            self.calls.entry(last(call)).or_default().push((*call, rule));
        }
        for call in rule.fills {
            self.fills.entry(last(call)).or_default().push((*call, rule));
        }
        for read in rule.reads {
            self.reads.entry(first(read)).or_default().push((*read, rule));
        }
        self.writes.extend(rule.writes.iter().map(|write| (*write, rule)));
    }

    fn extend(&mut self, other: Book) {
        let join = |mine: &mut FastMap<&'static str, Vec<_>>, theirs: FastMap<&'static str, Vec<_>>| {
            theirs.into_iter().for_each(|(name, rules)| mine.entry(name).or_default().extend(rules));
        };
        join(&mut self.calls, other.calls);
        join(&mut self.fills, other.fills);
        join(&mut self.reads, other.reads);
        self.writes.extend(other.writes);
    }

    /// Whether a value of a fact is one a rule of that role may be about.
    pub fn has(&self, fact: Fact, value: &str, role: Role) -> bool {
        match fact {
            Fact::Call => {
                let known = |rules: &FastMap<&'static str, Vec<(&'static str, &'static Rule)>>| {
                    rules
                        .get(last(value))
                        .is_some_and(|rules| rules.iter().any(|(_, rule)| rule.role == role))
                };
                known(&self.calls) || known(&self.fills)
            }
            Fact::Read => self.of_read(value).is_some_and(|rule| rule.role == role),
            Fact::Mutate => self.of_write(value).is_some_and(|rule| rule.role == role),
            _ => false,
        }
    }

    /// As `has`, for any role.
    pub fn has_any(&self, fact: Fact, value: &str) -> bool {
        [Role::Source, Role::Sink, Role::Sanitizer].iter().any(|role| self.has(fact, value, *role))
    }

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
}
