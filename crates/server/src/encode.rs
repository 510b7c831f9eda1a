//! One outcome, encoded for each surface.

use mainstay_contract::{Body, ErrorCode, Fault, Meta, Payload, failure, planned, success};
use mainstay_runtime::{Failure, Outcome, Stage};
use serde_json::{Map, Value, json};

use crate::rpc::RpcError;

/// How an unknown tool is answered over MCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownTool {
    #[default]
    ProtocolError,
    /// The Programs seed's text, when the server stands in for that seed's server.
    Text,
}

/// The `CallToolResult` of an outcome as JSON text, or the protocol error.
pub fn mcp(outcome: Outcome, name: &str, unknown: UnknownTool) -> Result<String, RpcError> {
    let payload = outcome.tool.as_ref().map(|tool| tool.payload);
    match outcome.result {
        Ok(Body::Json(raw)) if payload == Some(Payload::Bare) => {
            Ok(with_meta(structured_result(raw.get(), false), &outcome.meta))
        }
        Ok(Body::Json(raw)) => Ok(structured_result(&success(raw.get(), &outcome.meta), false)),
        Ok(Body::Text { text, is_error }) => Ok(with_meta(text_result(&text, is_error), &outcome.meta)),
        Ok(Body::Content { blocks, structured, is_error }) => {
            Ok(with_meta(content_result(blocks, structured, is_error), &outcome.meta))
        }
        Ok(Body::Planned { result, .. }) if payload == Some(Payload::Envelope) => {
            let result = result.as_ref().map(|raw| raw.get());
            Ok(structured_result(&planned(result, &outcome.meta), false))
        }
        Ok(Body::Planned { text, .. }) => Ok(with_meta(text_result(&text, false), &outcome.meta)),
        Ok(Body::Forward { .. }) => Err(misrouted()),
        Ok(Body::Input { .. }) => Err(RpcError::from_fault(&unasked())),
        Err(failed) if failed.stage == Stage::Resolve && unknown == UnknownTool::Text => {
            Ok(text_result(&unknown_text(name, &failed.fault), true))
        }
        Err(failed) if failed.fault.details.contains_key(REQUIRED_CAPABILITIES) => {
            Err(missing_capability(&failed.fault))
        }
        Err(failed) if is_protocol_error(&failed) => Err(protocol_error(&failed)),
        // A bare result has no place for a failure: arguments such a tool refuses are a protocol error.
        Err(failed) if payload == Some(Payload::Bare) && failed.fault.code == ErrorCode::InvalidRequest => {
            Err(protocol_error(&failed))
        }
        Err(failed) if payload == Some(Payload::Text) => {
            let mut result = text_result(&plain_text(&failed.fault), true);
            // A plan that does not fit is told with its difference, for programs too.
            if failed.fault.details.contains_key("differences") {
                result.truncate(result.len() - 1);
                let error = json!({ "mainstay/error": failed.fault.to_error() });
                result.push_str(&format!(r#","_meta":{error}}}"#));
            }
            Ok(result)
        }
        Err(failed) => Ok(structured_result(&failure(&failed.fault, &outcome.meta), true)),
    }
}

fn is_protocol_error(failed: &Failure) -> bool {
    matches!(failed.stage, Stage::Resolve | Stage::Validate | Stage::Queue)
}

fn protocol_error(failed: &Failure) -> RpcError {
    let error = RpcError::from_fault(&failed.fault);
    match failed.stage {
        Stage::Validate => error.with("details", json!(failed.violations)),
        _ => error,
    }
}

/// The detail in which a tool names the client capabilities it cannot do without.
const REQUIRED_CAPABILITIES: &str = "requiredCapabilities";

fn missing_capability(fault: &Fault) -> RpcError {
    let mut error = RpcError::from_fault(fault);
    error.code = RpcError::MISSING_CAPABILITY;
    error.with(REQUIRED_CAPABILITIES, fault.details[REQUIRED_CAPABILITIES].clone())
}

/// The answer when a tool asks for input on a surface that cannot ask.
fn unasked() -> Fault {
    Fault::new(ErrorCode::CapabilityMissing, "the tool needs answers that this client cannot be asked for")
        .hint("call the tool from an MCP client of protocol revision 2026-07-28")
}

fn misrouted() -> RpcError {
    RpcError::protocol(RpcError::INTERNAL, "a tool that is not a discovery tool handed its call over")
}

fn unknown_text(name: &str, fault: &Fault) -> String {
    let shown: String = name.chars().take(80).collect();
    match fault.details.get("nearest").and_then(Value::as_array) {
        Some(near) => {
            let near: Vec<&str> = near.iter().filter_map(Value::as_str).collect();
            format!("Unknown tool: {shown}. Did you mean: {}", near.join(", "))
        }
        None => format!("Unknown tool: {shown}"),
    }
}

fn plain_text(fault: &Fault) -> String {
    match &fault.hint {
        Some(hint) => format!("{}\nhint: {hint}", fault.message),
        None => fault.message.clone(),
    }
}

/// A result whose text and structured content are the same JSON.
fn structured_result(json_text: &str, is_error: bool) -> String {
    let quoted = quote(json_text);
    format!(
        r#"{{"content":[{{"type":"text","text":{quoted}}}],"structuredContent":{json_text},"isError":{is_error}}}"#
    )
}

fn text_result(text: &str, is_error: bool) -> String {
    format!(r#"{{"content":[{{"type":"text","text":{}}}],"isError":{is_error}}}"#, quote(text))
}

/// Says which part of an answer a result is and which plan it is about, where no envelope can.
fn with_meta(mut result: String, meta: &Meta) -> String {
    let mut said = Map::new();
    if let Some(page) = &meta.page {
        said.insert("mainstay/page".into(), json!(page));
    }
    if let Some(plan) = &meta.plan {
        said.insert("mainstay/plan".into(), plan.clone());
    }
    if !said.is_empty() {
        result.truncate(result.len() - 1);
        result.push_str(&format!(r#","_meta":{}}}"#, Value::Object(said)));
    }
    result
}

fn content_result(blocks: Vec<Value>, structured: Option<Value>, is_error: bool) -> String {
    let mut result = Map::new();
    result.insert("content".into(), Value::Array(blocks));
    if let Some(structured) = structured {
        result.insert("structuredContent".into(), structured);
    }
    result.insert("isError".into(), is_error.into());
    Value::Object(result).to_string()
}

fn quote(text: &str) -> String {
    serde_json::to_string(text).expect("a string is always JSON")
}

/// The bare result or failure, for the native protocols.
pub fn bare(body: Body) -> Result<String, RpcError> {
    match body {
        Body::Json(raw) => Ok(raw.get().to_owned()),
        Body::Text { text, is_error } => Ok(json!({ "text": text, "isError": is_error }).to_string()),
        Body::Content { blocks, .. } => Ok(json!({ "content": blocks }).to_string()),
        Body::Planned { plan, .. } => Ok(json!({ "plan": plan }).to_string()),
        Body::Forward { .. } => Err(misrouted()),
        Body::Input { .. } => Err(RpcError::from_fault(&unasked())),
    }
}

/// The answer of a direct JSON-RPC method: the bare result of the Catalog seed.
pub fn direct(outcome: Outcome, method: &str) -> Result<String, RpcError> {
    match outcome.result {
        Ok(body) => bare(body),
        Err(failed) => {
            let mut error = protocol_error(&failed).with("method", method);
            match failed.stage {
                Stage::Validate => {
                    let summary = std::mem::replace(&mut error.message, "Invalid params".into());
                    error = error.with("message", summary).with("errors", json!(failed.violations));
                }
                Stage::Resolve => error.code = RpcError::METHOD_NOT_FOUND,
                // The Catalog seed has one code for whatever fails past the arguments.
                Stage::Authorise | Stage::Run => {
                    error.code = RpcError::INTERNAL;
                    if let Some(reason) = failed.fault.details.get("reason") {
                        error = error.with("reason", reason.clone());
                    }
                }
                Stage::Queue => {}
            }
            Err(error)
        }
    }
}

/// The answer of the foundry line protocol without its `id`: `("result", …)` or `("error", …)`.
pub fn line(outcome: Outcome, incident: impl FnOnce() -> String) -> (&'static str, String) {
    let failed = match outcome.result {
        Ok(body) => match bare(body) {
            Ok(result) => return ("result", result),
            Err(error) => return ("error", line_error("BAD_REQUEST", &error.message, None, incident())),
        },
        Err(failed) => failed,
    };
    let code = match failed.stage {
        Stage::Run if failed.fault.code.line().name() == "SCHEMA_INPUT" => "BAD_REQUEST",
        _ => failed.fault.code.line().name(),
    };
    let mut details = Map::clone(&failed.fault.details);
    if !failed.violations.is_empty() {
        details.insert("errors".into(), json!(failed.violations));
    }
    if let Some(hint) = &failed.fault.hint {
        details.insert("hint".into(), hint.as_str().into());
    }
    let message = match failed.stage {
        Stage::Validate => "Input validation failed",
        _ => &failed.fault.message,
    };
    ("error", line_error(code, message, (!details.is_empty()).then_some(details), incident()))
}

pub fn line_error(
    code: &str,
    message: &str,
    details: Option<Map<String, Value>>,
    incident: String,
) -> String {
    let mut error = Map::new();
    error.insert("code".into(), code.into());
    error.insert("message".into(), message.into());
    if let Some(details) = details {
        error.insert("details".into(), Value::Object(details));
    }
    error.insert("incidentId".into(), incident.into());
    Value::Object(error).to_string()
}

/// The legacy transport: bare result as text, failures flat.
pub fn legacy(outcome: Outcome) -> String {
    match outcome.result {
        Ok(Body::Text { text, is_error }) => text_result(&text, is_error),
        Ok(body) => match bare(body) {
            Ok(result) => format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, quote(&result)),
            Err(error) => text_result(&flat(&Fault::invalid(error.message), &[]).to_string(), true),
        },
        Err(failed) => text_result(&flat(&failed.fault, &failed.violations).to_string(), true),
    }
}

fn flat(fault: &Fault, violations: &[mainstay_runtime::Violation]) -> Value {
    let code = match fault.code.shared() {
        ErrorCode::UnknownTool => ErrorCode::InvalidRequest,
        code => code,
    };
    let mut flat = Map::new();
    flat.insert("message".into(), fault.message.as_str().into());
    flat.insert("code".into(), code.name().into());
    flat.extend(Map::clone(&fault.details));
    if !violations.is_empty() {
        flat.insert("errors".into(), json!(violations));
    }
    if let Some(hint) = &fault.hint {
        flat.insert("hint".into(), hint.as_str().into());
    }
    Value::Object(flat)
}

/// The envelope of an outcome, for HTTP and the command line.
pub fn envelope(outcome: &Outcome) -> String {
    match &outcome.result {
        Ok(Body::Json(raw)) => success(raw.get(), &outcome.meta),
        Ok(Body::Text { text, is_error }) => {
            success(&json!({ "text": text, "isError": is_error }).to_string(), &outcome.meta)
        }
        Ok(Body::Content { blocks, structured, is_error }) => {
            let mut result = json!({ "content": blocks, "isError": is_error });
            if let Some(structured) = structured {
                result["structuredContent"] = structured.clone();
            }
            success(&result.to_string(), &outcome.meta)
        }
        Ok(Body::Planned { result, .. }) => planned(result.as_ref().map(|raw| raw.get()), &outcome.meta),
        Ok(Body::Forward { .. }) => failure(&Fault::invalid(misrouted().message), &outcome.meta),
        Ok(Body::Input { .. }) => failure(&unasked(), &outcome.meta),
        Err(failed) => failed_envelope(failed, &outcome.meta),
    }
}

fn failed_envelope(failed: &Failure, meta: &Meta) -> String {
    if failed.violations.is_empty() {
        return failure(&failed.fault, meta);
    }
    let fault = Fault {
        code: failed.fault.code,
        message: failed.fault.message.clone(),
        hint: failed.fault.hint.clone(),
        details: failed.fault.details.clone(),
    };
    failure(&fault.detail("errors", json!(failed.violations)), meta)
}

/// The HTTP status of an outcome.
pub fn http_status(outcome: &Outcome) -> u16 {
    match &outcome.result {
        Ok(Body::Input { .. }) => unasked().code.row().http,
        Ok(Body::Forward { .. }) => ErrorCode::InvalidRequest.row().http,
        Ok(_) => 200,
        Err(failed) => failed.fault.code.row().http,
    }
}
