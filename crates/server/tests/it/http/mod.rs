//! The HTTP server, through real connections.

mod access;
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
mod signed;
mod stream;
mod suite;
