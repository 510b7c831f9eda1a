//! JSON helpers: bounded input, canonical text, etags, pointers.

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// How deep arguments may nest, in JSON levels; two levels make one level of a tree.
///
/// A parser with the usual limit of 128 refuses earlier. This bound keeps the rest of the
/// crate, which walks values recursively, far from the end of a 2 MiB stack.
pub const MAX_JSON_DEPTH: usize = 400;

/// Why arguments were refused before anything looked at them.
#[derive(Debug, PartialEq, Eq)]
pub struct TooDeep;

/// Passes a value on if it is not nested too deeply.
pub fn bounded(value: Value) -> Result<Value, TooDeep> {
    let mut pending = vec![(&value, 1usize)];
    let mut deep = false;
    while let Some((value, depth)) = pending.pop() {
        if depth > MAX_JSON_DEPTH {
            deep = true;
            break;
        }
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(object) => pending.extend(object.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    drop(pending);
    if deep {
        dismantle(value);
        return Err(TooDeep);
    }
    Ok(value)
}

/// Drops a value without recursion.
fn dismantle(value: Value) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(object) => pending.extend(object.into_iter().map(|(_, item)| item)),
            _ => {}
        }
    }
}

/// Compact JSON with object keys in code-unit order at every level.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            out.push('{');
            for (index, key) in keys.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&quoted(key));
                out.push(':');
                write_canonical(&object[key.as_str()], out);
            }
            out.push('}');
        }
        Value::Number(number) => out.push_str(&js_number(number)),
        other => out.push_str(&other.to_string()),
    }
}

/// Integral floats print without a fraction, as JavaScript prints them.
fn js_number(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() && value.fract() == 0.0 && value.abs() < 1e15 => {
            format!("{}", value as i64)
        }
        _ => number.to_string(),
    }
}

/// A JSON string literal.
pub fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The etag of a document: its canonical text without the top-level `generatedAt`.
pub fn etag(document: &Value) -> String {
    let without: Value = match document {
        Value::Object(object) => {
            let kept: Map<String, Value> = object
                .iter()
                .filter(|(key, _)| *key != "generatedAt")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect();
            Value::Object(kept)
        }
        other => other.clone(),
    };
    sha256_hex(canonical(&without).as_bytes())
}

/// One segment of a JSON pointer, escaped.
pub fn pointer_segment(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

/// Indented JSON with a final newline, as every file we write has it.
pub fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("a JSON value always serialises");
    text.push('\n');
    text
}

/// The nearest names, best first, for "did you mean".
pub fn near<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let wanted = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let contains = !wanted.is_empty() && (lower.contains(&wanted) || wanted.contains(&lower));
            let score = strsim::jaro_winkler(&wanted, &lower) + if contains { 0.1 } else { 0.0 };
            (score, candidate)
        })
        .filter(|(score, _)| *score >= 0.8)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.into_iter().take(limit).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn canonical_json_sorts_keys_and_keeps_arrays() {
        let value = json!({"b": [2, 1.0, 0.5], "a": {"é": "ü", "Z": null}});
        assert_eq!(canonical(&value), r#"{"a":{"Z":null,"é":"ü"},"b":[2,1,0.5]}"#);
    }

    #[test]
    fn etag_ignores_only_the_top_level_stamp() {
        let one = etag(&json!({"generatedAt": "x", "a": {"generatedAt": 1}}));
        assert_eq!(one, etag(&json!({"a": {"generatedAt": 1}})));
        assert_ne!(one, etag(&json!({"a": {"generatedAt": 2}})));
        assert_eq!(one.len(), 64);
    }

    #[test]
    fn deep_values_are_refused_without_recursion() {
        let mut value = json!(1);
        for _ in 0..200_000 {
            value = Value::Array(vec![value]);
        }
        assert_eq!(bounded(value), Err(TooDeep));
        assert!(bounded(json!([[[1]]])).is_ok());
    }

    #[test]
    fn near_names_come_best_first() {
        assert_eq!(near("Buton", ["Badge", "Button", "Banner"], 1), ["Button"]);
        assert!(near("zzz", ["Badge"], 3).is_empty());
    }
}
