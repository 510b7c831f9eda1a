//! A request may leave out tools; it never reaches one that the operator does not serve.

use serde_json::{Value, json};

use crate::http::HttpServer;
use crate::site::Site;

const STATELESS: &str = "2026-07-28";

/// The names in a tool list asked for with these headers.
fn listed(server: &HttpServer, headers: &[(&str, &str)]) -> Vec<String> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta } });
    let modern = [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/list")];
    let headers: Vec<(&str, &str)> = modern.into_iter().chain(headers.iter().copied()).collect();
    let answer = server.post("/mcp", &headers, &request);
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

#[test]
fn headers_narrow_the_list_and_the_calls_of_one_request() {
    let site = Site::new();
    let server = HttpServer::start(&site, &["--toolsets", "search,catalog"]);
    let all = listed(&server, &[]);
    let search = listed(&server, &[("X-MCP-Toolsets", "search")]);
    assert!(search.len() < all.len() && search.contains(&"build_index".into()), "{search:?}");
    let reading = listed(&server, &[("X-MCP-Toolsets", "search"), ("X-MCP-Readonly", "true")]);
    assert!(reading.contains(&"search".into()) && !reading.contains(&"build_index".into()), "{reading:?}");
    assert_eq!(listed(&server, &[("X-MCP-Tools", "index_status")]), ["index_status"]);
    assert!(!listed(&server, &[("X-MCP-Exclude-Tools", "search")]).contains(&"search".into()));

    let call = |headers: &[(&str, &str)]| server.post("/tools/index_status", headers, &json!({}));
    assert_eq!(call(&[])["ok"], true);
    assert_eq!(call(&[("X-MCP-Readonly", "true")])["ok"], true);
    for header in
        [("X-MCP-Toolsets", "catalog"), ("X-MCP-Exclude-Tools", "index_status"), ("X-MCP-Tools", "search")]
    {
        assert_eq!(code(&call(&[header])), "FORBIDDEN", "{header:?}");
    }
    server.stop();
}

#[test]
fn what_the_operator_leaves_out_no_header_brings_back() {
    let site = Site::new();
    let server = HttpServer::start(&site, &["--toolsets", "search", "--read-only"]);
    let all = listed(&server, &[]);
    for header in [
        ("X-MCP-Readonly", "false"),
        ("X-MCP-Toolsets", "search,catalog,foundry"),
        ("X-MCP-Tools", "build_index"),
    ] {
        let names = listed(&server, &[header]);
        assert!(names.iter().all(|name| all.contains(name)), "{header:?}: {names:?}");
    }
    let built = server.post("/tools/build_index", &[("X-MCP-Readonly", "false")], &json!({}));
    assert_eq!(code(&built), "UNKNOWN_TOOL", "{built}");
    server.stop();
}
