//! What a token lets its holder do, on every surface of the HTTP server.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use mainstay_contract::Scope;
use mainstay_runtime::audit::AuditLog;
use mainstay_runtime::{Limits, Validator};
use mainstay_server::{AccessToken, HttpConfig, JwtConfig, KeySource, Secret, TokenBook};
use serde_json::{Value, json};

use super::client::Answer;
use super::server::{JSON, SOON, Server};
use super::signed::{Key, base64url};

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const ISSUER: &str = "https://login.example";
const AUDIENCE: &str = "https://tools.example/mcp";

fn scopes(words: &str) -> Vec<Scope> {
    words.split(' ').map(|word| Scope::parse(word).unwrap()).collect()
}

fn write(path: &Path, book: &TokenBook) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, book.to_text()).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// A server with a file of tokens: name and scopes of each.
fn with_tokens(tokens: &[(&str, &str)], config: HttpConfig) -> (Server, Vec<String>, tempfile::TempDir) {
    let (config, texts, dir) = token_config(tokens, config);
    (Server::with(config, Limits::default()), texts, dir)
}

fn token_config(tokens: &[(&str, &str)], config: HttpConfig) -> (HttpConfig, Vec<String>, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let mut book = TokenBook::default();
    let add =
        |(name, words): &(&str, &str)| book.add(name, &scopes(words), None, None, Timestamp::now()).unwrap();
    let texts = tokens.iter().map(add).map(|text| format!("Bearer {text}")).collect();
    let path = dir.path().join("tokens.json");
    write(&path, &book);
    (HttpConfig { token_file: Some(path), ..config }, texts, dir)
}

fn get(server: &Server, path: &str, token: &str) -> Answer {
    server.request("GET", path, &[("Authorization", token)], None)
}

fn call(server: &Server, tool: &str, token: &str) -> Answer {
    server.request("POST", &format!("/tools/{tool}"), &[JSON, ("Authorization", token)], Some(b"{}"))
}

