//! Behaviour of the foundry toolset.
#![allow(clippy::unwrap_used)]

mod audit;
mod billing;
mod compose;
mod examples;
mod fuzz;
mod generated_code;
mod harness;
mod hostile;
mod kit;
mod on_demand;
mod patches;
mod pictures;
mod releases;
mod repl;
mod review;
mod scratch;
mod snapshot;
mod writing;
