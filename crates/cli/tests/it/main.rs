//! The binary as its users meet it: commands, servers and clients are real processes.
#![allow(clippy::unwrap_used)]

mod catalog;
mod client;
mod commands;
mod contracts;
mod crates;
mod downloads;
mod everywhere;
mod examples;
mod generated;
mod guides;
mod http;
mod journals;
mod parity;
mod readme;
mod search_tools;
mod site;
mod trees;
