//! Over HTTP no answer names a place of this machine that the client has no business with.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::examples::{OPEN, all, prepare};
use crate::http::HttpServer;
use crate::site::Site;

/// Fails when an answer names anything of the site but its repository.
fn check(site: &Site, what: &str, answer: &Value) {
    let text = answer.to_string();
    let rest = text.replace(site.repo().to_str().unwrap(), "");
    let root = site.home().parent().unwrap().display().to_string();
    assert!(!rest.contains(&root), "{what}: {text}");
    assert!(!rest.contains("/etc/mainstay-test"), "{what}: {text}");
}

#[test]
fn no_search_tool_names_a_path_outside_the_allowed_roots() {
    let site = Site::new();
    prepare(&site);
    let config = site.home().join(".config/mainstay");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("mainstay.toml"), "queue-max = 63\n").unwrap();
    let cache = site.home().join("cache").display().to_string();
    let own = ["--cache-dir", &cache, "--kit", "/etc/mainstay-test/kit"];
    let server = HttpServer::start(&site, &[OPEN, &own].concat());
    let mut called = BTreeSet::new();
    for example in all(&site).into_iter().filter(|example| example.toolset() == "search") {
        let answer = server.post(&format!("/tools/{}", example.id()), &[], &example.args);
        check(&site, example.id(), &answer);
        called.insert(example.id().to_owned());
    }
    // Those that want a network say where to put what they could not get.
    let finding = json!({ "source": "manual", "inputPath": "missing.json" });
    let others = [
        ("download_models", json!({})),
        ("download_dictionaries", json!({})),
        ("download_extensions", json!({})),
        ("verify_extensions", json!({})),
        ("triage_ingest", finding),
        ("config_status", json!({ "nope": 1 })),
        ("build_sqlite_index", json!({ "out": cache })),
    ];
    for (id, args) in others {
        check(&site, id, &server.post(&format!("/tools/{id}"), &[], &args));
        called.insert(id.to_owned());
    }
    for tool in site.definitions().iter().filter(|tool| tool["toolset"] == "search") {
        assert!(called.contains(tool["name"].as_str().unwrap()), "{} was not called", tool["name"]);
    }
    let shown = server.post("/tools/index_status", &[], &json!({}));
    assert_eq!(shown["result"]["cacheRoot"], "${CACHE_DIR}", "{shown}");
    let shown = server.post("/tools/config_status", &[], &json!({})).to_string();
    assert!(shown.contains("${CONFIG}") && shown.contains("${KIT}"), "{shown}");
    for path in ["/search", "/search/stream"] {
        check(&site, path, &server.post(path, &[], &json!({ "query": "add" })));
    }
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "index_status", "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "index_status")];
    let answer = server.post("/mcp", &headers, &call);
    check(&site, "/mcp", &answer);
    assert!(answer.to_string().contains("${CACHE_DIR}"), "{answer}");
    server.stop();
}
