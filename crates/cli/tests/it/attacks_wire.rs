//! Attacks on the wire: names of hosts, origins, headers, lengths, bodies and paths that are not what they seem.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::{PATIENCE, Site};

/// Sends bytes as they are and returns everything that comes back before the server closes.
fn send(server: &HttpServer, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // The server may refuse and close while we still write.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// Whether the server still answers those who behave.
fn is_alive(server: &HttpServer) -> bool {
    let host = server.address();
    status(&send(
        server,
        format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
    )) == 200
}

#[test]
fn names_of_other_servers_are_refused() {
    let site = Site::new();
    let server = HttpServer::start(&site, &[]);
    let host = server.address().to_owned();
    for lines in [
        "Host: evil.example".to_owned(),
        "Host: 127.0.0.1.evil.example".into(),
        "Host: localhost@evil.example".into(),
        "Host: localhost:80@evil.example".into(),
        "Host: localhost.".into(),
        "Host: 2130706433".into(),
        "Host: 0x7f.1".into(),
        "Host: ".into(),
        "Accept: */*".into(),
        format!("Host: {host}\r\nHost: evil.example"),
        format!("Host: evil.example\r\nHost: {host}"),
        format!("Host: {host}\r\nX-Forwarded-Host: {host}\r\nOrigin: https://evil.example"),
        format!("Host: {host}\r\nOrigin: null"),
        format!("Host: {host}\r\nOrigin: http://localhost.evil.example"),
        format!("Host: {host}\r\nOrigin: http://localhost#@evil.example"),
        format!("Host: {host}\r\nOrigin: http://{host}\r\nOrigin: https://evil.example"),
    ] {
        for path in ["/tools", "/mcp", "/health"] {
            let answer = send(
                &server,
                format!("GET {path} HTTP/1.1\r\n{lines}\r\nConnection: close\r\n\r\n").as_bytes(),
            );
            assert!(matches!(status(&answer), 400 | 403), "{lines}: {answer}");
            assert!(!answer.to_lowercase().contains("access-control-allow-origin"), "{answer}");
        }
    }
    let absolute =
        format!("GET http://evil.example/tools HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&send(&server, absolute.as_bytes())), 403);
    assert!(is_alive(&server));
    server.stop();
}

#[test]
fn a_second_request_cannot_hide_in_the_first() {
    let site = Site::new();
    let server = HttpServer::start(&site, &["--enable-mutation"]);
    let host = server.address().to_owned();
    let entry = json!({ "entry": { "id": "smuggled", "body": "x" }, "lax": true }).to_string();
    let hidden = format!(
        "POST /tools/instructions/add HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{entry}",
        entry.len()
    );
    let chunked = format!("0\r\n\r\n{hidden}");
    let whole = chunked.len();
    for lines in [
        format!("Content-Length: {whole}\r\nTransfer-Encoding: chunked"),
        format!("Transfer-Encoding: chunked\r\nContent-Length: {whole}"),
        format!("Content-Length: {whole}\r\nContent-Length: 0"),
        format!("Content-Length: 0\r\nContent-Length: {whole}"),
        format!("Content-Length: {whole}, 0"),
        format!("Content-Length: +{whole}"),
        format!("Content-Length: -1\r\nX: {whole}"),
        format!("Content-Length: 0x{whole:x}"),
        format!("Content-Length: {whole}\r\nTransfer-Encoding: xchunked"),
        format!("Content-Length: {whole}\r\nTransfer-Encoding: chunked, identity"),
        format!("Content-Length: {whole}\r\nTransfer-Encoding : chunked"),
        format!("Content-Length: {whole}\r\n Transfer-Encoding: chunked"),
        format!("Content-Length: {whole}\r\nTransfer-Encoding:\x0bchunked"),
    ] {
        let head = format!(
            "POST /tools/health/check HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{lines}\r\n\r\n"
        );
        let answer = send(&server, format!("{head}{chunked}").as_bytes());
        assert!(answer.matches("HTTP/1.1 ").count() <= 1, "{lines}: {answer}");
        assert!(!site.repo().join("instructions/smuggled.json").exists(), "{lines}");
    }
    // A chunk that lies about its size.
    for body in
        ["5\r\n{}\r\n0\r\n\r\n", "ffffffffffffffff\r\n{}", "-1\r\n{}\r\n", "2;a=\"\r\n\"\r\n{}\r\n0\r\n\r\n"]
    {
        let head = format!(
            "POST /tools/health/check HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        );
        let mut stream = TcpStream::connect(&host).unwrap();
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert_ne!(status(&String::from_utf8_lossy(&answer)), 200, "{body}");
    }
    assert!(is_alive(&server));
    server.stop();
}

#[test]
fn heads_and_paths_without_measure_are_refused() {
    let site = Site::new().file("secret.txt", "TOP-SECRET");
    let server = HttpServer::start(&site, &["--dashboard", "--token", "t0ken"]);
    let host = server.address().to_owned();
    let long = "a".repeat(600_000);
    let many = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect::<String>();
    let request = |line: &str, headers: &str| {
        send(
            &server,
            format!("{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n").as_bytes(),
        )
    };
    for (line, headers) in [
        ("GET /tools", format!("X-Long: {long}\r\n")),
        ("GET /tools", format!("Authorization: Bearer {long}\r\n")),
        ("GET /tools", format!("Cookie: mainstay_session={long}\r\n")),
        ("GET /tools", many),
        (&format!("GET /{long}"), String::new()),
        ("GET /tools", "Authorization: Bearer t0ken\r\nAuthorization: Bearer x\r\n".into()),
        ("GET /tools", "Authorization: Bearer t0ken2\r\n".into()),
        ("GET /tools", "Authorization: Bearer t0ke\r\n".into()),
        ("GET /tools", "Authorization: Bearer t0ken,x\r\n".into()),
        ("GET /tools", "Authorization: Bearer\r\n".into()),
        ("GET /tools?token=t0ken", String::new()),
        ("GET /tools?access_token=t0ken", String::new()),
        ("TRACE /tools", "Authorization: Bearer t0ken\r\n".into()),
        ("CONNECT evil.example:443", "Authorization: Bearer t0ken\r\n".into()),
        ("G\u{0}T /tools", String::new()),
    ] {
        let answer = request(line, &headers);
        assert!(!(200..300).contains(&status(&answer)), "{}: {answer}", &line[..line.len().min(80)]);
    }
    let token = "Authorization: Bearer t0ken\r\n";
    for path in [
        "/../secret.txt",
        "/dashboard/assets/../../secret.txt",
        "/dashboard/assets/..%2f..%2fsecret.txt",
        "/dashboard/assets/%2e%2e/secret.txt",
        "/dashboard/assets/..\\secret.txt",
        "/dashboard/assets/%c0%ae%c0%ae/secret.txt",
        "/tools/..%2f..%2fsecret.txt",
        "/tools/%00",
        "/tools/%ff%fe",
        "/tools/index_status%0d%0aX-Evil:%201",
        "//tools",
        "/.well-known/oauth-protected-resource/../../secret.txt",
        "/.git/config",
    ] {
        let answer = request(&format!("GET {path}"), token);
        assert!(status(&answer) >= 300, "{path}: {answer}");
        assert!(
            !answer.contains("TOP-SECRET") && !answer.to_lowercase().contains("\nx-evil"),
            "{path}: {answer}"
        );
    }
    // What a client calls its request is repeated only when it is harmless.
    let answer = request("GET /health", "X-Request-Id: a\tb<script>\r\n");
    assert!(!answer.contains("<script>"), "{answer}");
    assert!(is_alive(&server));
    server.stop();
}

/// Bodies that are large, deep or not what they say.
fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    let deep =
        |n: usize, open: &str, close: &str| format!("{}{}", open.repeat(n), close.repeat(n)).into_bytes();
    vec![
        ("deep lists", deep(100_000, "[", "]")),
        ("deep objects", deep(50_000, "{\"a\":", "}")),
        ("unclosed", b"[".repeat(200_000)),
        ("large", format!("{{\"query\":\"{}\"}}", "x".repeat(2 << 20)).into_bytes()),
        ("huge number", format!("{{\"query\":{}}}", "9".repeat(100_000)).into_bytes()),
        ("no number", b"{\"query\":1e99999}".to_vec()),
        ("bad text", b"{\"query\":\"\xff\xfe\"}".to_vec()),
        ("half a character", b"{\"query\":\"\\ud800\"}".to_vec()),
        ("nothing", Vec::new()),
        ("not JSON", b"query=x".to_vec()),
        ("null bytes", vec![0; 10_000]),
        ("two documents", b"{\"query\":\"a\"}{\"query\":\"b\"}".to_vec()),
        ("mark first", b"\xef\xbb\xbf[]".to_vec()),
    ]
}

#[test]
fn bodies_without_measure_are_refused_and_the_server_goes_on() {
    let site = Site::new();
    let server = HttpServer::start(&site, &[]);
    let host = server.address().to_owned();
    for (what, body) in bodies() {
        for path in ["/tools/search", "/search", "/search/stream", "/mcp"] {
            let accept = "Accept: application/json, text/event-stream";
            let head = format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n{accept}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let answer = send(&server, &[head.as_bytes(), &body].concat());
            assert!((400..500).contains(&status(&answer)), "{what} to {path}: {answer}");
            assert!(answer.len() < 20_000, "{what} to {path} is answered with {} bytes", answer.len());
        }
    }
    // Compressed bodies are not unpacked.
    let head = format!(
        "POST /tools/search HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
    );
    assert!((400..500).contains(&status(&send(&server, &[head.as_bytes(), b"\x1f\x8b\x08"].concat()))));
    assert!(is_alive(&server));
    server.stop();
}

#[test]
fn lines_without_measure_are_answered_with_an_error_and_the_session_goes_on() {
    let site = Site::new();
    let mut client = Client::start(site.mainstay(["mcp"]), Framing::Lines);
    client.initialize();
    for (what, body) in bodies() {
        if body.is_empty() {
            continue;
        }
        let stdin = client.stdin.as_mut().unwrap();
        stdin.write_all(&body).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
        let answer = client.receive();
        assert!(answer.get("error").is_some(), "{what}: {answer}");
    }
    let args: Value = (0..60).fold(json!({}), |inner, _| json!({ "a": inner }));
    let answer = client.request("tools/call", json!({ "name": "search", "arguments": args }));
    assert!(answer.get("error").is_some(), "{answer}");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(client.close().success());
}
