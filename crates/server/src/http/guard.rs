//! Who may come in: `Host`, `Origin`, bearer token, rate.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, HOST, HeaderMap, HeaderName, HeaderValue, ORIGIN, WWW_AUTHENTICATE};
use axum::http::{Method, Uri};
use axum::middleware::Next;
use mainstay_contract::{Caller, ErrorCode, Fault, FaultResult, Scope};
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::app::App;
use super::auth::{NeedsScope, Principal, metadata_of, set_challenge};
use super::config::{HttpConfig, HttpError};
use super::dashboard;
use super::narrow;
use super::rate::Who;
use super::reply::{self, Reply};

/// The address a request came from.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// Paths that answer without a token, because probes have none; they tell nothing but the time.
pub const OPEN_PATHS: [&str; 3] = ["/health", "/healthz", "/readyz"];

/// Checks `Host` and `Origin`: a page of another site, or a name that was bound to our address, must
/// not reach the server through a browser.
pub async fn check_source(State(app): State<Arc<App>>, request: Request, next: Next) -> Reply {
    match source(&app.config, request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(fault) => {
            let status = fault.code.row().http;
            reply::turned_away(status, fault, None, &app.meta(request.headers()))
        }
    }
}

fn source(config: &HttpConfig, uri: &Uri, headers: &HeaderMap) -> FaultResult<()> {
    // A proxy and we might read different ones.
    if [HOST, ORIGIN, AUTHORIZATION].iter().any(|name| headers.get_all(name).iter().count() > 1) {
        return Err(Fault::invalid("Host, Origin and Authorization may be sent once"));
    }
    let named = match headers.get(HOST) {
        Some(value) => value.to_str().ok(),
        None => uri.authority().map(|authority| authority.as_str()),
    };
    let host = named.ok_or_else(|| Fault::invalid("the Host header is missing"))?;
    // An absolute address in the request line names the server too, and wins over the header elsewhere.
    let written = uri.authority().map_or(host, |authority| authority.as_str());
    if !host_allowed(config, host) || !host_allowed(config, written) {
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
        .expose_headers([session, version, name("x-request-id"), WWW_AUTHENTICATE]))
}

/// Checks token and rate, and says who calls.
pub async fn check_caller(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Reply {
    let (path, headers) = (request.uri().path().to_owned(), request.headers().clone());
    let path = path.as_str();
    let has_pages = app.config.dashboard.is_some();
    let open =
        OPEN_PATHS.contains(&path) || metadata_of(path).is_some() || (has_pages && dashboard::is_open(path));
    let known = match open || !app.auth.is_needed() {
        true => Ok(Principal::default()),
        false => principal(&app, has_pages, request.method().clone(), &headers).await,
    };
    let address = request.extensions().get().map(|Peer(peer)| Who::at(*peer));
    let (who, own) = match &known {
        Ok(known) => (known.name.clone().map(Who::Token).or(address), known.rate),
        // Guessing tokens is counted as well.
        Err(_) => (address, None),
    };
    if let Some(who) = who.filter(|_| !open)
        && let Err(wait) = app.rate.take(who, own, Instant::now())
    {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
        let fault = Fault::new(ErrorCode::QueueOverloaded, "too many requests from this caller")
            .detail("retryAfterMs", wait_ms)
            .hint(format!("retry in {wait_ms} ms"));
        let caller = known.ok().and_then(|known| known.name);
        return reply::turned_away(429, fault, caller, &app.meta(&headers));
    }
    let known = match known {
        Ok(known) => known,
        Err(_) if has_pages && request.method() == Method::GET && dashboard::is_page(path) => {
            return dashboard::to_sign_in();
        }
        Err(refused) => {
            tracing::info!(
                path,
                reason = refused.fault.message,
                "a request without a valid token was refused"
            );
            let mut reply = reply::turned_away(401, refused.fault, None, &app.meta(&headers));
            set_challenge(&app, &headers, &mut reply, refused.error);
            return reply;
        }
    };
    let caller = Caller {
        role: known.role(),
        name: known.name.clone(),
        roots: app.roots.clone(),
        narrowed: narrow::narrowing(&headers),
        grant: known.grant.clone(),
    };
    let is_operators = path == "/metrics" || (has_pages && dashboard::is_operators(path));
    if is_operators && !caller.is_admin() {
        let fault = Fault::new(ErrorCode::Forbidden, format!("{path} needs the scope admin"));
        let fault = fault.detail("scope", "admin");
        let mut reply = reply::turned_away(403, fault, caller.name, &app.meta(&headers));
        set_challenge(&app, &headers, &mut reply, Some("insufficient_scope"));
        return reply;
    }
    let held = known.grant.clone().filter(|_| known.is_oauth);
    request.extensions_mut().insert(caller);
    request.extensions_mut().insert(known);
    let mut reply = next.run(request).await;
    if let Some(NeedsScope(lacking)) = reply.extensions_mut().remove() {
        // A client asks for these words as they are, and would lose what it has.
        let held = held.iter().flat_map(|grant| &grant.scopes).map(Scope::to_string);
        let all: Vec<String> = held.chain([lacking]).collect();
        reply.extensions_mut().insert(NeedsScope(all.join(" ")));
        set_challenge(&app, &headers, &mut reply, Some("insufficient_scope"));
    }
    reply
}

/// Why nobody is let in, and the word of RFC 6750 for it.
struct Refused {
    fault: Fault,
    error: Option<&'static str>,
}

/// Who sent the request: a browser that signed in, or a token.
async fn principal(
    app: &App,
    has_pages: bool,
    method: Method,
    headers: &HeaderMap,
) -> Result<Principal, Refused> {
    if has_pages && let Some(known) = app.browsers.caller(&app.auth, &method, headers) {
        return Ok(known);
    }
    let sent = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
    });
    let Some(sent) = sent else {
        let fault = Fault::new(ErrorCode::Unauthorized, "a bearer token is required")
            .hint("send the header Authorization: Bearer TOKEN");
        return Err(Refused { fault, error: None });
    };
    let refused = |reason: &str| Refused {
        fault: Fault::new(ErrorCode::Unauthorized, reason),
        error: Some("invalid_token"),
    };
    app.auth.identify(sent).await.map_err(refused)
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
