//! Completions and manual pages, from the same definitions as the command line.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use clap_complete::Shell;
use mainstay_contract::{Fault, FaultResult};
use serde_json::json;

use crate::args;
use crate::output::Output;

pub fn completions(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let shell = *matches.get_one::<Shell>("shell").expect("clap requires a shell");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "mainstay", &mut script);
    let script = String::from_utf8(script).map_err(|error| Fault::internal(&error))?;
    Ok(output.result(&json!({ "shell": shell.to_string(), "script": script }), || script.clone()))
}

pub fn man(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let dir = Path::new(matches.get_one::<String>("dir").expect("clap requires a directory"));
    let write = || -> std::io::Result<usize> {
        std::fs::create_dir_all(dir)?;
        clap_mangen::generate_to(args::command(), dir)?;
        Ok(std::fs::read_dir(dir)?.count())
    };
    let pages =
        write().map_err(|error| Fault::invalid(format!("could not write to {}: {error}", dir.display())))?;
    Ok(output.result(&json!({ "dir": dir, "pages": pages }), || {
        format!("Wrote {pages} pages to {}", dir.display())
    }))
}
