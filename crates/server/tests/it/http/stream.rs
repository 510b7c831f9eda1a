//! Server-sent events, disconnects and shutdown.

use mainstay_runtime::Limits;
use mainstay_server::HttpConfig;
use serde_json::json;

use super::client::events;
use super::server::{JSON, SOON, Server};

#[test]
fn a_search_is_streamed_in_order() {
    let server = Server::start();
    let answer = server.post("/search/stream", &json!({ "query": "x", "repo": "r" }));
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/event-stream")));
    assert!(answer.header("cache-control").unwrap().contains("no-cache"));
    let events = answer.events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["start", "progress", "result", "done"]);
    assert_eq!(events[0].1["result"], json!({}));
    assert_eq!(events[1].1["result"], json!({ "phase": "open", "message": "opening the index" }));
    assert_eq!(events[2].1["result"], json!({ "repo": "r", "search": { "hits": [], "query": "x" } }));
    assert_eq!(events[3].1["result"], json!({}));
    assert!(events.iter().all(|(_, data)| data["ok"] == true && data["_meta"]["ts"].is_string()));
}

#[test]
fn a_failure_is_an_event_and_a_refusal_is_a_status() {
    let server = Server::start();
    let events = server.post("/search/stream", &json!({ "query": "nothing" })).events();
    let names: Vec<&str> =
        events.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "progress").collect();
    assert_eq!(names, ["start", "error", "done"]);
    let failed = &events[events.len() - 2].1;
    assert_eq!((&failed["ok"], &failed["error"]["code"]), (&json!(false), &json!("NO_INDEX")));
    assert_eq!(server.post("/search/stream", &json!({ "zz": 1 })).status, 400);
    assert_eq!(server.request("POST", "/search/stream", &[], Some(b"{}")).status, 415);
}

#[test]
fn a_status_is_streamed_with_its_repository() {
    let events = Server::start().get("/status/stream?repo=r").events();
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["start", "result", "done"]);
    assert_eq!(events[0].1["result"], json!({ "repo": "r" }));
    assert_eq!(events[1].1["result"]["status"]["asked"], "r");
}

#[test]
fn a_client_that_goes_away_ends_its_call() {
    let server = Server::start();
    let mut connection = server.connect();
    connection.send("POST", "/tools/wait", &[JSON], Some(b"{}"));
    assert_eq!(server.step(), "started");
    drop(connection);
    assert_eq!(server.step(), "stopped");
    assert!(server.runtime.drain(SOON));
}

#[test]
fn a_client_that_leaves_a_stream_ends_its_call() {
    // The stand-in for a long search: `/mcp` streams any tool, statelessly.
    let server = Server::start();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "progressToken": "p",
    });
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "wait", "arguments": {}, "_meta": meta },
    });
    let headers = [
        JSON,
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "wait"),
    ];
    let mut connection = server.connect();
    connection.send("POST", "/mcp", &headers, Some(request.to_string().as_bytes()));
    assert_eq!(server.step(), "started");
    assert_eq!(connection.head().status, 200);
    let first = String::from_utf8(connection.chunk()).unwrap();
    assert_eq!(events(&first)[0].1["method"], "notifications/progress", "{first}");
    drop(connection);
    assert_eq!(server.step(), "stopped");
    assert!(server.runtime.drain(SOON));
}

#[test]
fn a_stopped_server_finishes_what_it_has_and_takes_no_more() {
    let mut server = Server::start();
    let mut connection = server.connect();
    connection.send("POST", "/tools/nap", &[JSON], Some(br#"{"n":1}"#));
    assert_eq!(connection.receive().status, 200);
    server.finish();
    assert!(std::net::TcpStream::connect(server.address).is_err());
}

#[test]
fn a_call_that_outlasts_the_grace_is_answered_as_cancelled() {
    let config = HttpConfig { grace: std::time::Duration::ZERO, ..HttpConfig::default() };
    let mut server = Server::with(config, Limits::default());
    let mut connection = server.connect();
    connection.send("POST", "/tools/wait", &[JSON], Some(b"{}"));
    assert_eq!(server.step(), "started");
    server.finish();
    assert_eq!(connection.receive().code(), "CANCELLED");
}
