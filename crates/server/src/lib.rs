//! The surfaces: MCP on stdio, native protocols, MCP over HTTP and the HTTP API.
//!
//! A surface decodes a request, hands it to [`mainstay_runtime::Runtime`] and encodes the outcome.
//! This is the only crate that knows JSON-RPC and HTTP; it sees tool definitions, never tools.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod encode;
mod identity;
mod listing;
mod rpc;
pub mod stdio;

pub use encode::{UnknownTool, bare, envelope, http_status};
pub use identity::{Identity, Transport};
pub use listing::{Naming, listed_tools, tool_json};
pub use rpc::RpcError;
