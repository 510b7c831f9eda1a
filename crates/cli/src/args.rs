//! The command line, from one table of commands.

use clap::{Arg, ArgAction, Command};

use crate::budget;
use crate::commands::{
    audit, catalog, climax, connect, daemon, doctor, foundry, init, programs, relations, replay, search,
    serve, token,
};
use crate::settings::with_flags;

/// Global flags of every command.
fn with_globals(command: Command) -> Command {
    command
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Print one JSON envelope"),
        )
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .short('q')
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Print results and errors only"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .global(true)
                .value_parser(["auto", "always", "never"])
                .default_value("auto")
                .hide_default_value(true)
                .help("Colour the output"),
        )
}

/// The whole command line.
pub fn command() -> Command {
    let command = Command::new("mainstay")
        .version(mainstay_contract::TOOLING_VERSION)
        .about("Serve code search, programs, instructions and a design system as tools")
        .after_help(
            "Exit codes: 0 done; 1 done, and the answer is no; 2 wrong command line; 3 cannot be met;\n\
             4 cancelled, timed out or overloaded; 5 our fault\n\n\
             Example: mainstay init && mainstay connect\n         \
             mainstay search \"how are cancelled requests cleaned up\"",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false)
        .max_term_width(100);
    let [search, refs, map, impact] =
        mainstay_search::definitions(["search", "symbol_references", "repo_map", "impact"]);
    with_globals(command).subcommands([
        init::command(),
        connect::connect_command(),
        connect::disconnect_command(),
        doctor::command(),
        search::search_command(&search),
        search::index_command(),
        search::show_command(),
        relations::refs_command(&refs),
        relations::map_command(&map),
        relations::impact_command(&impact),
        with_flags(Command::new("mcp").about("Serve MCP and the native protocols on stdin and stdout"))
            .arg(fixtures())
            .after_help("Example: mainstay mcp --toolsets search"),
        daemon::command(),
        with_flags(Command::new("serve").about("Serve the HTTP API and MCP over HTTP"))
            .arg(fixtures())
            .after_help("Example: mainstay serve --port 0 --json"),
        serve::dashboard_command(),
        with_flags(Command::new("call").about("Call a tool"))
            .arg(Arg::new("tool").required(true).value_name("TOOL").help("Id, wire name or alias of the tool"))
            .arg(Arg::new("args").long("args").value_name("JSON").help("Arguments as one JSON object; - reads stdin"))
            .args(budget::flags())
            .arg(
                Arg::new("fields")
                    .long("fields")
                    .value_name("A,B.C")
                    .value_delimiter(',')
                    .action(ArgAction::Append)
                    .help("Keep only these fields of the result"),
            )
            .arg(Arg::new("save").long("save").value_name("FILE").help("Write the answer to a file and say how large it is"))
            .arg(fixtures())
            .arg(
                Arg::new("pairs")
                    .num_args(0..)
                    .last(true)
                    .allow_hyphen_values(true)
                    .value_name("--key value")
                    .help("Arguments by name; after -- if a flag of this command has the same name"),
            )
            .after_help("Example: mainstay call index_status --args '{\"repoPath\": \".\"}'\n         mainstay call index_status --repo-path ."),
        Command::new("tools").about("Look at the tools").subcommand_required(true).subcommands([
            with_flags(Command::new("list").about("List the tools that are served")),
            with_flags(Command::new("show").about("Show one tool")).arg(tool_name()),
            with_flags(Command::new("explain").about("Say why a tool is listed, hidden, refused or absent"))
                .arg(tool_name())
                .arg(Arg::new("as").long("as").value_name("TOKEN").help("For the holder of this token of the token file")),
            with_flags(Command::new("cost").about("Count the tokens of tool definitions")).arg(
                Arg::new("budget")
                    .long("budget")
                    .value_name("TOKENS")
                    .value_parser(clap::value_parser!(usize))
                    .help("Fail with exit code 1 when the total is larger"),
            )
            .arg(
                Arg::new("budget-file")
                    .long("budget-file")
                    .value_name("FILE")
                    .help("Fail with exit code 1 when a tool, a toolset or a profile costs more than the file says"),
            ),
        ]),
        Command::new("contract").about("Compare, lock and check tool definitions").subcommand_required(true).subcommands([
            with_flags(Command::new("snapshot").about("Write the definition of every tool as JSON files"))
                .arg(Arg::new("dir").required(true).value_name("DIR").help("Directory to write to")),
            with_flags(Command::new("docs").about("Write the reference pages of tools, error codes and settings"))
                .arg(Arg::new("dir").required(true).value_name("DIR").help("Directory to write to")),
            Command::new("diff")
                .about("Grade the change between two snapshots: major, minor or patch")
                .arg(Arg::new("old").required(true).value_name("OLD").help("Directory or file of the older snapshot"))
                .arg(Arg::new("new").required(true).value_name("NEW").help("Directory or file of the newer snapshot")),
            with_flags(Command::new("lock").about("Record the tools this server offers now"))
                .arg(lock_file()),
            with_flags(Command::new("check").about("Compare the tools with the recorded ones")).arg(lock_file()),
        ]),
        audit::command(),
        token::command(),
        replay::command(),
        programs::command(),
        climax::command(),
        catalog::command(),
        foundry::command(),
        Command::new("config").about("Look at the configuration").subcommand_required(true).subcommands([
            with_flags(Command::new("show").about("Show every setting")).arg(
                Arg::new("origin").long("origin").action(ArgAction::SetTrue).help("Show where each value was set"),
            ),
            Command::new("schema").about("Print the JSON Schema of mainstay.toml"),
        ]),
        Command::new("completions").about("Print a completion script for a shell").arg(
            Arg::new("shell").required(true).value_parser(clap::value_parser!(clap_complete::Shell)).value_name("SHELL"),
        ),
        Command::new("man").about("Write the manual pages").arg(Arg::new("dir").required(true).value_name("DIR")),
    ])
}

fn fixtures() -> Arg {
    Arg::new("conformance-fixtures")
        .long("conformance-fixtures")
        .hide(true)
        .action(ArgAction::SetTrue)
        .help("Register the tools the conformance suite calls")
}

fn tool_name() -> Arg {
    Arg::new("tool").required(true).value_name("TOOL").help("Id, wire name or alias of the tool")
}

fn lock_file() -> Arg {
    Arg::new("file").long("file").value_name("FILE").default_value("mainstay.lock.json").help("The lock file")
}
