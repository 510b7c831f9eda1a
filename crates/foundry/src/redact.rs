//! Keeping secrets out of transcripts: by value, by the name of the key, by the look of the text.

pub use mainstay_contract::redact::MASK;
use mainstay_contract::redact::{secret_key, secret_text};
use serde_json::{Map, Value};

/// What is masked: values known to be secret, and everything that looks like one.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
}

/// One place where something was masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// JSON pointer into the payload.
    pub field: String,
    pub reason: &'static str,
}

impl Redactor {
    /// `values` are masked wherever they appear; very short ones would mask ordinary text.
    pub fn new(values: impl IntoIterator<Item = String>) -> Redactor {
        let mut values: Vec<String> = values.into_iter().filter(|value| value.len() >= 4).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        Redactor { values }
    }

    /// Masks a text.
    pub fn text(&self, text: &str) -> (String, Option<&'static str>) {
        let mut masked = text.to_owned();
        let mut reason = None;
        for value in &self.values {
            if masked.contains(value.as_str()) {
                masked = masked.replace(value.as_str(), MASK);
                reason = Some("configured value");
            }
        }
        if secret_text().is_match(&masked) {
            masked = secret_text().replace_all(&masked, MASK).into_owned();
            reason = Some("looks like a credential");
        }
        (masked, reason)
    }

    /// Masks a payload: keys named `apply` and unsafe keys are dropped, secrets replaced.
    pub fn payload(&self, payload: &Value) -> (Value, Vec<Redaction>) {
        let mut found = Vec::new();
        let masked = self.walk(payload, "", &mut found);
        (masked, found)
    }

    fn walk(&self, value: &Value, path: &str, found: &mut Vec<Redaction>) -> Value {
        let mut note = |reason| {
            found
                .push(Redaction { field: if path.is_empty() { "/".into() } else { path.to_owned() }, reason })
        };
        match value {
            Value::String(text) => {
                let (masked, reason) = self.text(text);
                reason.into_iter().for_each(&mut note);
                Value::String(masked)
            }
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(index, item)| self.walk(item, &format!("{path}/{index}"), found))
                .collect(),
            Value::Object(object) => {
                let mut kept = Map::new();
                for (key, item) in object {
                    if matches!(key.as_str(), "apply" | "__proto__" | "prototype" | "constructor") {
                        continue;
                    }
                    let (name, _) = self.text(key);
                    let place = format!("{path}/{}", crate::json::pointer_segment(&name));
                    let scalar = !item.is_object() && !item.is_array() && !item.is_null();
                    let masked = if secret_key(key) && scalar {
                        found.push(Redaction { field: place, reason: "named like a secret" });
                        Value::from(MASK)
                    } else {
                        self.walk(item, &place, found)
                    };
                    kept.insert(name, masked);
                }
                Value::Object(kept)
            }
            other => other.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn secret_values_are_masked_and_only_real_finds_are_listed() {
        let redactor = Redactor::new(["hunter22".to_owned(), "ab".to_owned()]);
        let github = format!("ghp_{}", "a1".repeat(15));
        let (masked, found) = redactor.payload(&json!({
            "apply": true,
            "note": "pass hunter22 on", "deep": [{"apiKey": "x", "token": "color.primary"}],
            "text": format!("use {github} now"), "plain": "abc",
        }));
        let text = masked.to_string();
        assert!(!text.contains("hunter22") && !text.contains(&github) && !text.contains("apply"), "{text}");
        assert_eq!(masked["deep"][0]["apiKey"], MASK);
        assert_eq!(masked["deep"][0]["token"], "color.primary");
        assert_eq!(masked["plain"], "abc");
        let fields: Vec<&str> = found.iter().map(|redaction| redaction.field.as_str()).collect();
        assert_eq!(fields, ["/note", "/deep/0/apiKey", "/text"]);
    }

    #[test]
    fn secrets_in_key_names_are_masked_too() {
        let redactor = Redactor::new(["s3cret-value".to_owned()]);
        let (masked, _) = redactor.payload(&json!({"s3cret-value": 1}));
        assert!(!masked.to_string().contains("s3cret-value"));
    }
}
