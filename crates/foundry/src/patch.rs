//! Patches of trees: RFC 6902 with all six operations, and patches that name a node.
//!
//! A patch applies as a whole or not at all.

use json_patch::{PatchErrorKind, PatchOperation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::issue::Issue;
use crate::json::{near, pointer_segment};

/// Operations of RFC 6902.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Op {
    Add,
    Remove,
    Replace,
    Move,
    Copy,
    Test,
}

impl Op {
    fn name(self) -> &'static str {
        match self {
            Op::Add => "add",
            Op::Remove => "remove",
            Op::Replace => "replace",
            Op::Move => "move",
            Op::Copy => "copy",
            Op::Test => "test",
        }
    }
}

/// One step: with `nodeId` the path is relative to that node, without it a JSON pointer.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// What to do; a step with `nodeId` replaces when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<Op>,
    /// JSON pointer, or with `nodeId` a path such as `props.label`.
    pub path: String,
    /// Source of move and copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// New or expected value.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Id of the node the path starts at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

/// Keeps `"value": null` apart from an absent value.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// One step or several.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Patch {
    Many(#[schemars(length(min = 1))] Vec<Step>),
    One(Box<Step>),
}

impl Patch {
    pub fn steps(&self) -> &[Step] {
        match self {
            Patch::Many(steps) => steps,
            Patch::One(step) => std::slice::from_ref(step),
        }
    }
}

const EXAMPLE: &str = r#"valid: {"nodeId":"title","path":"props.label","value":"Hello"} or [{"op":"replace","path":"/screens/0/component","value":"Card"}]"#;
/// Names that reach into JavaScript prototypes; nothing of ours needs them.
const UNSAFE: [&str; 3] = ["__proto__", "prototype", "constructor"];
/// Containers a node patch may create on the way.
const CONTAINERS: [&str; 6] = ["props", "style", "layout", "meta", "bindings", "children"];

/// A patch in RFC 6902 form and the tree it makes.
pub struct Patched {
    pub tree: Value,
    pub operations: Vec<Value>,
}

/// Applies a patch to a tree; on failure the tree given stays the only truth.
pub fn apply(base: &Value, patch: &Patch) -> Result<Patched, Vec<Issue>> {
    let steps = patch.steps();
    if steps.is_empty() {
        return Err(vec![Issue::error("PATCH_EMPTY", "the patch has no step").hint(EXAMPLE)]);
    }
    let mut tree = base.clone();
    let mut operations = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let place = format!("/patch/{index}");
        let expanded = expand(&tree, step).map_err(|issue| vec![located(issue, &place)])?;
        for operation in expanded {
            apply_one(&mut tree, &operation).map_err(|issue| vec![located(issue, &place)])?;
            operations.push(operation);
        }
    }
    Ok(Patched { tree, operations })
}

fn located(issue: Issue, place: &str) -> Issue {
    let issue = if issue.path.is_none() { issue.at(place) } else { issue };
    if issue.hint.is_none() { issue.hint(EXAMPLE) } else { issue }
}

/// A step as RFC 6902 operations, against the tree as it is now.
fn expand(tree: &Value, step: &Step) -> Result<Vec<Value>, Issue> {
    let op = match (step.op, &step.node_id) {
        (Some(op), _) => op,
        (None, Some(_)) => Op::Replace,
        (None, None) => return Err(Issue::error("PATCH_INVALID", "a step without nodeId needs op")),
    };
    let needs_value = matches!(op, Op::Add | Op::Replace | Op::Test);
    if needs_value && step.value.is_none() {
        return Err(Issue::error("PATCH_INVALID", format!("{} needs a value", op.name())));
    }
    if matches!(op, Op::Move | Op::Copy) && step.from.is_none() {
        return Err(Issue::error("PATCH_INVALID", format!("{} needs from", op.name())));
    }
    let Some(id) = &step.node_id else {
        let mut operation = json!({ "op": op.name(), "path": pointer(&step.path)? });
        if needs_value {
            operation["value"] = step.value.clone().unwrap_or(Value::Null);
        }
        if let Some(from) = step.from.as_ref().filter(|_| matches!(op, Op::Move | Op::Copy)) {
            operation["from"] = pointer(from)?.into();
        }
        return Ok(vec![operation]);
    };
    let (at, ids) = find_node(tree, id);
    let Some(at) = at else {
        let near = near(id, ids.iter().map(String::as_str), 3);
        let issue = Issue::error("PATCH_NODE_NOT_FOUND", format!("no node has the id {id:?}"));
        return Err(if near.is_empty() {
            issue
        } else {
            issue.hint(format!("did you mean {}; {EXAMPLE}", near.join(", ")))
        });
    };
    node_operations(tree, &at, op, step)
}

