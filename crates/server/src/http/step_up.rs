//! Calls over MCP that lack a scope which the caller's authorisation server could give him.
//!
//! Such a client is answered with 403 and the scope, as the protocol's chapter on authorisation says, so that it can
//! ask for more. A token of the operator's cannot grow: its holder gets the refusal as the answer of the tool.

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use mainstay_contract::{Caller, Fault};
use mainstay_runtime::{Door, Request as CallRequest};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::app::App;
use super::auth::{NeedsScope, Principal};
use super::reply::{self, Reply};
use crate::encode;
use crate::mcp::SURFACE;
use crate::pending::Pending;

const CALL: &str = "tools/call";

/// As much of a message as tells which tool it calls.
#[derive(Deserialize)]
struct Message {
    method: String,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    params: Map<String, Value>,
}

pub async fn check_scope(State(app): State<Arc<App>>, request: Request, next: Next) -> Reply {
    let can_grow = request.extensions().get::<Principal>().is_some_and(|known| known.is_oauth);
    let caller = request.extensions().get::<Caller>().cloned();
    let Some(caller) = caller.filter(|_| can_grow && request.method() == Method::POST) else {
        return next.run(request).await;
    };
    let (parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, app.config.body_bytes).await else {
        let fault = Fault::invalid(format!("the body is larger than {} bytes", app.config.body_bytes));
        return reply::fault_as(413, &fault, &app.meta(&parts.headers));
    };
    if let Ok(mut message) = serde_json::from_slice::<Message>(&bytes)
        && let Some((tool, scope)) = lacking(&app, &caller, &message)
    {
        let args = message.params.remove("arguments").unwrap_or_default();
        // The runtime refuses it too, and so the log knows of it.
        let call = CallRequest {
            caller,
            surface: SURFACE,
            door: if message.method == CALL { Door::Listed } else { Door::Registered },
            request_id: Some(message.id.to_string()),
            ..CallRequest::new(tool.as_str(), args)
        };
        let outcome = Pending::start(&app.surface, call).await;
        let answer = match encode::mcp(outcome, &tool, app.surface.unknown) {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, message.id),
            Err(error) => format!(r#"{{"jsonrpc":"2.0","id":{},"error":{}}}"#, message.id, error.to_value()),
        };
        let mut reply = reply::json(403, answer);
        reply.extensions_mut().insert(NeedsScope(scope));
        return reply;
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// The tool a message calls and the scope its sender lacks for it.
fn lacking(app: &App, caller: &Caller, message: &Message) -> Option<(String, String)> {
    let tool = match message.method.as_str() {
        CALL => message.params.get("name")?.as_str()?,
        direct => direct,
    };
    let def = app.surface.runtime.registry().get(tool)?;
    let scope = caller.grant.as_ref()?.lacks(&def)?;
    Some((tool.to_owned(), scope.to_string()))
}
