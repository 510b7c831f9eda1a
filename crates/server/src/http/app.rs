//! The routes and what they share.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONNECTION, HeaderName, HeaderValue, TRANSFER_ENCODING, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{get, post};
use jiff::Timestamp;
use mainstay_contract::{Caller, ErrorCode, Fault, Meta};
use mainstay_runtime::Refused;
use tokio_util::sync::CancellationToken;
use tower::util::option_layer;

use super::api;
use super::auth::{Auth, metadata};
use super::config::{HttpConfig, HttpError};
use super::dashboard;
use super::guard::{Peer, check_caller, check_source, cors};
use super::page;
use super::rate::Rate;
use super::reply::{self, Reply, TurnedAway};
use super::step_up::check_scope;
use crate::mcp::{self, Sessions};
use crate::surface::Surface;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// What every endpoint can see.
pub struct App {
    pub surface: Surface,
    pub config: HttpConfig,
    pub roots: Option<Arc<[PathBuf]>>,
    pub rate: Rate,
    pub auth: Auth,
    /// The audit log is verified by one request at a time.
    pub verifying: tokio::sync::Mutex<()>,
    pub sessions: Sessions,
    /// Browsers that signed in to the dashboard.
    pub browsers: dashboard::Sessions,
    pub started: Instant,
    /// Set when the server has been told to stop.
    pub stopping: CancellationToken,
    next: AtomicU64,
}

impl App {
    /// `_meta` of an answer that is not about a call.
    pub fn meta(&self, headers: &HeaderMap) -> Meta {
        Meta { request_id: request_id(headers), ..self.surface.runtime.meta() }
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    headers.get(REQUEST_ID)?.to_str().ok().map(str::to_owned)
}

pub fn router(
    config: HttpConfig,
    surface: Surface,
    stopping: CancellationToken,
    closing: CancellationToken,
) -> Result<Router, HttpError> {
    let cors = option_layer((!config.origins.is_empty()).then(|| cors(&config)).transpose()?);
    let (mcp, sessions) = mcp::streamable(surface.clone(), config.body_bytes, closing)?;
    let app = Arc::new(App {
        roots: config.roots.clone().map(Arc::from),
        rate: Rate::new(config.rate_per_minute),
        auth: Auth::new(&config)?,
        verifying: tokio::sync::Mutex::default(),
        surface,
        sessions,
        browsers: dashboard::Sessions::default(),
        config,
        started: Instant::now(),
        stopping,
        next: AtomicU64::new(1),
    });
    let with = |app: &Arc<App>| Arc::clone(app);
    let pages = match app.config.dashboard {
        Some(_) => {
            app.surface.runtime.count_answers();
            dashboard::routes()
        }
        None => Router::new().route("/", get(page::page)),
    };
    Ok(pages
        .route("/tools.json", get(page::tools))
        .route("/health", get(api::health))
        .route("/healthz", get(api::alive))
        .route("/readyz", get(api::ready))
        .route("/metrics", get(api::metrics))
        .route("/openapi.json", get(api::openapi))
        .route("/tools", get(api::tools))
        .route("/explain/{*id}", get(api::explain))
        .route("/tools/{*id}", get(api::tool).post(api::call_tool))
        .route("/.well-known/oauth-protected-resource", get(metadata))
        .route("/.well-known/oauth-protected-resource/{*path}", get(metadata))
        .route("/status", get(api::status))
        .route("/status/stream", get(api::status_stream))
        .route("/search", post(api::search))
        .route("/search/stream", post(api::search_stream))
        .merge(
            Router::new()
                .route_service("/mcp", mcp)
                .layer(from_fn_with_state(with(&app), check_scope))
                .layer(from_fn_with_state(with(&app), check_sessions)),
        )
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(with(&app), check_caller))
        .layer(cors)
        .layer(from_fn_with_state(with(&app), check_source))
        .layer(from_fn_with_state(with(&app), number))
        .with_state(app))
}

/// Gives every request an id: the client's own where it is short and plain.
async fn number(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Reply {
    let usable = |id: &HeaderValue| id.len() <= 128 && id.as_bytes().iter().all(u8::is_ascii_graphic);
    let id = match request.headers().get(REQUEST_ID).filter(|id| usable(id)) {
        Some(id) => id.clone(),
        None => {
            let text = format!("http-{}", app.next.fetch_add(1, Ordering::Relaxed));
            HeaderValue::from_str(&text).expect("digits and letters make a header")
        }
    };
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    // A proxy may have understood the end of such a body otherwise: nothing that follows on the connection counts.
    let is_last = request.headers().contains_key(TRANSFER_ENCODING);
    let from = request.extensions().get().map(|Peer(address)| address.to_string());
    let began = Instant::now();
    let mut reply = next.run(request).await;
    let (status, micros) = (reply.status().as_u16(), began.elapsed().as_micros());
    tracing::debug!(id = ?id, %method, path, status, micros, "answered");
    if let Some(TurnedAway { fault, caller }) = reply.extensions_mut().remove() {
        let request = format!("{method} {path}");
        app.surface.runtime.note_refused(&Refused {
            request: &request,
            caller: caller.as_deref(),
            from,
            surface: if path == "/mcp" { mcp::SURFACE } else { "http" },
            fault: &fault,
            at: Timestamp::now(),
        });
    }
    let headers = reply.headers_mut();
    if is_last {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    headers.insert(REQUEST_ID, id);
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    reply
}

/// Refuses to open more sessions than the server keeps, and lets nobody into the session of another.
async fn check_sessions(State(app): State<Arc<App>>, request: Request, next: Next) -> Reply {
    let caller = request.extensions().get::<Caller>().and_then(|caller| caller.name.clone());
    if !app.sessions.is_open_to(caller.as_deref(), request.headers()) {
        let fault = Fault::new(ErrorCode::NotFound, "no such session");
        return reply::turned_away(404, fault, caller, &app.meta(request.headers()));
    }
    if app.sessions.are_exceeded_by(request.method(), request.headers()).await {
        let fault = Fault::new(ErrorCode::QueueOverloaded, "too many sessions are open")
            .hint("close sessions with DELETE /mcp, or use the stateless revision of the protocol");
        return reply::fault(&fault, &app.meta(request.headers()));
    }
    let is_end = request.method() == Method::DELETE;
    let mut reply = next.run(request).await;
    // The session has ended by now; clients read "accepted" as if it might not have.
    if is_end && reply.status() == StatusCode::ACCEPTED {
        *reply.status_mut() = StatusCode::NO_CONTENT;
    }
    app.sessions.belong_to(caller.as_deref(), reply.headers()).await;
    reply
}

async fn unknown_path(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    let fault = Fault::new(ErrorCode::NotFound, "no such path").hint("GET /openapi.json lists the paths");
    reply::fault(&fault, &app.meta(&headers))
}

async fn wrong_method(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    let fault =
        Fault::invalid("the path does not support this method").hint("the Allow header lists those it does");
    reply::fault_as(405, &fault, &app.meta(&headers))
}
