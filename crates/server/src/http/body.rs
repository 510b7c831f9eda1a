//! Request bodies: JSON objects of bounded size.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, EXPECT};
use axum::http::request::Parts;
use http_body_util::BodyExt;
use mainstay_contract::Fault;
use serde_json::Value;

/// How much of a body that is too large is read and dropped, so that the client can still read the
/// answer instead of meeting a closed connection.
const DRAIN_BYTES: usize = 64 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(10);

/// A body that cannot be used, and the status that says so.
pub struct Unreadable {
    pub status: u16,
    pub fault: Fault,
}

fn refuse(status: u16, fault: Fault) -> Unreadable {
    Unreadable { status, fault }
}

/// Reads a JSON body.
pub async fn read(parts: &Parts, body: Body, max_bytes: usize) -> Result<Value, Unreadable> {
    if !is_json(parts) {
        drain(parts, body);
        let fault =
            Fault::invalid("the body must be JSON").hint("send the header Content-Type: application/json");
        return Err(refuse(415, fault));
    }
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    if announced.is_some_and(|bytes: u64| bytes > max_bytes as u64) {
        drain(parts, body);
        return Err(too_large(max_bytes));
    }
    let bytes = collect(parts, body, max_bytes).await?;
    serde_json::from_slice(&bytes)
        .map_err(|error| refuse(400, Fault::invalid(format!("the body is not valid JSON: {error}"))))
}

async fn collect(parts: &Parts, mut body: Body, max_bytes: usize) -> Result<Vec<u8>, Unreadable> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| refuse(400, Fault::invalid("the body could not be read")))?;
        let data = frame.data_ref().map(|data| &data[..]).unwrap_or_default();
        if bytes.len() + data.len() > max_bytes {
            drain(parts, body);
            return Err(too_large(max_bytes));
        }
        bytes.extend_from_slice(data);
    }
    Ok(bytes)
}

fn is_json(parts: &Parts) -> bool {
    let named = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = named.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn too_large(max_bytes: usize) -> Unreadable {
    let fault = Fault::invalid(format!("the body is larger than {max_bytes} bytes"))
        .detail("maxBytes", max_bytes)
        .hint("send a smaller request");
    refuse(413, fault)
}

/// Reads and drops what the client is still sending, beside the answer.
fn drain(parts: &Parts, body: Body) {
    // A client that asks first has not sent anything yet.
    if parts.headers.contains_key(EXPECT) {
        return;
    }
    tokio::spawn(async move {
        let mut body = body;
        let mut seen = 0;
        let all = async {
            while let Some(Ok(frame)) = body.frame().await {
                seen += frame.data_ref().map_or(0, |data| data.len());
                if seen > DRAIN_BYTES {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(DRAIN_TIME, all).await;
    });
}
