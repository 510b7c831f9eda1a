//! Reading a map of the document key by key, collecting every mistake instead of stopping at the first.

use std::fmt;

use super::shown::shown;
use crate::document::{Data, Key, Node};
use crate::error::Problem;

/// Mistakes found so far, and things worth a warning.
#[derive(Debug, Default)]
pub struct Findings {
    pub problems: Vec<Problem>,
    pub warnings: Vec<Problem>,
}

/// The position of a value: `tools → 0 → name`.
#[derive(Debug, Clone, Default)]
pub struct Place(Vec<String>);

impl Place {
    pub fn at(&self, step: impl fmt::Display) -> Place {
        let mut steps = self.0.clone();
        steps.push(step.to_string());
        Place(steps)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" → "))
    }
}

/// One map being read.
pub struct Fields<'a> {
    entries: &'a [(Key, Node)],
    used: Vec<bool>,
    /// Keys asked for, to suggest one when a key is unknown.
    known: Vec<&'static str>,
    pub line: u32,
    pub place: Place,
}

impl<'a> Fields<'a> {
    pub fn open(node: &'a Node, place: Place, findings: &mut Findings) -> Option<Fields<'a>> {
        match &node.data {
            Data::Map(entries) => Some(Fields {
                entries,
                used: vec![false; entries.len()],
                known: Vec::new(),
                line: node.line,
                place,
            }),
            Data::Null => {
                let message = match place.0.is_empty() {
                    true => "the file is empty; a mapping of keys to values is expected",
                    false => "Input should be a mapping; write `{}` for an empty one",
                };
                findings.problems.push(Problem::new(node.line, place.to_string(), message));
                None
            }
            _ => {
                findings.problems.push(Problem::new(
                    node.line,
                    place.to_string(),
                    "Input should be a mapping",
                ));
                None
            }
        }
    }

    /// Returns the value of `name`; null counts as absent.
    pub fn take(&mut self, name: &'static str) -> Option<&'a Node> {
        self.known.push(name);
        let position = self.entries.iter().position(|(key, _)| key.name == name)?;
        self.used[position] = true;
        let node = &self.entries[position].1;
        (!matches!(node.data, Data::Null)).then_some(node)
    }

    pub fn problem(&self, name: &str, node: &Node, message: impl Into<String>, findings: &mut Findings) {
        findings.problems.push(Problem::new(node.line, self.place.at(name).to_string(), message));
    }

    pub fn text(&mut self, name: &'static str, findings: &mut Findings) -> Option<String> {
        let node = self.take(name)?;
        match &node.data {
            Data::Text(text) => Some(text.clone()),
            _ => {
                self.problem(name, node, "Input should be a valid string", findings);
                None
            }
        }
    }

    /// A text that is shown to people and models.
    pub fn shown(&mut self, name: &'static str, findings: &mut Findings) -> Option<String> {
        let line = self.take(name)?.line;
        let (text, remarks) = shown(&self.text(name, findings)?);
        let warn = |remark: &str| Problem::new(line, self.place.at(name).to_string(), remark);
        findings.warnings.extend(remarks.into_iter().map(warn));
        Some(text)
    }

    pub fn required_text(&mut self, name: &'static str, findings: &mut Findings) -> String {
        if !self.has(name) {
            self.missing(name, findings);
        }
        self.text(name, findings).unwrap_or_default()
    }

    pub fn missing(&self, name: &str, findings: &mut Findings) {
        findings.problems.push(Problem::new(self.line, self.place.at(name).to_string(), "Field required"));
    }

    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(key, node)| key.name == name && !matches!(node.data, Data::Null))
    }

