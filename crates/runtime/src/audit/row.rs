//! One row of the audit log: who asked for what, what was decided, how it ended.

use mainstay_contract::{Body, redact, timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::budget::TokenCounter;
use crate::journal::Asked;
use crate::request::{Outcome, Stage};

/// Arguments beyond this are counted, not kept.
const MAX_ARGS_BYTES: usize = 4 * 1024;
/// Longest name of a caller or an unknown tool.
const MAX_NAME_CHARS: usize = 200;
/// Answers beyond this have no token count: counting would cost more than the call.
const MAX_COUNTED_BYTES: usize = 256 * 1024;

/// What is known when a call begins.
pub struct Begun {
    at: String,
    surface: &'static str,
    caller: Option<String>,
    pub tool: String,
    /// Secrets are gone before this is made.
    args: Value,
}

impl Begun {
    pub fn of(asked: &Asked<'_>) -> Begun {
        let schema = asked.def.map(|def| &*def.input);
        let masked = redact::mask_arguments(schema, asked.args);
        let size = masked.to_string().len();
        Begun {
            at: timestamp(asked.at),
            surface: asked.surface,
            caller: asked.caller.name.as_deref().map(short),
            tool: asked.def.map_or_else(|| short(asked.tool), |def| def.id.clone()),
            args: if size > MAX_ARGS_BYTES { json!({ "omittedBytes": size }) } else { masked },
        }
    }
}

fn short(name: &str) -> String {
    redact::mask_text(name).chars().take(MAX_NAME_CHARS).collect()
}

/// What is known when it has ended.
pub struct Answered {
    decision: &'static str,
    outcome: &'static str,
    rule: Option<String>,
    duration_ms: Option<f64>,
    bytes: usize,
    tokens: Option<usize>,
}

impl Answered {
    pub fn of(outcome: &Outcome, tokens: TokenCounter) -> Answered {
        let text = match &outcome.result {
            Ok(Body::Json(raw)) => raw.get(),
            Ok(Body::Text { text, .. }) => text.as_str(),
            _ => "",
        };
        let failure = outcome.result.as_ref().err();
        Answered {
            decision: match failure.map(|failure| failure.stage) {
                None | Some(Stage::Run) => "allowed",
                Some(Stage::Resolve) => "unknown",
                Some(Stage::Validate) => "invalid",
                Some(Stage::Authorise) => "denied",
                Some(Stage::Queue) => "refused",
            },
            outcome: match (failure, &outcome.result) {
                (Some(failure), _) => failure.fault.code.shared().name(),
                (_, Ok(Body::Text { is_error: true, .. } | Body::Content { is_error: true, .. })) => "error",
                _ => "ok",
            },
            rule: failure.and_then(|failure| Some(failure.fault.details.get("rule")?.as_str()?.to_owned())),
            duration_ms: outcome.meta.duration_ms,
            bytes: text.len(),
            tokens: (text.len() <= MAX_COUNTED_BYTES).then(|| tokens(text)),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    seq: u64,
    at: &'a str,
    surface: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<&'a str>,
    tool: &'a str,
    args: &'a Value,
    decision: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    outcome: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    prev: &'a str,
}

/// The row before it is sealed.
pub fn text(seq: u64, prev: &str, begun: &Begun, answered: &Answered) -> String {
    let row = Row {
        seq,
        at: &begun.at,
        surface: begun.surface,
        caller: begun.caller.as_deref(),
        tool: &begun.tool,
        args: &begun.args,
        decision: answered.decision,
        rule: answered.rule.as_deref(),
        outcome: answered.outcome,
        duration_ms: answered.duration_ms,
        bytes: answered.bytes,
        tokens: answered.tokens,
        prev,
    };
    serde_json::to_string(&row).expect("a row holds only strings, numbers and JSON")
}
