//! Journals: what watches every call from outside its path, such as the audit log and recordings.

use jiff::Timestamp;
use mainstay_contract::{Caller, Fault, ToolDef};
use serde_json::Value;

use crate::plan::Intent;
use crate::request::Outcome;

/// A call as it came in.
#[derive(Debug, Clone)]
pub struct Asked<'a> {
    /// The name the caller used.
    pub tool: &'a str,
    /// The tool behind it, when there is one.
    pub def: Option<&'a ToolDef>,
    pub args: &'a Value,
    pub caller: &'a Caller,
    pub surface: &'static str,
    /// What is to be done with the changes of the call.
    pub intent: Intent,
    pub at: Timestamp,
}

/// A request that a surface refused before it became a call: nobody is told what it wanted.
#[derive(Debug, Clone)]
pub struct Refused<'a> {
    /// What was asked for, in the words of the surface.
    pub request: &'a str,
    /// Whose token it carried, when that is known.
    pub caller: Option<&'a str>,
    /// The address it came from.
    pub from: Option<String>,
    pub surface: &'static str,
    pub fault: &'a Fault,
    pub at: Timestamp,
}

/// Told how a call ended, before its caller is.
pub type Ending = Box<dyn FnOnce(&Outcome) + Send>;

/// Hears of every call.
pub trait Journal: Send + Sync {
    fn begin(&self, asked: &Asked<'_>) -> Ending;

    /// Hears of a request that never became a call.
    fn refused(&self, _: &Refused<'_>) {}
}
