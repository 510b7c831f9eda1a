//! A server that is told to be read-only writes nothing, whatever it is asked and through whichever door.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::examples::{OPEN, prepare};
use crate::http::HttpServer;
use crate::site::Site;

/// What a folder holds: kind, permissions, time of change and bytes of everything below it.
pub type Tree = BTreeMap<PathBuf, (u32, i64, Vec<u8>)>;

pub fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(path) = open.pop() {
        let metadata = std::fs::symlink_metadata(&path).unwrap();
        let bytes = if metadata.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|item| item.unwrap().path()));
            Vec::new()
        } else if metadata.is_symlink() {
            std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else {
            std::fs::read(&path).unwrap()
        };
        let when =
            if metadata.is_file() { metadata.mtime_nsec() + metadata.mtime() * 1_000_000_000 } else { 0 };
        found.insert(path, (metadata.permissions().mode(), when, bytes));
    }
    found
}

/// The first difference between two trees.
fn difference(before: &Tree, after: &Tree) -> Option<String> {
    let gone = before.keys().find(|path| !after.contains_key(*path)).map(|path| format!("{path:?} is gone"));
    let other = || after.iter().find(|(path, state)| before.get(*path) != Some(*state));
    gone.or_else(|| other().map(|(path, _)| format!("{path:?} is new or changed")))
}

const PROGRAMS: &str = "name: writer\ncommand: touch\ntools:\n- name: touch_it\n  description: Make a file\n  \
                        args:\n  - {name: file, positional: true, required: true}\n";

/// A site in which everything can be written, and the flags that open every gate.
fn site() -> (Site, Vec<&'static str>) {
    let site = Site::new();
    prepare(&site);
    site.write("programs.yaml", PROGRAMS);
    site.write("report.json", r#"[{ "vulnId": "EXAMPLE-1", "severity": "high", "file": "src/lib.rs" }]"#);
    let flags = OPEN.iter().copied().chain(["--programs", "programs.yaml", "--features", "usage"]).collect();
    (site, flags)
}

/// Every tool that can write, with arguments that make it write.
fn attempts(site: &Site) -> Vec<(String, Value)> {
    let mut attempts = vec![("touch_it".to_owned(), json!({ "file": "made" }))];
    for tool in site.definitions() {
        if tool["effect"] == "read" || tool["name"] == "climax_call" {
            continue;
        }
        let takes_apply = tool["inputSchema"]["properties"].get("apply").is_some();
        for example in tool["examples"].as_array().unwrap() {
            let mut args = example["args"].clone();
            attempts.push((tool["name"].as_str().unwrap().to_owned(), args.clone()));
            if takes_apply {
                args["apply"] = true.into();
                attempts.push((tool["name"].as_str().unwrap().to_owned(), args));
            }
        }
    }
    attempts
}

/// Whether an answer says that there is no such tool.
fn is_unknown(answer: &Value) -> bool {
    let text = answer.to_string();
    answer["result"].get("ok") != Some(&json!(true))
        && ["UNKNOWN_TOOL", "Unknown tool", "unknown tool", "-32601"].iter().any(|word| text.contains(word))
}

fn wire(id: &str) -> String {
    id.replace(['/', '.'], "_")
}

fn over_stdio(site: &Site, flags: &[&str], attempts: &[(String, Value)], form: &str) {
    let words = ["mcp", form].into_iter().chain(flags.iter().copied());
    let mut client = Client::start(site.mainstay(words), Framing::Lines);
    client.initialize();
    let listed = client.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        let is_door = ["climax_call", "climax_search"].contains(&tool["name"].as_str().unwrap());
        assert!(is_door || tool["annotations"]["readOnlyHint"] == true, "{tool}");
    }
    for (id, args) in attempts {
        for name in [id.clone(), wire(id)] {
            let answer = client.request("tools/call", json!({ "name": name, "arguments": args }));
            assert!(is_unknown(&answer), "{name}: {answer}");
        }
        let answer = client.request(
            "tools/call",
            json!({ "name": "climax_call", "arguments": { "tool_name": id, "args": args } }),
        );
        assert!(is_unknown(&answer), "through climax_call, {id}: {answer}");
        let answer = client.request(id, args.clone());
        assert!(is_unknown(&answer), "as a method, {id}: {answer}");
        client.send(&json!({ "id": "line", "tool": id, "input": args }));
        let answer = client.answer(&json!("line"));
        assert!(is_unknown(&answer), "as a line, {id}: {answer}");
    }
    assert!(client.close().success());
}

