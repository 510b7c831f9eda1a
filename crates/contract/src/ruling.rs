//! What stands between a tool and its callers besides the server's own settings: a policy file, or a missing program.

use std::fmt;
use std::sync::Arc;

/// What a policy file says about a tool, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    pub path: String,
    pub line: usize,
    pub verdict: Verdict,
}

/// How a policy file decides about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Some may call it.
    Allowed,
    /// It is listed, and nobody may call it.
    Refused(String),
    /// It is left out.
    Absent(String),
}

/// Looks for something a tool needs of the machine; says what is missing.
#[derive(Clone)]
pub struct Need(Arc<dyn Fn() -> Option<String> + Send + Sync>);

impl Need {
    pub fn new(missing: impl Fn() -> Option<String> + Send + Sync + 'static) -> Need {
        Need(Arc::new(missing))
    }

    pub fn missing(&self) -> Option<String> {
        (self.0)()
    }
}

impl fmt::Debug for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Need")
    }
}