fn modern(server: &Server, method: &str, name: Option<&str>, token: &str) -> Answer {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut params = json!({ "_meta": meta });
    if let Some(name) = name {
        params["name"] = name.into();
        params["arguments"] = json!({});
    }
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let mut headers = vec![JSON, ACCEPT, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    headers.push(("Authorization", token));
    server.request("POST", "/mcp", &headers, Some(request.to_string().as_bytes()))
}

/// The message of an MCP answer, plain or in a stream.
fn message(answer: &Answer) -> Value {
    match answer.header("content-type") {
        Some("text/event-stream") => answer
            .events()
            .into_iter()
            .map(|(_, message)| message)
            .find(|message| message["id"] == 7)
            .unwrap(),
        _ => answer.json(),
    }
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn a_token_shows_and_runs_only_the_tools_of_its_scopes() {
    let tokens =
        [("reader", "read"), ("keeper", "catalog:write"), ("finder", "search:read"), ("boss", "admin")];
    let (server, texts, _dir) = with_tokens(&tokens, HttpConfig::default());
    let [reader, keeper, finder, boss] = &texts[..] else { panic!("four tokens") };
    for (token, sees, misses) in [
        (reader, vec!["echo", "things/list"], vec!["things/keep"]),
        (keeper, vec!["things/list", "things/keep"], vec!["echo", "search"]),
        (finder, vec!["echo", "search"], vec!["things/list", "things/keep"]),
        (boss, vec!["echo", "things/list", "things/keep"], vec![]),
    ] {
        let listed = get(&server, "/tools", token).json();
        let plain = get(&server, "/tools.json", token).json();
        let over_mcp = message(&modern(&server, "tools/list", None, token));
        let openapi = get(&server, "/openapi.json", token).json();
        let page = get(&server, "/", token);
        for tool in &sees {
            let wire = tool.replace('/', "_");
            assert!(names(&listed["result"]["tools"]).contains(tool), "{tool}");
            assert!(plain["tools"].as_array().unwrap().contains(&json!(tool)), "{tool}");
            assert!(names(&over_mcp["result"]["tools"]).contains(&wire.as_str()), "{over_mcp}");
            assert!(openapi["paths"].get(format!("/tools/{wire}")).is_some(), "{tool}");
            assert!(page.text().contains(&format!("<code>{tool}</code>")), "{tool}");
            assert_eq!(get(&server, &format!("/tools/{tool}"), token).status, 200);
        }
        for tool in &misses {
            let wire = tool.replace('/', "_");
            assert!(!names(&listed["result"]["tools"]).contains(tool), "{tool}");
            assert!(!plain["tools"].as_array().unwrap().contains(&json!(tool)), "{tool}");
            assert!(!names(&over_mcp["result"]["tools"]).contains(&wire.as_str()), "{over_mcp}");
            assert!(openapi["paths"].get(format!("/tools/{wire}")).is_none(), "{tool}");
            assert!(!page.text().contains(&format!("<code>{tool}</code>")), "{tool}");
            assert_eq!(get(&server, &format!("/tools/{tool}"), token).status, 404);

            let refused = call(&server, tool, token);
            assert_eq!((refused.status, refused.code().as_str()), (403, "FORBIDDEN"), "{tool}");
            let challenge = refused.header("www-authenticate").unwrap();
            assert!(challenge.starts_with("Bearer error=\"insufficient_scope\", scope=\""), "{challenge}");
            let error = &refused.json()["error"];
            assert!(error["details"]["rule"].as_str().unwrap().starts_with("the token "), "{error}");
            let over_mcp = modern(&server, "tools/call", Some(&wire), token);
            assert_eq!(over_mcp.status, 200, "a token of the operator's cannot grow");
            let result = &message(&over_mcp)["result"];
            assert_eq!(result["structuredContent"]["error"]["code"], "FORBIDDEN", "{result}");
            let direct = modern(&server, tool, None, token);
            assert!(message(&direct)["error"]["message"].as_str().unwrap().contains("scope"));
        }
    }
    assert_eq!(call(&server, "things/keep", keeper).status, 200);
    assert_eq!(call(&server, "things/keep", boss).status, 200);
    assert_eq!(get(&server, "/metrics", reader).status, 403, "figures are the operator's");
    assert_eq!(get(&server, "/metrics", boss).status, 200);
}

#[test]
fn a_revoked_or_expired_token_is_refused_without_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens.json");
    let now = Timestamp::now();
    let mut book = TokenBook::default();
    let good = format!("Bearer {}", book.add("good", &scopes("read"), None, None, now).unwrap());
    let over = book.add("over", &scopes("read"), Some(now), None, now).unwrap();
    write(&path, &book);
    let config = HttpConfig { token_file: Some(path.clone()), ..HttpConfig::default() };
    let server = Server::with(config, Limits::default());
    assert_eq!(get(&server, "/tools", &good).status, 200);
    let refused = get(&server, "/tools", &format!("Bearer {over}"));
    assert_eq!((refused.status, refused.code().as_str()), (401, "UNAUTHORIZED"));
    assert_eq!(refused.header("www-authenticate"), Some("Bearer error=\"invalid_token\""));
    let until = |wanted: u16, text: &str| {
        let patient_until = std::time::Instant::now() + SOON;
        while get(&server, "/tools", text).status != wanted {
            assert!(std::time::Instant::now() < patient_until, "still not {wanted}");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    book.revoke("good").unwrap();
    let next = format!("Bearer {}", book.add("next", &scopes("read"), None, None, now).unwrap());
    write(&path, &book);
    until(401, &good);
    until(200, &next);
    // A file that cannot be trusted any more lets nobody in.
    std::fs::write(&path, "{}").unwrap();
    until(401, &next);
}

#[test]
fn each_token_has_a_rate_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tokens.json");
    let mut book = TokenBook::default();
    let now = Timestamp::now();
    let slow = format!("Bearer {}", book.add("slow", &scopes("read"), None, Some(1), now).unwrap());
    let other = format!("Bearer {}", book.add("other", &scopes("read"), None, None, now).unwrap());
    write(&path, &book);
    let config = HttpConfig { token_file: Some(path), rate_per_minute: Some(3), ..HttpConfig::default() };
    let server = Server::with(config, Limits::default());
    assert_eq!(get(&server, "/tools", &slow).status, 200);
    let answer = get(&server, "/tools", &slow);
    assert_eq!(answer.status, 429);
    assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() > 30);
    assert!((0..3).all(|_| get(&server, "/tools", &other).status == 200), "another token is not affected");
    assert!((0..3).all(|_| get(&server, "/tools", "Bearer guess").status == 401));
    assert_eq!(get(&server, "/tools", "Bearer guess").status, 429, "guessing is counted by address");
}

#[test]
fn a_session_is_only_for_whoever_opened_it() {
    let (server, texts, _dir) = with_tokens(&[("one", "read"), ("two", "read")], HttpConfig::default());
    let initialize = json!({
        "jsonrpc": "2.0", "id": 7, "method": "initialize",
        "params": { "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } },
    });
    let send = |token: &str, session: Option<&str>, body: &Value| {
        let mut headers = vec![JSON, ACCEPT, ("Authorization", token)];
        headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
        server.request("POST", "/mcp", &headers, Some(body.to_string().as_bytes()))
    };
    let opened = send(&texts[0], None, &initialize);
    let id = opened.header("mcp-session-id").unwrap();
    let ping = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" });
    assert_eq!(send(&texts[1], Some(id), &ping).status, 404);
    assert_eq!(send(&texts[0], Some(id), &ping).status, 200);
    let headers = [("Authorization", texts[1].as_str()), ("Mcp-Session-Id", id)];
    assert_eq!(server.request("DELETE", "/mcp", &headers, None).status, 404);
    // Its owner ends it, and clients read the answer as done.
    let headers = [("Authorization", texts[0].as_str()), ("Mcp-Session-Id", id)];
    let ended = server.request("DELETE", "/mcp", &headers, None);
    assert_eq!((ended.status, ended.text()), (204, ""));
    assert_eq!(send(&texts[0], Some(id), &ping).status, 404);
}

#[test]
fn a_task_is_only_for_whoever_started_it() {
    let (config, texts, _dir) = token_config(&[("one", "admin"), ("two", "admin")], HttpConfig::default());
    let server = Server::build(config, Limits::default(), true);
    let ask = |token: &str, session: Option<&str>, method: &str, name: &str, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "extensions": { "io.modelcontextprotocol/tasks": {} } },
        });
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let mut headers =
            vec![JSON, ACCEPT, ("Authorization", token), ("Mcp-Method", method), ("Mcp-Name", name)];
        headers.push(("MCP-Protocol-Version", "2026-07-28"));
        headers.extend(session.map(|id| ("Mcp-Session-Id", id)));
        message(&server.request("POST", "/mcp", &headers, Some(request.to_string().as_bytes())))
    };
    let [one, two] = [texts[0].as_str(), texts[1].as_str()];
    let call = json!({ "name": "slow_compute", "arguments": { "seconds": 30 } });
    let started = ask(one, None, "tools/call", "slow_compute", call);
    let id = started["result"]["taskId"].as_str().unwrap();
    let unknown = ask(two, None, "tasks/get", "nope", json!({ "taskId": "nope" }));
    for (method, params) in [
        ("tasks/get", json!({ "taskId": id })),
        ("tasks/update", json!({ "taskId": id, "inputResponses": {} })),
        ("tasks/cancel", json!({ "taskId": id })),
    ] {
        let refused = ask(two, None, method, id, params.clone());
        // Nothing tells it from a task that never was.
        let same = unknown.to_string().replace("nope", id);
        assert_eq!(refused.to_string(), same, "{method}");
    }
    for method in ["tasks/list", "tasks/result"] {
        let answer = ask(two, None, method, id, json!({ "taskId": id }));
        assert!(answer.get("error").is_some() && !answer["error"].to_string().contains("slow"), "{answer}");
    }
    assert_eq!(server.runtime.in_flight(), 1, "the task of another goes on");
    let mine = ask(one, None, "tasks/get", id, json!({ "taskId": id }));
    assert_eq!(mine["result"]["status"], "working", "{mine}");
    ask(one, None, "tasks/cancel", id, json!({ "taskId": id }));
    assert!(server.runtime.drain(SOON), "its owner can end it");
}

