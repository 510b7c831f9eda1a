//! Envelopes as HTTP responses.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{Response, StatusCode};
use mainstay_contract::{ErrorCode, Fault, Meta, failure, success};
use mainstay_runtime::Outcome;
use serde_json::Value;

use super::auth::NeedsScope;
use crate::encode;

pub type Reply = Response<Body>;

/// A JSON text with a status.
pub fn json(status: u16, text: String) -> Reply {
    let mut reply = Response::new(Body::from(text));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    reply
}

pub fn ok(result: &Value, meta: &Meta) -> Reply {
    json(200, success(&result.to_string(), meta))
}

/// The envelope of a fault with the status the error table gives it.
pub fn fault(fault: &Fault, meta: &Meta) -> Reply {
    fault_as(fault.code.row().http, fault, meta)
}

/// The envelope of a fault with a status of its own (405, 413, 415, 429).
pub fn fault_as(status: u16, fault: &Fault, meta: &Meta) -> Reply {
    dress(json(status, failure(fault, meta)), fault)
}

/// Why a request did not become a call; a reply carries it until the journals have heard of it.
#[derive(Debug, Clone)]
pub struct TurnedAway {
    pub fault: Arc<Fault>,
    /// Whose token the request carried.
    pub caller: Option<String>,
}

/// A refusal at the door, before there is a call.
pub fn turned_away(status: u16, fault: Fault, caller: Option<String>, meta: &Meta) -> Reply {
    let mut reply = fault_as(status, &fault, meta);
    reply.extensions_mut().insert(TurnedAway { fault: Arc::new(fault), caller });
    reply
}

pub fn outcome(outcome: &Outcome) -> Reply {
    let reply = json(encode::http_status(outcome), encode::envelope(outcome));
    match &outcome.result {
        Err(failed) => dress(reply, &failed.fault),
        Ok(_) => reply,
    }
}

/// Adds the headers that belong to a failure.
fn dress(mut reply: Reply, fault: &Fault) -> Reply {
    let headers = reply.headers_mut();
    if fault.code == ErrorCode::Unauthorized {
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if fault.code == ErrorCode::Forbidden
        && let Some(scope) = fault.details.get("scope").and_then(Value::as_str)
    {
        reply.extensions_mut().insert(NeedsScope(scope.to_owned()));
        return reply;
    }
    if let Some(wait_ms) = fault.details.get("retryAfterMs").and_then(Value::as_u64) {
        headers.insert(RETRY_AFTER, HeaderValue::from(wait_ms.div_ceil(1_000)));
    } else if fault.code == ErrorCode::QueueOverloaded {
        headers.insert(RETRY_AFTER, HeaderValue::from(1));
    }
    reply
}
