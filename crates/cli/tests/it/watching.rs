//! `--watch`: a server's index follows the files without a call to build it.

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::{Site, wait_until};

fn generation(status: &Value) -> u64 {
    status["result"]["index"]["freshness"]["generation"].as_u64().unwrap_or(0)
}

#[test]
fn an_edit_moves_the_index_of_an_http_server() {
    let site = Site::new().file("src/lib.rs", "pub fn alpha() {}\n");
    let server = HttpServer::start(&site, &["--watch"]);
    let status = || server.post("/tools/index_status", &[], &json!({}));
    wait_until("the first index", || generation(&status()) > 0);
    let first = generation(&status());
    site.write("src/lib.rs", "pub fn beta() {}\n");
    wait_until("the edit", || generation(&status()) > first);
    let found = server.post("/search", &[], &json!({ "query": "beta" }));
    assert_eq!(found["result"]["search"]["code"][0]["name"], "beta", "{found}");
    server.stop();
}

#[test]
fn an_edit_moves_the_index_of_a_server_on_stdio() {
    let site = Site::new().file("src/lib.rs", "pub fn alpha() {}\n");
    let mut client = Client::start(site.mainstay(["mcp", "--watch"]), Framing::Lines);
    client.initialize();
    let mut status = || {
        let answer = client.request("tools/call", json!({ "name": "index_status", "arguments": {} }));
        generation(&answer["result"]["structuredContent"])
    };
    wait_until("the first index", || status() > 0);
    let first = status();
    site.write("src/more.rs", "pub fn beta() {}\n");
    wait_until("the new file", || status() > first);
    assert!(client.close().success());
}

#[test]
fn without_it_nothing_is_built() {
    let site = Site::new().file("src/lib.rs", "pub fn alpha() {}\n");
    let server = HttpServer::start(&site, &[]);
    let answer = server.post("/tools/index_status", &[], &json!({}));
    assert_eq!(answer["result"]["indexed"], false, "{answer}");
    server.stop();
}
