//! The binary as its users meet it: commands, servers and clients are real processes.
#![allow(clippy::unwrap_used)]

mod access;
mod attacks_args;
mod attacks_names;
mod attacks_wire;
mod book;
mod budget;
mod catalog;
mod client;
mod commands;
mod connect;
mod contracts;
mod crates;
mod daemon;
mod dashboard;
mod doctor;
mod downloads;
mod everywhere;
mod examples;
#[path = "../../../search/tests/it/filter_rows.rs"]
mod filter_rows;
mod filters;
mod foundry_seed;
mod generated;
mod guides;
mod hidden_paths;
mod history;
mod http;
mod init;
mod journals;
mod lint;
mod manners;
mod modes;
mod narrowing;
mod parity;
mod read_only;
mod readme;
mod search_tools;
mod site;
mod sqlite;
mod terminal;
mod threats;
mod trees;
mod watching;
