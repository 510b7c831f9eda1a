//! The dashboard: off unless asked for, strict, and no way around the checks of the API.

use std::sync::Arc;

use mainstay_runtime::Limits;
use mainstay_server::{AccessToken, Dashboard, HttpConfig, Secret};
use serde_json::json;

use super::client::Answer;
use super::server::{JSON, Server};

const PAGES: [&str; 9] = [
    "/",
    "/dashboard",
    "/dashboard/tools",
    "/dashboard/search",
    "/dashboard/catalog",
    "/dashboard/foundry",
    "/dashboard/triage",
    "/dashboard/programs",
    "/dashboard/calls",
];
const DATA: [&str; 3] = ["/dashboard/data/overview", "/dashboard/data/calls", "/dashboard/data/tools"];
const SCRIPT: (&str, &str) = ("X-Mainstay-Dashboard", "1");

fn dashboard() -> Arc<Dashboard> {
    Arc::new(Dashboard {
        style: ":root { --kit: 1; }".into(),
        themes: vec!["light".into()],
        brands: vec!["A".into()],
        count_tokens: |text| text.split_whitespace().count(),
        tokenizer: "words",
    })
}

fn server(tokens: Vec<AccessToken>) -> Server {
    Server::with(
        HttpConfig { dashboard: Some(dashboard()), tokens, ..HttpConfig::default() },
        Limits::default(),
    )
}

fn guarded() -> Server {
    server(vec![AccessToken { name: "ci".into(), secret: Secret::new("s3cret") }])
}

#[test]
fn without_the_switch_there_is_one_plain_page() {
    let server = Server::start();
    let page = server.get("/");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("--dashboard"), "the page says how to get more");
    assert!(!page.text().contains("<script"));
    for path in PAGES[1..].iter().chain(&DATA) {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
}

#[test]
fn pages_allow_nothing_inline_and_nothing_from_elsewhere() {
    let server = server(Vec::new());
    for path in PAGES {
        let page = server.get(path);
        assert_eq!(page.status, 200, "{path}");
        let policy = page.header("content-security-policy").unwrap();
        for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(page.header("cache-control"), Some("no-store"));
        assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
        let text = page.text();
        assert!(
            !text.contains("<style") && !text.contains(" style=") && !text.contains(" onclick="),
            "{path}"
        );
        assert!(!text.contains("http://") && !text.contains("https://"), "{path} reaches out");
        for landmark in ["<main", "<nav", "<header", "href=\"#main\"", "aria-live"] {
            assert!(text.contains(landmark), "{path} has no {landmark}");
        }
        for asset in assets(text) {
            let answer = server.get(&asset);
            assert_eq!(answer.status, 200, "{asset}");
            assert!(!answer.text().contains("https://"), "{asset} reaches out");
        }
    }
    let frame = server.get("/dashboard/frame");
    let policy = frame.header("content-security-policy").unwrap();
    assert!(
        policy.contains("sandbox allow-scripts") && policy.contains("frame-ancestors 'self'"),
        "{policy}"
    );
}

/// The files a page names.
fn assets(page: &str) -> Vec<String> {
    let parts = page.split("/dashboard/assets/").skip(1);
    parts.map(|rest| format!("/dashboard/assets/{}", rest.split('"').next().unwrap())).collect()
}

#[test]
fn every_module_that_is_imported_is_there_and_is_not_sent_twice() {
    let server = server(Vec::new());
    for page in PAGES {
        for asset in assets(server.get(page).text()).iter().filter(|asset| asset.ends_with(".js")) {
            let script = server.get(asset);
            for import in script.text().split("from './").skip(1) {
                let name = import.split('\'').next().unwrap();
                assert_eq!(server.get(&format!("/dashboard/assets/{name}")).status, 200, "{name} in {asset}");
            }
            let tag = script.header("etag").unwrap();
            let again = server.request("GET", asset, &[("If-None-Match", tag)], None);
            assert_eq!((again.status, again.body.len()), (304, 0));
        }
    }
    for name in ["nope.js", "..%2Fmod.rs", "kit.css/x"] {
        assert_eq!(server.get(&format!("/dashboard/assets/{name}")).status, 404, "{name}");
    }
    assert_eq!(server.get("/dashboard/assets/kit.css").text(), dashboard().style);
}

