//! The one envelope around every answer, written as text so that a result is serialised once.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Fault, SCHEMA_VERSION, TOOLING_VERSION};

/// The `_meta` object of an envelope.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    pub schema_version: &'static str,
    pub tooling_version: &'static str,
    pub ts: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<Page>,
    /// The plan that was made or applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Value>,
}

/// Which part of an answer this is, when the caller set a budget.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page {
    /// Tokens of the envelope.
    pub tokens: usize,
    /// Where the next page begins; absent on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// Not even the smallest page fits the budget.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub over: bool,
}

impl Meta {
    pub fn at(now: Timestamp) -> Meta {
        Meta {
            schema_version: SCHEMA_VERSION,
            tooling_version: TOOLING_VERSION,
            ts: timestamp(now),
            request_id: None,
            repo: None,
            duration_ms: None,
            warnings: Vec::new(),
            page: None,
            plan: None,
        }
    }

    fn text(&self) -> String {
        serde_json::to_string(self).expect("Meta holds only strings, numbers and JSON")
    }
}

/// ISO-8601 in UTC with milliseconds, as every payload spells time.
pub fn timestamp(now: Timestamp) -> String {
    format!("{now:.3}")
}

/// `{"ok":true,"result":…,"_meta":…}` around a result that is already JSON text.
pub fn success(result: &str, meta: &Meta) -> String {
    let meta = meta.text();
    let mut text = String::with_capacity(result.len() + meta.len() + 32);
    text.push_str(r#"{"ok":true,"result":"#);
    text.push_str(result);
    text.push_str(r#","_meta":"#);
    text.push_str(&meta);
    text.push('}');
    text
}

/// `{"ok":true,"_meta":…}`: a call that was only previewed has a plan and perhaps a result.
pub fn planned(result: Option<&str>, meta: &Meta) -> String {
    match result {
        Some(result) => success(result, meta),
        None => format!(r#"{{"ok":true,"_meta":{}}}"#, meta.text()),
    }
}

/// `{"ok":false,"error":…,"_meta":…}`.
pub fn failure(fault: &Fault, meta: &Meta) -> String {
    format!(r#"{{"ok":false,"error":{},"_meta":{}}}"#, fault.to_error(), meta.text())
}

/// The schema of an envelope whose `result` has the given schema.
pub fn envelope_schema(result: &Value) -> Value {
    let mut result = result.clone();
    let defs = result.as_object_mut().and_then(|object| object.remove("$defs"));
    let mut schema = json!({
        "type": "object",
        "properties": {
            "ok": { "type": "boolean" },
            "result": result,
            "error": {
                "type": "object",
                "properties": {
                    "code": { "type": "string" },
                    "message": { "type": "string" },
                    "details": { "type": "object" }
                },
                "required": ["code", "message"],
                "additionalProperties": false
            },
            "_meta": {
                "type": "object",
                "properties": {
                    "schemaVersion": { "type": "string" },
                    "toolingVersion": { "type": "string" },
                    "ts": { "type": "string" },
                    "requestId": { "type": "string" },
                    "repo": { "type": "string" },
                    "durationMs": { "type": "number" },
                    "warnings": { "type": "array", "items": { "type": "object" } },
                    "page": {
                        "type": "object",
                        "properties": {
                            "tokens": { "type": "integer" },
                            "cursor": { "type": "string" },
                            "over": { "type": "boolean" }
                        },
                        "required": ["tokens"],
                        "additionalProperties": false
                    }
                },
                "required": ["schemaVersion", "toolingVersion", "ts"],
                "additionalProperties": false
            }
        },
        "required": ["ok", "_meta"],
        "additionalProperties": false
    });
    if let (Some(defs), Some(object)) = (defs, schema.as_object_mut()) {
        object.insert("$defs".into(), defs);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorCode;

    #[test]
    fn envelopes_are_compact_json_with_reserved_keys_only() {
        let now: Timestamp = "2026-01-24T12:34:56.789Z".parse().unwrap();
        let meta = Meta { request_id: Some("7".into()), ..Meta::at(now) };
        let ok: Value = serde_json::from_str(&success(r#"{"a":1}"#, &meta)).unwrap();
        assert_eq!(ok["result"]["a"], 1);
        assert_eq!(ok["_meta"]["ts"], "2026-01-24T12:34:56.789Z");
        let fault = Fault::new(ErrorCode::RateLimit, "slow down").detail("retryAfterMs", 5).hint("wait");
        let failed: Value = serde_json::from_str(&failure(&fault, &meta)).unwrap();
        assert_eq!(failed["error"]["code"], "QUEUE_OVERLOADED");
        assert_eq!(failed["error"]["details"]["foundryCode"], "RATE_LIMIT");
        assert_eq!(failed.as_object().unwrap().keys().collect::<Vec<_>>(), ["ok", "error", "_meta"]);
    }
}
