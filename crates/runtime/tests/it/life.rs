//! Answers, failures, timeouts, cancellation, overload, progress.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mainstay_contract::{Body, Caller, ErrorCode, StopReason, ToolDef, Toolset};
use mainstay_runtime::{Access, Form, Limits, Origin, Request, Runtime, Sourced, Stage};
use serde_json::json;

use crate::support::*;

const SOON: Duration = Duration::from_secs(10);

#[test]
fn a_call_is_answered_with_its_result() {
    let outcome = runtime().call(Request::new("echo", json!({"message": "hello"})));
    assert_eq!(result(&outcome), json!({"message": "hello"}));
    assert!(outcome.meta.duration_ms.is_some());
}

#[test]
fn bad_arguments_and_unknown_tools_never_reach_a_handler() {
    let runtime = runtime();
    let outcome = runtime.call(Request::new("echo", json!({"massage": "x"})));
    let failure = outcome.result.unwrap_err();
    assert_eq!((failure.stage, failure.fault.code), (Stage::Validate, ErrorCode::InvalidRequest));
    assert_eq!(failure.violations.len(), 2, "missing message, unknown massage");
    let failure = runtime.call(Request::new("ehco", json!({}))).result.unwrap_err();
    assert_eq!((failure.stage, failure.fault.code), (Stage::Resolve, ErrorCode::UnknownTool));
    assert_eq!(failure.fault.details["nearest"], json!(["echo"]));
}

#[test]
fn a_panic_is_an_internal_error_and_the_next_call_works() {
    let runtime = runtime();
    let outcome = runtime.call(Request::new("panics", json!({})));
    assert_eq!(code(&outcome), ErrorCode::Internal);
    assert!(runtime.call(Request::new("chatty", json!({}))).result.is_ok());
}

#[test]
fn a_timeout_stops_the_work_and_names_the_limit() {
    let limits = Limits { timeout: Some(Duration::from_millis(30)), ..Limits::default() };
    let runtime = runtime_with(Access::default(), limits);
    let outcome = runtime.call(Request::new("wait", json!({})));
    let failure = outcome.result.unwrap_err();
    assert_eq!(failure.fault.code, ErrorCode::ToolTimeout);
    assert_eq!(failure.fault.details["timeoutMs"], 30);
    assert!(runtime.drain(SOON));
}

#[test]
fn a_call_whose_time_runs_out_before_it_starts_has_timed_out() {
    let (release, held) = channel::<()>();
    let held = Mutex::new(held);
    let holds =
        ToolDef::new("holds", Toolset::Search).summary("Hold the only worker").raw_handler(move |call, _| {
            call.progress("hold", "holding");
            held.lock().unwrap().recv_timeout(SOON).unwrap();
            Body::json(&json!({}))
        });
    let limits = Limits { workers: 1, timeout: Some(Duration::from_millis(30)), ..Limits::default() };
    let runtime = Runtime::new(vec![holds, wait()], Access::default(), limits).unwrap();
    let (_first, _) = start(&runtime, "holds");
    let request = Request::new("wait", json!({}));
    let (token, (send, answers)) = (request.cancel.clone(), channel());
    runtime.submit(request, move |outcome| send.send(outcome).unwrap());
    assert!(token.wait_timeout(SOON), "the deadline of the waiting call");
    release.send(()).unwrap();
    assert_eq!(code(&answers.recv_timeout(SOON).unwrap()), ErrorCode::ToolTimeout);
    assert!(runtime.drain(SOON));
}

#[test]
fn the_size_of_an_answer_is_that_of_the_page_its_caller_gets() {
    let long = ToolDef::new("long", Toolset::Search)
        .summary("Say much")
        .raw_handler(|_, _| Body::json(&json!({ "rows": vec!["a row of the answer"; 400] })));
    let runtime = Runtime::new(vec![long], Access::default(), Limits::default()).unwrap();
    runtime.count_answers();
    let whole = runtime.call(Request::new("long", json!({})));
    let meta = json!({ "mainstay/maxTokens": 300 }).as_object().unwrap().clone();
    let page = runtime.call(Request { meta, ..Request::new("long", json!({})) });
    let text = result(&page).to_string();
    assert_eq!(page.size.bytes, text.len() as u64);
    assert!(page.size.tokens.unwrap() <= 300 && whole.size.tokens.unwrap() > 1_000, "{page:?}");
    let counted: Vec<_> =
        runtime.metrics().recent(0, 9).iter().map(|call| (call.answer_bytes, call.answer_tokens)).collect();
    let sizes = [&page, &whole].map(|answer| (answer.size.bytes, answer.size.tokens.unwrap()));
    assert_eq!(counted, sizes);
}

#[test]
fn partial_text_survives_a_timeout() {
    let limits = Limits { timeout: Some(Duration::from_millis(500)), ..Limits::default() };
    let outcome = runtime_with(Access::default(), limits).call(Request::new("partial", json!({})));
    assert!(matches!(outcome.result.unwrap(), Body::Text { text, is_error: true } if text == "half of it"));
}

#[test]
fn a_cancelled_call_is_answered_once_and_its_work_ends() {
    let runtime = runtime();
    let (handle, answers) = start(&runtime, "wait");
    handle.cancel(StopReason::Cancelled);
    handle.cancel(StopReason::Cancelled);
    assert_eq!(code(&answers.recv_timeout(SOON).unwrap()), ErrorCode::Cancelled);
    assert!(runtime.drain(SOON));
    assert!(answers.try_recv().is_err(), "a second answer");
    assert!(handle.is_finished());
}

