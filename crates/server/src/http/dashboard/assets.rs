//! Scripts and styles, part of the program so that the pages work offline.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::response::IntoResponse;
use mainstay_contract::{ErrorCode, Fault};

use crate::http::app::App;
use crate::http::reply::{self, Reply};

macro_rules! embedded {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!(concat!("assets/", $name)))),+] };
}

const FILES: &[(&str, &str)] = embedded![
    "dashboard.css",
    "about.js",
    "audit.js",
    "calls.js",
    "catalog.js",
    "charts.js",
    "core.js",
    "diff.js",
    "form.js",
    "foundry.js",
    "freshness.js",
    "frame.js",
    "overview.js",
    "programs.js",
    "search.js",
    "shell.js",
    "sign-in.js",
    "theme.js",
    "tools.js",
    "triage.js",
];

/// The stylesheet of the design kit comes from outside.
const KIT: &str = "kit.css";

pub async fn asset(State(app): State<Arc<App>>, Path(name): Path<String>, headers: HeaderMap) -> Reply {
    let kit = app.config.dashboard.as_ref().filter(|_| name == KIT).map(|dashboard| dashboard.style.as_str());
    let embedded = || FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| *text);
    let Some(text) = kit.or_else(embedded) else {
        let fault = Fault::new(ErrorCode::NotFound, "no such file");
        return reply::fault(&fault, &app.meta(&headers));
    };
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    let kind = match name.ends_with(".css") {
        true => "text/css; charset=utf-8",
        false => "text/javascript; charset=utf-8",
    };
    // Another version of the program has other files under the same names.
    let fields =
        [(CACHE_CONTROL, "no-cache".to_owned()), (ETAG, tag.clone()), (CONTENT_TYPE, kind.to_owned())];
    let is_known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    match is_known {
        true => (StatusCode::NOT_MODIFIED, fields).into_response(),
        false => (fields, text.to_owned()).into_response(),
    }
}