#[test]
fn requests_that_are_turned_away_are_in_the_audit_log() {
    let config = HttpConfig { rate_per_minute: Some(3), ..HttpConfig::default() };
    let (server, texts, dir) = with_tokens(&[("reader", "read")], config);
    let log = dir.path().join("audit");
    server.runtime.watch(Arc::new(AuditLog::open(&log).unwrap()));
    let guess = "Bearer planted-guess-of-a-token";
    assert_eq!(get(&server, "/tools?secret=planted-query", guess).status, 401);
    assert_eq!(server.post("/mcp", &json!({ "planted": "body" })).status, 401);
    let foreign = [("Authorization", texts[0].as_str()), ("Origin", "https://evil.example")];
    assert_eq!(server.request("GET", "/tools", &foreign, None).status, 403);
    assert_eq!(get(&server, "/metrics", &texts[0]).status, 403);
    assert!(
        (0..2).all(|_| get(&server, "/tools", &texts[0]).status == 200),
        "what is let in has no such row"
    );
    assert_eq!(get(&server, "/tools", &texts[0]).status, 429);
    assert_eq!(get(&server, "/healthz", "").status, 200);
    let rows = mainstay_runtime::audit::rows(&log).unwrap();
    let seen: Vec<[Option<&str>; 5]> = rows
        .iter()
        .map(|row| ["request", "caller", "surface", "decision", "outcome"].map(|key| row[key].as_str()))
        .collect();
    let row = |request, caller, surface, decision, outcome| {
        [Some(request), caller, Some(surface), Some(decision), Some(outcome)]
    };
    assert_eq!(
        seen,
        [
            row("GET /tools", None, "http", "denied", "UNAUTHORIZED"),
            row("POST /mcp", None, "mcp-http", "denied", "UNAUTHORIZED"),
            row("GET /tools", None, "http", "denied", "FORBIDDEN"),
            row("GET /metrics", Some("reader"), "http", "denied", "FORBIDDEN"),
            row("GET /tools", Some("reader"), "http", "refused", "QUEUE_OVERLOADED"),
        ]
    );
    assert!(rows.iter().all(|row| row["from"] == "127.0.0.1" && row["rule"].is_string()), "{rows:?}");
    assert!(!json!(rows).to_string().contains("planted"), "{rows:?}");
    assert!(mainstay_runtime::audit::verify(&log).unwrap().ok);
}

