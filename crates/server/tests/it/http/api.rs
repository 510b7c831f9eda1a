//! Paths, bodies and statuses.

use mainstay_contract::ErrorCode;
use mainstay_runtime::Limits;
use mainstay_server::HttpConfig;
use serde_json::json;

use super::server::{JSON, Server};

#[test]
fn every_error_code_is_answered_with_its_status() {
    let server = Server::start();
    for row in ErrorCode::TABLE {
        let answer = server.post("/tools/fail", &json!({ "code": row.name }));
        assert_eq!(answer.status, row.http, "{}", row.name);
        assert_eq!(answer.code(), row.code.shared().name());
    }
}

#[test]
fn a_tool_answers_to_id_wire_name_and_encoded_id() {
    let server = Server::start();
    for name in ["things/list", "things_list", "things%2Flist", "things%2flist"] {
        let answer = server.post(&format!("/tools/{name}"), &json!({}));
        assert_eq!(answer.envelope()["result"]["id"], "things/list", "{name}");
    }
    for name in ["things.make", "things_make", "things%2Emake"] {
        assert_eq!(server.post(&format!("/tools/{name}"), &json!({})).status, 200, "{name}");
    }
    let answer = server.post("/tools/things/lost", &json!({}));
    assert_eq!((answer.status, answer.code().as_str()), (404, "UNKNOWN_TOOL"));
    assert_eq!(answer.json()["error"]["details"]["nearest"][0], "things/list");
    assert_eq!(server.post("/tools/%ff", &json!({})).status, 400);
    let shown = server.get("/tools/things/list").envelope();
    assert_eq!(shown["result"]["tool"]["name"], "things/list");
    let listed = server.get("/tools").envelope();
    assert_eq!(
        listed["result"]["tools"].as_array().unwrap().len(),
        server.runtime.registry().registered().count()
    );
}

