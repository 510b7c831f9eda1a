//! Who may come in: `Host`, `Origin`, bearer token, rate.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use mainstay_contract::{Caller, ErrorCode, Fault, FaultResult};
use subtle::ConstantTimeEq;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::app::App;
use super::config::{HttpConfig, HttpError};
use super::dashboard;
use super::narrow;
use super::reply::{self, Reply};

/// The address a request came from.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Paths that answer without a token, because probes have none; they tell nothing but the time.
const OPEN_PATHS: [&str; 3] = ["/health", "/healthz", "/readyz"];

/// Checks `Host` and `Origin`: a page of another site, or a name that was bound to our address, must
/// not reach the server through a browser.
pub async fn check_source(State(app): State<Arc<App>>, request: Request, next: Next) -> Reply {
    match source(&app.config, request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(fault) => reply::fault(&fault, &app.meta(request.headers())),
    }
}

fn source(config: &HttpConfig, uri: &Uri, headers: &HeaderMap) -> FaultResult<()> {
    let named = match headers.get(HOST) {
        Some(value) => value.to_str().ok(),
        None => uri.authority().map(|authority| authority.as_str()),
    };
    let host = named.ok_or_else(|| Fault::invalid("the Host header is missing"))?;
    if !host_allowed(config, host) {
        return Err(Fault::new(ErrorCode::Forbidden, "the Host header names another server")
            .hint("use the address the server announced, or allow the name in its configuration"));
    }
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    // The sandboxed frame has no origin and needs its script; the files tell nothing about this server.
    if config.dashboard.is_some() && dashboard::is_asset(uri.path()) {
        return Ok(());
    }
    let allowed = origin.to_str().is_ok_and(|origin| {
        config.origins.iter().any(|known| known == origin)
            || split_origin(origin).is_some_and(|(_, authority)| authority == host || is_loopback(authority))
    });
    match allowed {
        true => Ok(()),
        false => Err(Fault::new(ErrorCode::Forbidden, "pages of this origin may not call the server")
            .hint("allow the origin in the server's configuration")),
    }
}

fn host_allowed(config: &HttpConfig, host: &str) -> bool {
    let name = without_port(host);
    let address: Option<IpAddr> = name.trim_matches(['[', ']']).parse().ok();
    is_loopback(host)
        || config.hosts.iter().any(|known| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(name))
        // A rebound name is a name: an address in `Host` cannot be one.
        || (!config.host.is_loopback() && address.is_some())
}

fn is_loopback(authority: &str) -> bool {
    let name = without_port(authority);
    name.eq_ignore_ascii_case("localhost")
        || name.trim_matches(['[', ']']).parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => authority,
    }
}

fn split_origin(origin: &str) -> Option<(&str, &str)> {
    let (scheme, authority) = origin.split_once("://")?;
    let plain = !authority.is_empty() && !authority.contains(['/', '@', '?', '#', ' ']);
    (matches!(scheme, "http" | "https") && plain).then_some((scheme, authority))
}

/// What a browser page of a listed origin may do.
pub fn cors(config: &HttpConfig) -> Result<CorsLayer, HttpError> {
    let mut origins = Vec::new();
    for origin in &config.origins {
        let bad = || HttpError::BadOrigin { origin: origin.clone() };
        split_origin(origin).ok_or_else(bad)?;
        origins.push(HeaderValue::from_str(origin).map_err(|_| bad())?);
    }
    let name = HeaderName::from_static;
    let (session, version) = (name("mcp-session-id"), name("mcp-protocol-version"));
    Ok(CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([
            AUTHORIZATION,
            name("content-type"),
            name("accept"),
            name("last-event-id"),
            name("x-request-id"),
            name("mcp-method"),
            name("mcp-name"),
            name(narrow::TOOLSETS),
            name(narrow::TOOLS),
            name(narrow::EXCLUDE_TOOLS),
            name(narrow::READ_ONLY),
            session.clone(),
            version.clone(),
        ])
        .expose_headers([session, version, name("x-request-id")]))
}

