//! Who may come in.

use std::net::IpAddr;

use mainstay_contract::CancelToken;
use mainstay_runtime::{Access, Limits, Runtime};
use mainstay_server::{AccessToken, HttpConfig, HttpError, Identity, Secret, Surface, serve_http};
use serde_json::json;

use super::server::{JSON, Server};

fn token() -> AccessToken {
    AccessToken { name: "ci".into(), secret: Secret::new("s3cret") }
}

#[test]
fn foreign_hosts_and_origins_are_refused_everywhere() {
    let server = Server::start();
    for path in ["/health", "/tools", "/mcp", "/metrics"] {
        for header in [("Host", "evil.example"), ("Origin", "https://evil.example"), ("Origin", "null")] {
            let answer = server.request("GET", path, &[header], None);
            assert_eq!((answer.status, answer.code().as_str()), (403, "FORBIDDEN"), "{path} {header:?}");
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
    for header in [("Host", "localhost:80"), ("Origin", "http://localhost:3000")] {
        assert_eq!(server.request("GET", "/health", &[header], None).status, 200, "{header:?}");
    }
}

#[test]
fn a_listed_origin_may_call_from_a_browser() {
    let config = HttpConfig { origins: vec!["https://app.example".into()], ..HttpConfig::default() };
    let server = Server::with(HttpConfig { tokens: vec![token()], ..config }, Limits::default());
    let origin = ("Origin", "https://app.example");
    let asks = [
        origin,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization"),
    ];
    let answer = server.request("OPTIONS", "/tools/echo", &asks, None);
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, Some("https://app.example"))
    );
    assert!(answer.header("access-control-allow-headers").unwrap().contains("authorization"));
    let answer = server.request("GET", "/health", &[origin], None);
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example"));
}

#[test]
fn a_token_is_required_when_there_is_one() {
    let server =
        Server::with(HttpConfig { tokens: vec![token()], ..HttpConfig::default() }, Limits::default());
    let call = |value: &str| {
        let headers = [JSON, ("Authorization", value)];
        server.request("POST", "/tools/echo", &headers, Some(br#"{"message":"x"}"#))
    };
    for value in ["", "Bearer", "Bearer wrong", "Bearer s3cret2", "Bearer s3cre", "Basic s3cret", "s3cret"] {
        let answer = call(value);
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHORIZED"), "{value}");
        assert!(answer.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    assert_eq!(call("Bearer s3cret").status, 200);
    assert_eq!(call("bearer s3cret").status, 200);
    for path in ["/status", "/tools", "/metrics", "/openapi.json", "/mcp"] {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for path in ["/health", "/healthz", "/readyz"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    assert_eq!(format!("{:?}", token()), r#"AccessToken { name: "ci", secret: *** }"#);
}

#[test]
fn other_machines_are_served_only_with_a_token() {
    let surface = || {
        let runtime = Runtime::new(Vec::new(), Access::default(), Limits::default()).unwrap();
        Surface::new(runtime, Identity::default())
    };
    let open = HttpConfig { host: IpAddr::from([0, 0, 0, 0]), port: 0, ..HttpConfig::default() };
    let stop = CancelToken::new();
    let refused = serve_http(open.clone(), surface(), stop.clone(), |_| panic!("it listens"));
    assert!(matches!(refused, Err(HttpError::TokenMissing { .. })));
    let bad = HttpConfig { origins: vec!["*".into()], port: 0, ..HttpConfig::default() };
    assert!(matches!(serve_http(bad, surface(), stop, |_| ()), Err(HttpError::BadOrigin { .. })));
    let server = Server::with(HttpConfig { tokens: vec![token()], ..open }, Limits::default());
    assert_eq!(server.runtime.in_flight(), 0);
}

#[test]
fn a_client_that_asks_too_often_is_told_when_to_come_back() {
    let config = HttpConfig { rate_per_minute: Some(3), ..HttpConfig::default() };
    let server = Server::with(config, Limits::default());
    let call = || server.post("/tools/echo", &json!({ "message": "x" }));
    assert!((0..3).all(|_| call().status == 200));
    let answer = call();
    assert_eq!((answer.status, answer.code().as_str()), (429, "QUEUE_OVERLOADED"));
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=20).contains(&wait), "{wait}");
    assert_eq!(server.get("/health").status, 200, "probes are free");
}
