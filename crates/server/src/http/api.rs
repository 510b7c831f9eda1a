//! The endpoints of the HTTP API.

use std::sync::Arc;

use super::narrow::header_of;
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Response, Uri};
use mainstay_contract::{Body, Caller, ErrorCode, Fault, FaultResult, Toolset};
use mainstay_runtime::budget::{CURSOR, DETAIL, MAX_TOKENS};
use mainstay_runtime::meta_value;
use mainstay_runtime::plan::{APPLY, PLAN};
use mainstay_runtime::{Outcome, Request as CallRequest};
use serde_json::{Map, Value, json};

use super::app::App;
use super::dashboard::FROM_DASHBOARD;
use super::reply::{self, Reply};
use super::{body, metrics as prometheus, query, sse};
use crate::listing::{Naming, tool_json};
use crate::openapi;
use crate::pending::Pending;

type Shared = State<Arc<App>>;

pub async fn health(State(app): Shared, headers: HeaderMap) -> Reply {
    let uptime_ms = app.started.elapsed().as_micros() as f64 / 1_000.0;
    reply::ok(&json!({ "uptimeMs": uptime_ms }), &app.meta(&headers))
}

pub async fn alive(State(app): Shared, headers: HeaderMap) -> Reply {
    reply::ok(&json!({ "status": "alive" }), &app.meta(&headers))
}

pub async fn ready(State(app): Shared, headers: HeaderMap) -> Reply {
    match app.stopping.is_cancelled() {
        false => reply::ok(&json!({ "status": "ready" }), &app.meta(&headers)),
        true => {
            let fault = Fault::new(ErrorCode::QueueOverloaded, "the server is stopping");
            reply::fault(&fault, &app.meta(&headers))
        }
    }
}

