//! The dashboard: pages for people that show what the server does and try its tools.
//!
//! Pages are rendered here as shells; the scripts under `assets/` fill them through the same HTTP API
//! that every client uses, so a page can do nothing a client could not. What is not a tool (counters,
//! the log of calls, definitions with their cost) comes from `data`.

mod assets;
mod audit;
mod data;
mod pages;
mod session;
mod shell;

use std::sync::Arc;

use axum::Router;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY, X_FRAME_OPTIONS,
};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::Markup;

use super::app::App;

pub use session::Sessions;

/// Sent by the scripts with every request. A form of another site cannot send it.
pub const FROM_DASHBOARD: &str = "x-mainstay-dashboard";
const SIGN_IN: &str = "/dashboard/sign-in";
const ASSETS: &str = "/dashboard/assets/";

/// What the pages are made of that this crate does not know itself.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// Tokens and components of the design kit.
    pub style: String,
    /// Themes and brands the preview of user interfaces can show.
    pub themes: Vec<String>,
    pub brands: Vec<String>,
    /// Tokens a model pays for a text, and the tokenizer that counts them.
    pub count_tokens: fn(&str) -> usize,
    pub tokenizer: &'static str,
}

/// Nothing from elsewhere and nothing inline: only our own files may act.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// The frame shows rendered trees, whose styles are inline. It is sandboxed into an origin of its own,
/// and the one script it runs is ours.
const FRAME_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; \
                            form-action 'none'; frame-ancestors 'self'; base-uri 'none'; sandbox allow-scripts";

/// The routes of the dashboard.
pub fn routes() -> Router<Arc<App>> {
    let pages = pages::PAGES
        .iter()
        .fold(Router::new(), |router, page| router.route(page.path, get(move |app| pages::show(app, page))));
    pages
        .route("/", get(|app| pages::show(app, &pages::PAGES[0])))
        .route("/dashboard/frame", get(frame))
        .route("/dashboard/assets/{name}", get(assets::asset))
        .route("/dashboard/data/overview", get(data::overview))
        .route("/dashboard/data/calls", get(data::calls))
        .route("/dashboard/data/tools", get(data::tools))
        .route("/dashboard/data/audit", get(audit::rows))
        .route("/dashboard/data/audit/verify", get(audit::verify))
        .route(SIGN_IN, get(session::page).post(session::sign_in))
        .route("/dashboard/sign-out", post(session::sign_out))
}

/// Whether a path is served without a token: it tells nothing about this server.
pub fn is_open(path: &str) -> bool {
    path == SIGN_IN || is_asset(path)
}

pub fn is_asset(path: &str) -> bool {
    path.starts_with(ASSETS)
}

/// Whether a path shows what only the operator is told.
pub fn is_operators(path: &str) -> bool {
    is_page(path) || path.starts_with("/dashboard/data/")
}

/// Whether a refused request should be answered with the way to sign in.
pub fn is_page(path: &str) -> bool {
    path == "/" || pages::PAGES.iter().any(|page| page.path == path)
}

/// Sends a browser that has no session to the page that opens one.
pub fn to_sign_in() -> Response {
    Redirect::to(SIGN_IN).into_response()
}

fn html(page: Markup, policy: &'static str) -> Response {
    const PERMISSIONS: HeaderName = HeaderName::from_static("permissions-policy");
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, policy),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, if policy == FRAME_POLICY { "SAMEORIGIN" } else { "DENY" }),
        (PERMISSIONS, "camera=(), microphone=(), geolocation=()"),
    ];
    (headers, page.into_string()).into_response()
}

async fn frame() -> Response {
    html(shell::frame(), FRAME_POLICY)
}
