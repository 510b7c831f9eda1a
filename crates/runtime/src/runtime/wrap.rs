//! From what a tool gave to the answer its caller gets.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mainstay_contract::{Body, ErrorCode, Meta, ToolDef};
use serde_json::Value;

use super::Inner;
use crate::budget::Budget;
use crate::recent::{Asker, Ended};
use crate::request::{Failure, Outcome, Stage};

/// Most of an answer whose tokens are counted for the charts.
const MAX_COUNTED_BYTES: usize = 64 * 1024;

impl Inner {
    /// Cuts an answer to what its caller has room for.
    pub(super) fn within_budget(&self, mut outcome: Outcome, budget: Option<&Budget>) -> Outcome {
        let (Some(budget), Some(tool)) = (budget, &outcome.tool) else { return outcome };
        let whole = match &outcome.result {
            Ok(Body::Json(raw)) => serde_json::from_str(raw.get()).unwrap_or_default(),
            Ok(Body::Text { text, is_error: false }) => Value::from(text.as_str()),
            _ => return outcome,
        };
        match budget.apply(tool, whole, &outcome.meta, self.limits.tokens) {
            Ok((page, left)) => {
                outcome.meta.page = Some(left);
                outcome.result = match page {
                    Value::String(text) if matches!(outcome.result, Ok(Body::Text { .. })) => {
                        Ok(Body::Text { text, is_error: false })
                    }
                    page => Body::json(&page).map_err(|fault| Failure::new(Stage::Run, fault)),
                };
            }
            Err(fault) => outcome.result = Err(Failure::new(Stage::Validate, fault)),
        }
        outcome
    }

    /// Makes the answer; `asker` is absent when the call is in the log already.
    pub(super) fn wrap(
        &self,
        tool: Option<Arc<ToolDef>>,
        asker: Option<Asker>,
        request_id: Option<String>,
        started: Instant,
        result: Result<Body, Failure>,
        notes: mainstay_contract::Notes,
    ) -> Outcome {
        let took = started.elapsed();
        let at = (self.clock)();
        if let Some(Asker { surface, caller }) = asker {
            let (text, error) = match &result {
                Ok(Body::Json(raw)) => (raw.get(), None),
                Ok(Body::Text { text, is_error }) => (text.as_str(), is_error.then_some(ErrorCode::Internal)),
                Ok(Body::Content { is_error: true, .. }) => ("", Some(ErrorCode::Internal)),
                Ok(_) => ("", None),
                Err(failure) => ("", Some(failure.fault.code)),
            };
            self.metrics.record(Ended {
                number: 0,
                at,
                tool: tool.as_ref().map(|tool| tool.id.clone()),
                surface,
                caller,
                code: error.map(|code| code.shared().name()),
                is_denied: result.as_ref().is_err_and(|failure| failure.stage == Stage::Authorise),
                micros: micros(took),
                answer_bytes: text.len() as u64,
                answer_tokens: if self.counts_answers.load(Ordering::Relaxed) {
                    self.tokens_of(text)
                } else {
                    0
                },
            });
        }
        let meta = Meta {
            request_id,
            repo: notes.repo,
            duration_ms: Some(took.as_micros() as f64 / 1000.0),
            warnings: notes.warnings,
            ..Meta::at(at)
        };
        Outcome { tool, meta, result }
    }

    /// Tokens of an answer; of a long one the start is counted and stands for the rest.
    fn tokens_of(&self, text: &str) -> u64 {
        let start = &text[..text.floor_char_boundary(MAX_COUNTED_BYTES)];
        let counted = (self.limits.tokens)(start) as u64;
        if start.len() == text.len() { counted } else { counted * text.len() as u64 / start.len() as u64 }
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
