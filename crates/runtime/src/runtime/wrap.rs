//! From what a tool gave to the answer its caller gets.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use mainstay_contract::{Body, ErrorCode, Meta, ToolDef};

use super::Inner;
use crate::budget::{self, Budget};
use crate::recent::{Asker, Ended};
use crate::request::{Failure, Outcome, Size, Stage};

/// Most of an answer whose tokens are counted; counting more would cost more than the call.
const MAX_COUNTED_BYTES: usize = 256 * 1024;

impl Inner {
    /// Cuts an answer to what its caller has room for.
    pub(super) fn within_budget(&self, mut outcome: Outcome, budget: Option<&Budget>) -> Outcome {
        let (Some(budget), Some(tool)) = (budget, &outcome.tool) else { return outcome };
        let Some(whole) = outcome.result.as_ref().ok().and_then(budget::whole) else { return outcome };
        match budget.apply(tool, whole, &outcome.meta, self.limits.tokens) {
            Ok((page, left)) => {
                outcome.meta.page = Some(left);
                let cut =
                    |body| budget::with_page(body, page).map_err(|fault| Failure::new(Stage::Run, fault));
                outcome.result = outcome.result.and_then(cut);
            }
            Err(fault) => outcome.result = Err(Failure::new(Stage::Validate, fault)),
        }
        outcome
    }

    /// Makes the answer.
    pub(super) fn wrap(
        &self,
        tool: Option<Arc<ToolDef>>,
        request_id: Option<String>,
        started: Instant,
        result: Result<Body, Failure>,
        notes: mainstay_contract::Notes,
    ) -> Outcome {
        let meta = Meta {
            request_id,
            repo: notes.repo,
            duration_ms: Some(started.elapsed().as_micros() as f64 / 1000.0),
            warnings: notes.warnings,
            ..Meta::at((self.clock)())
        };
        Outcome { tool, meta, result, size: Size::default() }
    }

    /// Measures and counts an answer; called once, for the one that its caller gets.
    pub(super) fn finish(&self, mut outcome: Outcome, asker: Asker, started: Instant) -> Outcome {
        let error = match &outcome.result {
            Ok(Body::Text { is_error: true, .. } | Body::Content { is_error: true, .. }) => {
                Some(ErrorCode::Internal)
            }
            Ok(_) => None,
            Err(failure) => Some(failure.fault.code),
        };
        let text = sent(&outcome.result);
        let is_counted = self.counts_answers.load(Ordering::Relaxed);
        outcome.size = Size { bytes: text.len() as u64, tokens: is_counted.then(|| self.tokens_of(&text)) };
        self.metrics.record(Ended {
            number: 0,
            at: (self.clock)(),
            tool: outcome.tool.as_ref().map(|tool| tool.id.clone()),
            surface: asker.surface,
            caller: asker.caller,
            code: error.map(|code| code.shared().name()),
            is_denied: outcome.result.as_ref().is_err_and(|failure| failure.stage == Stage::Authorise),
            micros: micros(started.elapsed()),
            answer_bytes: outcome.size.bytes,
            answer_tokens: outcome.size.tokens.unwrap_or_default(),
        });
        outcome
    }

    /// Tokens of an answer; of a long one the start is counted and stands for the rest.
    fn tokens_of(&self, text: &str) -> u64 {
        let start = &text[..text.floor_char_boundary(MAX_COUNTED_BYTES)];
        let counted = (self.limits.tokens)(start) as u64;
        if start.len() == text.len() { counted } else { counted * text.len() as u64 / start.len() as u64 }
    }
}

/// What of an answer a caller reads.
fn sent(result: &Result<Body, Failure>) -> Cow<'_, str> {
    match result {
        Ok(Body::Json(raw)) => raw.get().into(),
        Ok(Body::Text { text, .. } | Body::Planned { text, .. }) => text.as_str().into(),
        Ok(Body::Content { blocks, .. }) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<String>().into()
        }
        _ => "".into(),
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
