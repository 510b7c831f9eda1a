//! What a change of one definition means for its callers.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use super::{Change, Grade, change};

/// Compares two definitions of one tool.
pub fn tool(name: &str, old: &Value, new: &Value, found: &mut Vec<Change>) {
    for (key, better) in [
        ("wireName", None),
        ("payload", None),
        ("effect", None),
        ("onDemand", Some(false)),
        ("stable", Some(true)),
    ] {
        // A snapshot of before there was this key says nothing about it.
        if old[key] != new[key] && !old[key].is_null() {
            let grade = match better {
                Some(better) if new[key] == better => Grade::Minor,
                _ => Grade::Major,
            };
            found.push(change(name, grade, format!("{key} changed from {} to {}", old[key], new[key])));
        }
    }
    plan(name, &old["plan"], &new["plan"], found);
    for key in ["title", "description", "examples"] {
        if old[key] != new[key] {
            found.push(change(name, Grade::Patch, format!("the {key} was reworded")));
        }
    }
    let aliases = |tool: &Value| -> BTreeSet<String> {
        let list = tool["aliases"].as_array().into_iter().flatten();
        list.filter_map(|alias| alias["name"].as_str().map(str::to_owned)).collect()
    };
    let (before, after) = (aliases(old), aliases(new));
    found.extend(
        before
            .difference(&after)
            .map(|gone| change(name, Grade::Major, format!("the alias {gone} was removed"))),
    );
    found.extend(
        after.difference(&before).map(|new| change(name, Grade::Minor, format!("the alias {new} is new"))),
    );
    Walk { tool: name, side: Side::Input, found }.schema("", &old["inputSchema"], &new["inputSchema"]);
    Walk { tool: name, side: Side::Output, found }.schema("", &old["outputSchema"], &new["outputSchema"]);
}

/// How exactly a preview is: less exact breaks those who rely on it.
fn plan(name: &str, old: &Value, new: &Value, found: &mut Vec<Change>) {
    let rank = |plan: &Value| match plan["kind"].as_str() {
        None => 0,
        Some("bound") => 1,
        Some(_) => 2,
    };
    let grade = match rank(new).cmp(&rank(old)) {
        _ if old == new => return,
        Ordering::Less => Grade::Major,
        Ordering::Greater => Grade::Minor,
        Ordering::Equal if old["kind"] == new["kind"] => Grade::Patch,
        Ordering::Equal => Grade::Minor,
    };
    let word = |plan: &Value| plan["kind"].as_str().unwrap_or("none").to_owned();
    let what = match grade {
        Grade::Patch => "the reason why a plan is not exact was reworded".to_owned(),
        _ => format!("plans changed from {} to {}", word(old), word(new)),
    };
    found.push(change(name, grade, what));
}

/// Callers write arguments and read results, so the same change means the opposite on the two sides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Input => "argument",
            Side::Output => "result",
        }
    }
}

/// Keywords that are words for people.
const WORDING: &[&str] = &["description", "title", "examples", "$comment"];

/// Bounds, and whether they are upper ones.
const BOUNDS: &[(&str, bool)] = &[
    ("maximum", true),
    ("exclusiveMaximum", true),
    ("maxLength", true),
    ("maxItems", true),
    ("maxProperties", true),
    ("minimum", false),
    ("exclusiveMinimum", false),
    ("minLength", false),
    ("minItems", false),
    ("minProperties", false),
];

/// A schema without what is only for people.
fn without_words(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !WORDING.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), without_words(value)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        }
        Value::Array(items) => items.iter().map(without_words).collect(),
        other => other.clone(),
    }
}

/// Compares two schemas of one tool, keyword by keyword.
struct Walk<'a> {
    tool: &'a str,
    side: Side,
    found: &'a mut Vec<Change>,
}

