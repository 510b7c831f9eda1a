//! From an admitted call to its answer, following a hand-over to another tool.

use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Body, CancelToken, ProgressSink, StopReason};

use super::admit::Admitted;
use super::perform::{Ran, Setting};
use super::queue::stopped_by_timeout;
use super::wrap::micros;
use super::{Carried, Inner};
use crate::active::Active;
use crate::budget::Budget;
use crate::plan::Intent;
use crate::registry::Door;
use crate::request::{Failure, Outcome, Stage};

impl Inner {
    /// Runs the work behind a panic fence, following a hand-over to another tool once.
    pub(super) fn run(
        &self,
        admitted: Admitted,
        carried: &Carried,
        token: CancelToken,
        progress: Arc<dyn ProgressSink>,
        started: Instant,
        active: Option<&Arc<Active>>,
    ) -> Outcome {
        let mut admitted = admitted;
        let asked = Budget::of(&carried.meta).and_then(|budget| Ok((budget, Intent::of(&carried.meta)?)));
        let (budget, intent) = match asked {
            Ok(asked) => asked,
            Err(fault) => {
                let (tool, failure) =
                    (Arc::clone(&admitted.entry.tool.def), Failure::new(Stage::Validate, fault));
                let id = carried.request_id.clone();
                return self.wrap(Some(tool), id, started, Err(failure), Default::default());
            }
        };
        loop {
            let def = Arc::clone(&admitted.entry.tool.def);
            let Admitted { entry, args, place } = admitted;
            let setting = Setting { tool: &entry.tool, carried, token: &token, progress: &progress };
            let Ran { result, plan, notes } = self.carry_out(&setting, args, &intent);
            drop(place);
            let result = match token.reason() {
                Some(StopReason::Timeout) => stopped_by_timeout(result, self.timeout_of(&def)),
                _ => result,
            };
            let id = carried.request_id.clone();
            match result {
                Ok(Body::Forward { tool, args }) => {
                    self.metrics.record_forward(&def.id, micros(started.elapsed()));
                    match self.admit(&tool, args, Door::Registered, &carried.caller) {
                        Ok(next) => {
                            if let Some(active) = active {
                                self.arm(active, &next.entry.tool.def);
                            }
                            admitted = next;
                        }
                        Err((tool, failure)) => return self.wrap(tool, id, started, Err(failure), notes),
                    }
                }
                result => {
                    let result = result.map_err(|fault| Failure::new(Stage::Run, fault));
                    let mut outcome = self.wrap(Some(def), id, started, result, notes);
                    outcome.meta.plan = plan;
                    return self.within_budget(outcome, budget.as_ref());
                }
            }
        }
    }
}