#[test]
fn a_body_must_be_json_of_bounded_size() {
    let server = Server::with(HttpConfig { body_bytes: 1_000, ..HttpConfig::default() }, Limits::default());
    let post = |kind: Option<&str>, body: &[u8]| {
        let headers: Vec<(&str, &str)> = kind.iter().map(|kind| ("Content-Type", *kind)).collect();
        let answer = server.request("POST", "/tools/echo", &headers, Some(body));
        assert!(answer.status == 200 || answer.code() == "INVALID_REQUEST");
        answer.status
    };
    let json = Some("application/json");
    assert_eq!(post(json, br#"{"message":"x"}"#), 200);
    assert_eq!(post(Some("Application/JSON; charset=utf-8"), br#"{"message":"x"}"#), 200);
    for body in [&b"{nope"[..], b"", b"[]", b"null", b"{}", br#"{"message":1}"#, br#"{"message":"x","zz":1}"#]
    {
        assert_eq!(post(json, body), 400, "{}", String::from_utf8_lossy(body));
    }
    assert_eq!(post(json, b"{\"message\":\"\xff\"}"), 400);
    assert_eq!(post(json, "[".repeat(900).as_bytes()), 400);
    for kind in
        [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("application/jsonx")]
    {
        assert_eq!(post(kind, br#"{"message":"x"}"#), 415, "{kind:?}");
    }
    assert_eq!(post(json, &vec![b' '; 1_001]), 413);
    assert_eq!(post(json, &vec![b'x'; 8 << 20]), 413);
    assert_eq!(post(Some("text/plain"), &vec![b'x'; 8 << 20]), 415);
}

#[test]
fn a_large_body_is_refused_in_chunks_and_before_it_is_sent() {
    let server = Server::start();
    let mut chunked = server.connect();
    chunked.send("POST", "/tools/echo", &[JSON, ("Transfer-Encoding", "chunked")], None);
    for _ in 0..9 {
        chunked.write(format!("{:x}\r\n{}\r\n", 1 << 18, "x".repeat(1 << 18)).as_bytes());
    }
    chunked.write(b"0\r\n\r\n");
    assert_eq!(chunked.receive().status, 413);
    let mut polite = server.connect();
    let head = [JSON, ("Content-Length", "99999999"), ("Expect", "100-continue")];
    polite.send("POST", "/tools/echo", &head, None);
    assert_eq!(polite.head().status, 413);
    assert_eq!(server.get("/health").status, 200);
}

#[test]
fn unknown_paths_and_methods_are_envelopes() {
    let server = Server::start();
    for path in ["/no/such/path", "/tools/", "/search/other"] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.code().as_str()), (404, "NOT_FOUND"), "{path}");
    }
    for (method, path, allow) in [
        ("DELETE", "/health", "GET"),
        ("PUT", "/search", "POST"),
        ("GET", "/search", "POST"),
        ("PATCH", "/tools/echo", "POST"),
    ] {
        let answer = server.request(method, path, &[], None);
        assert_eq!((answer.status, answer.code().as_str()), (405, "INVALID_REQUEST"), "{method} {path}");
        assert!(answer.header("allow").unwrap().contains(allow), "{method} {path}");
    }
}

#[test]
fn the_page_lists_the_tools_and_runs_nothing() {
    let server = Server::start();
    let page = server.get("/");
    assert_eq!((page.status, page.header("content-type").unwrap()), (200, "text/html; charset=utf-8"));
    assert!(page.header("content-security-policy").unwrap().starts_with("default-src 'none'"));
    let text = page.text();
    assert!(text.contains("<code>echo</code>") && !text.contains("<script"), "{text}");
    assert!(server.get("/tools.json").json()["tools"].as_array().unwrap().contains(&json!("echo")));
}

#[test]
fn violations_are_listed() {
    let answer = Server::start().post("/search", &json!({ "query": 1, "zz": 2 }));
    assert_eq!(answer.status, 400);
    assert_eq!(answer.envelope()["error"]["details"]["errors"].as_array().unwrap().len(), 2);
}

#[test]
fn status_and_search_name_the_repository() {
    let server = Server::start();
    let status = server.get("/status?repo=a%20b").envelope();
    assert_eq!(status["result"], json!({ "repo": "a b", "status": { "indexed": false, "asked": "a b" } }));
    for query in ["repo=%ff%fe%", "repo=a&repo=b", "zz=1"] {
        assert_eq!(server.get(&format!("/status?{query}")).status, 400, "{query}");
    }
    for field in ["repo", "repoPath"] {
        let search = server.post("/search", &json!({ "query": "x", field: "r" })).envelope();
        assert_eq!(search["result"], json!({ "repo": "r", "search": { "hits": [], "query": "x" } }));
    }
    assert_eq!(server.post("/search", &json!({ "query": "x", "repo": "r", "repoPath": "r" })).status, 400);
    let answer = server.post("/search", &json!({ "query": "nothing" }));
    assert_eq!((answer.status, answer.code().as_str()), (409, "NO_INDEX"));
}

#[test]
fn a_repository_outside_the_roots_is_forbidden() {
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().to_str().unwrap();
    let config = HttpConfig { roots: Some(vec![dir.path().to_path_buf()]), ..HttpConfig::default() };
    let server = Server::with(config, Limits::default());
    assert_eq!(server.get(&format!("/status?repo={repo}")).status, 200);
    assert_eq!(server.get("/status").status, 200, "the server's own repository");
    let outside = format!("{repo}/../../../../../../etc");
    for path in ["/", outside.as_str()] {
        for answer in [
            server.get(&format!("/status?repo={path}")),
            server.get(&format!("/status/stream?repo={path}")),
            server.post("/search", &json!({ "query": "x", "repo": path })),
            server.post("/search/stream", &json!({ "query": "x", "repoPath": path })),
            server.post("/tools/search", &json!({ "query": "x", "repoPath": path })),
        ] {
            assert_eq!((answer.status, answer.code().as_str()), (403, "FORBIDDEN"), "{path}");
            assert!(!answer.text().contains("/etc"), "{}", answer.text());
        }
    }
    let answer = server.post("/search", &json!({ "repo": "/" }));
    assert_eq!(answer.status, 400, "a bad request is told as such first");
}

#[test]
fn probes_and_counters_answer() {
    let server = Server::start();
    let first = server.get("/health").envelope()["result"]["uptimeMs"].as_f64().unwrap();
    assert!(server.get("/health").envelope()["result"]["uptimeMs"].as_f64().unwrap() > first);
    assert_eq!(server.get("/healthz").envelope()["result"]["status"], "alive");
    assert_eq!(server.get("/readyz").envelope()["result"]["status"], "ready");
    server.post("/tools/echo", &json!({ "message": "x" }));
    server.post("/tools/fail", &json!({ "code": "NO_INDEX" }));
    let metrics = server.get("/metrics");
    for line in [
        "mainstay_tool_duration_seconds_count{tool=\"echo\"} 1",
        "mainstay_tool_duration_seconds_bucket{tool=\"echo\",le=\"+Inf\"} 1",
        "mainstay_tool_errors_total{tool=\"fail\",code=\"NO_INDEX\"} 1",
    ] {
        assert!(metrics.text().lines().any(|found| found == line), "{line} is not in\n{}", metrics.text());
    }
}

#[test]
fn a_request_keeps_its_id() {
    let server = Server::start();
    let answer = server.request("GET", "/health", &[("X-Request-Id", "mine-7")], None);
    assert_eq!(answer.header("x-request-id"), Some("mine-7"));
    assert_eq!(answer.envelope()["_meta"]["requestId"], "mine-7");
    let answer = server.request(
        "POST",
        "/tools/echo",
        &[JSON, ("X-Request-Id", "two words")],
        Some(br#"{"message":"x"}"#),
    );
    let given = answer.header("x-request-id").unwrap();
    assert!(given.starts_with("http-"), "{given}");
    assert_eq!(answer.envelope()["_meta"]["requestId"], given);
}
