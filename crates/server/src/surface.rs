//! What every surface of one server shares.

use std::sync::Arc;

use mainstay_contract::{Caller, Fault, FaultResult};
use mainstay_runtime::Runtime;
use serde_json::{Value, json};

use crate::changes::Changes;
use crate::encode::UnknownTool;
use crate::fixtures::Fixtures;
use crate::identity::Identity;
use crate::listing::Naming;
use crate::places::Places;

/// The method that says why a tool is listed, hidden, refused or absent.
pub const EXPLAIN: &str = "mainstay/explain";

/// The answer of [`EXPLAIN`]: `params.name` is a tool.
pub fn explain(runtime: &Runtime, params: &Value, caller: &Caller) -> FaultResult<Value> {
    let name = params["name"].as_str().ok_or_else(|| Fault::invalid("name must be the name of a tool"))?;
    runtime.explain(name, caller, crate::http::header_of).map(|explained| json!(explained))
}

/// The server behind a surface: its tools, its name, its ways of answering.
#[derive(Clone)]
pub struct Surface {
    pub runtime: Runtime,
    pub identity: Identity,
    pub naming: Naming,
    pub unknown: UnknownTool,
    pub changes: Changes,
    /// Prompts and resources of the conformance suite, when the operator asked for them.
    pub fixtures: Option<Arc<Fixtures>>,
    /// What clients are shown by name.
    pub places: Places,
}

impl Surface {
    pub fn new(runtime: Runtime, identity: Identity) -> Surface {
        Surface {
            runtime,
            identity,
            naming: Naming::default(),
            unknown: UnknownTool::default(),
            changes: Changes::default(),
            fixtures: None,
            places: Places::default(),
        }
    }
}