    /// Accepts the spellings of truth that YAML 1.1 files are full of.
    pub fn flag(&mut self, name: &'static str, findings: &mut Findings) -> Option<bool> {
        let node = self.take(name)?;
        let flag = match &node.data {
            Data::Bool(flag) => Some(*flag),
            Data::Number(number) => match number.as_u64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            Data::Text(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "y" | "t" | "1" => Some(true),
                "false" | "no" | "off" | "n" | "f" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if flag.is_none() {
            self.problem(name, node, "Input should be a valid boolean", findings);
        }
        flag
    }

    pub fn number(&mut self, name: &'static str, findings: &mut Findings) -> Option<f64> {
        let node = self.take(name)?;
        let number = match &node.data {
            Data::Number(number) => number.as_f64(),
            Data::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite());
        if number.is_none() {
            self.problem(name, node, "Input should be a valid number", findings);
        }
        number
    }

    /// A whole number of at least 1.
    pub fn count(&mut self, name: &'static str, findings: &mut Findings) -> Option<u32> {
        let node = self.take(name)?;
        let count = match &node.data {
            Data::Number(number) => number.as_u64(),
            _ => None,
        };
        let count = count.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0);
        if count.is_none() {
            self.problem(name, node, "Input should be a whole number of at least 1", findings);
        }
        count
    }

    /// Seconds; zero means "not set", as in the original.
    pub fn seconds(&mut self, name: &'static str, findings: &mut Findings) -> Option<f64> {
        /// A day: nothing a caller waits for takes longer.
        const MOST: f64 = 86_400.0;
        let node = self.entries.iter().find(|(key, _)| key.name == name).map(|(_, node)| node);
        let seconds = self.number(name, findings)?;
        if !(0.0..=MOST).contains(&seconds) {
            let message = match seconds < 0.0 {
                true => "Input should not be negative",
                false => "Input should be at most 86400 seconds",
            };
            self.problem(name, node?, message, findings);
            return None;
        }
        (seconds > 0.0).then_some(seconds)
    }

    pub fn texts(&mut self, name: &'static str, findings: &mut Findings) -> Option<Vec<String>> {
        let node = self.take(name)?;
        let place = self.place.at(name);
        list_of_texts(node, &place, findings)
    }

    /// One of a fixed set of words.
    pub fn word<T: Copy>(
        &mut self,
        name: &'static str,
        words: &[(&str, T)],
        findings: &mut Findings,
    ) -> Option<T> {
        let node = self.take(name)?;
        let found = match &node.data {
            Data::Text(text) => words.iter().find(|(word, _)| word == text).map(|(_, value)| *value),
            _ => None,
        };
        if found.is_none() {
            let names: Vec<String> = words.iter().map(|(word, _)| format!("'{word}'")).collect();
            let message = match names.split_last() {
                Some((last, rest)) if !rest.is_empty() => {
                    format!("Input should be {} or {last}", rest.join(", "))
                }
                _ => format!("Input should be {}", names.concat()),
            };
            self.problem(name, node, message, findings);
        }
        found
    }

    /// Reports the keys nobody asked for.
    pub fn finish(self, findings: &mut Findings) {
        for ((key, _), used) in self.entries.iter().zip(&self.used) {
            if !used {
                let near = nearest(&key.name, self.known.iter().copied());
                let message = match near {
                    Some(near) => format!("unknown key; did you mean `{near}`?"),
                    None => format!("unknown key; known are: {}", self.known.join(", ")),
                };
                findings.problems.push(Problem::new(key.line, self.place.at(&key.name).to_string(), message));
            }
        }
    }
}

pub fn list_of_texts(node: &Node, place: &Place, findings: &mut Findings) -> Option<Vec<String>> {
    let Data::List(items) = &node.data else {
        findings.problems.push(Problem::new(node.line, place.to_string(), "Input should be a valid list"));
        return None;
    };
    let mut texts = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate() {
        match &item.data {
            Data::Text(text) => texts.push(text.clone()),
            _ => {
                let place = place.at(position).to_string();
                findings.problems.push(Problem::new(item.line, place, "Input should be a valid string"));
            }
        }
    }
    Some(texts)
}

/// Returns the candidate closest to `word`, if one is close enough to be a slip.
pub fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .map(|candidate| (strsim::jaro_winkler(word, candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.82)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
