//! The binary as its users meet it: commands, servers and clients are real processes.
#![allow(clippy::unwrap_used)]

mod catalog;
