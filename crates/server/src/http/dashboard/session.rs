//! Signing in with a token: a browser cannot send a bearer token when it opens a page, so it gets a
//! cookie that only its own scripts and pages can use.

use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::Method;
use axum::http::header::{COOKIE, HOST, HeaderMap, HeaderValue, ORIGIN, SET_COOKIE};
use axum::response::Response;
use mainstay_contract::{ErrorCode, Fault, FaultResult};
use serde_json::json;
use subtle::ConstantTimeEq;

use super::{FROM_DASHBOARD, POLICY, html, shell};
use crate::http::app::App;
use crate::http::auth::{Auth, Principal};
use crate::http::body;
use crate::http::reply::{self, Reply};

const NAME: &str = "mainstay_session";
/// A working day.
const LIFE: Duration = Duration::from_secs(12 * 60 * 60);
/// Signed-in browsers; one more ends the oldest session.
const MOST: usize = 64;
const BODY_BYTES: usize = 4_096;

struct Session {
    key: String,
    /// Whose token it was opened with.
    known: Principal,
    until: Instant,
}

/// The signed-in browsers.
#[derive(Default)]
pub struct Sessions(Mutex<Vec<Session>>);

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, Vec<Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, known: Principal, now: Instant) -> FaultResult<String> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|_| Fault::new(ErrorCode::Internal, "no random bytes"))?;
        let key = bytes.iter().fold(String::new(), |mut key, byte| {
            let _ = write!(key, "{byte:02x}");
            key
        });
        let mut sessions = self.lock();
        sessions.retain(|session| session.until > now);
        if sessions.len() >= MOST {
            sessions.remove(0);
        }
        sessions.push(Session { key: key.clone(), known, until: now + LIFE });
        Ok(key)
    }

    fn find(&self, key: &str, now: Instant) -> Option<Principal> {
        let sessions = self.lock();
        let fits = |session: &&Session| {
            session.until > now && bool::from(session.key.as_bytes().ct_eq(key.as_bytes()))
        };
        sessions.iter().find(fits).map(|session| session.known.clone())
    }

    fn close(&self, key: &str) {
        self.lock().retain(|session| session.key != key);
    }

    /// Whose token is behind the request's cookie; one that was revoked ends the session.
    ///
    /// Browsers send cookies by themselves, so a request that can change something must show that our
    /// own page made it: it comes from this origin and carries the header of the scripts.
    pub fn caller(&self, auth: &Auth, method: &Method, headers: &HeaderMap) -> Option<Principal> {
        let key = cookie(headers)?;
        let known = self.find(key, Instant::now())?;
        if !auth.still_holds(&known) {
            self.close(key);
            return None;
        }
        let is_harmless = matches!(*method, Method::GET | Method::HEAD);
        (is_harmless || is_ours(headers)).then_some(known)
    }
}

/// Whether our own script, on a page of this very origin, sent the request.
fn is_ours(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let site = headers.get("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let origin = text(ORIGIN).and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
    headers.contains_key(FROM_DASHBOARD) && site && origin.is_none_or(|origin| text(HOST) == Some(origin))
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    pairs
        .flat_map(|pairs| pairs.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(name, value)| (name == NAME).then_some(value))
}

pub async fn page(State(app): State<Arc<App>>) -> Response {
    html(shell::sign_in(&app), POLICY)
}

/// Exchanges a token for a cookie.
pub async fn sign_in(State(app): State<Arc<App>>, request: Request) -> Reply {
    let (parts, raw) = request.into_parts();
    let meta = app.meta(&parts.headers);
    if !is_ours(&parts.headers) {
        let fault = Fault::new(ErrorCode::Forbidden, "only the page of this server may sign in");
        return reply::turned_away(403, fault, None, &meta);
    }
    let sent = match body::read(&parts, raw, BODY_BYTES).await {
        Ok(sent) => sent,
        Err(unreadable) => return reply::fault_as(unreadable.status, &unreadable.fault, &meta),
    };
    let token = sent["token"].as_str().unwrap_or_default();
    let known = match app.auth.identify(token.trim()).await {
        Ok(known) => known,
        Err(reason) => {
            return reply::turned_away(401, Fault::new(ErrorCode::Unauthorized, reason), None, &meta);
        }
    };
    if known.grant.as_ref().is_some_and(|grant| !grant.is_admin()) {
        let fault = Fault::new(ErrorCode::Forbidden, "the dashboard needs a token with the scope admin");
        return reply::turned_away(403, fault, known.name, &meta);
    }
    match app.browsers.open(known, Instant::now()) {
        Ok(key) => with_cookie(reply::ok(&json!({}), &meta), &key, LIFE.as_secs()),
        Err(fault) => reply::fault(&fault, &meta),
    }
}

pub async fn sign_out(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    if let Some(key) = cookie(&headers) {
        app.browsers.close(key);
    }
    with_cookie(reply::ok(&json!({}), &app.meta(&headers)), "", 0)
}

fn with_cookie(mut reply: Reply, key: &str, seconds: u64) -> Reply {
    let text = format!("{NAME}={key}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    let value = HeaderValue::from_str(&text).expect("hexadecimal digits make a header");
    reply.headers_mut().insert(SET_COOKIE, value);
    reply
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{AccessToken, HttpConfig, Secret};

    fn principal(name: &str) -> Principal {
        Principal { name: Some(name.into()), ..Principal::default() }
    }

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let name = |text: &str| axum::http::HeaderName::try_from(text).unwrap();
        pairs.iter().map(|(key, value)| (name(key), HeaderValue::from_str(value).unwrap())).collect()
    }

    #[test]
    fn a_cookie_alone_changes_nothing() {
        let token = AccessToken { name: "ci".into(), secret: Secret::new("s") };
        let auth = |tokens| Auth::new(&HttpConfig { tokens, ..HttpConfig::default() }).unwrap();
        let (open, revoked) = (auth(vec![token]), auth(Vec::new()));
        let sessions = Sessions::default();
        let key = sessions.open(principal("ci"), Instant::now()).unwrap();
        let cookie = format!("other=1; {NAME}={key}");
        let caller = |method, more: &[(&str, &str)]| {
            let all = [&[("cookie", cookie.as_str()), ("host", "127.0.0.1:1")], more].concat();
            sessions.caller(&open, &method, &headers(&all))?.name
        };
        assert_eq!(caller(Method::GET, &[]).as_deref(), Some("ci"));
        assert_eq!(caller(Method::POST, &[]), None);
        let script = (FROM_DASHBOARD, "1");
        assert!(caller(Method::POST, &[script, ("origin", "http://127.0.0.1:1")]).is_some());
        assert_eq!(caller(Method::POST, &[script, ("origin", "http://127.0.0.1:2")]), None);
        assert_eq!(caller(Method::POST, &[script, ("sec-fetch-site", "same-site")]), None);
        let cookies = headers(&[("cookie", cookie.as_str())]);
        assert!(sessions.caller(&revoked, &Method::GET, &cookies).is_none(), "its token was revoked");
        assert_eq!(caller(Method::GET, &[]), None);
    }

    #[test]
    fn sessions_end_and_are_bounded() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let first = sessions.open(principal("one"), now).unwrap();
        assert!(sessions.find(&first, now + LIFE).is_none());
        for _ in 0..MOST {
            sessions.open(principal("more"), now).unwrap();
        }
        assert!(sessions.find(&first, now).is_none());
        assert_eq!(sessions.lock().len(), MOST);
    }
}
