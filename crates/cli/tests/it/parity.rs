//! The same call through every surface gives the same result.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::examples::{self, Example};
use crate::http::HttpServer;
use crate::site::Site;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Surface {
    /// MCP `tools/call`.
    Mcp,
    /// A JSON-RPC method named like the tool.
    Direct,
    /// `{id, tool, input}`.
    Line,
    /// `Content-Length` frames.
    Legacy,
    /// `mainstay call`.
    Command,
    /// `POST /tools/{id}`.
    Http,
    /// MCP `tools/call` without a handshake, over HTTP.
    McpHttp,
}

const SURFACES: [Surface; 7] = [
    Surface::Mcp,
    Surface::Direct,
    Surface::Line,
    Surface::Legacy,
    Surface::Command,
    Surface::Http,
    Surface::McpHttp,
];

/// What a client without a handshake sends with every request.
const STATELESS: &str = "2026-07-28";

impl Surface {
    /// One call in a process of its own, as that surface answers it.
    fn call(self, site: &Site, flags: &[&str], id: &str, args: &Value) -> Value {
        if self == Surface::Command {
            let args = args.to_string();
            let words = ["call", id, "--json", "--args", &args].into_iter().chain(flags.iter().copied());
            let output = site.mainstay(words).output().unwrap();
            return serde_json::from_slice(&output.stdout).unwrap();
        }
        if matches!(self, Surface::Http | Surface::McpHttp) {
            let server = HttpServer::start(site, flags);
            let answer = match self {
                Surface::Http => server.post(&format!("/tools/{id}"), &[], args),
                _ => {
                    let headers =
                        [("MCP-Protocol-Version", STATELESS), ("Mcp-Method", "tools/call"), ("Mcp-Name", id)];
                    let meta = json!({
                        "io.modelcontextprotocol/protocolVersion": STATELESS,
                        "io.modelcontextprotocol/clientCapabilities": {},
                    });
                    let params = json!({ "name": id, "arguments": args, "_meta": meta });
                    let request =
                        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
                    server.post("/mcp", &headers, &request)
                }
            };
            server.stop();
            return answer;
        }
        let mut command = site.mainstay(["mcp"].into_iter().chain(flags.iter().copied()));
        let framing = match self {
            Surface::Legacy => Framing::ContentLength,
            _ => Framing::Lines,
        };
        if self == Surface::Legacy {
            command.env("PAIROFCLEATS_MCP_TRANSPORT", "legacy");
        }
        let mut client = Client::start(command, framing);
        let answer = match self {
            Surface::Line => {
                client.send(&json!({ "id": 1, "tool": id, "input": args }));
                client.answer(&json!(1))
            }
            Surface::Direct => client.request(id, args.clone()),
            _ => client.request("tools/call", json!({ "name": id, "arguments": args })),
        };
        assert!(client.close().success());
        answer
    }

    /// The result inside a successful answer.
    fn result(self, payload: &str, answer: &Value) -> Value {
        let text = || {
            answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{self:?}: {answer}"))
        };
        let result = match (self, payload) {
            (Surface::Mcp | Surface::McpHttp | Surface::Legacy, "text") => {
                json!({ "text": text(), "isError": answer["result"]["isError"] })
            }
            (Surface::Mcp | Surface::McpHttp, "envelope") => {
                let structured = &answer["result"]["structuredContent"];
                let spelled: Value = serde_json::from_str(text()).unwrap();
                assert_eq!(*structured, spelled, "text and structured content are one");
                structured["result"].clone()
            }
            (Surface::Mcp | Surface::McpHttp, _) => answer["result"]["structuredContent"].clone(),
            (Surface::Legacy, _) => serde_json::from_str(text()).unwrap(),
            _ => answer["result"].clone(),
        };
        assert!(!result.is_null(), "{self:?}: {answer}");
        result
    }

