//! Small tools to call.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use mainstay_contract::{
    ArgCheck, Body, ErrorCode, Fault, Listing, Payload, Policy, Progress, Tool, ToolDef, Toolset,
};
use mainstay_runtime::{Access, Limits, Outcome, Request, Runtime};
use serde_json::{Value, json};

pub fn echo() -> Tool {
    ToolDef::new("echo", Toolset::Search)
        .summary("Repeat the message")
        .input(json!({
            "type": "object",
            "properties": { "message": { "type": "string", "description": "What to say." } },
            "required": ["message"],
            "additionalProperties": false,
        }))
        .policy(Policy::instant())
        .raw_handler(|_, args| Body::json(&args))
}

/// Waits for its token; answers what stopped it.
pub fn wait() -> Tool {
    ToolDef::new("wait", Toolset::Search).summary("Wait to be stopped").raw_handler(|call, _| {
        call.progress("wait", "waiting");
        call.cancel().wait_timeout(Duration::from_secs(20));
        call.cancel().check()?;
        Body::json(&json!({}))
    })
}

pub fn chatty() -> Tool {
    ToolDef::new("chatty", Toolset::Search).summary("Report often").raw_handler(|call, _| {
        let end = std::time::Instant::now() + Duration::from_millis(700);
        let mut done = 0;
        while std::time::Instant::now() < end {
            done += 1;
            call.report(Progress {
                phase: "count".into(),
                done: Some(done / 7),
                total: Some(1 << 40),
                ..Progress::default()
            });
            std::thread::yield_now();
        }
        Body::json(&json!({ "reports": done }))
    })
}

pub fn panics() -> Tool {
    ToolDef::new("panics", Toolset::Search).raw_handler(|_, _| panic!("as it must"))
}

pub fn fails() -> Tool {
    ToolDef::new("fails", Toolset::Search)
        .raw_handler(|_, _| Err(Fault::new(ErrorCode::NotFound, "no such thing").hint("look elsewhere")))
}

pub fn partial() -> Tool {
    ToolDef::new("partial", Toolset::Programs).payload(Payload::Text).raw_handler(|call, _| {
        call.cancel().wait_timeout(Duration::from_secs(20));
        Ok(Body::failed_text("half of it"))
    })
}

pub fn relay() -> Tool {
    ToolDef::new("relay", Toolset::Programs).listing(Listing::Discovery).args(ArgCheck::Tool).raw_handler(
        |call, args| call.host().invoke(call, args["tool"].as_str().unwrap_or(""), args["args"].clone()),
    )
}

pub fn all() -> Vec<Tool> {
    vec![echo(), wait(), chatty(), panics(), fails(), partial(), relay()]
}

pub fn runtime() -> Runtime {
    runtime_with(Access::default(), Limits::default())
}

pub fn runtime_with(access: Access, limits: Limits) -> Runtime {
    Runtime::new(all(), access, limits).unwrap()
}

pub fn result(outcome: &Outcome) -> Value {
    match outcome.result.as_ref().unwrap() {
        Body::Json(raw) => serde_json::from_str(raw.get()).unwrap(),
        other => panic!("not JSON: {other:?}"),
    }
}

pub fn code(outcome: &Outcome) -> ErrorCode {
    outcome.result.as_ref().unwrap_err().fault.code
}

/// Starts a call and waits until it has reported its first step.
pub fn start(runtime: &Runtime, tool: &str) -> (mainstay_runtime::CallHandle, Receiver<Outcome>) {
    let (began, begin) = channel();
    let (send, receive) = channel();
    let request = Request::new(tool, json!({})).on_step(move |_, _| {
        // Nobody waits for the second step.
        let _ = began.send(());
    });
    let handle = runtime.submit(request, move |outcome| drop(send.send(outcome)));
    begin.recv_timeout(Duration::from_secs(10)).unwrap();
    (handle, receive)
}
