//! Damaged bodies: every one is answered with an envelope or a protocol error, and the server goes on.

use mainstay_fuzz::{Target, run};

use super::server::{JSON, Server};

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const PATHS: &[&str] = &["/tools/echo", "/search", "/mcp", "/tools/things/list"];

#[test]
fn any_body_is_answered() {
    let server = Server::start();
    let target = Target {
        name: "http",
        corpus: &[
            br#"{"message":"hello"}"#,
            br#"{"query":"open","top":3}"#,
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"message":"x"},"_meta":{"mainstay/maxTokens":9}}}"#,
        ],
        words: &["{", "}", "[", "]", "\"", ":", ",", "null", "\"message\":", "\"method\":", "\"id\":", "\"_meta\":", "\"mainstay/apply\":", "{\"a\":", "\u{e9}"],
    };
    let mut turn = 0;
    run(&target, |input| {
        let path = PATHS[turn % PATHS.len()];
        turn += 1;
        let answer = server.request("POST", path, &[JSON, ACCEPT, ("Connection", "close")], Some(input));
        assert!(answer.status != 500, "{path}: {}", String::from_utf8_lossy(&answer.body));
        if path.starts_with("/tools") || path == "/search" {
            answer.envelope();
        }
    });
    assert_eq!(server.get("/healthz").status, 200);
}
