//! The download tools from outside: a real server, every surface, and the settings that lead to it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::json;

use crate::everywhere::{everywhere, refused_everywhere};
use crate::site::Site;

const WORDS: &str = "alpha\nbeta\n";
/// Of [`WORDS`].
const HASH: &str = "e49c81e2d2f84e259d40e2fb8192f3bcd198b355184845d76d8f58807d0d78ee";

/// Serves one text at every path; returns host and port.
fn origin(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}"
            );
        }
    });
    address
}

#[test]
fn a_dictionary_is_downloaded_on_every_surface() {
    let (site, address) = (Site::new(), origin(WORDS));
    let args = json!({ "url": format!("en=http://{address}/en.txt"), "sha256": HASH, "force": true });
    everywhere(&site, &["--download-hosts", &address], "download_dictionaries", &args, |envelope| {
        assert_eq!(
            (&envelope["ok"], &envelope["result"]["downloaded"]),
            (&json!(true), &json!(1)),
            "{envelope}"
        );
        assert_eq!(envelope["result"]["items"][0]["files"][0]["sha256"], HASH);
    });
    let args = json!({ "url": format!("en=http://{address}/en.txt"), "sha256": "0".repeat(64) });
    refused_everywhere(
        &site,
        &["--download-hosts", &address],
        "download_dictionaries",
        &args,
        "DOWNLOAD_VERIFY_FAILED",
    );
}

#[test]
fn models_and_extensions_come_from_the_file_of_sources() {
    let address = origin(WORDS);
    let source = json!({ "url": format!("http://{address}/model.bin"), "sha256": HASH });
    let sources = json!({
        "models": { "org/tiny": [source] },
        "extensions": { "sqlite-vec": { "linux-x86_64": source } },
    });
    let site = Site::new().file("sources.json", &sources.to_string());
    let flags = ["--download-sources", "sources.json"];
    everywhere(
        &site,
        &flags,
        "download_models",
        &json!({ "model": "org/tiny", "force": true }),
        |envelope| {
            assert_eq!(envelope["result"]["downloaded"], 1, "{envelope}");
        },
    );
    let machine = json!({ "platform": "linux", "arch": "x64" });
    everywhere(&site, &flags, "download_extensions", &machine, |envelope| {
        assert_eq!(envelope["result"]["target"], "linux-x86_64", "{envelope}");
    });
    everywhere(&site, &flags, "verify_extensions", &machine, |envelope| {
        let result = &envelope["result"];
        assert_eq!(
            (&envelope["ok"], &result["ok"], &result["exists"]),
            (&json!(true), &json!(false), &json!(true))
        );
        let failed = result["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
        assert_eq!(failed.map(|check| check["name"].clone()).collect::<Vec<_>>(), ["format", "entryPoint"]);
    });
}

#[test]
fn what_no_source_lists_is_explained_on_every_surface() {
    let site = Site::new();
    for (tool, args) in [
        ("download_models", json!({ "model": "org/unknown" })),
        ("download_dictionaries", json!({ "lang": "xx" })),
        ("download_extensions", json!({})),
    ] {
        refused_everywhere(&site, &[], tool, &args, "NOT_FOUND");
    }
    let output = site.run(["call", "download_dictionaries", "--args", "{\"lang\":\"xx\"}"]);
    assert_eq!(output.exit, 3);
    assert!(output.stderr.contains("--download-sources"), "{output:?}");
    everywhere(&site, &[], "verify_extensions", &json!({}), |envelope| {
        assert_eq!((&envelope["ok"], &envelope["result"]["ok"]), (&json!(true), &json!(false)), "{envelope}");
    });
}

#[test]
fn an_http_client_may_not_choose_the_host() {
    let (site, address) = (Site::new(), origin(WORDS));
    let server = crate::http::HttpServer::start(&site, &[]);
    let args = json!({ "url": format!("en=http://{address}/en.txt"), "sha256": HASH });
    let answer = server.post("/tools/download_dictionaries", &[], &args);
    server.stop();
    assert_eq!(answer["error"]["code"], "FORBIDDEN", "{answer}");
}

#[test]
fn proxies_come_from_the_variables_everybody_sets() {
    let (site, address) = (Site::new(), origin(WORDS));
    let args = json!({ "url": format!("en=http://{address}/en.txt"), "sha256": HASH }).to_string();
    let words = ["call", "download_dictionaries", "--json", "--args", &args];
    // Nobody listens on port 9 of this machine.
    let mut through = site.mainstay(words);
    let ran = site.ran(through.env("http_proxy", "http://127.0.0.1:9"));
    assert_eq!(ran.json()["error"]["code"], "CAPABILITY_MISSING", "{ran:?}");
    let mut around = site.mainstay(words);
    let ran = site.ran(around.env("http_proxy", "http://127.0.0.1:9").env("no_proxy", "127.0.0.1"));
    assert_eq!(ran.json()["result"]["downloaded"], 1, "{ran:?}");
}
