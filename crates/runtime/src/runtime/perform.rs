//! Running a tool as its caller intends: at once, for show, or as a plan says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};

use mainstay_contract::{
    Body, Call, CallParts, CancelToken, Changes, ErrorCode, Fault, FaultResult, Planning, ProgressSink, Tool,
};
use serde_json::{Value, json};

use super::{Carried, Inner};
use crate::plan::{self, Intent, Plan, PlanStore};

/// What one run of a tool is given, whatever it may change.
pub(super) struct Setting<'a> {
    pub tool: &'a Tool,
    pub carried: &'a Carried,
    pub token: &'a CancelToken,
    pub progress: &'a Arc<dyn ProgressSink>,
}

/// What came of running a tool.
pub(super) struct Ran {
    pub result: FaultResult<Body>,
    /// The plan that was made or applied, as the answer shows it.
    pub plan: Option<Value>,
    pub notes: mainstay_contract::Notes,
}

impl Inner {
    /// Runs a tool as its caller intends: at once, for show, or as a plan says.
    pub(super) fn carry_out(&self, setting: &Setting, args: Value, intent: &Intent) -> Ran {
        let def = &setting.tool.def;
        let refused = |fault| Ran { result: Err(fault), plan: None, notes: Default::default() };
        let is_planned = match def.planning {
            Planning::Forwarded => false,
            Planning::Nothing if *intent == Intent::Direct => false,
            Planning::Nothing => return refused(plan::needless(def)),
            Planning::Exact | Planning::Bound(_) => true,
        };
        match intent {
            _ if !is_planned => self.attempt(setting, args, Changes::default()),
            Intent::Direct if self.access.require_plans.value => {
                refused(plan::required(def, &self.access.require_plans.origin.to_string()))
            }
            Intent::Direct => self.attempt(setting, args, Changes::default()),
            Intent::Preview => self.preview(setting, args),
            Intent::Apply(id) => self.apply(setting, args, id).unwrap_or_else(refused),
        }
    }

    fn attempt(&self, setting: &Setting, args: Value, changes: Changes) -> Ran {
        let Setting { tool, carried, token, progress } = setting;
        let call = Call::new(CallParts {
            tool: Arc::clone(&tool.def),
            caller: carried.caller.clone(),
            request_id: carried.request_id.clone(),
            cancel: (*token).clone(),
            progress: Arc::clone(progress),
            host: self.arc(),
            client: carried.client.clone(),
            meta: carried.meta.clone(),
            input: carried.input.clone(),
            changes,
        });
        let result = fenced(tool, &call, args);
        Ran { result, plan: None, notes: call.take_notes() }
    }

    /// Runs a tool with nothing allowed and keeps what it would change as a plan.
    fn preview(&self, setting: &Setting, args: Value) -> Ran {
        let (def, at) = (&setting.tool.def, (self.clock)());
        let changes = Changes::preview(at);
        let mut ran = self.attempt(setting, args.clone(), changes.clone());
        let (targets, is_complete) = changes.collected();
        let is_refused = matches!(&ran.result, Err(_) | Ok(Body::Text { is_error: true, .. }));
        if is_refused && !is_complete {
            return ran;
        }
        let plan = Plan::new(def, &args, at, self.limits.plan_lifetime, targets);
        ran.result = match self.plans().keep(&plan, at) {
            Ok(_) => Ok(plan.body(&def.planning, ran.result.ok())),
            Err(fault) => Err(fault),
        };
        ran.plan = Some(plan.shown(&def.planning));
        ran
    }

    /// Does what a plan says, if it would still come out the same.
    fn apply(&self, setting: &Setting, args: Value, id: &str) -> FaultResult<Ran> {
        let plan = self.plans().find(id)?;
        plan.check(&setting.tool.def, &args, (self.clock)())?;
        let changes = Changes::preview(plan.at);
        let again = self.attempt(setting, args.clone(), changes.clone());
        let (targets, is_complete) = changes.collected();
        match again.result {
            Err(fault) if !is_complete => return Err(plan::refused_now(fault)),
            _ => {}
        }
        plan.compare(&targets)?;
        self.plans().take(id)?;
        let mut ran = self.attempt(setting, args, Changes::agreed(plan.targets, plan.at));
        ran.plan = Some(json!({ "id": id, "applied": ran.result.is_ok() }));
        Ok(ran)
    }

    fn plans(&self) -> Arc<PlanStore> {
        Arc::clone(&self.plans.read().unwrap_or_else(PoisonError::into_inner))
    }
}

fn fenced(tool: &Tool, call: &Call, args: Value) -> FaultResult<Body> {
    catch_unwind(AssertUnwindSafe(|| (tool.run)(call, args))).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        tracing::error!(tool = call.tool().id, panic = text, "a tool panicked");
        Err(Fault::new(ErrorCode::Internal, "the tool failed unexpectedly")
            .hint("the server log has the details"))
    })
}
