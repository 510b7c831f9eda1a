//! Patches against an independent reading of RFC 6902, written here from the text of the RFC.

use mainstay_foundry::patch::{self, Patch};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A plain interpreter of RFC 6901 and 6902: slow, literal, and nothing shared with the crate.
mod oracle {
    use super::*;

    fn tokens(pointer: &str) -> Option<Vec<String>> {
        if pointer.is_empty() {
            return Some(Vec::new());
        }
        let rest = pointer.strip_prefix('/')?;
        Some(rest.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
    }

    fn index(token: &str, len: usize) -> Option<usize> {
        let canonical = token == "0"
            || (!token.starts_with('0') && !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit()));
        let index: usize = canonical.then(|| token.parse().ok()).flatten()?;
        (index < len).then_some(index)
    }

    fn get<'v>(document: &'v Value, path: &[String]) -> Option<&'v Value> {
        path.iter().try_fold(document, |at, token| match at {
            Value::Object(object) => object.get(token),
            Value::Array(items) => items.get(index(token, items.len())?),
            _ => None,
        })
    }

    fn parent<'v>(document: &'v mut Value, path: &[String]) -> Option<&'v mut Value> {
        path[..path.len() - 1].iter().try_fold(document, |at, token| match at {
            Value::Object(object) => object.get_mut(token),
            Value::Array(items) => {
                let index = index(token, items.len())?;
                items.get_mut(index)
            }
            _ => None,
        })
    }

    fn add(document: &mut Value, path: &[String], value: Value) -> Option<()> {
        let Some(last) = path.last() else {
            *document = value;
            return Some(());
        };
        match parent(document, path)? {
            Value::Object(object) => drop(object.insert(last.clone(), value)),
            Value::Array(items) => {
                let at = if last == "-" { items.len() } else { index(last, items.len() + 1)? };
                items.insert(at, value);
            }
            _ => return None,
        }
        Some(())
    }

    fn remove(document: &mut Value, path: &[String]) -> Option<Value> {
        let last = path.last()?;
        match parent(document, path)? {
            Value::Object(object) => object.shift_remove(last),
            Value::Array(items) => {
                let at = index(last, items.len())?;
                Some(items.remove(at))
            }
            _ => None,
        }
    }

    pub fn apply(document: &Value, operations: &[Value]) -> Option<Value> {
        let mut document = document.clone();
        for operation in operations {
            let path = tokens(operation["path"].as_str()?)?;
            match operation["op"].as_str()? {
                "add" => add(&mut document, &path, operation["value"].clone())?,
                "remove" => drop(remove(&mut document, &path)?),
                "replace" => {
                    get(&document, &path)?;
                    if path.is_empty() {
                        document = operation["value"].clone();
                    } else {
                        // Replacing keeps the place in a list, so it is not remove and add.
                        match parent(&mut document, &path)? {
                            Value::Object(object) => {
                                drop(object.insert(path.last()?.clone(), operation["value"].clone()))
                            }
                            Value::Array(items) => {
                                let at = index(path.last()?, items.len())?;
                                items[at] = operation["value"].clone();
                            }
                            _ => return None,
                        }
                    }
                }
                "test" => (*get(&document, &path)? == operation["value"]).then_some(())?,
                "copy" => {
                    let value = get(&document, &tokens(operation["from"].as_str()?)?)?.clone();
                    add(&mut document, &path, value)?;
                }
                "move" => {
                    let from = tokens(operation["from"].as_str()?)?;
                    get(&document, &from)?;
                    if path.len() > from.len() && path.starts_with(&from) {
                        return None;
                    }
                    if path != from {
                        let value = remove(&mut document, &from)?;
                        add(&mut document, &path, value)?;
                    }
                }
                _ => return None,
            }
        }
        Some(document)
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..5i64).prop_map(Value::from),
        "[ab~/é]{0,2}".prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ab~/0]{1,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn pointers(value: &Value, at: String, into: &mut Vec<String>) {
    into.push(at.clone());
    match value {
        Value::Object(object) => {
            for (key, child) in object {
                pointers(child, format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), into);
            }
            into.push(format!("{at}/new"));
        }
        Value::Array(items) => {
            for (index, child) in items.iter().enumerate() {
                pointers(child, format!("{at}/{index}"), into);
            }
            into.push(format!("{at}/-"));
            into.push(format!("{at}/{}", items.len()));
            into.push(format!("{at}/{}", items.len() + 1));
        }
        _ => into.push(format!("{at}/0")),
    }
}

fn operation(paths: Vec<String>) -> impl Strategy<Value = Value> {
    let path = prop::sample::select(paths.clone());
    let from = prop::sample::select(paths);
    (prop::sample::select(vec!["add", "remove", "replace", "move", "copy", "test"]), path, from, value())
        .prop_map(|(op, path, from, value)| match op {
            "remove" => json!({ "op": op, "path": path }),
            "move" | "copy" => json!({ "op": op, "path": path, "from": from }),
            _ => json!({ "op": op, "path": path, "value": value }),
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn patches_agree_with_the_rfc((document, operations) in value().prop_flat_map(|document| {
        let mut paths = Vec::new();
        pointers(&document, String::new(), &mut paths);
        (Just(document), prop::collection::vec(operation(paths), 1..4))
    })) {
        let before = document.clone();
        let patch: Patch = serde_json::from_value(json!(operations)).unwrap();
        let ours = patch::apply(&document, &patch);
        prop_assert_eq!(&document, &before, "the base never changes");
        match (oracle::apply(&document, &operations), ours) {
            (Some(expected), Ok(patched)) => prop_assert_eq!(patched.tree, expected),
            (None, Err(issues)) => prop_assert!(!issues.is_empty()),
            (Some(expected), Err(issues)) => prop_assert!(false, "refused {issues:?}, expected {expected}"),
            (None, Ok(patched)) => prop_assert!(false, "applied to {}", patched.tree),
        }
    }
}
