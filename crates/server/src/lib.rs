//! The surfaces: MCP on stdio, native protocols, MCP over HTTP and the HTTP API.
//!
//! A surface decodes a request, hands it to [`mainstay_runtime::Runtime`] and encodes the outcome.
//! This is the only crate that knows JSON-RPC and HTTP; it sees tool definitions, never tools.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod changes;
mod encode;
mod fixtures;
mod http;
mod identity;
mod listing;
mod mcp;
mod openapi;
mod pending;
mod places;
mod rpc;
pub mod stdio;
mod surface;

pub use changes::{Change, Changes};
pub use encode::{UnknownTool, bare, envelope, http_status};
pub use fixtures::Fixtures;
pub use http::{
    AccessToken, Dashboard, HttpConfig, HttpError, JwtConfig, KeySource, Secret, TokenBook, TokenEntry,
    TokenError, run as serve_http,
};
pub use identity::{Identity, Transport};
pub use listing::{Naming, listed_tools, tool_json};
pub use openapi::{Needs, document as openapi_document};
pub use places::{Place, Places};
pub use rpc::RpcError;
pub use surface::Surface;
