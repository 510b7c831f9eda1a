//! The shared words of Mainstay, as data.
//!
//! A tool is defined once, as a [`Tool`]: a [`ToolDef`] and the function that does the work.
//! Every surface (MCP, HTTP, command line, native protocols), every document and every test is
//! computed from that value. This crate knows no I/O, no async runtime and no toolset.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod call;
mod cancel;
mod code;
mod envelope;
mod fault;
mod grant;
mod lazy;
mod narrow;
mod plain;
mod plan;
mod policy;
pub mod redact;
mod ruling;
mod schema;
pub mod snapshot;
mod tool;
mod toolset;
mod version;

pub use call::{
    Call, CallParts, Caller, ClientLink, Host, InputAnswers, NoHost, Notes, Progress, ProgressSink, Silent,
    Stream, ToolUse,
};
pub use cancel::{CancelGuard, CancelToken, StopReason};
pub use code::{CodeRow, ErrorCode, ExitClass};
pub use envelope::{Meta, Page, envelope_schema, failure, planned, success, timestamp};
pub use fault::{Fault, FaultResult};
pub use grant::{Grant, Right, Scope};
pub use lazy::Schema;
pub use narrow::{NarrowedBy, Narrowing};
pub use plain::{is_hidden, plain};
pub use plan::{Action, Changes, Difference, Planning, Target, differences, drifted};
pub use policy::{Gate, Lane, Policy, Role};
pub use ruling::{Need, Ruling, Verdict};
pub use schema::{args_schema_of, closed, read_args, result_schema_of, schema_of, with_reserved};
pub use tool::{
    Alias, ArgCheck, Body, Effect, Example, Handler, Listing, Payload, TaskSupport, Tool, ToolDef, wire_name,
};
pub use toolset::Toolset;
pub use version::{PROTOCOL_VERSION, SCHEMA_VERSION, TOOLING_VERSION};