/// A server that accepts tokens signed with these keys, and how often it asked for them.
fn with_keys(keys: Value) -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let fetch = move || {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(json!({ "keys": keys }).to_string().into_bytes())
    };
    let jwt = JwtConfig {
        issuer: ISSUER.into(),
        audiences: vec![AUDIENCE.into()],
        algorithms: ["EdDSA", "ES256"].map(str::to_owned).to_vec(),
        keys: KeySource::Remote(Arc::new(fetch)),
        leeway: Duration::from_secs(60),
    };
    let tokens = vec![AccessToken { name: "token".into(), secret: Secret::new("s3cret") }];
    let public_url = Some("https://tools.example/".into());
    let hosts = vec!["tools.example".into()];
    let config = HttpConfig { jwt: Some(jwt), tokens, public_url, hosts, ..HttpConfig::default() };
    (Server::with(config, Limits::default()), asked)
}

fn claims(change: Value) -> Value {
    let now = Timestamp::now().as_second();
    let mut claims = json!({
        "iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": now + 600, "nbf": now - 5, "scope": "openid search:read",
    });
    for (name, value) in change.as_object().unwrap() {
        match value.is_null() {
            true => drop(claims.as_object_mut().unwrap().remove(name)),
            false => claims[name] = value.clone(),
        }
    }
    claims
}

#[test]
fn signed_tokens_are_accepted_when_every_part_of_them_is_right() {
    let (ed, ec, stranger) = (Key::ed(), Key::ec(), Key::ed());
    let secret = json!({ "kty": "oct", "kid": "shared", "k": base64url(b"secret") });
    let odd = json!({ "kty": "LATTICE", "kid": "new" });
    let (server, asked) = with_keys(json!([odd, ed.public("ed"), ec.public("ec"), secret]));
    let now = Timestamp::now().as_second();
    let token = |key: &Key, id: &str, change: Value| {
        key.sign(&json!({ "alg": key.algorithm(), "kid": id, "typ": "at+jwt" }), &claims(change))
    };
    let status = |token: &str| get(&server, "/tools", &format!("Bearer {token}"));
    for good in [
        token(&ed, "ed", json!({})),
        token(&ec, "ec", json!({})),
        token(&ed, "ed", json!({ "aud": ["other", AUDIENCE] })),
        token(&ed, "ed", json!({ "exp": now - 30, "nbf": now + 30 })),
        token(&ed, "ed", json!({ "scope": null, "scp": ["search:read"] })),
        token(&ed, "ed", json!({ "sub": null, "client_id": "machine" })),
    ] {
        let answer = status(&good);
        assert_eq!(answer.status, 200, "{}", answer.text());
        assert!(names(&answer.json()["result"]["tools"]).contains(&"echo"));
        assert!(!names(&answer.json()["result"]["tools"]).contains(&"things/list"));
    }
    let part = |value: Value| base64url(value.to_string().as_bytes());
    let good = token(&ed, "ed", json!({}));
    let [head, body, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("three parts") };
    let altered = part(claims(json!({ "scope": "admin" })));
    let header = |header: Value| ed.sign(&header, &claims(json!({})));
    for (what, bad) in [
        ("expired", token(&ed, "ed", json!({ "exp": now - 120 }))),
        ("not yet", token(&ed, "ed", json!({ "nbf": now + 600 }))),
        ("no end", token(&ed, "ed", json!({ "exp": null }))),
        ("another issuer", token(&ed, "ed", json!({ "iss": "https://evil.example" }))),
        ("no issuer", token(&ed, "ed", json!({ "iss": null }))),
        ("another audience", token(&ed, "ed", json!({ "aud": "https://other.example" }))),
        ("no audience", token(&ed, "ed", json!({ "aud": null }))),
        ("nobody", token(&ed, "ed", json!({ "sub": null }))),
        ("a stranger's key", token(&stranger, "ed", json!({}))),
        ("a key of another kind", token(&ed, "ec", json!({}))),
        ("unknown key", token(&ed, "gone", json!({}))),
        ("altered claims", format!("{head}.{altered}.{signature}")),
        ("no signature", format!("{head}.{body}.")),
        ("alg none", format!("{}.{body}.", part(json!({ "alg": "none" })))),
        ("alg none, signed", header(json!({ "alg": "none", "kid": "ed" }))),
        ("shared secret", header(json!({ "alg": "HS256", "kid": "shared" }))),
        ("public key as secret", header(json!({ "alg": "HS256", "kid": "ed" }))),
        ("alg not accepted", header(json!({ "alg": "ES384", "kid": "ed" }))),
        ("critical extension", header(json!({ "alg": "EdDSA", "kid": "ed", "crit": ["b64"], "b64": false }))),
        ("another kind", header(json!({ "alg": "EdDSA", "kid": "ed", "typ": "logout+jwt" }))),
        (
            "its own key",
            stranger.sign(&json!({ "alg": "EdDSA", "jwk": stranger.public("x") }), &claims(json!({}))),
        ),
        ("no key named, several fit none", header(json!({ "alg": "EdDSA", "kid": "" }))),
        ("too long", format!("{good}{}", "A".repeat(20_000))),
        ("not base64", "a.b.c".into()),
    ] {
        let answer = status(&bad);
        assert_eq!(answer.status, 401, "{what}: {}", answer.text());
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        assert!(challenge.contains("error=\"invalid_token\""), "{what}: {challenge}");
        assert!(!answer.text().contains(&bad[..20.min(bad.len())]), "{what}: the token is not repeated");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 1, "unknown keys do not make us ask again and again");
    assert_eq!(status("s3cret").status, 200, "the operator's token stays good");
}