#[test]
fn a_call_whose_token_comes_cancelled_is_answered() {
    let runtime = runtime();
    let request = Request::new("wait", json!({}));
    request.cancel.cancel(StopReason::Cancelled);
    assert_eq!(code(&runtime.call(request)), ErrorCode::Cancelled);
    assert!(runtime.drain(SOON));
}

#[test]
fn a_full_queue_refuses_and_frees_itself() {
    let limits = Limits { queue_max: 2, ..Limits::default() };
    let runtime = runtime_with(Access::default(), limits);
    let (one, _first) = start(&runtime, "wait");
    let (_two, second) = start(&runtime, "wait");
    let failure = runtime.call(Request::new("wait", json!({}))).result.unwrap_err();
    assert_eq!((failure.stage, failure.fault.code), (Stage::Queue, ErrorCode::QueueOverloaded));
    assert_eq!(failure.fault.details["queue"], json!({"max": 2, "size": 2}));
    assert!(runtime.call(Request::new("echo", json!({"message": "x"}))).result.is_ok(), "inline tools go on");
    one.cancel(StopReason::Cancelled);
    assert!(runtime.shutdown(SOON));
    assert_eq!(code(&second.recv_timeout(SOON).unwrap()), ErrorCode::Cancelled);
}

#[test]
fn progress_grows_is_throttled_and_ends_with_the_answer() {
    let runtime = runtime();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let steps = Arc::clone(&seen);
    let (send, receive) = channel();
    let request = Request::new("chatty", json!({}))
        .on_step(move |_, step| steps.lock().unwrap().push((Instant::now(), step.value)));
    runtime.submit(request, move |outcome| send.send(outcome).unwrap());
    receive.recv_timeout(SOON).unwrap();
    let count = seen.lock().unwrap().len();
    assert!(count >= 2, "{count} steps");
    let steps = seen.lock().unwrap().clone();
    assert!(steps.windows(2).all(|pair| pair[0].1 < pair[1].1), "{steps:?}");
    // One interval of slack: a delivery may be late, which shortens the gap to the next one.
    let span = steps[count - 1].0 - steps[0].0 + Duration::from_millis(250);
    assert!(Duration::from_millis(250) * (count as u32 - 1) <= span, "{steps:?}");
    assert!(runtime.drain(SOON));
    assert_eq!(seen.lock().unwrap().len(), count, "a step after the answer");
}

#[test]
fn a_forwarded_call_answers_as_the_classic_call_would() {
    let access =
        Access { form: Sourced::new(Form::Discovery, Origin::flag("--discovery")), ..Access::default() };
    let runtime = runtime_with(access, Limits::default());
    let through = |tool: &str, args| runtime.call(Request::new("relay", json!({"tool": tool, "args": args})));
    let outcome = through("echo", json!({"message": "hi"}));
    assert_eq!(outcome.tool.as_ref().unwrap().id, "echo");
    assert_eq!(result(&outcome), json!({"message": "hi"}));
    let failure = through("echo", json!({})).result.unwrap_err();
    assert_eq!((failure.stage, failure.violations.len()), (Stage::Validate, 1));
    assert_eq!(code(&through("relay", json!({}))), ErrorCode::UnknownTool, "no hand-over to itself");
    assert_eq!(code(&through("nothing", json!({}))), ErrorCode::UnknownTool);
}

#[test]
fn metrics_count_calls_and_failures_by_code() {
    let runtime = runtime();
    runtime.call(Request::new("echo", json!({"message": "x"})));
    runtime.call(Request::new("fails", json!({})));
    runtime.call(Request::new("fails", json!({})));
    let rows = runtime.metrics().snapshot();
    assert_eq!((rows["echo"].count, rows["echo"].errors), (1, 0));
    assert_eq!((rows["fails"].count, rows["fails"].codes["NOT_FOUND"]), (2, 2));
}

#[test]
fn the_log_names_callers_and_outcomes_but_not_what_was_said() {
    let runtime = runtime();
    let caller = Caller { name: Some("editor".into()), ..Caller::default() };
    let secret = json!({"message": "planted-secret"});
    runtime.call(Request { caller, surface: "mcp", ..Request::new("echo", secret) });
    runtime.call(Request::new("planted-secret", json!({})));
    let calls = runtime.metrics().recent(0, 10);
    let shown: Vec<_> = calls.iter().map(|call| (call.tool.as_deref(), call.surface, call.code)).collect();
    assert_eq!(shown, [(None, "library", Some("UNKNOWN_TOOL")), (Some("echo"), "mcp", None)]);
    assert_eq!(calls[1].caller.as_deref(), Some("editor"));
    let minutes = runtime.metrics().minutes(jiff::Timestamp::now());
    assert_eq!(minutes.iter().map(|minute| minute.calls).sum::<u64>(), 2);
    let all = serde_json::to_string(&calls).unwrap() + &serde_json::to_string(&minutes).unwrap();
    assert!(!all.contains("planted-secret"), "{all}");
}

#[test]
fn a_call_that_is_answered_before_its_work_ends_is_in_the_log_once() {
    let runtime = runtime();
    let (send, receive) = std::sync::mpsc::channel();
    let handle = runtime.submit(Request::new("wait", json!({})), move |_| send.send(()).unwrap());
    handle.cancel(StopReason::Cancelled);
    receive.recv().unwrap();
    assert!(runtime.drain(Duration::from_secs(20)));
    let codes: Vec<_> = runtime.metrics().recent(0, 10).iter().map(|call| call.code).collect();
    assert_eq!(codes, [Some("CANCELLED")]);
}