#[test]
fn foreign_pages_reach_no_part_of_it() {
    let server = server(Vec::new());
    for path in PAGES.iter().chain(&DATA) {
        for header in [("Host", "evil.example"), ("Origin", "https://evil.example"), ("Origin", "null")] {
            assert_eq!(server.request("GET", path, &[header], None).status, 403, "{path} {header:?}");
        }
    }
    // Files that are the same on every server are an exception: the sandboxed frame has no origin.
    let script = |header| server.request("GET", "/dashboard/assets/frame.js", &[header], None);
    assert_eq!(script(("Origin", "null")).status, 200);
    assert_eq!(script(("Host", "evil.example")).status, 403);
}

#[test]
fn data_tells_what_happened_but_not_what_was_said() {
    let server = server(Vec::new());
    server.post("/tools/echo", &json!({ "message": "planted-secret" }));
    let body = json!({ "message": "planted-secret", "surprise": 1 }).to_string();
    server.request("POST", "/tools/echo", &[JSON, SCRIPT], Some(body.as_bytes()));
    let overview = server.get("/dashboard/data/overview").envelope()["result"].clone();
    assert_eq!(overview["tools"][0]["count"], 2, "{overview}");
    assert_eq!(overview["minutes"].as_array().unwrap().last().unwrap()["errors"]["INVALID_REQUEST"], 1);
    let calls = server.get("/dashboard/data/calls").envelope()["result"]["calls"].clone();
    assert_eq!(calls[0]["surface"], "dashboard", "{calls}");
    assert_eq!((&calls[1]["surface"], &calls[1]["tool"]), (&json!("http"), &json!("echo")));
    let later = server.get("/dashboard/data/calls?after=1").envelope()["result"]["calls"].clone();
    assert_eq!(later.as_array().unwrap().len(), 1, "{later}");
    for path in DATA {
        assert!(!server.get(path).text().contains("planted-secret"), "{path}");
    }
    let tools = server.get("/dashboard/data/tools").envelope()["result"].clone();
    let echo = tools["tools"].as_array().unwrap().iter().find(|tool| tool["id"] == "echo").unwrap();
    assert_eq!((&echo["standing"], &echo["policy"]["timeoutMs"]), (&json!("listed"), &json!(30_000)));
    assert!(echo["cost"]["total"].as_u64().unwrap() > 3, "{echo}");
}

fn sign_in(server: &Server, token: &str, headers: &[(&str, &str)]) -> Answer {
    let body = json!({ "token": token }).to_string();
    server.request("POST", "/dashboard/sign-in", &[&[JSON], headers].concat(), Some(body.as_bytes()))
}

#[test]
fn with_a_token_nothing_is_shown_before_signing_in() {
    let server = guarded();
    for path in PAGES {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/dashboard/sign-in")), "{path}");
    }
    for path in DATA.iter().chain(&["/dashboard/frame", "/tools", "/metrics"]) {
        assert_eq!(server.get(path).status, 401, "{path}");
    }
    for path in ["/dashboard/sign-in", "/dashboard/assets/core.js"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn a_session_opens_pages_and_only_its_own_scripts_may_change_things() {
    let server = guarded();
    assert_eq!(sign_in(&server, "wrong", &[SCRIPT]).status, 401);
    assert_eq!(sign_in(&server, "s3cret", &[]).status, 403, "a form of another site");
    let answer = sign_in(&server, "s3cret", &[SCRIPT]);
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    for flag in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    assert!(!cookie.contains("s3cret"), "the cookie is not the token");
    let cookie = ("Cookie", cookie.split(';').next().unwrap());
    for path in PAGES.iter().chain(&DATA) {
        assert_eq!(server.request("GET", path, &[cookie], None).status, 200, "{path}");
    }
    let call = |headers: &[(&str, &str)]| {
        let headers = [&[JSON, cookie], headers].concat();
        server.request("POST", "/tools/echo", &headers, Some(br#"{"message":"x"}"#)).status
    };
    assert_eq!(call(&[]), 401, "a cookie alone");
    assert_eq!(call(&[SCRIPT, ("Origin", "http://127.0.0.1:9")]), 401, "a page of another port");
    assert_eq!(call(&[SCRIPT, ("Sec-Fetch-Site", "same-site")]), 401);
    assert_eq!(call(&[SCRIPT, ("Origin", "http://127.0.0.1")]), 200);
    let named = server.runtime.metrics().recent(0, 1);
    assert_eq!((named[0].caller.as_deref(), named[0].surface), (Some("ci"), "dashboard"));
    server.request("POST", "/dashboard/sign-out", &[cookie, SCRIPT], Some(b"{}"));
    assert_eq!(server.request("GET", "/dashboard", &[cookie], None).status, 303);
}