    /// Code, message and violations of a failed answer, wherever the surface keeps them.
    fn failure(self, answer: &Value) -> (String, String, Value) {
        let legacy: Value;
        let (code, message, violations) = match self {
            Surface::Mcp | Surface::McpHttp if answer.get("error").is_some() => {
                let error = &answer["error"];
                (&error["data"]["code"], &error["message"], &error["data"]["details"])
            }
            Surface::Mcp | Surface::McpHttp => {
                let error = &answer["result"]["structuredContent"]["error"];
                (&error["code"], &error["message"], &error["details"]["errors"])
            }
            Surface::Direct => {
                let data = &answer["error"]["data"];
                (&data["code"], &data["message"], &data["errors"])
            }
            Surface::Line | Surface::Command | Surface::Http => {
                let error = &answer["error"];
                (&error["code"], &error["message"], &error["details"]["errors"])
            }
            Surface::Legacy => {
                assert_eq!(answer["result"]["isError"], true, "{answer}");
                legacy =
                    serde_json::from_str(answer["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
                (&legacy["code"], &legacy["message"], &legacy["errors"])
            }
        };
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{self:?}: {answer}")).to_owned();
        (text(code), text(message), violations.clone())
    }
}

/// Takes out what depends on when a call was made, and the settings that choose the surface.
fn settled(mut value: Value) -> Value {
    match &mut value {
        Value::Object(map) => {
            map.retain(|key, _| !["transport", "port"].contains(&key.as_str()));
            let is_written_file = map.contains_key("sha256");
            for (key, inner) in map.iter_mut() {
                let is_measured = ["Ms", "Micros"].iter().any(|unit| key.ends_with(unit));
                *inner = match key.as_str() {
                    _ if is_measured => "[MEASURED]".into(),
                    // Of what the call wrote, which may name its time and how long it took.
                    "sha256" | "etag" => "[HASH]".into(),
                    "sizeBytes" if is_written_file => "[SIZE]".into(),
                    _ => settled(inner.take()),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = settled(item.take())),
        Value::String(text) => *text = without_times(text),
        _ => {}
    }
    value
}

/// Takes out times, spelled as `2026-01-24T12:34:56.789Z` or as parts of names are, and what is added to make a name unique.
fn without_times(text: &str) -> String {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    for time in ["0000-00-00T00:00:00.000Z", "0000-00-00T00-00-00-000Z", "00000000T000000000Z"] {
        if let Some(at) = shape.find(time) {
            let (before, after) = (&text[..at], &text[at + time.len()..]);
            let unique = after.bytes().take_while(|byte| *byte == b'-' || byte.is_ascii_hexdigit()).count();
            return format!("{before}[TIME]{}", without_times(&after[unique..]));
        }
    }
    text.to_owned()
}

/// The cache by the name HTTP clients see in place of its path.
fn by_name(site: &Site, value: &Value) -> Value {
    let cache = site.home().join(".cache/mainstay").display().to_string();
    serde_json::from_str(&value.to_string().replace(&cache, "${CACHE_DIR}")).unwrap()
}

/// How an answer is encoded; a call that is handed over is answered as the other tool would.
fn payload<'a>(example: &'a Example, all: &'a [Example]) -> &'a str {
    let answering = match example.args.get("tool_name") {
        Some(other) => all.iter().find(|example| example.tool["name"] == *other).unwrap(),
        None => example,
    };
    answering.tool["payload"].as_str().unwrap()
}

#[test]
fn every_surface_gives_the_same_result() {
    let calls: Vec<Example> = examples::all(&Site::new());
    let toolsets: BTreeSet<&str> = calls.iter().map(Example::toolset).collect();
    assert_eq!(toolsets.len(), 4, "{toolsets:?}");
    let calls = &calls;
    let differences: Vec<String> = std::thread::scope(|scope| {
        let running: Vec<_> =
            toolsets.into_iter().map(|toolset| scope.spawn(move || differences(toolset, calls))).collect();
        running.into_iter().flat_map(|one| one.join().unwrap()).collect()
    });
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

/// Makes the calls of one toolset in a site of its own and compares each with its answer over MCP.
fn differences(toolset: &str, calls: &[Example]) -> Vec<String> {
    let site = Site::new();
    examples::prepare(&site);
    let mut differences = Vec::new();
    for example in calls.iter().filter(|example| example.toolset() == toolset) {
        // The same paths and the same state for each surface, because calls may write.
        let state = site.save();
        let mut first = None;
        for surface in SURFACES {
            site.restore(&state);
            let answer = surface.call(&site, &example.flags, example.id(), &example.args);
            let result = by_name(&site, &settled(surface.result(payload(example, calls), &answer)));
            let expected = first.get_or_insert(result.clone());
            if *expected != result {
                differences
                    .push(format!("{} through {surface:?}: {result}\nexpected: {expected}", example.id()));
            }
        }
    }
    differences
}

#[test]
fn every_surface_reports_the_same_violations() {
    let site = Site::new();
    let args = json!({ "surprise": 1, "repoPath": 7 });
    let mut first = None;
    for surface in SURFACES {
        let answer = surface.call(&site, &[], "index_status", &args);
        let (code, _, violations) = surface.failure(&answer);
        assert_eq!(code, if surface == Surface::Line { "SCHEMA_INPUT" } else { "INVALID_REQUEST" });
        assert_eq!(violations.as_array().map(Vec::len), Some(2), "{surface:?}: {answer}");
        assert_eq!(*first.get_or_insert(violations.clone()), violations, "{surface:?}");
    }
}

#[test]
fn every_surface_reports_the_same_failure_of_a_tool() {
    let site = Site::new();
    let args = json!({ "file": "no/such" });
    for surface in SURFACES {
        let answer = surface.call(&site, &[], "show_file", &args);
        let (code, message, _) = surface.failure(&answer);
        assert_eq!(code, if surface == Surface::Line { "BAD_REQUEST" } else { "NOT_FOUND" });
        assert_eq!(message, "no/such does not exist in the repository");
    }
}

#[test]
fn every_surface_names_an_unknown_tool_as_its_contract_says() {
    let site = Site::new();
    for surface in SURFACES {
        let answer = surface.call(&site, &[], "no_such_tool", &json!({}));
        let code = match surface {
            Surface::Direct => {
                assert_eq!(answer["error"]["code"], -32601, "{answer}");
                continue;
            }
            Surface::Legacy => "INVALID_REQUEST",
            _ => "UNKNOWN_TOOL",
        };
        let (found, message, _) = surface.failure(&answer);
        assert_eq!((found.as_str(), message.as_str()), (code, "unknown tool: no_such_tool"), "{surface:?}");
    }
}
