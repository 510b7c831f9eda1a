//! Before a call runs: its tool is found, its arguments fit, its caller may make it, and there is room.

use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{ArgCheck, Caller, ErrorCode, Fault, FaultResult, Gate, ToolDef};
use serde_json::{Value, json};

use super::Inner;
use crate::explain::role_allowed;
use crate::limits::Place;
use crate::reach::{check_grant, check_roots};
use crate::registry::{Door, Entry};
use crate::request::{Failure, Stage};

/// A call that passed every check.
pub(super) struct Admitted {
    pub entry: Arc<Entry>,
    pub args: Value,
    pub place: Place,
}

impl Inner {
    /// Resolve, validate, authorise.
    pub(super) fn admit(
        &self,
        tool: &str,
        args: Value,
        door: Door,
        caller: &Caller,
    ) -> Result<Admitted, (Option<Arc<ToolDef>>, Failure)> {
        let resolved = self.registry().resolve(tool, door);
        let entry = resolved.map_err(|fault| (None, Failure::new(Stage::Resolve, fault)))?;
        let def = &entry.tool.def;
        // Whoever may not use a tool is not told what it wants.
        if let Err(fault) = check_grant(def, caller) {
            return Err((Some(Arc::clone(def)), Failure::new(Stage::Authorise, fault)));
        }
        let args = match args {
            Value::Null if def.args == ArgCheck::Schema => json!({}),
            args => args,
        };
        if def.args == ArgCheck::Schema
            && let Err((fault, violations)) = entry.validator().check(&args)
        {
            return Err((Some(Arc::clone(def)), Failure { stage: Stage::Validate, fault, violations }));
        }
        if let Err(fault) = self.authorise(def, &args, caller) {
            return Err((Some(Arc::clone(def)), Failure::new(Stage::Authorise, fault)));
        }
        match self.usage.enter(def, Instant::now()) {
            Ok(place) => Ok(Admitted { entry, args, place }),
            Err(fault) => Err((Some(Arc::clone(def)), Failure::new(Stage::Queue, fault))),
        }
    }

    fn authorise(&self, def: &ToolDef, args: &Value, caller: &Caller) -> FaultResult<()> {
        if let Some(reason) = caller.narrowed.as_ref().and_then(|narrowed| narrowed.leaves_out(def)) {
            return Err(Fault::new(ErrorCode::Forbidden, format!("{} is left out: {reason}", def.id))
                .detail("tool", def.id.as_str())
                .detail("rule", "the request"));
        }
        let role = caller.role.unwrap_or(self.access.role.value);
        if !role_allowed(def, role) {
            let allow: Vec<&str> = def.policy.roles.iter().map(|role| role.name()).collect();
            return Err(Fault::new(
                ErrorCode::PolicyDenied,
                format!("the role {} may not call {}", role.name(), def.id),
            )
            .detail("tool", def.id.as_str())
            .detail("role", role.name())
            .detail("allow", allow)
            .detail("rule", self.access.role.origin.to_string()));
        }
        match def.policy.gate {
            Some(Gate::Mutation) if !self.access.mutation.value => Err(Fault::new(
                ErrorCode::Forbidden,
                "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.",
            )
            .detail("method", def.id.as_str())
            .detail("reason", "mutation_disabled")
            .detail("rule", self.access.mutation.origin.to_string())),
            _ => check_roots(def, args, caller),
        }
    }
}
