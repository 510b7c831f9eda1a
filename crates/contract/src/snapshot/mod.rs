//! Tool definitions as files, and what a change between two of them means for callers.

mod grade;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};

use crate::{Planning, SCHEMA_VERSION, ToolDef, Toolset};

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
        "plan": plan(def),
        "payload": def.payload,
        "onDemand": def.on_demand,
        "stable": def.stable,
        "inputSchema": def.input,
        "outputSchema": def.output,
        "examples": def.examples,
    })
}

/// How exactly a preview says what a tool changes; nothing where it changes nothing.
fn plan(def: &ToolDef) -> Value {
    match def.planning {
        Planning::Nothing => Value::Null,
        Planning::Bound(reason) => json!({ "kind": def.planning.name(), "unknown": reason }),
        _ => json!({ "kind": def.planning.name() }),
    }
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
    let mut renamed = BTreeSet::new();
    for (name, before) in &old {
        match (new.get(name), successor(name, before, &new, &old)) {
            (Some(after), _) => grade::tool(name, before, after, &mut found),
            (None, Some((other, true))) => {
                renamed.insert(other);
                found.push(change(
                    name,
                    Grade::Minor,
                    format!("the tool is now {other} and answers to its old name"),
                ));
                grade::tool(name, before, &renamed_back(name, new[other], before), &mut found);
            }
            (None, Some((other, false))) => {
                renamed.insert(other);
                found.push(change(
                    name,
                    Grade::Major,
                    format!("the tool was renamed to {other}; its old name is no alias"),
                ));
            }
            (None, None) => found.push(change(name, Grade::Major, "the tool was removed")),
        }
    }
    for name in new.keys().filter(|name| !old.contains_key(*name) && !renamed.contains(name.as_str())) {
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

/// The new tool that took the place of an old one, and whether it answers to the old name.
fn successor<'a>(
    name: &str,
    before: &Value,
    new: &'a BTreeMap<String, &Value>,
    old: &BTreeMap<String, &Value>,
) -> Option<(&'a str, bool)> {
    let fresh = || new.iter().filter(|(other, _)| !old.contains_key(*other));
    let has_alias =
        |tool: &Value| tool["aliases"].as_array().into_iter().flatten().any(|alias| alias["name"] == name);
    let same = |tool: &Value| {
        ["inputSchema", "outputSchema", "description"].iter().all(|key| tool[*key] == before[*key])
    };
    let heir = fresh().find(|(_, tool)| has_alias(tool)).map(|(other, _)| (other.as_str(), true));
    heir.or_else(|| fresh().find(|(_, tool)| same(tool)).map(|(other, _)| (other.as_str(), false)))
}

/// A renamed tool under its old name, so that only what else changed is told.
fn renamed_back(name: &str, after: &Value, before: &Value) -> Value {
    let mut tool = after.clone();
    tool["name"] = name.into();
    for key in ["wireName", "aliases"] {
        tool[key] = before[key].clone();
    }
    tool
}

fn by_name(snapshot: &Value) -> BTreeMap<String, &Value> {
    let tools = snapshot["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    tools.iter().filter_map(|tool| Some((tool["name"].as_str()?.to_owned(), tool))).collect()
}

fn change(tool: &str, grade: Grade, what: impl Into<String>) -> Change {
    Change { tool: tool.to_owned(), grade, what: what.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Value {
        json!({
            "schemaVersion": "2.0.0",
            "tools": [{
                "name": "t", "wireName": "t", "aliases": [{"name": "old"}], "title": "T", "description": "d", "schemaVersion": 1,
                "effect": "read", "payload": "envelope", "onDemand": false, "stable": false, "examples": [],
                "plan": { "kind": "bound", "unknown": "why" },
                "inputSchema": { "type": "object", "properties": {
                    "a": { "type": "string" }, "b": { "type": "integer", "minimum": 1, "maximum": 9 }, "m": { "enum": ["x", "y"] },
                    "u": { "anyOf": [{ "type": "string" }, { "type": "null" }] }, "w": { "type": ["string", "integer"] },
                }, "required": ["a"], "additionalProperties": false },
                "outputSchema": { "type": "object", "properties": { "r": { "type": "integer" }, "k": { "enum": ["p", "q"] } }, "required": ["r"] },
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
        let field =
            |tool: &mut Value, side: &str, name: &str, value: Value| tool[side]["properties"][name] = value;
        let (input, output) = ("inputSchema", "outputSchema");
        let gone = |tool: &mut Value, side: &str, name: &str| {
            tool[side]["properties"].as_object_mut().unwrap().remove(name);
        };
        // Arguments.
        check(|tool| gone(tool, input, "m"), Grade::Major);
        check(|tool| field(tool, input, "n", json!({"type": "string"})), Grade::Minor);
        check(|tool| tool[input]["required"] = json!(["a", "m"]), Grade::Major);
        check(|tool| tool[input]["required"] = json!([]), Grade::Minor);
        check(
            |tool| {
                field(tool, input, "n", json!({"type": "string"}));
                tool[input]["required"] = json!(["a", "n"]);
            },
            Grade::Major,
        );
        check(|tool| tool[input]["properties"]["a"]["type"] = json!("integer"), Grade::Major);
        check(|tool| tool[input]["properties"]["a"]["type"] = json!(["string", "null"]), Grade::Minor);
        check(|tool| tool[input]["properties"]["w"]["type"] = json!("string"), Grade::Major);
        check(|tool| tool[input]["properties"]["a"]["default"] = json!("z"), Grade::Major);
        check(|tool| tool[input]["properties"]["m"]["enum"] = json!(["x"]), Grade::Major);
        check(|tool| tool[input]["properties"]["m"]["enum"] = json!(["x", "y", "z"]), Grade::Minor);
        check(|tool| tool[input]["properties"]["b"]["maximum"] = json!(5), Grade::Major);
        check(|tool| tool[input]["properties"]["b"]["maximum"] = json!(20), Grade::Minor);
        check(|tool| tool[input]["properties"]["b"]["minimum"] = json!(2), Grade::Major);
        check(
            |tool| drop(tool[input]["properties"]["b"].as_object_mut().unwrap().remove("minimum")),
            Grade::Minor,
        );
        check(|tool| tool[input]["properties"]["a"]["pattern"] = json!("^a"), Grade::Major);
        check(|tool| tool[input]["additionalProperties"] = json!(true), Grade::Minor);
        check(|tool| tool[input]["properties"]["u"]["anyOf"] = json!([{"type": "string"}]), Grade::Major);
        check(
            |tool| {
                tool[input]["properties"]["u"]["anyOf"] =
                    json!([{"type": "string"}, {"type": "null"}, {"type": "array"}])
            },
            Grade::Minor,
        );
        // Results: what widens here breaks a reader.
        check(|tool| gone(tool, output, "r"), Grade::Major);
        check(|tool| field(tool, output, "s", json!({"type": "string"})), Grade::Minor);
        check(|tool| tool[output]["required"] = json!([]), Grade::Major);
        check(|tool| tool[output]["properties"]["r"]["type"] = json!("number"), Grade::Major);
        check(|tool| tool[output]["properties"]["k"]["enum"] = json!(["p"]), Grade::Minor);
        check(|tool| tool[output]["properties"]["k"]["enum"] = json!(["p", "q", "z"]), Grade::Major);
        // The tool itself.
        check(|tool| tool["effect"] = json!("write"), Grade::Major);
        check(|tool| tool["payload"] = json!("text"), Grade::Major);
        check(|tool| tool["onDemand"] = json!(true), Grade::Major);
        check(|tool| tool["stable"] = json!(true), Grade::Minor);
        check(|tool| tool["plan"] = json!(null), Grade::Major);
        check(|tool| tool["plan"] = json!({"kind": "exact"}), Grade::Minor);
        check(|tool| tool["plan"]["unknown"] = json!("other words"), Grade::Patch);
        check(|tool| tool["aliases"] = json!([]), Grade::Major);
        check(|tool| tool["aliases"] = json!([{"name": "old"}, {"name": "older"}]), Grade::Minor);
        check(|tool| tool["description"] = json!("other words"), Grade::Patch);
        check(|tool| tool["title"] = json!("Other"), Grade::Patch);
        check(|tool| tool["examples"] = json!([{"summary": "s", "args": {}}]), Grade::Patch);
        check(|tool| tool[input]["properties"]["a"]["description"] = json!("words"), Grade::Patch);
    }

    #[test]
    fn a_renamed_tool_is_known_by_its_alias_or_its_shape() {
        let (old, mut new) = (base(), base());
        new["tools"][0]["name"] = json!("u");
        new["tools"][0]["wireName"] = json!("u");
        let found = changes(&old, &new);
        assert_eq!((found.len(), found[0].grade), (1, Grade::Major), "{found:?}");
        assert!(found[0].what.contains("renamed to u"), "{found:?}");
        new["tools"][0]["aliases"] = json!([{"name": "t"}, {"name": "old"}]);
        let found = changes(&old, &new);
        assert_eq!((found.len(), found[0].grade), (1, Grade::Minor), "{found:?}");
        assert!(found[0].what.contains("answers to its old name"), "{found:?}");
    }

    #[test]
    fn tools_come_and_go() {
        let (old, mut new) = (base(), base());
        new["tools"][0]["name"] = json!("u");
        new["tools"][0]["description"] = json!("another tool");
        let grades: Vec<Grade> = changes(&old, &new).iter().map(|change| change.grade).collect();
        assert_eq!(grades, [Grade::Major, Grade::Minor]);
        assert!(changes(&old, &old).is_empty());
    }
}