fn node_operations(tree: &Value, at: &str, op: Op, step: &Step) -> Result<Vec<Value>, Issue> {
    let segments = relative(&step.path)?;
    let path = |segments: &[String]| {
        segments.iter().fold(at.to_owned(), |path, segment| format!("{path}/{}", pointer_segment(segment)))
    };
    let target = path(&segments);
    let mut operations = Vec::new();
    let exists = tree.pointer(&target).is_some();
    if matches!(op, Op::Add | Op::Replace)
        && segments.len() > 1
        && CONTAINERS.contains(&segments[0].as_str())
        && tree.pointer(&path(&segments[..1])).is_none()
    {
        let empty = if segments[0] == "children" { json!([]) } else { json!({}) };
        operations.push(json!({ "op": "add", "path": path(&segments[..1]), "value": empty }));
    }
    // To set a property that is not there yet is what a caller means by replacing it.
    let name = match op {
        Op::Replace if !exists => "add",
        other => other.name(),
    };
    let mut operation = json!({ "op": name, "path": target });
    if matches!(op, Op::Add | Op::Replace | Op::Test) {
        operation["value"] = step.value.clone().unwrap_or(Value::Null);
    }
    if matches!(op, Op::Move | Op::Copy) {
        let from = step.from.as_deref().unwrap_or_default();
        operation["from"] =
            if from.starts_with("/screens") { pointer(from)?.into() } else { path(&relative(from)?).into() };
    }
    operations.push(operation);
    Ok(operations)
}

/// Splits `props.label` or `/props/label`; empty segments are dropped.
fn relative(path: &str) -> Result<Vec<String>, Issue> {
    let segments: Vec<String> = if path.contains('/') {
        path.split('/')
            .filter(|part| !part.is_empty())
            .map(|part| part.replace("~1", "/").replace("~0", "~"))
            .collect()
    } else {
        path.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    if segments.is_empty() {
        return Err(Issue::error("PATCH_INVALID", "the path names no property of the node"));
    }
    refuse_unsafe(&segments)?;
    Ok(segments)
}

fn pointer(path: &str) -> Result<String, Issue> {
    if !path.is_empty() && !path.starts_with('/') {
        return Err(Issue::error(
            "PATCH_POINTER_INVALID",
            format!("{path:?} is not a JSON pointer: it must start with /"),
        ));
    }
    let segments: Vec<String> = path.split('/').skip(1).map(str::to_owned).collect();
    for segment in &segments {
        let mut rest = segment.as_str();
        while let Some(at) = rest.find('~') {
            if !rest[at + 1..].starts_with(['0', '1']) {
                return Err(Issue::error(
                    "PATCH_POINTER_INVALID",
                    format!("{path:?} has ~ without 0 or 1 after it"),
                ));
            }
            rest = &rest[at + 2..];
        }
    }
    refuse_unsafe(&segments)?;
    Ok(path.to_owned())
}

fn refuse_unsafe(segments: &[String]) -> Result<(), Issue> {
    match segments.iter().find(|segment| UNSAFE.contains(&segment.as_str())) {
        Some(segment) => Err(Issue::error("PATCH_UNSAFE_PATH", format!("a path may not contain {segment}"))),
        None => Ok(()),
    }
}

/// Pointer of the first node with an id, and every id seen on the way.
fn find_node(tree: &Value, id: &str) -> (Option<String>, Vec<String>) {
    let mut ids = Vec::new();
    let mut pending: Vec<(&Value, String)> = children(tree, "screens", "");
    pending.reverse();
    while let Some((node, path)) = pending.pop() {
        if let Some(found) = node.get("id").and_then(Value::as_str) {
            if found == id {
                return (Some(path), ids);
            }
            ids.push(found.to_owned());
        }
        let mut below = children(node, "children", &path);
        below.reverse();
        pending.extend(below);
    }
    (None, ids)
}

fn children<'v>(node: &'v Value, key: &str, path: &str) -> Vec<(&'v Value, String)> {
    let items = node.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().enumerate().map(|(index, item)| (item, format!("{path}/{key}/{index}"))).collect()
}

/// Applies one operation of RFC 6902 to any document.
pub fn apply_one(document: &mut Value, operation: &Value) -> Result<(), Issue> {
    let parsed: PatchOperation = serde_json::from_value(operation.clone()).map_err(|error| {
        Issue::error("PATCH_INVALID", format!("the step is not an RFC 6902 operation: {error}"))
    })?;
    // A value moved to where it is stays there; the root has no parent to be taken from.
    if operation["op"] == "move" && operation["from"] == operation["path"] {
        let path = operation["path"].as_str().unwrap_or_default();
        if document.pointer(path).is_some() {
            return Ok(());
        }
    }
    json_patch::patch(document, std::slice::from_ref(&parsed)).map_err(|error| {
        let path = operation.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
        let op = operation.get("op").and_then(Value::as_str).unwrap_or_default();
        match error.kind {
            PatchErrorKind::TestFailed => {
                Issue::error("PATCH_APPLY_FAILED", format!("test failed: the value at {path:?} is another"))
            }
            PatchErrorKind::InvalidPointer => {
                let last = path.rsplit('/').next().unwrap_or_default();
                let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
                let code = match document.pointer(parent) {
                    Some(Value::Array(_)) if last != "-" => "PATCH_INDEX_INVALID",
                    _ => "PATCH_PATH_MISSING",
                };
                Issue::error(code, format!("{op} cannot reach {path:?}")).hint(reach_hint(document, &path))
            }
            PatchErrorKind::InvalidFromPointer => {
                Issue::error("PATCH_PATH_MISSING", format!("{op} cannot read from its source"))
            }
            PatchErrorKind::CannotMoveInsideItself => {
                Issue::error("PATCH_APPLY_FAILED", "a value cannot be moved into itself")
            }
            other => Issue::error("PATCH_APPLY_FAILED", format!("{op} at {path:?} failed: {other}")),
        }
    })
}

