//! Field by field: values flattened to paths such as `lines[0].amountMinor`, and the paths where two records differ.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One path with a different value on each side; a side that lacks the path is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// What differs between two records, by path.
pub fn differences(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<Difference> {
    let (before, after) = (flat(before), flat(after));
    let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    paths
        .into_iter()
        .filter(|path| before.get(*path) != after.get(*path))
        .map(|path| Difference {
            path: path.clone(),
            before: before.get(path).cloned(),
            after: after.get(path).cloned(),
        })
        .collect()
}

fn flat(record: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut leaves = BTreeMap::new();
    for (key, value) in record {
        walk(value, key.clone(), &mut leaves);
    }
    leaves
}

fn walk(value: &Value, path: String, leaves: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                walk(value, format!("{path}.{key}"), leaves);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (index, value) in items.iter().enumerate() {
                walk(value, format!("{path}[{index}]"), leaves);
            }
        }
        Value::String(text) => drop(leaves.insert(path, text.clone())),
        other => drop(leaves.insert(path, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_differing_paths_are_listed_in_order() {
        let a = json!({"z": 1, "a": {"b": [1, 2]}, "same": true, "gone": "x"});
        let b = json!({"z": 2, "a": {"b": [1, 3, {"c": null}]}, "same": true});
        let found = differences(a.as_object().unwrap(), b.as_object().unwrap());
        let shown: Vec<String> = found
            .iter()
            .map(|d| format!("{} {:?} {:?}", d.path, d.before.as_deref(), d.after.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                "a.b[1] Some(\"2\") Some(\"3\")",
                "a.b[2].c None Some(\"null\")",
                "gone Some(\"x\") None",
                "z Some(\"1\") Some(\"2\")"
            ]
        );
    }
}