/// Checks token and rate, and says who calls.
pub async fn check_caller(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Reply {
    let path = request.uri().path();
    let has_pages = app.config.dashboard.is_some();
    let open = OPEN_PATHS.contains(&path) || (has_pages && dashboard::is_open(path));
    let browser = has_pages.then(|| app.browsers.caller(request.method(), request.headers())).flatten();
    let name = match browser {
        Some(name) => Ok(Some(name)),
        None => caller(&app.config, request.headers(), open),
    };
    let caller = match name {
        Ok(name) => Caller {
            name,
            role: None,
            roots: app.roots.clone(),
            narrowed: narrow::narrowing(request.headers()),
        },
        Err(_) if has_pages && request.method() == Method::GET && dashboard::is_page(path) => {
            return dashboard::to_sign_in();
        }
        Err(fault) => return reply::fault(&fault, &app.meta(request.headers())),
    };
    if let Some(Peer(peer)) = request.extensions().get().copied()
        && !open
        && let Err(wait) = app.rate.take(peer, Instant::now())
    {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        let fault = Fault::new(ErrorCode::QueueOverloaded, "too many requests from this client")
            .detail("retryAfterMs", wait_ms)
            .hint(format!("retry in {wait_ms} ms"));
        return reply::fault_as(429, &fault, &app.meta(request.headers()));
    }
    request.extensions_mut().insert(caller);
    next.run(request).await
}

/// The name of the caller's token; fails when one is needed and none fits.
fn caller(config: &HttpConfig, headers: &HeaderMap, open: bool) -> FaultResult<Option<String>> {
    if config.tokens.is_empty() || open {
        return Ok(None);
    }
    let sent = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().as_bytes())
    });
    let sent = sent.ok_or_else(|| {
        Fault::new(ErrorCode::Unauthorized, "a bearer token is required")
            .hint("send the header Authorization: Bearer TOKEN")
    })?;
    match token_name(config, sent) {
        Some(name) => Ok(Some(name)),
        None => Err(Fault::new(ErrorCode::Unauthorized, "the bearer token is not valid")),
    }
}

/// The name of the token that was sent, if it is one of ours.
pub fn token_name(config: &HttpConfig, sent: &[u8]) -> Option<String> {
    let mut name = None;
    for token in &config.tokens {
        // Every token is compared, so that the time does not tell which one was close.
        if bool::from(token.secret.bytes().ct_eq(sent)) {
            name = Some(token.name.clone());
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(config: &HttpConfig, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).unwrap());
        if let Some(origin) = origin {
            headers.insert(ORIGIN, HeaderValue::from_str(origin).unwrap());
        }
        source(config, &Uri::from_static("/health"), &headers).is_ok()
    }

    #[test]
    fn only_our_own_names_and_listed_origins_pass() {
        let config = HttpConfig {
            hosts: vec!["box.example".into()],
            origins: vec!["https://app.example".into()],
            ..HttpConfig::default()
        };
        for host in ["127.0.0.1:7345", "localhost", "LOCALHOST:1", "[::1]:7345", "box.example:80"] {
            assert!(check(&config, host, None), "{host}");
        }
        for host in ["evil.example", "10.0.0.1", "127.0.0.1.evil.example", "localhost.evil:80", ""] {
            assert!(!check(&config, host, None), "{host}");
        }
        for origin in
            ["http://localhost:3000", "https://app.example", "http://[::1]", "http://127.0.0.1:7345"]
        {
            assert!(check(&config, "127.0.0.1:7345", Some(origin)), "{origin}");
        }
        for origin in ["https://evil.example", "null", "file://", "http://localhost@evil.example", ""] {
            assert!(!check(&config, "127.0.0.1:7345", Some(origin)), "{origin}");
        }
        let public = HttpConfig { host: IpAddr::from([0, 0, 0, 0]), ..HttpConfig::default() };
        assert!(check(&public, "10.0.0.1:7345", Some("http://10.0.0.1:7345")));
        assert!(!check(&public, "evil.example", None));
    }
}
