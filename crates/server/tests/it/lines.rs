//! Damaged lines on stdin: each is answered or passed over, and the next one still is.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use mainstay_contract::{Body, Policy, ToolDef, Toolset};
use mainstay_fuzz::{Target, run};
use mainstay_runtime::{Access, Limits, Runtime};
use mainstay_server::stdio::{End, SessionConfig, Stdio, stopper};
use mainstay_server::{Identity, Naming, Transport};
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn runtime() -> Runtime {
    let echo = |id: &str, toolset| {
        let def = ToolDef::new(id, toolset).title(id).summary("Repeat").policy(Policy::instant());
        def.input(json!({ "type": "object" })).raw_handler(|_, args| Body::json(&args))
    };
    let tools = vec![
        echo("echo", Toolset::Search),
        echo("things/list", Toolset::Catalog),
        echo("things.make", Toolset::Foundry),
    ];
    Runtime::new(tools, Access::default(), Limits::default()).unwrap()
}

#[test]
fn any_line_leaves_the_next_one_answered() {
    let runtime = runtime();
    let target = Target {
        name: "json-rpc",
        corpus: &[
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
            br#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"x":[1,{}]},"_meta":{"progressToken":1,"mainstay/maxTokens":5,"mainstay/plan":true}}}"#,
            br#"{"jsonrpc":"2.0","id":2,"method":"things/list","params":{"a":1}}"#,
            br#"{"id":3,"tool":"things.make","input":{"apply":false}}"#,
            br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            b"[{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"},1]\nContent-Length: 12\r\n\r\n{}",
        ],
        words: &["{", "}", "[", "]", "\"", "\n", "\r\n", ":", ",", "null", "\"id\":", "\"method\":", "\"params\":", "\"jsonrpc\":\"2.0\"", "tools/list", "server/discover", "$/cancelRequest", "Content-Length: 9\r\n\r\n", "\u{2028}", "{\"a\":"],
    };
    run(&target, |input| {
        let mut lines = input.to_vec();
        lines.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"the last one\",\"method\":\"ping\"}\n");
        let written = Written::default();
        let config =
            SessionConfig { identity: Identity::default(), transport: Transport::Sdk, naming: Naming::Wire };
        let end = Stdio::start(runtime.clone(), config, stopper(), Cursor::new(lines), written.clone())
            .unwrap()
            .wait();
        let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
        let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let is_answered = answers.iter().any(|answer| answer["id"] == "the last one");
        assert!(is_answered || end == End::Exit, "{end:?} after {text}");
    });
}
