//! The HTTP server, through real connections.

mod access;
mod api;
mod client;
mod dashboard;
mod fuzz;
mod guard;
mod load;
mod mcp;
mod openapi;
mod server;
mod signed;
mod stream;
mod suite;