impl Walk<'_> {
    fn note(&mut self, grade: Grade, what: String) {
        self.found.push(change(self.tool, grade, what));
    }

    fn schema(&mut self, path: &str, old: &Value, new: &Value) {
        if old == new {
            return;
        }
        let place = format!("{} {path}", self.side.name());
        let place = place.trim_end();
        let (Some(before), Some(after)) = (old.as_object(), new.as_object()) else {
            return self.note(Grade::Major, format!("the schema of {place} was replaced"));
        };
        let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for key in keys {
            let (old, new) = (&old[key.as_str()], &new[key.as_str()]);
            if old == new {
                continue;
            }
            match key.as_str() {
                "properties" | "$defs" => self.properties(path, old, new),
                "required" => {
                    let grades = match self.side {
                        Side::Input => (Grade::Major, Grade::Minor),
                        Side::Output => (Grade::Minor, Grade::Major),
                    };
                    self.members(old, new, grades, |name, came| {
                        let how = if came { "required" } else { "optional" };
                        format!("{place}/{name} became {how}")
                    });
                }
                "enum" => {
                    let grades = match self.side {
                        Side::Input => (Grade::Minor, Grade::Major),
                        Side::Output => (Grade::Major, Grade::Minor),
                    };
                    self.members(old, new, grades, |word, came| {
                        let how = if came { "can be" } else { "is no longer" };
                        format!("{place} {how} {word}")
                    });
                }
                "type" => self.kind(place, old, new),
                key if BOUNDS.iter().any(|(name, _)| *name == key) => self.bound(place, key, old, new),
                "anyOf" | "oneOf" if old.is_array() && new.is_array() => self.branches(place, key, old, new),
                "additionalProperties" if old.is_boolean() || new.is_boolean() => {
                    let opens = new != false && old == false;
                    let grade = self.grade(opens);
                    self.note(
                        grade,
                        format!(
                            "{place} {} fields it does not name",
                            if opens { "takes" } else { "refuses" }
                        ),
                    );
                }
                "items" | "additionalProperties" if old.is_object() && new.is_object() => {
                    self.schema(&format!("{path}/{key}"), old, new);
                }
                key if WORDING.contains(&key) => {
                    self.note(Grade::Patch, format!("the {key} of {place} was reworded"));
                }
                key => self.note(Grade::Major, format!("{key} of {place} changed from {old} to {new}")),
            }
        }
    }

    /// What a schema that accepts more, or less, means on this side.
    fn grade(&self, widens: bool) -> Grade {
        match (self.side, widens) {
            (Side::Input, true) | (Side::Output, false) => Grade::Minor,
            (Side::Input, false) | (Side::Output, true) => Grade::Major,
        }
    }

    /// A type that takes more, less or something else; every integer is a number.
    fn kind(&mut self, place: &str, old: &Value, new: &Value) {
        let set = |value: &Value| -> BTreeSet<String> {
            let all = value.as_array().map_or_else(|| std::slice::from_ref(value).to_vec(), Clone::clone);
            let mut names: BTreeSet<String> =
                all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect();
            if names.contains("number") {
                names.insert("integer".into());
            }
            names
        };
        let (before, after) = (set(old), set(new));
        let how = format!("the type of {place} changed from {old} to {new}");
        // No type at all takes everything.
        let widens = after.is_empty() || (!before.is_empty() && after.is_superset(&before));
        let narrows = before.is_empty() || (!after.is_empty() && before.is_superset(&after));
        match (widens, narrows) {
            (true, _) => self.note(self.grade(true), format!("{how}, which is wider")),
            (_, true) => self.note(self.grade(false), format!("{how}, which is narrower")),
            _ => self.note(Grade::Major, how),
        }
    }

    /// A bound that was moved, set or lifted.
    fn bound(&mut self, place: &str, key: &str, old: &Value, new: &Value) {
        let is_upper = BOUNDS.iter().any(|(name, is_upper)| *name == key && *is_upper);
        let widens = match (old.as_f64(), new.as_f64()) {
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(before), Some(after)) => (after > before) == is_upper,
            _ => return self.note(Grade::Major, format!("{key} of {place} changed from {old} to {new}")),
        };
        let how = if widens { "wider" } else { "narrower" };
        self.note(
            self.grade(widens),
            format!("{key} of {place} changed from {old} to {new}, which is {how}"),
        );
    }

    /// Alternatives that came or went; one that was changed did both.
    fn branches(&mut self, place: &str, key: &str, old: &Value, new: &Value) {
        let set = |value: &Value| -> BTreeSet<String> {
            value.as_array().into_iter().flatten().map(|one| without_words(one).to_string()).collect()
        };
        let (before, after) = (set(old), set(new));
        if before == after {
            return self.note(Grade::Patch, format!("an alternative of {place} was reworded"));
        }
        if after.difference(&before).next().is_some() {
            self.note(self.grade(true), format!("{key} of {place} has a new alternative"));
        }
        if before.difference(&after).next().is_some() {
            self.note(self.grade(false), format!("{key} of {place} lacks an alternative"));
        }
    }

    fn properties(&mut self, path: &str, old: &Value, new: &Value) {
        let empty = serde_json::Map::new();
        let (before, after) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
        let side = self.side.name();
        for (name, schema) in before {
            let path = format!("{path}/{name}");
            match after.get(name) {
                Some(other) => self.schema(&path, schema, other),
                None => self.note(Grade::Major, format!("the {side} {path} was removed")),
            }
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            self.note(Grade::Minor, format!("the {side} {path}/{name} is new"));
        }
    }

    /// Compares two lists as sets; `grades` are for members that came and that went.
    fn members(
        &mut self,
        old: &Value,
        new: &Value,
        grades: (Grade, Grade),
        say: impl Fn(&str, bool) -> String,
    ) {
        let set = |value: &Value| -> BTreeSet<String> {
            let text = |one: &Value| one.as_str().map_or_else(|| one.to_string(), str::to_owned);
            value.as_array().into_iter().flatten().map(text).collect()
        };
        let (before, after) = (set(old), set(new));
        for name in after.difference(&before) {
            self.note(grades.0, say(name, true));
        }
        for name in before.difference(&after) {
            self.note(grades.1, say(name, false));
        }
    }
}
