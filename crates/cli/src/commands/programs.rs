//! `mainstay programs`: check, list and serve program configurations.

use std::process::ExitCode;

use clap::{ArgMatches, Command};
use mainstay_contract::FaultResult;
use mainstay_programs::Dialect;

use super::climax::{self, classic, configs, describe, policy};
use crate::output::Output;

pub fn command() -> Command {
    Command::new("programs")
        .about("Turn command-line programs into tools")
        .subcommand_required(true)
        .subcommands([
            Command::new("validate")
                .about("Check configurations and a policy")
                .arg(configs())
                .arg(policy())
                .after_help("Example: mainstay programs validate tools.yaml --policy policy.yaml"),
            Command::new("list")
                .about("List the tools of configurations, or the bundled configurations")
                .arg(configs().required(false))
                .arg(policy())
                .after_help("Example: mainstay programs list git"),
            Command::new("run")
                .about("Serve configurations over MCP on stdio")
                .arg(configs())
                .arg(policy())
                .arg(classic())
                .arg(describe())
                .after_help("Example: mainstay programs run git tools.yaml --policy policy.yaml"),
        ])
        .after_help("Example: mainstay programs validate tools.yaml")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    match verb {
        "validate" => Ok(climax::validate(matches, Dialect::Strict, output)),
        "list" => climax::list(matches, Dialect::Strict, output),
        _ => climax::serve_configs(matches, Dialect::Strict),
    }
}
