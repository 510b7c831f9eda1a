//! Journals: what watches every call from outside its path, such as the audit log and recordings.

use jiff::Timestamp;
use mainstay_contract::{Caller, ToolDef};
use serde_json::Value;

use crate::request::Outcome;

/// A call as it came in.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The name the caller used.
    pub tool: &'a str,
    /// The tool behind it, when there is one.
    pub def: Option<&'a ToolDef>,
    pub args: &'a Value,
    pub caller: &'a Caller,
    pub surface: &'static str,
    pub at: Timestamp,
}

/// Told how a call ended, before its caller is.
pub type Ending = Box<dyn FnOnce(&Outcome) + Send>;

/// Hears of every call.
pub trait Journal: Send + Sync {
    fn begin(&self, asked: &Asked<'_>) -> Ending;
}
