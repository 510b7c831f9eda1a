//! The page at `/`: what this server offers and how it is used, for a person with a browser.
//!
//! No script and nothing from elsewhere, so it works offline and under the strictest content policy.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::IntoResponse;
use mainstay_contract::{Caller, SCHEMA_VERSION, TOOLING_VERSION};
use mainstay_runtime::ToolMetrics;
use maud::{DOCTYPE, Markup, html};
use serde_json::json;

use super::app::App;

const STYLE: &str = include_str!("page.css");
/// The style is part of the page and the only thing allowed to act.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub async fn page(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> impl IntoResponse {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, render(&app, &caller).into_string())
}

/// The names of the tools, in the shape of the Catalog seed's dashboard.
pub async fn tools(State(app): State<Arc<App>>, Extension(caller): Extension<Caller>) -> impl IntoResponse {
    let registry = app.surface.runtime.registry();
    let names: Vec<&str> =
        registry.listed().filter(|def| caller.sees(def)).map(|def| def.id.as_str()).collect();
    ([(CONTENT_TYPE, "application/json")], json!({ "tools": names }).to_string())
}

fn render(app: &App, caller: &Caller) -> Markup {
    let runtime = &app.surface.runtime;
    let (registry, metrics) = (runtime.registry(), runtime.metrics().snapshot());
    let calls: u64 = metrics.values().map(|row| row.count).sum();
    let errors: u64 = metrics.values().map(|row| row.errors).sum();
    let title = &app.surface.identity.title;
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (maud::PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) " " small { (TOOLING_VERSION) } }
                    p { "Contract " (SCHEMA_VERSION) ". Clients connect over MCP on stdio, or to " code { "/mcp" } " here." }
                }
                main {
                    dl.figures {
                        div { dt { "Tools" } dd { (registry.listed().filter(|def| caller.sees(def)).count()) } }
                        div { dt { "Calls" } dd { (calls) } }
                        div { dt { "Failed" } dd { (errors) } }
                        div { dt { "Under way" } dd { (runtime.in_flight()) } }
                        div { dt { "Up" } dd { (human(app.started.elapsed().as_secs())) } }
                    }
                    div.scroll { (table(app, caller, &metrics)) }
                }
                footer {
                    p { "For charts, a form for every tool, search and the log of calls, start the server with " code { "--dashboard" } "." }
                    a href="/openapi.json" { "OpenAPI" } " · " a href="/tools.json" { "Tools as JSON" } " · "
                    a href="/metrics" { "Metrics" } " · " a href="/health" { "Health" }
                }
            }
        }
    }
}

fn table(app: &App, caller: &Caller, metrics: &BTreeMap<String, ToolMetrics>) -> Markup {
    let registry = app.surface.runtime.registry();
    html! {
        table {
            caption { "Tools" }
            thead { tr {
                th scope="col" { "Tool" } th scope="col" { "Toolset" } th scope="col" { "What it does" }
                th.number scope="col" { "Calls" } th.number scope="col" { "Failed" } th.number scope="col" { "Mean ms" }
            } }
            tbody { @for def in registry.listed().filter(|def| caller.sees(def)) {
                @let row = metrics.get(&def.id);
                tr {
                    th scope="row" { code { (def.id) } }
                    td { (def.toolset.name()) }
                    td { (def.summary) }
                    td.number { (row.map_or(0, |row| row.count)) }
                    td.number { (row.map_or(0, |row| row.errors)) }
                    td.number { (row.map_or_else(|| "–".to_owned(), mean_ms)) }
                }
            } }
        }
    }
}

fn mean_ms(row: &ToolMetrics) -> String {
    format!("{:.1}", row.total_micros as f64 / row.count.max(1) as f64 / 1000.0)
}

fn human(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}
