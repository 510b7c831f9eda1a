//! A server with two small tools, to try the surfaces by hand: `serve PORT [fixtures]`.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use mainstay_contract::{Body, CancelToken, Policy, ToolDef, Toolset};
use mainstay_runtime::{Access, Limits, Runtime};
use mainstay_server::{Changes, Fixtures, HttpConfig, Identity, Surface, serve_http};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let echo = ToolDef::new("echo", Toolset::Search)
        .summary("Repeat the message")
        .input(json!({
            "type": "object",
            "properties": { "message": { "type": "string", "description": "What to say." } },
            "required": ["message"],
            "additionalProperties": false,
        }))
        .example("Say hello", json!({ "message": "hello" }))
        .policy(Policy::instant())
        .raw_handler(|_, args| Body::json(&args));
    let mut tools = vec![echo];
    let changes = Changes::default();
    let fixtures = args.get(2).map(|_| Fixtures::new(changes.clone()));
    tools.extend(fixtures.iter().flat_map(|fixtures| fixtures.tools()));
    let runtime = Runtime::new(tools, Access::default(), Limits::default())?;
    let mut surface = Surface::new(runtime, Identity::default());
    surface.changes = changes;
    surface.fixtures = fixtures.map(Arc::new);
    let port = args.get(1).map_or(Ok(0), |port| port.parse())?;
    let config = HttpConfig { port, ..HttpConfig::default() };
    serve_http(config, surface, CancelToken::new(), |address| println!("http://{address}"))?;
    Ok(())
}
