//! The binary as its users meet it: commands, servers and clients are real processes.
#![allow(clippy::unwrap_used)]

mod book;
mod budget;
mod catalog;
mod client;
mod commands;
mod connect;
mod contracts;
mod cost;
mod crates;
mod daemon;
mod dashboard;
mod doctor;
mod downloads;
mod everywhere;
mod examples;
mod explain;
#[path = "../../../search/tests/it/filter_rows.rs"]
mod filter_rows;
mod filters;
mod foundry_seed;
mod generated;
mod guides;
mod history;
mod http;
mod init;
mod journals;
mod lint;
mod manners;
mod modes;
mod narrowing;
mod parity;
mod plans;
mod readme;
mod search_tools;
mod site;
mod sqlite;
mod terminal;
mod trees;
mod watching;
