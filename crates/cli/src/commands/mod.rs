//! One file per command.

pub mod audit;
mod call;
pub mod catalog;
pub mod climax;
mod commands_page;
pub mod config;
pub mod connect;
mod contract;
pub mod cost;
pub mod daemon;
mod dashboard;
pub mod doctor;
mod documents;
pub mod foundry;
pub mod init;
pub mod mcp;
pub mod programs;
mod purity;
mod reference;
pub mod relations;
pub mod replay;
pub mod search;
pub mod serve;
pub mod token;
mod tools;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::{Fault, FaultResult};

use crate::args;
use crate::output::Output;
use crate::settings::Settings;

/// Runs the command the arguments name.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    let wants_json = arguments.iter().take_while(|word| *word != "--").any(|word| word == "--json");
    let matches = match args::command().try_get_matches_from(call::rearrange(arguments)) {
        Ok(matches) => matches,
        Err(error) => return mistake(&error, wants_json),
    };
    let output = Output::new(&matches);
    dispatch(&matches, output).unwrap_or_else(|fault| output.fault(&fault))
}

/// Help and version go to stdout with status 0, mistakes to stderr with status 2, or into an envelope.
fn mistake(error: &clap::Error, wants_json: bool) -> ExitCode {
    let status = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    if !wants_json || !error.use_stderr() {
        let _ = error.print();
        return status;
    }
    let text = error.to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let tip = lines.find_map(|line| line.strip_prefix("tip: "));
    let fault =
        Fault::invalid(message).hint(tip.unwrap_or("run the command with --help to see what it takes"));
    Output { json: true, quiet: true }.fault(&fault);
    status
}

fn dispatch(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    match matches.subcommand() {
        Some(("search", matches)) => search::search(matches, output),
        Some(("index", matches)) => search::index(matches, output),
        Some(("show", matches)) => search::show(matches, output),
        Some(("refs", matches)) => relations::refs(matches, output),
        Some(("map", matches)) => relations::map(matches, output),
        Some(("impact", matches)) => relations::impact(matches, output),
        Some(("mcp", matches)) => mcp::run(matches),
        Some(("daemon", matches)) => daemon::run(matches, output),
        Some(("serve", matches)) => serve::run(matches, output),
        Some(("dashboard", matches)) => serve::run_dashboard(matches, output),
        Some(("call", matches)) => call::run(matches, output),
        Some(("audit", matches)) => audit::run(matches, output),
        Some(("token", matches)) => token::run(matches, output),
        Some(("replay", matches)) => replay::run(matches, output),
        Some(("programs", matches)) => programs::run(matches, output),
        Some(("climax", matches)) => climax::run(matches, output),
        Some(("catalog", matches)) => catalog::run(matches, output),
        Some(("foundry", matches)) => foundry::run(matches, output),
        Some(("tools", matches)) => tools::run(matches, output),
        Some(("contract", matches)) => contract::run(matches, output),
        Some(("init", matches)) => init::run(matches, output),
        Some(("connect", matches)) => connect::connect(matches, output),
        Some(("disconnect", matches)) => connect::disconnect(matches, output),
        Some(("doctor", matches)) => doctor::run(matches, output),
        Some(("config", matches)) => config::run(matches, output),
        Some(("completions", matches)) => documents::completions(matches, output),
        Some(("man", matches)) => documents::man(matches, output),
        _ => Err(Fault::invalid("no such command").hint("`mainstay --help` lists the commands")),
    }
}

/// The settings of this process.
pub fn settings(matches: &ArgMatches) -> FaultResult<Settings> {
    let env: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let work_dir = std::env::current_dir().map_err(|error| Fault::internal(&error))?;
    Ok(Settings::load(matches, env, work_dir)?)
}

/// Runs `action` once, when the process is asked to end.
pub fn on_signal(action: impl FnOnce() + Send + 'static) -> FaultResult<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let internal = |error: std::io::Error| Fault::internal(&error);
    let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP]).map_err(internal)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            action();
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait).map_err(internal)?;
    Ok(())
}
