//! `mainstay climax`: the command line of the original program server, spelled as it is there.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult, Toolset};
use mainstay_programs::{Dialect, Programs, ProgramsConfig, Reloader, Vars};
use mainstay_runtime::{Form, Origin, Runtime, Sourced};

use super::mcp::{Reload, serve};
use crate::app;
use crate::log;
use crate::output::{Output, say};
use crate::toolsets::App;

/// The subcommand; without a verb it runs the server.
pub fn command() -> Command {
    let run = |command: Command| {
        command
            .arg(configs().required(false))
            .arg(policy())
            .arg(classic())
            .arg(describe())
            .arg(
                Arg::new("climax-transport")
                    .long("transport")
                    .value_name("NAME")
                    .value_parser(["stdio"])
                    .default_value("stdio")
                    .hide(true)
                    .help("Transport; there is one"),
            )
            .arg(
                Arg::new("log-level")
                    .long("log-level")
                    .value_name("LEVEL")
                    .value_parser(["DEBUG", "INFO", "WARNING", "ERROR"])
                    .default_value("WARNING")
                    .hide_default_value(true)
                    .help("What is logged to stderr"),
            )
    };
    run(Command::new("climax").about("Stand in for the climax program server, with its command line"))
        .args_conflicts_with_subcommands(true)
        .subcommands([
            run(Command::new("run").about("Serve configurations over MCP on stdio")),
            Command::new("validate").about("Check configurations").arg(configs()).arg(policy()),
            Command::new("list")
                .about("List the tools of configurations, or the bundled configurations")
                .arg(configs().required(false))
                .arg(policy()),
        ])
        .after_help("Example: mainstay climax run git --policy policy.yaml")
}

pub fn configs() -> Arg {
    Arg::new("configs")
        .value_name("CONFIG")
        .num_args(1..)
        .required(true)
        .help("Files, or names of bundled configurations")
}

pub fn policy() -> Arg {
    Arg::new("policy").long("policy").value_name("FILE").help("Policy that says which tools may do what")
}

pub fn classic() -> Arg {
    Arg::new("classic")
        .long("classic")
        .action(ArgAction::SetTrue)
        .help("List every tool instead of two that find them")
}

pub fn describe() -> Arg {
    Arg::new("brief")
        .long("describe")
        .action(ArgAction::SetTrue)
        .help("Offer climax_describe, and leave schemas out of search results")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    match matches.subcommand() {
        Some(("validate", matches)) => Ok(validate(matches, Dialect::Climax, output)),
        Some(("list", matches)) => list(matches, Dialect::Climax, output),
        Some((_, matches)) => serve_configs(matches, Dialect::Climax),
        None => serve_configs(matches, Dialect::Climax),
    }
}

/// Serves the configurations alone, as the original does.
pub fn serve_configs(matches: &ArgMatches, dialect: Dialect) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let level = matches.try_get_one::<String>("log-level").ok().flatten();
    log::start_at(&settings, level.map(String::as_str));
    let app = App::new(&settings, false)?;
    let mut given = app.programs();
    given.configs = words(matches);
    given.policy = matches.get_one::<String>("policy").map(PathBuf::from);
    given.dialect = dialect;
    if matches.get_flag("brief") {
        given.detail = mainstay_programs::Detail::Brief;
    }
    let mut access = app::access(&settings)?;
    let origin = Origin::flag(if matches.get_flag("classic") { "--classic" } else { "climax" });
    let form = if matches.get_flag("classic") { Form::Classic } else { Form::Discovery };
    access.toolsets = Sourced::new(vec![Toolset::Programs], origin.clone());
    access.form = Sourced::new(form, origin);

    let reloader = Reloader::new(given.clone());
    let programs = load(&given)?;
    let mut identity = app::identity();
    identity.name.clone_from(&programs.server_name);
    let runtime = Runtime::new(programs.tools, access, app::limits(&settings));
    let runtime = runtime.map_err(Fault::invalid)?;
    serve(&settings, runtime, identity, Some(Reload { reloader, others: Vec::new() }))
}

/// Loads the toolset and says what deserves a word.
pub fn load(given: &ProgramsConfig) -> FaultResult<Programs> {
    let programs = Programs::load(given)?;
    for warning in &programs.warnings {
        tracing::warn!("{warning}");
    }
    Ok(programs)
}

pub fn words(matches: &ArgMatches) -> Vec<String> {
    matches.get_many::<String>("configs").into_iter().flatten().cloned().collect()
}

fn vars() -> Vars {
    std::env::vars_os().collect()
}

pub fn validate(matches: &ArgMatches, dialect: Dialect, output: Output) -> ExitCode {
    let policy = matches.get_one::<String>("policy").map(PathBuf::from);
    let validation = mainstay_programs::validate(&words(matches), policy.as_deref(), dialect, &vars());
    output.result(&validation, || validation.to_text());
    ExitCode::from(u8::from(!validation.is_valid))
}

pub fn list(matches: &ArgMatches, dialect: Dialect, output: Output) -> FaultResult<ExitCode> {
    let configs = words(matches);
    if configs.is_empty() {
        let bundled = mainstay_programs::bundled()?;
        return Ok(output.result(&bundled, || {
            let mut text = "Bundled configurations, used by name:\n".to_owned();
            for (name, description) in &bundled {
                text.push_str(&format!("  {name:10} {description}\n"));
            }
            text
        }));
    }
    let settings = super::settings(matches)?;
    let mut given = App::new(&settings, false)?.programs();
    given.configs = configs;
    given.policy = matches.get_one::<String>("policy").map(PathBuf::from);
    given.dialect = dialect;
    let programs = Programs::load(&given)?;
    for warning in &programs.warnings {
        say(format_args!("warning: {warning}"));
    }
    let listed = mainstay_programs::list(&programs.server_name, &programs.catalog);
    Ok(output.result(&listed, || listed.to_text()))
}