pub async fn metrics(State(app): Shared) -> Reply {
    let text = prometheus::render(&app.surface.runtime, app.started.elapsed());
    let mut reply = Response::new(text.into());
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// The one JSON answer that is not an envelope: other programs read it as OpenAPI.
pub async fn openapi(State(app): Shared, Extension(caller): Extension<Caller>) -> Reply {
    let needs = match (app.auth.is_needed(), app.auth.issuer()) {
        (false, _) => openapi::Needs::Nothing,
        (true, None) => openapi::Needs::Token,
        (true, Some(_)) => openapi::Needs::TokenOfIssuer,
    };
    let document = openapi::document(&app.surface.runtime.registry(), &app.surface.identity, needs, &caller);
    reply::json(200, document.to_string())
}

pub async fn tools(State(app): Shared, Extension(caller): Extension<Caller>, headers: HeaderMap) -> Reply {
    let registry = app.surface.runtime.registry();
    let wanted = registry.registered().filter(|def| caller.sees(def));
    let tools: Vec<Value> = wanted.map(|def| tool_json(def, Naming::Id)).collect();
    reply::ok(&json!({ "tools": tools }), &app.meta(&headers))
}

pub async fn tool(
    State(app): Shared,
    Extension(caller): Extension<Caller>,
    uri: Uri,
    headers: HeaderMap,
) -> Reply {
    let meta = app.meta(&headers);
    let registry = app.surface.runtime.registry();
    match tool_name(&uri) {
        Ok(name) => match registry.get(&name).filter(|def| caller.sees(def)) {
            Some(def) => reply::ok(&json!({ "tool": tool_json(&def, Naming::Id) }), &meta),
            None => reply::fault(&unknown(&name), &meta),
        },
        Err(fault) => reply::fault(&fault, &meta),
    }
}

/// Why a tool is listed, hidden, refused or absent for whoever asks.
pub async fn explain(
    State(app): Shared,
    Extension(caller): Extension<Caller>,
    uri: Uri,
    headers: HeaderMap,
) -> Reply {
    let meta = app.meta(&headers);
    let name = query::decode(uri.path().trim_start_matches("/explain/"), false);
    match name.and_then(|name| app.surface.runtime.explain(&name, &caller, header_of)) {
        Ok(explained) => {
            let mut explained = json!(explained);
            app.surface.places.conceal_value(&mut explained);
            reply::ok(&explained, &meta)
        }
        Err(fault) => reply::fault(&fault, &meta),
    }
}

pub async fn call_tool(State(app): Shared, Extension(caller): Extension<Caller>, request: Request) -> Reply {
    let (parts, body) = request.into_parts();
    let name = match tool_name(&parts.uri) {
        Ok(name) => name,
        Err(fault) => return reply::fault(&fault, &app.meta(&parts.headers)),
    };
    if app.surface.runtime.registry().get(&name).is_none() {
        // The runtime's own refusal names the nearest tools and the rule that hides one.
        let outcome = Pending::start(&app.surface, request_for(&parts, caller, &name, json!({}))).await;
        return reply::outcome(&outcome);
    }
    match read(&app, &parts, body).await {
        Ok(args) => {
            let call = Pending::start(&app.surface, request_for(&parts, caller, &name, args));
            reply::outcome(&call.await)
        }
        Err(reply) => reply,
    }
}

/// Headers with which a client bounds an answer or plans a change: name, the call metadata each stands for, meaning.
pub const CALL_HEADERS: [(&str, &str, &str); 5] = [
    (
        "mainstay-max-tokens",
        MAX_TOKENS,
        "Answer with at most so many tokens; `_meta.page.cursor` leads to the rest.",
    ),
    ("mainstay-detail", DETAIL, "How much is told of each listed thing: `ids`, `brief` or `full`."),
    ("mainstay-cursor", CURSOR, "Go on from the cursor of an earlier answer."),
    ("mainstay-plan", PLAN, "With `true`: change nothing and answer with a plan in `_meta.plan`."),
    ("mainstay-apply", APPLY, "Do what the plan of this id says, if nothing has changed since."),
];

fn tool_name(uri: &Uri) -> FaultResult<String> {
    query::decode(uri.path().trim_start_matches("/tools/"), false)
}

fn unknown(name: &str) -> Fault {
    let shown: String = name.chars().take(80).collect();
    Fault::new(ErrorCode::UnknownTool, format!("unknown tool: {shown}"))
}

fn request_for(parts: &Parts, caller: Caller, tool: &str, args: Value) -> CallRequest {
    let id = parts.headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let surface = if parts.headers.contains_key(FROM_DASHBOARD) { "dashboard" } else { "http" };
    CallRequest { caller, surface, request_id: id, meta: call_meta(parts), ..CallRequest::new(tool, args) }
}

/// How much of the answer a client has room for, and whether it plans a change, from its headers.
fn call_meta(parts: &Parts) -> Map<String, Value> {
    let given = CALL_HEADERS.iter().filter_map(|(header, key, _)| {
        let text = parts.headers.get(*header)?.to_str().unwrap_or_default();
        Some(((*key).to_owned(), meta_value(key, text)))
    });
    given.collect()
}

async fn read(app: &App, parts: &Parts, raw: axum::body::Body) -> Result<Value, Reply> {
    let args = body::read(parts, raw, app.config.body_bytes).await.map_err(|unreadable| {
        reply::fault_as(unreadable.status, &unreadable.fault, &app.meta(&parts.headers))
    })?;
    // Arguments may be left out elsewhere; a body that is there says what it means.
    match args.is_null() {
        true => {
            Err(reply::fault(&Fault::invalid("the body must be a JSON object"), &app.meta(&parts.headers)))
        }
        false => Ok(args),
    }
}

/// The tool behind an endpoint of the Search API.
fn search_tool(app: &App, parts: &Parts, id: &str) -> Result<(), Reply> {
    match app.surface.runtime.registry().get(id) {
        Some(def) if def.toolset == Toolset::Search => Ok(()),
        _ => {
            let fault = Fault::new(ErrorCode::NotFound, "the server does not serve the search toolset");
            Err(reply::fault(&fault, &app.meta(&parts.headers)))
        }
    }
}

pub async fn status(State(app): Shared, Extension(caller): Extension<Caller>, request: Request) -> Reply {
    let (parts, _) = request.into_parts();
    match status_call(&app, &parts, caller) {
        Ok((request, repo)) => {
            let outcome = Pending::start(&app.surface, request).await;
            reply::outcome(&with_repo(outcome, repo, "status"))
        }
        Err(reply) => reply,
    }
}

pub async fn status_stream(
    State(app): Shared,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Reply {
    let (parts, _) = request.into_parts();
    match status_call(&app, &parts, caller) {
        Ok((request, repo)) => {
            let start = json!({ "repo": repo });
            sse::stream(&app, request, &start, false, Box::new(|outcome| with_repo(outcome, repo, "status")))
        }
        Err(reply) => reply,
    }
}

fn status_call(app: &App, parts: &Parts, caller: Caller) -> Result<(CallRequest, String), Reply> {
    search_tool(app, parts, "index_status")?;
    let repo = query::only(parts.uri.query(), "repo")
        .map_err(|fault| reply::fault(&fault, &app.meta(&parts.headers)))?;
    let args = match &repo {
        Some(repo) => json!({ "repoPath": repo }),
        None => json!({}),
    };
    let request = request_for(parts, caller, "index_status", args);
    Ok((request, repo.unwrap_or_else(|| default_repo(app))))
}

pub async fn search(State(app): Shared, Extension(caller): Extension<Caller>, request: Request) -> Reply {
    let (parts, raw) = request.into_parts();
    match search_call(&app, &parts, raw, caller).await {
        Ok((request, repo)) => {
            let outcome = Pending::start(&app.surface, request).await;
            reply::outcome(&with_repo(outcome, repo, "search"))
        }
        Err(reply) => reply,
    }
}

pub async fn search_stream(
    State(app): Shared,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Reply {
    let (parts, raw) = request.into_parts();
    match search_call(&app, &parts, raw, caller).await {
        Ok((request, repo)) => {
            let shape: sse::Shape = Box::new(|outcome| with_repo(outcome, repo, "search"));
            sse::stream(&app, request, &json!({}), true, shape)
        }
        Err(reply) => reply,
    }
}

async fn search_call(
    app: &App,
    parts: &Parts,
    raw: axum::body::Body,
    caller: Caller,
) -> Result<(CallRequest, String), Reply> {
    search_tool(app, parts, "search")?;
    let mut args = read(app, parts, raw).await?;
    let mut repo = None;
    if let Some(fields) = args.as_object_mut() {
        // The API's own spelling; the schema of the tool judges it as `repoPath`.
        if let Some(named) = fields.remove("repo")
            && fields.insert("repoPath".into(), named).is_some()
        {
            let fault = Fault::invalid("repo and repoPath name the same thing: send one of them");
            return Err(reply::fault(&fault, &app.meta(&parts.headers)));
        }
        repo = fields.get("repoPath").and_then(Value::as_str).map(str::to_owned);
    }
    let request = request_for(parts, caller, "search", args);
    Ok((request, repo.unwrap_or_else(|| default_repo(app))))
}

fn default_repo(app: &App) -> String {
    app.config.repo.as_ref().map(|repo| repo.display().to_string()).unwrap_or_default()
}

/// `{repo, KEY: result}` around the result of the tool; one that already has the key keeps its value.
fn with_repo(mut outcome: Outcome, repo: String, key: &str) -> Outcome {
    let Ok(Body::Json(raw)) = &outcome.result else { return outcome };
    let mut inner: Value = serde_json::from_str(raw.get()).unwrap_or_default();
    let named = inner.get("repo").and_then(Value::as_str).map(str::to_owned);
    let repo = outcome.meta.repo.clone().or(named).unwrap_or(repo);
    let wrapped =
        inner.as_object().is_some_and(|fields| fields.keys().all(|name| name == "repo" || name == key));
    if let (true, Some(held)) = (wrapped, inner.get_mut(key)) {
        inner = held.take();
    }
    let mut result = Map::new();
    result.insert("repo".into(), repo.into());
    result.insert(key.into(), inner);
    if let Ok(body) = Body::json(&result) {
        outcome.result = Ok(body);
    }
    outcome
}