#[test]
fn a_client_without_a_token_is_told_where_to_get_one() {
    let key = Key::ed();
    let (server, _) = with_keys(json!([key.public("k")]));
    let refused = server.request("POST", "/mcp", &[JSON, ACCEPT, ("Host", "tools.example")], Some(b"{}"));
    assert_eq!(refused.status, 401);
    let place = "https://tools.example/.well-known/oauth-protected-resource/mcp";
    let want = format!("Bearer scope=\"read\", resource_metadata=\"{place}\"");
    assert_eq!(refused.header("www-authenticate"), Some(want.as_str()));
    for (path, resource) in [("", "https://tools.example"), ("/mcp", "https://tools.example/mcp")] {
        let answer = server.get(&format!("/.well-known/oauth-protected-resource{path}"));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        let document = answer.json();
        assert_eq!(document["resource"], resource);
        assert_eq!(document["authorization_servers"], json!([ISSUER]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
        assert!(document["scopes_supported"].as_array().unwrap().contains(&json!("catalog:write")));
    }
    for path in ["/other", "/mcp/x", "x"] {
        let answer = server.get(&format!("/.well-known/oauth-protected-resource{path}"));
        assert_ne!(answer.status, 200, "{path}");
    }
    // A call that lacks a scope says which, so that the client can ask for it.
    let token = key.sign(&json!({ "alg": "EdDSA", "kid": "k" }), &claims(json!({})));
    let refused = modern(&server, "tools/call", Some("things_keep"), &format!("Bearer {token}"));
    assert_eq!(refused.status, 403);
    let want = format!(
        "Bearer error=\"insufficient_scope\", scope=\"search:read catalog:write\", resource_metadata=\"{place}\""
    );
    assert_eq!(
        refused
            .header("www-authenticate")
            .map(|text| text.replace("http://127.0.0.1", "https://tools.example")),
        Some(want)
    );
    assert_eq!(refused.json()["result"]["structuredContent"]["error"]["details"]["scope"], "catalog:write");
    // The document about the API describes the way to a token to those who look there.
    let document = get(&server, "/openapi.json", "Bearer s3cret").json();
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let operation = &document["paths"][path]["get"];
        assert_eq!(operation["security"], json!([]), "{path}");
        let schema = &operation["responses"]["200"]["content"]["application/json"]["schema"];
        assert_eq!(Validator::compile(schema).violations(&server.get(path).json()), [], "{path}");
    }
    let open = Server::start();
    assert_eq!(open.get("/.well-known/oauth-protected-resource").status, 404);
    let described = open.get("/openapi.json").json();
    assert!(described["paths"].get("/.well-known/oauth-protected-resource").is_none());
}
