//! Command-line programs as safe tools, found in two calls.
//!
//! [`Programs::load`] joins configurations and a policy into the contract's tools: one per program tool, and the
//! discovery tools `climax_search` and `climax_call` that work over every toolset. [`validate`] and [`list`] tell a person
//! about files, [`Reloader`] notices changes, [`import`] writes a configuration from what a program says about itself.
//! Programs are started by the process crate only; environment, launcher and directories are passed in.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod bundled;
mod catalog;
pub mod config;
mod discovery;
mod document;
mod environment;
mod error;
mod executor;
mod expand;
mod gate;
pub mod import;
mod plan;
pub mod policy;
mod prepare;
mod programs;
mod reload;
mod report;
mod run;
mod schema;
mod tools;
mod value;

pub use bundled::{BUNDLED, Source};
pub use catalog::{Catalog, Program, ProgramTool};
pub use discovery::{Detail, discovery_tools};
pub use error::{Problem, ProgramsError};
pub use executor::find_program;
pub use executor::sandbox::{SANDBOX_WORD, is_supported as has_sandbox, sandbox_main};
pub use expand::Vars;
pub use policy::Dialect;
pub use programs::{Programs, ProgramsConfig};
pub use reload::Reloader;
pub use report::{Checked, Listed, Row, Validation, bundled, list, validate};
