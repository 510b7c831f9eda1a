//! What must never be written down: values a schema marks as secret, arguments named like one, texts that look like one.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value;

/// What stands in place of a secret.
pub const MASK: &str = "***";

/// How deep schema references are followed.
const MAX_REFERENCES: usize = 8;

/// The credentials of common services, keys and addresses with a password in them.
pub fn secret_text() -> &'static Regex {
    static PATTERN: OnceLock<Regex> = OnceLock::new();
    PATTERN.get_or_init(|| {
        Regex::new(concat!(
            r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|sk-[A-Za-z0-9_-]{16,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}",
            r"|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|glpat-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{36}",
            r"|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
            r"|(?i:bearer\s+[A-Za-z0-9._~+/-]{12,}=*)|-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
            r"|://[^/\s:@]+:[^/\s:@]+@",
        ))
        .expect("the pattern is constant and valid")
    })
}

/// Whether an argument of this name holds a secret.
pub fn secret_key(key: &str) -> bool {
    let plain: String = key.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    // A design token is not a secret, so a bare `token` counts only at the end of a longer word.
    let words =
        ["password", "passwd", "secret", "apikey", "accesskey", "privatekey", "authorization", "credential"];
    let tokens = [
        "authtoken",
        "accesstoken",
        "refreshtoken",
        "bearertoken",
        "sessiontoken",
        "idtoken",
        "githubtoken",
        "npmtoken",
        "projecttoken",
    ];
    words.iter().any(|word| plain.contains(word)) || tokens.iter().any(|word| plain.ends_with(word))
}

/// A text without what looks like a credential.
pub fn mask_text(text: &str) -> Cow<'_, str> {
    secret_text().replace_all(text, MASK)
}

/// Arguments as they may be written down. A schema marks a secret with `"writeOnly": true` or `"format": "password"`.
pub fn mask_arguments(schema: Option<&Value>, args: &Value) -> Value {
    Masker { root: schema }.value(schema, args)
}

struct Masker<'a> {
    root: Option<&'a Value>,
}

impl<'a> Masker<'a> {
    fn value(&self, schema: Option<&'a Value>, value: &Value) -> Value {
        let schemas = self.alternatives(schema, 0);
        if schemas.iter().any(|schema| is_marked(schema)) {
            return match value {
                Value::Null => Value::Null,
                _ => MASK.into(),
            };
        }
        match value {
            Value::String(text) => mask_text(text).into_owned().into(),
            Value::Array(items) => {
                let inner = schemas.iter().find_map(|schema| schema.get("items"));
                items.iter().map(|item| self.value(inner, item)).collect()
            }
            Value::Object(object) => {
                let inner = |key: &str| {
                    let of = |schema: &&'a Value| {
                        schema
                            .get("properties")
                            .and_then(|all| all.get(key))
                            .or(schema.get("additionalProperties"))
                    };
                    schemas.iter().find_map(of)
                };
                let mask = |(key, value): (&String, &Value)| {
                    let masked = match secret_key(key) && !value.is_null() {
                        true => MASK.into(),
                        false => self.value(inner(key), value),
                    };
                    (mask_text(key).into_owned(), masked)
                };
                Value::Object(object.iter().map(mask).collect())
            }
            other => other.clone(),
        }
    }

    /// A schema with everything it refers to or combines.
    fn alternatives(&self, schema: Option<&'a Value>, depth: usize) -> Vec<&'a Value> {
        let Some(schema) = schema.filter(|_| depth < MAX_REFERENCES) else { return Vec::new() };
        let mut found = vec![schema];
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#'));
        if let Some(place) = target {
            found.extend(self.alternatives(self.root.and_then(|root| root.pointer(place)), depth + 1));
        }
        for word in ["anyOf", "oneOf", "allOf"] {
            for option in schema.get(word).and_then(Value::as_array).into_iter().flatten() {
                found.extend(self.alternatives(Some(option), depth + 1));
            }
        }
        found
    }
}

fn is_marked(schema: &Value) -> bool {
    schema.get("writeOnly") == Some(&Value::Bool(true))
        || schema.get("format").is_some_and(|format| format == "password")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_names_and_looks_hide_a_value_wherever_it_stands() {
        let schema = json!({
            "properties": {
                "pin": { "type": "string", "writeOnly": true },
                "users": { "items": { "$ref": "#/$defs/user" } },
                "free": {}
            },
            "$defs": { "user": { "properties": { "key": { "anyOf": [{ "type": "null" }, { "format": "password" }] } } } }
        });
        let token = format!("ghp_{}", "a1".repeat(15));
        let masked = mask_arguments(
            Some(&schema),
            &json!({
                "pin": "1234", "users": [{ "key": "k", "name": "n" }, { "key": null }],
                "free": { "apiKey": ["x"], "note": format!("use {token}"), "n": 3 }
            }),
        );
        assert_eq!(
            masked,
            json!({
                "pin": "***", "users": [{ "key": "***", "name": "n" }, { "key": null }],
                "free": { "apiKey": "***", "note": "use ***", "n": 3 }
            })
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({ "$ref": "#" });
        assert_eq!(mask_arguments(Some(&schema), &json!({"a": 1})), json!({"a": 1}));
    }
}
