//! MCP over Streamable HTTP, in both eras.

use mainstay_runtime::Limits;
use mainstay_server::HttpConfig;
use serde_json::{Value, json};

use super::client::{Answer, Connection};
use super::server::{JSON, SOON, Server};

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");

/// A session of the older era.
struct Session<'a> {
    server: &'a Server,
    id: String,
}

impl<'a> Session<'a> {
    fn open(server: &'a Server, version: &str) -> (Session<'a>, Value) {
        let params = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = server.request("POST", "/mcp", &[JSON, ACCEPT], Some(request.to_string().as_bytes()));
        let id = answer.header("mcp-session-id").unwrap().to_owned();
        let result = message(&answer, &json!(0))["result"].clone();
        let session = Session { server, id };
        let done = session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        assert_eq!(done.status, 202);
        (session, result)
    }

    fn send(&self, message: &Value) -> Connection {
        let mut connection = self.server.connect();
        let headers = [JSON, ACCEPT, ("Mcp-Session-Id", self.id.as_str())];
        connection.send("POST", "/mcp", &headers, Some(message.to_string().as_bytes()));
        connection
    }

    fn post(&self, message: &Value) -> Answer {
        self.send(message).receive()
    }

    fn ask(&self, method: &str, params: Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        message(&self.post(&request), &json!(7))
    }
}

/// The message with an id, out of a stream or a plain answer.
fn message(answer: &Answer, id: &Value) -> Value {
    match answer.header("content-type") {
        Some("text/event-stream") => {
            let mut messages = answer.events().into_iter().map(|(_, message)| message);
            messages.find(|message| &message["id"] == id).unwrap_or_else(|| panic!("{}", answer.text()))
        }
        _ => answer.json(),
    }
}

fn modern(server: &Server, method: &str, name: Option<&str>, mut params: Value) -> Answer {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let mut headers = vec![JSON, ACCEPT, ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    headers.extend(name.map(|name| ("Mcp-Name", name)));
    server.request("POST", "/mcp", &headers, Some(request.to_string().as_bytes()))
}

#[test]
fn every_initialize_gets_the_same_revision() {
    let server = Server::start();
    for version in ["2025-11-25", "2024-11-05", "2026-07-28", "x", ""] {
        let (_, result) = Session::open(&server, version);
        assert_eq!(result["protocolVersion"], "2025-11-25", "{version}");
        assert_eq!(result["serverInfo"]["name"], "mainstay");
        assert_eq!(result["capabilities"]["experimental"]["pairofcleats"]["transport"], "sdk");
    }
}

#[test]
fn tools_answer_with_the_envelope_and_bad_calls_with_protocol_errors() {
    let server = Server::start();
    let (session, _) = Session::open(&server, "2025-11-25");
    let listed = session.ask("tools/list", json!({}));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"things_list") && names.contains(&"things_make"), "{names:?}");
    let answer = session.ask("tools/call", json!({ "name": "echo", "arguments": { "message": "hi" } }));
    let result = &answer["result"];
    assert_eq!(
        (&result["isError"], &result["structuredContent"]["result"]["message"]),
        (&json!(false), &json!("hi"))
    );
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text, &result["structuredContent"]);
    let failed = session.ask("tools/call", json!({ "name": "fail", "arguments": { "code": "NO_INDEX" } }));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["structuredContent"]["error"]["code"], "NO_INDEX");
    for (params, code) in [
        (json!({ "name": "echo", "arguments": { "zz": 1 } }), "INVALID_REQUEST"),
        (json!({ "name": "echo", "arguments": [] }), "INVALID_REQUEST"),
        (json!({ "arguments": {} }), "INVALID_REQUEST"),
        (json!({ "name": "nothing" }), "UNKNOWN_TOOL"),
    ] {
        let answer = session.ask("tools/call", params.clone());
        assert_eq!(
            (&answer["error"]["code"], &answer["error"]["data"]["code"]),
            (&json!(-32602), &json!(code)),
            "{params}"
        );
    }
    let error = &session.ask("tools/call", json!({ "name": "echo", "arguments": { "zz": 1 } }))["error"];
    assert_eq!(error["data"]["details"].as_array().unwrap().len(), 2);
    assert_eq!(session.ask("tools/list", json!({ "cursor": "zz" }))["error"]["code"], -32602);
    let direct = session.ask("things/list", json!({}));
    assert_eq!(direct["result"], json!({ "id": "things/list" }));
    let unknown = session.ask("no/such", json!({}));
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["code"]),
        (&json!(-32601), &json!("INVALID_REQUEST"))
    );
}

#[test]
fn a_cancelled_call_ends() {
    let server = Server::start();
    let (session, _) = Session::open(&server, "2025-11-25");
    let call = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": { "name": "wait", "arguments": {} } });
    let _open = session.send(&call);
    assert_eq!(server.step(), "started");
    let params = json!({ "requestId": 9, "reason": "test" });
    session.post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
    assert_eq!(server.step(), "stopped");
    assert!(server.runtime.drain(SOON));
}

