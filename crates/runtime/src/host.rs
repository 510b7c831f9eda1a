//! What a running tool may ask of the runtime.

use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::{Body, Call, Caller, FaultResult, Gate, Host, Listing, ToolDef, ToolUse, Toolset};
use serde_json::Value;

use crate::registry::Door;
use crate::runtime::Inner;

impl Host for Inner {
    fn tools(&self, caller: &Caller) -> Vec<Arc<ToolDef>> {
        let registry = self.registry();
        registry
            .registered()
            .filter(|def| def.listing == Listing::Classic && caller.sees(def))
            .cloned()
            .collect()
    }

    /// Hands the call over: the runtime goes on with the other tool as if it had been called itself.
    fn invoke(&self, _: &Call, tool: &str, args: Value) -> FaultResult<Body> {
        self.registry().resolve(tool, Door::Registered)?;
        Ok(Body::Forward { tool: tool.to_owned(), args })
    }

    fn usage(&self) -> Vec<ToolUse> {
        let tools = self.metrics.snapshot().into_iter();
        tools
            .map(|(id, row)| ToolUse {
                id,
                count: row.count,
                errors: row.errors,
                total_micros: row.total_micros,
                max_micros: row.max_micros,
            })
            .collect()
    }

    fn is_open(&self, gate: Gate) -> bool {
        match gate {
            Gate::Mutation => self.access.mutation.value,
        }
    }

    fn toolsets(&self) -> Vec<Toolset> {
        self.access.toolsets.value.clone()
    }

    fn now(&self) -> Timestamp {
        (self.clock)()
    }
}
