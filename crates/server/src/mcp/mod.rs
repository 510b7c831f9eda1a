//! MCP over Streamable HTTP: rmcp speaks the protocol, the runtime runs the tools.
//!
//! Both eras are served: sessions of 2025-11-25, which every `initialize` gets, and stateless
//! requests of 2026-07-28.

mod convert;
mod handler;
mod link;
mod news;
mod state;
mod tasks;

use std::sync::Arc;

use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::http::HttpError;
use crate::surface::Surface;
use handler::{Handler, Shared};

/// The tower service behind `/mcp`.
pub(crate) type Streamable = StreamableHttpService<Handler, LocalSessionManager>;

/// Builds the service; `closing` ends its sessions and streams.
pub(crate) fn streamable(
    surface: Surface,
    body_bytes: usize,
    closing: CancellationToken,
) -> Result<Streamable, HttpError> {
    let shared = Arc::new(Shared::new(surface).map_err(|_| HttpError::Random)?);
    // Host and Origin are checked once for all paths, before a request arrives here.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(body_bytes)
        .with_cancellation_token(closing);
    let sessions = Arc::new(LocalSessionManager::default());
    Ok(StreamableHttpService::new(move || Ok(Handler::new(Arc::clone(&shared))), sessions, config))
}
