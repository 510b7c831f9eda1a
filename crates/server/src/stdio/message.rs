//! What a message from the client is.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::rpc::RpcError;

/// A message as it stands on the wire; parameters stay unparsed.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    role: Option<&'a RawValue>,
}

/// Keeps `"id": null` apart from no id at all.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// The id of a request: echoed as it was written, compared by its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Id {
    raw: String,
    key: String,
}

impl Id {
    /// Accepts strings and numbers; a number nobody can read back, such as `1e999`, is no id.
    fn parse(raw: &str) -> Option<Id> {
        let key = match raw.as_bytes().first()? {
            b'"' => serde_json::from_str(raw).ok()?,
            b'-' | b'0'..=b'9' => serde_json::from_str::<Number>(raw).ok().map(|_| raw.to_owned())?,
            _ => return None,
        };
        Some(Id { raw: raw.to_owned(), key })
    }

    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// `1` and `"1"` are one key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The key of an id found inside parameters.
    pub fn key_of(value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

/// A message the session can act on.
pub enum Message<'a> {
    Request {
        id: Id,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    Notification {
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// An answer to a request of ours; there are none on stdio.
    Response,
    /// A request of the foundry's line protocol.
    Line {
        id: Option<&'a RawValue>,
        tool: Cow<'a, str>,
        input: Option<&'a RawValue>,
        role: Option<&'a RawValue>,
    },
    Blank,
}

/// Why a message cannot be acted on.
pub struct Unreadable {
    pub id: Option<Id>,
    pub error: Box<RpcError>,
}

fn unreadable(id: Option<Id>, code: i32, message: impl Into<String>) -> Unreadable {
    Unreadable { id, error: Box::new(RpcError::protocol(code, message)) }
}

/// Reads one message.
pub fn decode(bytes: &[u8]) -> Result<Message<'_>, Unreadable> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii();
    if bytes.is_empty() {
        return Ok(Message::Blank);
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| unreadable(None, RpcError::PARSE, format!("the message is not UTF-8: {error}")))?;
    if text.starts_with('[') {
        return Err(unreadable(None, RpcError::INVALID_REQUEST, "batches are not supported"));
    }
    let wire: Wire<'_> = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Data => {
            unreadable(None, RpcError::INVALID_REQUEST, "the message is not a JSON-RPC request")
        }
        _ => unreadable(None, RpcError::PARSE, format!("parse error: {error}")),
    })?;
    classify(wire)
}

fn classify(wire: Wire<'_>) -> Result<Message<'_>, Unreadable> {
    let id = wire.id.and_then(|raw| Id::parse(raw.get()));
    let invalid = |id, message: &str| Err(unreadable(id, RpcError::INVALID_REQUEST, message));
    if wire.jsonrpc.is_none()
        && wire.method.is_none()
        && let Some(tool) = wire.tool.and_then(text_of)
    {
        if wire.id.is_some_and(|raw| serde_json::from_str::<Value>(raw.get()).is_err()) {
            return invalid(None, "the id cannot be read back");
        }
        return Ok(Message::Line { id: wire.id, tool, input: wire.input, role: wire.role });
    }
    if wire.jsonrpc.and_then(text_of).as_deref() != Some("2.0") {
        return invalid(id, "jsonrpc must be \"2.0\"");
    }
    let Some(method) = wire.method else {
        return match wire.result.is_some() != wire.error.is_some() {
            true => Ok(Message::Response),
            false => invalid(id, "the request has no method"),
        };
    };
    let Some(method) = text_of(method) else { return invalid(id, "method must be a string") };
    match (wire.id, id) {
        (None, _) => Ok(Message::Notification { method, params: wire.params }),
        (Some(_), Some(id)) => Ok(Message::Request { id, method, params: wire.params }),
        (Some(_), None) => invalid(None, "id must be a string or a number"),
    }
}

fn text_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw.get()).ok().map(|text| text.0)
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> i32 {
        decode(line.as_bytes()).err().unwrap().error.code
    }

    #[test]
    fn unreadable_lines_have_the_right_code() {
        assert_eq!(code("{nope"), RpcError::PARSE);
        assert_eq!(code("\u{0}\u{0}"), RpcError::PARSE);
        assert_eq!(code("42"), RpcError::INVALID_REQUEST);
        assert_eq!(code("[]"), RpcError::INVALID_REQUEST);
        assert_eq!(code(r#"{"foo":1}"#), RpcError::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#), RpcError::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), RpcError::INVALID_REQUEST);
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":1e999,"method":"ping"}"#), RpcError::INVALID_REQUEST);
        assert_eq!(code(r#"{"id":[1e999],"tool":"catalog.list"}"#), RpcError::INVALID_REQUEST);
        assert_eq!(decode(b"{\"id\":\"\xff\"}").err().unwrap().error.code, RpcError::PARSE);
    }

    #[test]
    fn ids_are_echoed_as_written_and_compared_as_text() {
        for (raw, key) in [("7", "7"), ("\"7\"", "7"), ("6.0", "6.0"), ("\"\\u0061\"", "a")] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{raw},"method":"ping"}}"#);
            let Ok(Message::Request { id, .. }) = decode(line.as_bytes()) else { panic!("{line}") };
            assert_eq!((id.raw(), id.key()), (raw, key));
        }
    }

    #[test]
    fn the_three_protocols_are_told_apart() {
        assert!(matches!(decode(br#"{"jsonrpc":"2.0","method":"x"}"#), Ok(Message::Notification { .. })));
        assert!(matches!(
            decode(br#"{"id":"1","tool":"catalog.list","input":{}}"#),
            Ok(Message::Line { .. })
        ));
        assert!(matches!(decode(br#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Ok(Message::Response)));
        assert!(matches!(decode(b"  \r"), Ok(Message::Blank)));
    }
}
