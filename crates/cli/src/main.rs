//! The `mainstay` binary: terminal, flags, wiring.
//!
//! The only crate that prints. It knows which toolsets exist, not how a tool works.

#![allow(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod app;
mod args;
mod ask;
mod budget;
mod clients;
mod commands;
mod daemon;
mod doctor;
mod files;
mod fixtures;
mod flags;
mod journals;
mod log;
mod mcp_client;
mod output;
mod progress;
mod settings;
mod token_budget;
mod toolsets;
mod units;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    // A supervisor of child processes does nothing but that: no flags, no log, no configuration.
    if arguments.get(1).is_some_and(|word| word == mainstay_process::SUPERVISE_WORD) {
        return mainstay_process::supervise_main();
    }
    // A sandboxed program begins as us, restricts itself and is then replaced.
    if arguments.get(1).is_some_and(|word| word == mainstay_programs::SANDBOX_WORD) {
        return mainstay_programs::sandbox_main(arguments.into_iter().skip(2), |reason| {
            eprintln!("{reason}")
        });
    }
    // Documents are read by a process of their own, which may come to harm.
    if arguments.get(1).is_some_and(|word| word == mainstay_documents::EXTRACT_WORD) {
        let format = arguments.get(2).and_then(|word| word.to_str()).unwrap_or_default();
        return mainstay_documents::extract_main(format);
    }
    commands::run(arguments)
}
