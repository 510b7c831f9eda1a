//! What every surface of one server shares.

use std::sync::Arc;

use mainstay_runtime::Runtime;

use crate::changes::Changes;
use crate::encode::UnknownTool;
use crate::fixtures::Fixtures;
use crate::identity::Identity;
use crate::listing::Naming;
use crate::places::Places;

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
