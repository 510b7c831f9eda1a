//! Tool definitions as files, and what a change between two of them means for callers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{SCHEMA_VERSION, ToolDef, Toolset};

/// How much a change asks of callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Wording only.
    Patch,
    /// Old calls go on working.
    Minor,
    /// Some old call can break.
    Major,
}

/// One difference between two snapshots.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    pub tool: String,
    pub grade: Grade,
    pub what: String,
}

/// The published definition of one tool.
pub fn definition(def: &ToolDef) -> Value {
    json!({
        "name": def.id,
        "wireName": def.wire_name(),
        "aliases": def.aliases,
        "title": def.title,
        "description": def.summary,
        "schemaVersion": def.schema_version,
        "toolset": def.toolset,
        "effect": def.effect,
        "payload": def.payload,
        "onDemand": def.on_demand,
        "inputSchema": def.input,
        "outputSchema": def.output,
        "examples": def.examples,
    })
}

/// The snapshot of one toolset.
pub fn snapshot<'a>(toolset: Toolset, defs: impl IntoIterator<Item = &'a ToolDef>) -> Value {
    let tools: Vec<Value> = defs.into_iter().map(definition).collect();
    json!({ "schemaVersion": SCHEMA_VERSION, "toolset": toolset, "tools": tools })
}

/// Lists every difference between two snapshots, worst first.
pub fn changes(old: &Value, new: &Value) -> Vec<Change> {
    let (old, new) = (by_name(old), by_name(new));
    let mut found = Vec::new();
    for (name, before) in &old {
        match new.get(name) {
            Some(after) => tool_changes(name, before, after, &mut found),
            None => found.push(change(name, Grade::Major, "the tool was removed")),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        found.push(change(name, Grade::Minor, "the tool is new"));
    }
    found.sort_by(|a, b| b.grade.cmp(&a.grade).then_with(|| a.tool.cmp(&b.tool)));
    found
}

/// Says which version numbers must grow for these changes and did not.
pub fn missing_bumps(old: &Value, new: &Value, changes: &[Change]) -> Vec<String> {
    let mut missing = Vec::new();
    if let Some(worst) = changes.iter().map(|change| change.grade).max() {
        let parse =
            |value: &Value| semver::Version::parse(value["schemaVersion"].as_str().unwrap_or_default());
        if let (Ok(before), Ok(after)) = (parse(old), parse(new)) {
            let grown = match worst {
                Grade::Major => after.major > before.major,
                Grade::Minor => (after.major, after.minor) > (before.major, before.minor),
                Grade::Patch => after > before,
            };
            if !grown {
                missing.push(format!(
                    "SCHEMA_VERSION must grow by a {} step from {before}",
                    json!(worst).as_str().unwrap_or_default()
                ));
            }
        }
    }
    let (before, after) = (by_name(old), by_name(new));
    let broken: BTreeSet<&str> = changes
        .iter()
        .filter(|change| change.grade == Grade::Major)
        .map(|change| change.tool.as_str())
        .collect();
    for name in broken {
        if let (Some(before), Some(after)) = (before.get(name), after.get(name))
            && after["schemaVersion"].as_u64() <= before["schemaVersion"].as_u64()
        {
            missing.push(format!("schemaVersion of {name} must grow from {}", before["schemaVersion"]));
        }
    }
    missing
}

fn by_name(snapshot: &Value) -> BTreeMap<String, &Value> {
    let tools = snapshot["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool))).collect()
}

fn change(tool: &str, grade: Grade, what: impl Into<String>) -> Change {
    Change { tool: tool.to_owned(), grade, what: what.into() }
}

fn tool_changes(name: &str, old: &Value, new: &Value, found: &mut Vec<Change>) {
    for key in ["wireName", "payload", "effect", "onDemand"] {
        if old[key] != new[key] {
            found.push(change(
                name,
                Grade::Major,
                format!("{key} changed from {} to {}", old[key], new[key]),
            ));
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Value {
        json!({
            "schemaVersion": "2.0.0",
            "tools": [{
                "name": "t", "wireName": "t", "aliases": [], "title": "T", "description": "d", "schemaVersion": 1,
                "effect": "read", "payload": "envelope", "onDemand": false, "examples": [],
                "inputSchema": { "type": "object", "properties": { "a": { "type": "string" }, "m": { "enum": ["x", "y"] } }, "required": ["a"] },
                "outputSchema": { "type": "object", "properties": { "r": { "type": "integer" } }, "required": ["r"] },
            }],
        })
    }

    fn check(edit: impl Fn(&mut Value), grade: Grade) {
        let (old, mut new) = (base(), base());
        edit(&mut new["tools"][0]);
        let found = changes(&old, &new);
        assert_eq!(found.iter().map(|change| change.grade).max(), Some(grade), "{found:?}");
        assert!(!missing_bumps(&old, &new, &found).is_empty());
        new["schemaVersion"] = json!(match grade {
            Grade::Major => "3.0.0",
            Grade::Minor => "2.1.0",
            Grade::Patch => "2.0.1",
        });
        new["tools"][0]["schemaVersion"] = json!(2);
        assert_eq!(missing_bumps(&old, &new, &found), Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_change_is_graded() {
        check(
            |tool| drop(tool["inputSchema"]["properties"].as_object_mut().unwrap().remove("m")),
            Grade::Major,
        );
        check(|tool| tool["inputSchema"]["required"] = json!(["a", "m"]), Grade::Major);
        check(|tool| tool["inputSchema"]["properties"]["a"]["type"] = json!("integer"), Grade::Major);
        check(|tool| tool["inputSchema"]["properties"]["a"]["default"] = json!("z"), Grade::Major);
        check(|tool| tool["inputSchema"]["properties"]["m"]["enum"] = json!(["x"]), Grade::Major);
        check(
            |tool| drop(tool["outputSchema"]["properties"].as_object_mut().unwrap().remove("r")),
            Grade::Major,
        );
        check(|tool| tool["effect"] = json!("write"), Grade::Major);
        check(|tool| tool["inputSchema"]["properties"]["n"] = json!({"type": "string"}), Grade::Minor);
        check(|tool| tool["inputSchema"]["properties"]["m"]["enum"] = json!(["x", "y", "z"]), Grade::Minor);
        check(|tool| tool["outputSchema"]["properties"]["s"] = json!({"type": "string"}), Grade::Minor);
        check(|tool| tool["description"] = json!("other words"), Grade::Patch);
        check(|tool| tool["inputSchema"]["properties"]["a"]["description"] = json!("words"), Grade::Patch);
    }

    #[test]
    fn tools_come_and_go() {
        let (old, mut new) = (base(), base());
        new["tools"][0]["name"] = json!("u");
        let grades: Vec<Grade> = changes(&old, &new).iter().map(|change| change.grade).collect();
        assert_eq!(grades, [Grade::Major, Grade::Minor]);
        assert!(changes(&old, &old).is_empty());
    }
}