/// Says how far the path goes and what is there.
fn reach_hint(document: &Value, path: &str) -> String {
    let mut reached = path;
    while !reached.is_empty() && document.pointer(reached).is_none() {
        reached = reached.rsplit_once('/').map_or("", |(parent, _)| parent);
    }
    let found = match document.pointer(reached) {
        Some(Value::Array(items)) => format!("a list of {}", items.len()),
        Some(Value::Object(object)) => {
            let keys: Vec<&str> = object.keys().take(12).map(String::as_str).collect();
            format!("an object with {}", keys.join(", "))
        }
        _ => "a plain value".into(),
    };
    format!("{:?} is {found}; {EXAMPLE}", if reached.is_empty() { "/" } else { reached })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Value {
        json!({"version": "1", "screens": [{"id": "s", "component": "Stack", "children": [
            {"id": "title", "component": "Text"}, {"id": "x", "component": "Text", "props": {"a.b": 1}}]}]})
    }

    fn check(patch: Value, expected: Result<(&str, Value), &str>) {
        let tree = base();
        let patch: Patch = serde_json::from_value(patch.clone()).unwrap();
        match (apply(&tree, &patch), expected) {
            (Ok(patched), Ok((at, value))) => assert_eq!(patched.tree.pointer(at), Some(&value)),
            (Err(issues), Err(code)) => {
                assert_eq!(issues[0].code, code, "{issues:?}");
                assert!(issues[0].hint.as_deref().is_some_and(|hint| hint.contains("valid:")), "{issues:?}");
            }
            (Ok(patched), Err(code)) => panic!("expected {code}, got {}", patched.tree),
            (Err(issues), Ok(_)) => panic!("{issues:?}"),
        }
    }

    #[test]
    fn node_patches_reach_and_create() {
        check(
            json!({"nodeId": "title", "path": "component", "value": "Card"}),
            Ok(("/screens/0/children/0/component", json!("Card"))),
        );
        check(
            json!([{"nodeId": "title", "path": "props.label", "value": "Hi"}]),
            Ok(("/screens/0/children/0/props/label", json!("Hi"))),
        );
        check(
            json!({"nodeId": "x", "path": "/props/a.b", "value": 2}),
            Ok(("/screens/0/children/1/props/a.b", json!(2))),
        );
        check(
            json!({"nodeId": "s", "path": "children/-", "op": "add", "value": {"id": "n", "component": "Text"}}),
            Ok(("/screens/0/children/2/id", json!("n"))),
        );
        check(json!({"nodeId": "title", "path": "props", "op": "remove"}), Err("PATCH_PATH_MISSING"));
        check(json!({"nodeId": "titel", "path": "component", "value": "Card"}), Err("PATCH_NODE_NOT_FOUND"));
        check(json!({"nodeId": "title", "path": "__proto__.x", "value": 1}), Err("PATCH_UNSAFE_PATH"));
    }

    #[test]
    fn failures_are_told_apart() {
        check(json!([]), Err("PATCH_EMPTY"));
        check(json!([{"op": "add", "path": "/screens/9", "value": 1}]), Err("PATCH_INDEX_INVALID"));
        check(json!([{"op": "replace", "path": "/nope/x", "value": 1}]), Err("PATCH_PATH_MISSING"));
        check(json!([{"op": "replace", "path": "nope", "value": 1}]), Err("PATCH_POINTER_INVALID"));
        check(json!([{"op": "replace", "path": "/a~2", "value": 1}]), Err("PATCH_POINTER_INVALID"));
        check(json!([{"op": "replace", "path": "/version"}]), Err("PATCH_INVALID"));
        check(json!([{"op": "move", "path": "/version"}]), Err("PATCH_INVALID"));
        check(json!([{"op": "test", "path": "/version", "value": "2"}]), Err("PATCH_APPLY_FAILED"));
        check(json!([{"path": "/version", "value": "2"}]), Err("PATCH_INVALID"));
    }

    #[test]
    fn null_is_a_value() {
        check(json!([{"op": "replace", "path": "/version", "value": null}]), Ok(("/version", Value::Null)));
    }
}
