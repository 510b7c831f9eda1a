//! Command-line programs as safe tools, found in two calls.
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod config;
mod document;
mod error;
pub mod policy;
mod value;

pub use error::{Problem, ProgramsError};