fn over_frames(site: &Site, flags: &[&str], attempts: &[(String, Value)]) {
    let words = ["mcp", "--transport", "legacy"].into_iter().chain(flags.iter().copied());
    let mut client = Client::start(site.mainstay(words), Framing::ContentLength);
    client.initialize();
    for (id, args) in attempts {
        let answer = client.request("tools/call", json!({ "name": id, "arguments": args }));
        let text = answer.to_string();
        assert!(text.contains("INVALID_REQUEST") || is_unknown(&answer), "{id}: {answer}");
    }
    assert!(client.close().success());
}

fn over_http(site: &Site, flags: &[&str], attempts: &[(String, Value)]) {
    let server = HttpServer::start(site, flags);
    for (id, args) in attempts {
        for name in [id.clone(), wire(id)] {
            let answer = server.post(&format!("/tools/{name}"), &[("X-MCP-Readonly", "false")], args);
            assert!(is_unknown(&answer), "{name}: {answer}");
        }
        let version = "2026-07-28";
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": id, "arguments": args, "_meta": meta });
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let headers = [("MCP-Protocol-Version", version), ("Mcp-Method", "tools/call"), ("Mcp-Name", id)];
        let answer = server.post("/mcp", &headers, &request);
        assert!(is_unknown(&answer), "{id}: {answer}");
    }
    server.stop();
}

#[test]
fn no_writing_tool_can_be_reached_and_nothing_is_written() {
    let (site, mut flags) = site();
    let attempts = attempts(&site);
    assert!(attempts.len() >= 39, "{} attempts", attempts.len());
    let root = site.repo().parent().unwrap().to_path_buf();
    let before = tree(&root);
    flags.push("--read-only");
    let check = |door: &str| {
        if let Some(what) = difference(&before, &tree(&root)) {
            panic!("{door}: {what}");
        }
    };
    over_stdio(&site, &flags, &attempts, "--classic");
    check("MCP on stdio");
    over_stdio(&site, &flags, &attempts, "--discovery");
    check("MCP on stdio, by discovery");
    over_frames(&site, &flags, &attempts);
    check("MCP on stdio, in frames");
    over_http(&site, &flags, &attempts);
    check("HTTP");
    for (id, args) in &attempts {
        let args = args.to_string();
        let words = ["call", id, "--json", "--args", &args].into_iter().chain(flags.iter().copied());
        let ran = site.run(words);
        assert!(ran.exit == 2 && is_unknown(&ran.json()), "{id}: {ran:?}");
    }
    check("the command line");
}

#[test]
fn the_same_attempts_do_write_when_they_may() {
    let (site, flags) = site();
    let attempts = attempts(&site);
    let root = site.repo().parent().unwrap().to_path_buf();
    let before = tree(&root);
    let mut client =
        Client::start(site.mainstay(["mcp"].into_iter().chain(flags.iter().copied())), Framing::Lines);
    client.patience *= 4;
    client.initialize();
    let quick = |id: &str| !["vrt.run", "a11y.scan", "release.verify", "reviewKit.create"].contains(&id);
    let mut done = 0;
    for (id, args) in attempts.iter().filter(|(id, _)| quick(id) && !id.starts_with("download_")) {
        let answer = client.request("tools/call", json!({ "name": id, "arguments": args }));
        assert!(!is_unknown(&answer), "{id}: {answer}");
        done += usize::from(answer["result"]["isError"] == false);
    }
    assert!(client.close().success());
    assert!(done >= 20, "only {done} attempts succeeded");
    assert!(difference(&before, &tree(&root)).is_some());
    assert!(site.repo().join("made").exists());
}