#[test]
fn progress_comes_before_the_answer() {
    let server = Server::build(HttpConfig::default(), Default::default(), true);
    let params =
        json!({ "name": "test_tool_with_progress", "arguments": {}, "_meta": { "progressToken": "t" } });
    let answer = modern(&server, "tools/call", Some("test_tool_with_progress"), params);
    let messages: Vec<Value> = answer.events().into_iter().map(|(_, message)| message).collect();
    let steps: Vec<f64> =
        messages.iter().filter_map(|message| message["params"]["progress"].as_f64()).collect();
    assert_eq!(steps.len(), 3, "{messages:?}");
    assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
    assert_eq!(messages[0]["params"]["message"], "[test_tool_with_progress][phase=work] 0 of 100");
    assert_eq!(messages[3]["result"]["resultType"], "complete");
}

#[test]
fn a_stateless_request_needs_no_session() {
    let server = Server::start();
    let found = message(&modern(&server, "server/discover", None, json!({})), &json!(7));
    assert_eq!(found["result"]["supportedVersions"], json!(["2025-11-25", "2026-07-28"]));
    let params = json!({ "name": "echo", "arguments": { "message": "hi" } });
    let answer = message(&modern(&server, "tools/call", Some("echo"), params), &json!(7));
    assert_eq!(answer["result"]["structuredContent"]["result"]["message"], "hi");
    assert_eq!(modern(&server, "no/such", None, json!({})).status, 404);
    assert_eq!(modern(&server, "ping", None, json!({})).status, 404);
}

#[test]
fn a_state_comes_back_as_it_went_out_or_not_at_all() {
    let server = Server::build(HttpConfig::default(), Default::default(), true);
    let call = |tool: &str, params: Value| {
        let mut params = params;
        params["name"] = json!(tool);
        params["arguments"] = json!({});
        message(&modern(&server, "tools/call", Some(tool), params), &json!(7))
    };
    let tool = "test_input_required_result_request_state";
    let first = call(tool, json!({}));
    assert_eq!(first["result"]["resultType"], "input_required");
    let state = first["result"]["requestState"].as_str().unwrap();
    assert!(!state.contains("confirming"));
    let answers = json!({ "confirm": { "action": "accept", "content": { "ok": true } } });
    let done = call(tool, json!({ "inputResponses": answers, "requestState": state }));
    assert_eq!(done["result"]["content"][0]["text"], "state-ok");
    let forged = call(tool, json!({ "inputResponses": answers, "requestState": format!("{state}x") }));
    assert_eq!(forged["error"]["code"], -32602);
    let other = call("test_input_required_result_tampered_state", json!({ "requestState": state }));
    assert_eq!(other["error"]["code"], -32602, "a state belongs to the tool that made it");
}

#[test]
fn roots_hold_over_mcp_too() {
    let dir = tempfile::tempdir().unwrap();
    let config = HttpConfig { roots: Some(vec![dir.path().to_path_buf()]), ..HttpConfig::default() };
    let server = Server::with(config, Default::default());
    let (session, _) = Session::open(&server, "2025-11-25");
    let answer =
        session.ask("tools/call", json!({ "name": "index_status", "arguments": { "repoPath": "/" } }));
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "FORBIDDEN");
}

#[test]
fn a_long_call_becomes_a_task_for_a_client_that_knows_tasks() {
    let server = Server::build(HttpConfig::default(), Default::default(), true);
    let ask = |method: &str, name: &str, params: Value, knows: bool| {
        let mut params = params;
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
        let known = match knows {
            true => json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } }),
            false => json!({}),
        };
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = known;
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let headers = [
            JSON,
            ACCEPT,
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        message(&server.request("POST", "/mcp", &headers, Some(request.to_string().as_bytes())), &json!(7))
    };
    let call = json!({ "name": "slow_compute", "arguments": { "seconds": 30 } });
    let started = ask("tools/call", "slow_compute", call, true)["result"].clone();
    assert_eq!((&started["resultType"], &started["status"]), (&json!("task"), &json!("working")));
    let id = started["taskId"].as_str().unwrap();
    assert_eq!(server.runtime.in_flight(), 1);
    ask("tasks/cancel", id, json!({ "taskId": id }), true);
    assert!(server.runtime.drain(SOON), "the work goes on");
    let state = ask("tasks/get", id, json!({ "taskId": id }), true);
    assert!(["working", "cancelled"].contains(&state["result"]["status"].as_str().unwrap()), "{state}");
    let bad = json!({ "name": "slow_compute", "arguments": { "zz": 1 } });
    assert_eq!(ask("tools/call", "slow_compute", bad, true)["error"]["data"]["code"], "INVALID_REQUEST");
    let unknown = ask("tasks/get", "nope", json!({ "taskId": "nope" }), true);
    assert_eq!(
        (&unknown["error"]["code"], &unknown["error"]["data"]["code"]),
        (&json!(-32602), &json!("NOT_FOUND"))
    );
    let at_once = json!({ "name": "slow_compute", "arguments": { "seconds": 0 } });
    assert_eq!(ask("tools/call", "slow_compute", at_once, false)["result"]["resultType"], "complete");
}

#[test]
fn an_open_stream_does_not_hold_up_the_end() {
    let grace = std::time::Duration::from_secs(600);
    let mut server = Server::with(HttpConfig { grace, ..HttpConfig::default() }, Limits::default());
    let (session, _) = Session::open(&server, "2025-11-25");
    let headers = [("Accept", "text/event-stream"), ("Mcp-Session-Id", session.id.as_str())];
    let mut stream = server.connect();
    stream.send("GET", "/mcp", &headers, None);
    assert_eq!(stream.head().status, 200);
    let began = std::time::Instant::now();
    server.finish();
    assert!(began.elapsed() < grace / 10, "{:?}", began.elapsed());
}
