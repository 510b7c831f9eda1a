//! What the pages show that is not a tool: counters, the log of calls, definitions with their cost.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use mainstay_contract::{SCHEMA_VERSION, TOOLING_VERSION, ToolDef};
use mainstay_runtime::{Explanation, MINUTES, ToolMetrics};
use serde_json::{Value, json};

use super::Dashboard;
use crate::http::app::App;
use crate::http::query;
use crate::http::reply::{self, Reply};
use crate::listing::{Naming, tool_json};

/// Calls in one answer.
const PAGE: usize = 500;

pub async fn overview(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    let runtime = &app.surface.runtime;
    let now = jiff::Timestamp::now();
    let uptime_ms = u64::try_from(app.started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let tools: Vec<Value> = runtime.metrics().snapshot().iter().map(|(id, row)| usage(id, row)).collect();
    let result = json!({
        "now": now.as_second(),
        "uptimeMs": uptime_ms,
        "version": TOOLING_VERSION,
        "schemaVersion": SCHEMA_VERSION,
        "inFlight": runtime.in_flight(),
        "queueMax": runtime.limits().queue_max,
        "minutesKept": MINUTES,
        "minutes": runtime.metrics().minutes(now),
        "tools": tools,
        "recent": runtime.metrics().recent(0, 8),
    });
    reply::ok(&result, &app.meta(&headers))
}

fn usage(id: &str, row: &ToolMetrics) -> Value {
    json!({
        "id": id,
        "count": row.count,
        "errors": row.errors,
        "meanMicros": row.total_micros / row.count.max(1),
        "maxMicros": row.max_micros,
        "answerBytes": row.answer_bytes,
    })
}

/// The calls after the one numbered `after`, newest first.
pub async fn calls(State(app): State<Arc<App>>, uri: Uri, headers: HeaderMap) -> Reply {
    let meta = app.meta(&headers);
    let after = match query::only(uri.query(), "after") {
        Ok(after) => after.and_then(|number| number.parse().ok()).unwrap_or(0),
        Err(fault) => return reply::fault(&fault, &meta),
    };
    reply::ok(&json!({ "calls": app.surface.runtime.metrics().recent(after, PAGE) }), &meta)
}

/// Every tool with its schema, standing, limits and cost; also those that are not served, and why.
pub async fn tools(State(app): State<Arc<App>>, headers: HeaderMap) -> Reply {
    let meta = app.meta(&headers);
    // Counting tokens takes a while the first time.
    let work = tokio::task::spawn_blocking(move || definitions(&app));
    reply::ok(&work.await.unwrap_or_default(), &meta)
}

fn definitions(app: &App) -> Value {
    let runtime = &app.surface.runtime;
    let registry = runtime.registry();
    let Some(dashboard) = &app.config.dashboard else { return json!({}) };
    let counts = runtime.metrics().snapshot();
    let tools: Vec<Value> = registry
        .registered()
        .map(|def| {
            let standing = registry.explain(&def.id);
            entry(def, standing, counts.get(&def.id), app.surface.naming, dashboard)
        })
        .collect();
    let absent: Vec<&Explanation> =
        registry.explanations().filter(|explanation| !explanation.is_registered()).collect();
    json!({
        "tokenizer": dashboard.tokenizer,
        "role": runtime.access().role,
        "readOnly": runtime.access().read_only,
        "mutation": runtime.access().mutation,
        "tools": tools,
        "absent": absent,
    })
}

fn entry(
    def: &ToolDef,
    standing: Option<&Explanation>,
    counts: Option<&ToolMetrics>,
    naming: Naming,
    dashboard: &Dashboard,
) -> Value {
    let listed = tool_json(def, naming);
    let count = dashboard.count_tokens;
    let text = |key: &str| listed[key].as_str().unwrap_or_default();
    let description = count(text("name")) + count(text("description"));
    let schema = count(&listed["inputSchema"].to_string());
    let policy = &def.policy;
    json!({
        "id": def.id,
        "title": def.title,
        "summary": def.summary,
        "toolset": def.toolset.name(),
        "group": def.group,
        "category": def.category,
        "tags": def.tags,
        "aliases": def.aliases,
        "effect": def.effect,
        "payload": def.payload,
        "inputSchema": listed["inputSchema"],
        "outputSchema": listed.get("outputSchema"),
        "examples": def.examples,
        "version": def.schema_version,
        "standing": standing.map(|found| found.standing.name()),
        "reason": standing.map(|found| format!("{} (decided by {})", found.reason, found.origin)),
        "cost": { "description": description, "schema": schema, "total": description + schema },
        "calls": counts.map_or(0, |row| row.count),
        "policy": {
            "timeoutMs": u64::try_from(policy.timeout.as_millis()).unwrap_or(u64::MAX),
            "roles": policy.roles,
            "ratePerMinute": policy.rate_per_minute,
            "concurrency": policy.concurrency,
            "writes": policy.writes,
            "gate": policy.gate,
            "rules": def.rules.iter().map(|(name, text)| json!({ "argument": name, "rule": text })).collect::<Vec<_>>(),
        },
    })
}
