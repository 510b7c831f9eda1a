//! Behaviour of the foundry toolset.
#![allow(clippy::unwrap_used)]

mod audit;
mod compose;
mod examples;
mod generated_code;
mod harness;
mod hostile;
mod kit;
mod patches;
mod pictures;
mod repl;
mod review;
mod writing;
