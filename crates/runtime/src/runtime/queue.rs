//! Calls under way: bounded in number, stopped at their deadline or by whoever asked.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mainstay_contract::{
    Body, CancelToken, ErrorCode, Fault, FaultResult, ProgressSink, StopReason, ToolDef,
};
use serde_json::json;

use super::admit::Admitted;
use super::{Carried, Inner};
use crate::active::{Active, Done, Reporter};
use crate::request::{Failure, Stage, StepSink};

/// How long a call that was told to stop may take to clean up before it is answered without it.
const STOP_GRACE: Duration = Duration::from_millis(3_000);

/// A call under way.
pub struct CallHandle {
    pub(super) active: Option<Arc<Active>>,
    pub(super) inner: Arc<Inner>,
}

impl CallHandle {
    /// Stops the call; it is answered at once with `CANCELLED`.
    pub fn cancel(&self, reason: StopReason) {
        if let Some(active) = &self.active {
            active.token.cancel(reason);
            self.inner.answer_failure(active, Failure::new(Stage::Run, cancelled()));
        }
    }

    pub fn is_finished(&self) -> bool {
        self.active.as_ref().is_none_or(|active| active.is_answered())
    }
}

impl Inner {
    pub(super) fn enqueue(
        &self,
        admitted: Admitted,
        carried: Carried,
        token: CancelToken,
        steps: Option<StepSink>,
        done: Done,
    ) -> CallHandle {
        let inner = self.arc();
        let def = Arc::clone(&admitted.entry.tool.def);
        let active =
            Arc::new(Active::new(Arc::clone(&def), carried.asker(), token, self.timer.clone(), steps, done));
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        let handle = CallHandle { active: Some(Arc::clone(&active)), inner: Arc::clone(&inner) };
        {
            let mut calls = self.lock_calls();
            let (max, size) = (self.limits.queue_max, calls.len());
            if size >= max {
                drop(calls);
                let fault = Fault::new(
                    ErrorCode::QueueOverloaded,
                    format!("{size} calls are under way, {max} are allowed"),
                )
                .detail("queue", json!({ "max": max, "size": size }))
                .hint("retry later or reduce concurrency");
                self.answer_failure(&active, Failure::new(Stage::Queue, fault));
                return handle;
            }
            calls.insert(key, Arc::clone(&active));
        }
        self.arm(&active, &def);
        let worker = Arc::clone(&inner);
        let job_active = Arc::clone(&active);
        let submitted = self.pool.submit(move || {
            let active = job_active;
            if !active.token.is_cancelled() {
                let progress: Arc<dyn ProgressSink> = Arc::new(Reporter(Arc::clone(&active)));
                let outcome = worker.run(
                    admitted,
                    &carried,
                    active.token.clone(),
                    progress,
                    active.started,
                    Some(&active),
                );
                active.answer(|| worker.finish(outcome, active.asker.clone(), active.started));
            } else {
                // Whoever cancels through the handle has the answer already; a token may come cancelled, and the
                // deadline may have passed in the queue.
                let fault = match active.token.reason() {
                    Some(StopReason::Timeout) => timed_out(worker.timeout_of(&active.tool)),
                    _ => cancelled(),
                };
                worker.answer_failure(&active, Failure::new(Stage::Run, fault));
            }
            worker.lock_calls().remove(&key);
            worker.finished.notify_all();
        });
        if let Err(error) = submitted {
            self.lock_calls().remove(&key);
            self.answer_failure(&active, Failure::new(Stage::Queue, Fault::internal(&error)));
        }
        handle
    }

    pub(super) fn timeout_of(&self, def: &ToolDef) -> Duration {
        self.limits.timeout.unwrap_or(def.policy.timeout)
    }

    /// Sets the deadline: first the work is told to stop, then the call is answered without it.
    pub(super) fn arm(&self, active: &Arc<Active>, def: &Arc<ToolDef>) {
        let timeout = self.timeout_of(def);
        let (weak, inner) = (Arc::downgrade(active), self.me.clone());
        active.set_deadline(timeout, move || {
            let Some(active) = weak.upgrade() else { return };
            active.token.cancel(StopReason::Timeout);
            let again = Arc::downgrade(&active);
            active.set_deadline(STOP_GRACE, move || {
                if let (Some(active), Some(inner)) = (again.upgrade(), inner.upgrade()) {
                    inner.answer_failure(&active, Failure::new(Stage::Run, timed_out(timeout)));
                }
            });
        });
    }

    fn answer_failure(&self, active: &Active, failure: Failure) {
        active.answer(|| {
            let tool = Some(Arc::clone(&active.tool));
            let outcome = self.wrap(tool, None, active.started, Err(failure), Default::default());
            self.finish(outcome, active.asker.clone(), active.started)
        });
    }
}

fn cancelled() -> Fault {
    Fault::new(ErrorCode::Cancelled, "the call was cancelled")
}

fn timed_out(timeout: Duration) -> Fault {
    let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    Fault::new(ErrorCode::ToolTimeout, format!("the tool ran longer than {timeout_ms} ms and was stopped"))
        .detail("timeoutMs", timeout_ms)
        .hint("raise the limit or narrow the request")
}

/// Texts are kept, because a program's partial output is part of its answer.
pub(super) fn stopped_by_timeout(result: FaultResult<Body>, timeout: Duration) -> FaultResult<Body> {
    match result {
        Ok(body @ (Body::Text { .. } | Body::Content { .. })) => Ok(body),
        _ => Err(timed_out(timeout)),
    }
}
