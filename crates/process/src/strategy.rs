//! Which way of ending a process tree this system has, to be reported as a capability.

use std::fmt;

/// How far ending a tree reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Every descendant, whatever session, group or environment it moved to.
    Subreaper,
    /// The process group of the child, while the child lives.
    Group,
    /// What `taskkill /T` finds.
    Taskkill,
}

impl Strategy {
    /// Returns the name used in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::Subreaper => "subreaper",
            Strategy::Group => "group",
            Strategy::Taskkill => "taskkill",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the strategy in use on this system.
pub fn strategy() -> Strategy {
    if cfg!(windows) {
        Strategy::Taskkill
    } else if cfg!(target_os = "linux") {
        Strategy::Subreaper
    } else {
        Strategy::Group
    }
}
