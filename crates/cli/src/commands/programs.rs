//! `mainstay programs`: check, list and serve program configurations.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use mainstay_programs::import::{self, ImportOptions};
use mainstay_programs::{Dialect, config};
use serde_json::json;

use super::climax::{self, classic, configs, describe, policy};
use crate::files;
use crate::output::Output;
use crate::toolsets::App;

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
            Command::new("import")
                .about("Write a configuration from a program's help, spec or completion script")
                .arg(Arg::new("program").required(true).value_name("PROGRAM").help("Program to ask, or to describe"))
                .arg(
                    Arg::new("from")
                        .long("from")
                        .value_name("FILE")
                        .help("Read a usage .kdl, a carapace .yaml, a .fish or zsh completion instead of asking the program"),
                )
                .arg(
                    Arg::new("only")
                        .long("only")
                        .value_name("A,B")
                        .value_delimiter(',')
                        .help("Only these commands of the program"),
                )
                .arg(
                    Arg::new("depth")
                        .long("depth")
                        .value_name("N")
                        .value_parser(clap::value_parser!(usize))
                        .help("Levels of subcommands to follow"),
                )
                .arg(Arg::new("output").long("output").value_name("FILE").help("File to write; PROGRAM.yaml when absent"))
                .arg(Arg::new("apply").long("apply").action(ArgAction::SetTrue).help("Write the file instead of showing it"))
                .after_help("Example: mainstay programs import cargo --only build,test --apply"),
        ])
        .after_help("Example: mainstay programs validate tools.yaml")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    match verb {
        "validate" => Ok(climax::validate(matches, Dialect::Strict, output)),
        "list" => climax::list(matches, Dialect::Strict, output),
        "import" => import(matches, output),
        _ => climax::serve_configs(matches, Dialect::Strict),
    }
}

/// Shows the drafted configuration, or writes it.
fn import(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let program = matches.get_one::<String>("program").expect("clap requires a program");
    let draft = match matches.get_one::<String>("from") {
        Some(file) => import::from_file(program, Path::new(file))?,
        None => {
            let settings = super::settings(matches)?;
            let given = App::new(&settings, false)?.programs();
            let mut options = ImportOptions {
                only: matches.get_many::<String>("only").into_iter().flatten().cloned().collect(),
                ..ImportOptions::default()
            };
            options.depth = matches.get_one::<usize>("depth").copied().unwrap_or(options.depth);
            import::from_help(program, &options, &mut import::asking(&given.launcher, &given.vars, program))?
        }
    };
    let yaml = draft.to_yaml();
    let stem = Path::new(program).file_stem().map_or(program.into(), |stem| stem.to_string_lossy());
    let path = matches
        .get_one::<String>("output")
        .map_or_else(|| PathBuf::from(format!("{stem}.yaml")), PathBuf::from);
    let tools = config::parse(&path, &yaml)?.tools.len();
    let result =
        json!({ "path": path, "tools": tools, "applied": matches.get_flag("apply"), "config": yaml });
    if !matches.get_flag("apply") {
        let code = output.result(&result, || yaml.clone());
        output.note(format_args!("{tools} tools; `--apply` writes them to {}", path.display()));
        return Ok(code);
    }
    files::write_new(&path, &yaml).map_err(|error| {
        Fault::invalid(format!("could not write {}: {error}", path.display()))
            .hint("name another file with `--output`, or remove this one")
    })?;
    Ok(output.result(&result, || format!("Wrote {tools} tools to {}", path.display())))
}
