//! MCP over Streamable HTTP: rmcp speaks the protocol, the runtime runs the tools.
//!
//! Both eras are served: sessions of 2025-11-25, which every `initialize` gets, and stateless
//! requests of 2026-07-28.

mod client;
mod convert;
mod handler;
mod link;
mod news;
mod owners;
mod state;
mod tasks;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::{HeaderMap, Method};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::http::HttpError;
use crate::surface::Surface;
use client::{Handler, Shared};
pub(crate) use handler::SURFACE;

/// Sessions open at once.
const MAX_SESSIONS: usize = 1_024;
/// How long a session is kept that nobody uses.
const IDLE: Duration = Duration::from_secs(5 * 60);

/// The tower service behind `/mcp`.
pub(crate) type Streamable = StreamableHttpService<Handler, LocalSessionManager>;

/// The sessions of the older era.
#[derive(Clone)]
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    /// Who opened which, where callers have names.
    owners: Arc<Mutex<HashMap<String, String>>>,
}

const SESSION_ID: &str = "mcp-session-id";

impl Sessions {
    /// Whether a request would open one session too many.
    pub async fn are_exceeded_by(&self, method: &Method, headers: &HeaderMap) -> bool {
        let version = headers.get("mcp-protocol-version").and_then(|version| version.to_str().ok());
        let stateless = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str());
        method == Method::POST
            && !stateless
            && !headers.contains_key(SESSION_ID)
            && self.manager.sessions.read().await.len() >= MAX_SESSIONS
    }

    /// Whether the session a request names is the caller's own, or nobody's.
    pub fn is_open_to(&self, caller: Option<&str>, headers: &HeaderMap) -> bool {
        let Some(id) = headers.get(SESSION_ID).and_then(|id| id.to_str().ok()) else { return true };
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.get(id).is_none_or(|owner| caller == Some(owner.as_str()))
    }

    /// Remembers who opened the session that an answer names.
    pub async fn belong_to(&self, caller: Option<&str>, headers: &HeaderMap) {
        let id = headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
        let (Some(caller), Some(id)) = (caller, id) else { return };
        let open = self.manager.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.len() >= MAX_SESSIONS {
            owners.retain(|id, _| open.keys().any(|known| known.as_ref() == id));
        }
        owners.entry(id.to_owned()).or_insert_with(|| caller.to_owned());
    }
}

/// Builds the service; `closing` ends its sessions and streams.
pub(crate) fn streamable(
    surface: Surface,
    body_bytes: usize,
    closing: CancellationToken,
) -> Result<(Streamable, Sessions), HttpError> {
    // Host and Origin are checked once for all paths, before a request arrives here.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(body_bytes)
        .with_cancellation_token(closing);
    let mut sessions = LocalSessionManager::default();
    // A session is idle while it waits for a tool, so it must outlast the slowest one.
    let slowest =
        surface.runtime.registry().registered().map(|def| def.policy.timeout).max().unwrap_or_default();
    sessions.session_config.keep_alive = Some(slowest + IDLE);
    let sessions = Arc::new(sessions);
    let shared = Arc::new(Shared::new(surface).map_err(|_| HttpError::Random)?);
    let handler = move || Ok(Handler::new(Arc::clone(&shared)));
    Ok((
        StreamableHttpService::new(handler, Arc::clone(&sessions), config),
        Sessions { manager: sessions, owners: Arc::default() },
    ))
}
