//! Version identifiers, each defined once.

/// Version of the whole contract: envelopes, tool names, schemas, error codes.
pub const SCHEMA_VERSION: &str = "2.0.0";

/// Version of this build.
pub const TOOLING_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The MCP revision answered to every `initialize`.
pub const PROTOCOL_VERSION: &str = "2025-11-25";
