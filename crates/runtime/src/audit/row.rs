//! One row of the audit log: who asked for what, what was decided, how it ended.

use mainstay_contract::{Body, ErrorCode, redact, timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::journal::{Asked, Refused};
use crate::plan::Intent;
use crate::request::{Outcome, Stage};

/// Arguments beyond this are counted, not kept.
const MAX_ARGS_BYTES: usize = 4 * 1024;
/// Longest name of a caller, a plan, a request or an unknown tool.
const MAX_NAME_CHARS: usize = 200;

/// A row without its place in the chain.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    at: String,
    surface: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    /// The address of a request that did not become a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What a request asked for that did not become a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<String>,
    /// Secrets are gone before this is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    args: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanMark>,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<u64>,
    /// Refused requests before this one that have no row of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<u64>,
}

/// The plan a call made, or was to carry out.
#[derive(Debug, Clone, Serialize)]
struct PlanMark {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    step: &'static str,
}

#[derive(Serialize)]
struct Linked<'a> {
    seq: u64,
    #[serde(flatten)]
    row: &'a Row,
    prev: &'a str,
}

impl Row {
    /// What is known when a call begins.
    pub fn begun(asked: &Asked<'_>) -> Row {
        let schema = asked.def.map(|def| &*def.input);
        let masked = redact::mask_arguments(schema, asked.args);
        let size = masked.to_string().len();
        Row {
            at: timestamp(asked.at),
            surface: asked.surface,
            caller: asked.caller.name.as_deref().map(short),
            tool: Some(asked.def.map_or_else(|| short(asked.tool), |def| def.id.clone())),
            args: Some(if size > MAX_ARGS_BYTES { json!({ "omittedBytes": size }) } else { masked }),
            plan: match &asked.intent {
                Intent::Direct => None,
                Intent::Preview => Some(PlanMark { id: None, step: "preview" }),
                Intent::Apply(id) => Some(PlanMark { id: Some(short(id)), step: "apply" }),
            },
            ..Row::default()
        }
    }

    /// The same row with how the call ended.
    pub fn ended(mut self, outcome: &Outcome) -> Row {
        let failure = outcome.result.as_ref().err();
        if let (Some(plan), Some(made)) = (&mut self.plan, &outcome.meta.plan) {
            plan.id = made["id"].as_str().map(str::to_owned).or(plan.id.take());
        }
        Row {
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
            bytes: outcome.size.bytes,
            tokens: outcome.size.tokens,
            ..self
        }
    }

    /// The row of a request that did not become a call, after `omitted` others without one.
    pub fn refused(refused: &Refused<'_>, omitted: u64) -> Row {
        let code = refused.fault.code.shared();
        Row {
            at: timestamp(refused.at),
            surface: refused.surface,
            caller: refused.caller.map(short),
            from: refused.from.clone(),
            request: Some(short(refused.request)),
            decision: match code {
                ErrorCode::QueueOverloaded => "refused",
                ErrorCode::InvalidRequest => "invalid",
                _ => "denied",
            },
            rule: Some(short(&refused.fault.message)),
            outcome: code.name(),
            omitted: Some(omitted).filter(|omitted| *omitted > 0),
            ..Row::default()
        }
    }

    /// The text of the row before it is sealed.
    pub fn text(&self, seq: u64, prev: &str) -> String {
        serde_json::to_string(&Linked { seq, row: self, prev })
            .expect("a row holds only strings, numbers and JSON")
    }
}

fn short(name: &str) -> String {
    redact::mask_text(name).chars().take(MAX_NAME_CHARS).collect()
}
