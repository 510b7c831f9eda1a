//! The HTTP server, through real connections.

mod api;
mod bodies;
mod client;
mod dashboard;
mod guard;
mod load;
mod mcp;
mod openapi;
mod schemathesis;
mod server;
mod stream;
mod suite;
