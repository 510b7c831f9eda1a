//! What a client without the right token is told: where to get one, and which scopes it needs.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::http::header::{HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use mainstay_contract::{ErrorCode, Fault, Right, Scope};
use serde_json::json;

use crate::http::app::App;
use crate::http::reply::{self, Reply};

/// Where clients look for what protects a server (RFC 9728).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
const MCP: &str = "/mcp";

/// The scope a refused call lacks; a reply carries it until the challenge is written.
#[derive(Debug, Clone)]
pub struct NeedsScope(pub String);

/// The address clients know this server by.
fn base(app: &App, headers: &HeaderMap) -> String {
    let host = || headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    match &app.config.public_url {
        Some(url) => url.trim_end_matches('/').to_owned(),
        // The header has been compared with our own names.
        None => format!("http://{}", host()),
    }
}

/// Says on a refused request what it lacks.
pub fn set_challenge(app: &App, headers: &HeaderMap, reply: &mut Reply, error: Option<&str>) {
    let mut parts: Vec<String> = Vec::new();
    let scope = reply.extensions().get::<NeedsScope>().map(|needs| needs.0.clone());
    if let Some(error) = error {
        parts.push(format!("error=\"{error}\""));
    }
    if app.auth.issuer().is_some() {
        let scope = scope.unwrap_or_else(|| Right::Read.name().to_owned());
        parts.push(format!("scope=\"{scope}\""));
        parts.push(format!("resource_metadata=\"{}{WELL_KNOWN}{MCP}\"", base(app, headers)));
    } else if let Some(scope) = scope {
        parts.push(format!("scope=\"{scope}\""));
    }
    let text = format!("Bearer {}", parts.join(", "));
    if let Ok(value) = HeaderValue::from_str(text.trim_end()) {
        reply.headers_mut().insert(WWW_AUTHENTICATE, value);
    }
}

/// Whether a path is that of the metadata, which is for those who have no token yet.
pub fn metadata_of(path: &str) -> Option<&str> {
    path.strip_prefix(WELL_KNOWN).filter(|rest| rest.is_empty() || *rest == MCP)
}

/// `GET /.well-known/oauth-protected-resource`, for the whole server and for its MCP endpoint.
pub async fn metadata(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Reply {
    let (Some(issuer), Some(of)) = (app.auth.issuer(), metadata_of(uri.path())) else {
        let fault = Fault::new(ErrorCode::NotFound, "no authorisation server is configured");
        return reply::fault(&fault, &app.meta(&headers));
    };
    let toolsets = &app.surface.runtime.access().toolsets.value;
    let rights = [Right::Read, Right::Write];
    let all = Right::ALL.map(|right| Scope { toolset: None, right });
    let each = toolsets.iter().flat_map(|set| rights.map(|right| Scope { toolset: Some(*set), right }));
    let scopes: Vec<String> = all.into_iter().chain(each).map(|scope| scope.to_string()).collect();
    let document = json!({
        "resource": format!("{}{of}", base(&app, &headers)),
        "resource_name": app.surface.identity.title,
        "authorization_servers": [issuer],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
    });
    reply::json(200, document.to_string())
}
