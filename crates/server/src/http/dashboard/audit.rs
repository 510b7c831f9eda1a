//! The audit log, for its page: the newest rows, and whether the chain holds.

use std::io;
use std::path::Path;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use mainstay_contract::Fault;
use mainstay_runtime::audit;
use serde_json::{Value, json};

use crate::http::app::App;
use crate::http::reply::{self, Reply};

/// Rows in one answer.
const PAGE: usize = 500;

pub async fn rows(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    answer(&app, &headers, |dir| Ok(json!({ "kept": true, "rows": audit::newest(dir, PAGE)? }))).await
}

/// Reads the whole log, one at a time.
pub async fn verify(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    let _only = app.verifying.lock().await;
    answer(&app, &headers, |dir| {
        let report = serde_json::to_value(audit::verify(dir)?)?;
        Ok(json!({ "kept": true, "report": report, "at": jiff::Timestamp::now().to_string() }))
    })
    .await
}

async fn answer(app: &App, headers: &HeaderMap, read: fn(&Path) -> io::Result<Value>) -> Reply {
    let meta = app.meta(headers);
    let Some(dir) = app.config.audit.clone() else { return reply::ok(&json!({ "kept": false }), &meta) };
    match tokio::task::spawn_blocking(move || read(&dir)).await {
        Ok(Ok(result)) => reply::ok(&result, &meta),
        Ok(Err(error)) => {
            reply::fault(&Fault::not_found(format!("the audit log cannot be read: {error}")), &meta)
        }
        Err(error) => reply::fault(&Fault::internal(&error), &meta),
    }
}
