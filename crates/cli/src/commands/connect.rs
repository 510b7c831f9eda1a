//! `mainstay connect` and `mainstay disconnect`: our entry in the files of MCP clients.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use serde_json::{Value, json};

use crate::ask;
use crate::clients::{self, Change, Client, ENTRY_NAME, Entry, Os, Places, Scope, install_link};
use crate::output::{DIM, DONE, ERROR, NAME, Output};
use crate::settings::{Kind, Setting, Settings, from_flags, with_flags};

pub fn connect_command() -> Command {
    let command = Command::new("connect").about("Register Mainstay with MCP clients").arg(
        Arg::new("print")
            .long("print")
            .value_name("CLIENT")
            .value_parser(Client::ALL.map(Client::id))
            .conflicts_with_all(["clients", "apply"])
            .help("Print a block to paste, and an install link where the client knows one"),
    );
    let command = shared(command).arg(
        Arg::new("command")
            .long("command")
            .value_name("PATH")
            .help("Program to start; this one when absent, or mainstay with --project"),
    );
    with_flags(command).after_help(
        "Settings given here are written into the entry.\n\n\
         Example: mainstay connect\n         mainstay connect vscode --toolsets search --read-only --apply",
    )
}

pub fn disconnect_command() -> Command {
    shared(Command::new("disconnect").about("Take Mainstay out of the files of MCP clients"))
        .after_help("Example: mainstay disconnect\n         mainstay disconnect cursor --apply")
}

fn shared(command: Command) -> Command {
    command
        .arg(
            Arg::new("clients")
                .num_args(0..)
                .value_name("CLIENT")
                .value_parser(Client::ALL.map(Client::id))
                .help("Clients to change; those found on this machine when absent"),
        )
        .arg(
            Arg::new("apply")
                .long("apply")
                .visible_alias("yes")
                .short('y')
                .action(ArgAction::SetTrue)
                .help("Write; without it the change is shown, and asked about on a terminal"),
        )
        .arg(
            Arg::new("project")
                .long("project")
                .action(ArgAction::SetTrue)
                .help("Use the client's file in this project, which others share"),
        )
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .default_value(ENTRY_NAME)
                .help("Name of the entry"),
        )
}

pub fn connect(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let wish = Wish::new(matches, &settings)?;
    if let Some(id) = matches.get_one::<String>("print") {
        let client = Client::parse(id).expect("clap knows only these clients");
        return print_block(client, &wish, &wish.entry(client, matches, &settings)?, output);
    }
    let chosen = wish.chosen();
    let mut planned = Vec::new();
    for client in &chosen {
        let file = wish.file(*client)?;
        let entry = wish.entry(*client, matches, &settings)?;
        planned.push((*client, clients::plan_connect(*client, &file, &wish.name, &entry)?));
    }
    wish.carry_out("connect", &planned, output)
}

pub fn disconnect(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let wish = Wish::new(matches, &settings)?;
    let mut planned = Vec::new();
    for client in wish.chosen() {
        let file = wish.file(client)?;
        planned.push((client, clients::plan_disconnect(client, &file, &wish.name)?));
    }
    wish.carry_out("disconnect", &planned, output)
}

/// The folders of this user, which hold the files of clients.
pub fn places(settings: &Settings) -> FaultResult<Places> {
    Places::new(Os::this(), &settings.env, &settings.work_dir)
        .ok_or_else(|| Fault::invalid("there is no home directory").hint("set HOME"))
}

/// What the command line asks for.
struct Wish {
    places: Places,
    named: Vec<Client>,
    scope: Scope,
    name: String,
    apply: bool,
}

impl Wish {
    fn new(matches: &ArgMatches, settings: &Settings) -> FaultResult<Wish> {
        let named = matches.get_many::<String>("clients").into_iter().flatten();
        Ok(Wish {
            places: places(settings)?,
            named: named.filter_map(|id| Client::parse(id)).collect(),
            scope: if matches.get_flag("project") { Scope::Project } else { Scope::User },
            name: matches.get_one::<String>("name").cloned().unwrap_or_else(|| ENTRY_NAME.into()),
            apply: matches.get_flag("apply"),
        })
    }

    /// The clients that were named, or those in use here.
    fn chosen(&self) -> Vec<Client> {
        if !self.named.is_empty() {
            return self.named.clone();
        }
        let found = Client::ALL.into_iter().filter(|client| client.is_found(&self.places));
        // In a project two clients read the same file, and one has none.
        let of_scope = found.filter(|client| self.places.file(*client, self.scope).is_some());
        of_scope.filter(|client| self.scope == Scope::User || *client != Client::McpJson).collect()
    }

    fn file(&self, client: Client) -> FaultResult<PathBuf> {
        let file = self.places.file(client, self.scope);
        Ok(file.ok_or(clients::ClientError::NoProjectFile { title: client.title() })?)
    }

    /// The entry for a client: this program, told what the flags say.
    fn entry(&self, client: Client, matches: &ArgMatches, settings: &Settings) -> FaultResult<Entry> {
        let named = matches.get_one::<String>("command").cloned();
        let command = match (named, self.scope) {
            (Some(command), _) => command,
            (None, Scope::Project) => "mainstay".into(),
            (None, Scope::User) => this_program()?,
        };
        let mut args = vec!["mcp".to_owned()];
        args.extend(setting_args(matches, settings)?);
        if !args.iter().any(|arg| arg == "--repo") {
            match client.folder_variable() {
                Some(variable) => args.extend(["--repo".into(), variable.into()]),
                None if client.needs_folder() => {
                    args.extend(["--repo".into(), path_text(&settings.repo())]);
                }
                None => {}
            }
        }
        Ok(Entry { command, args })
    }

    /// Shows the changes; writes them when told to, or when the person at the terminal agrees.
    fn carry_out(&self, verb: &str, planned: &[(Client, Change)], output: Output) -> FaultResult<ExitCode> {
        let needed: Vec<&Change> =
            planned.iter().map(|(_, change)| change).filter(|change| change.is_needed()).collect();
        let preview =
            || planned.iter().map(|(client, change)| self.page(*client, change)).collect::<String>();
        let mut is_shown = false;
        let mut apply = self.apply;
        if !apply
            && !needed.is_empty()
            && !output.json
            && let Some(mut person) = ask::person()
        {
            crate::output::print(&preview());
            is_shown = true;
            apply = person.agrees("Write this?", false);
        }
        if apply {
            for change in &needed {
                change.write()?;
            }
        }
        let rows: Vec<Value> =
            planned.iter().map(|(client, change)| self.row(*client, change, apply)).collect();
        let code = output.result(&json!({ "applied": apply, "name": self.name, "clients": rows }), || {
            let mut text = if is_shown { String::new() } else { preview() };
            if apply {
                let again = if verb == "connect" { "; restart the client to use it" } else { "" };
                text.push_str(
                    &needed
                        .iter()
                        .map(|change| format!("{DONE}Wrote{DONE:#} {}{again}\n", change.file.display()))
                        .collect::<String>(),
                );
            }
            text
        });
        if planned.is_empty() {
            let known = Client::ALL.map(Client::id).join(", ");
            output.note(format_args!(
                "No client found; name one of {known}, or paste a block of `mainstay connect --print CLIENT`"
            ));
            return Ok(ExitCode::from(1));
        }
        if !apply && !needed.is_empty() {
            output.note(format_args!("Nothing was written; `mainstay {verb} --apply` writes it"));
        }
        Ok(code)
    }

    fn page(&self, client: Client, change: &Change) -> String {
        let file = change.file.display();
        let heading = format!("{NAME}{}{NAME:#}  {file}\n", client.title());
        if !change.is_needed() {
            let state = match change.before.as_deref().is_some_and(|_| self.is_registered(client, change)) {
                true => "is connected already",
                false => "is not connected",
            };
            return format!("{heading}  {DIM}{state}{DIM:#}\n\n");
        }
        if change.after.is_none() {
            return format!("{heading}  {DIM}holds nothing but our entry; it goes{DIM:#}\n\n");
        }
        let lines: String = change
            .diff()
            .lines()
            .map(|line| match line.chars().next() {
                Some('+') => format!("  {DONE}{line}{DONE:#}\n"),
                Some('-') => format!("  {ERROR}{line}{ERROR:#}\n"),
                Some('@') => format!("  {DIM}{line}{DIM:#}\n"),
                _ => format!("  {line}\n"),
            })
            .collect();
        format!("{heading}{lines}\n")
    }

    fn is_registered(&self, client: Client, change: &Change) -> bool {
        clients::registered(client, &change.file, &self.name).is_ok_and(|entry| entry.is_some())
    }

    fn row(&self, client: Client, change: &Change, applied: bool) -> Value {
        let backup = change.backup().filter(|path| path.exists());
        json!({
            "client": client.id(),
            "title": client.title(),
            "file": change.file,
            "changes": change.is_needed(),
            "applied": applied && change.is_needed(),
            "diff": change.diff(),
            "backup": backup,
        })
    }
}

/// The settings chosen on this command line, as arguments for a server that is to behave the same from anywhere.
pub fn setting_args(matches: &ArgMatches, settings: &Settings) -> FaultResult<Vec<String>> {
    let mut args = Vec::new();
    if let Some(config) = matches.get_one::<String>("config") {
        args.extend(["--config".into(), path_text(&settings.work_dir.join(config))]);
    }
    for given in from_flags(matches) {
        let setting = Setting::find(given.key).expect("a given key stands in the table");
        if setting.secret {
            let fault =
                Fault::invalid(format!("{} is a secret, which does not belong into an entry", given.key));
            return Err(fault.hint(format!("give it to the client's environment as {}", setting.env())));
        }
        let flag = format!("--{}", given.key);
        match (setting.kind, given.value.as_str()) {
            (Kind::Switch, "true") => args.push(flag),
            (Kind::Switch, value) => args.push(format!("{flag}={value}")),
            // A variable of the client stays as it is written.
            (Kind::Path, path) if !path.starts_with("${") => {
                args.extend([flag, path_text(&settings.work_dir.join(path))]);
            }
            (Kind::Paths, paths) => {
                let paths = paths.split(',').map(|path| path_text(&settings.work_dir.join(path.trim())));
                args.extend([flag, paths.collect::<Vec<_>>().join(",")]);
            }
            (_, value) => args.extend([flag, value.to_owned()]),
        }
    }
    Ok(args)
}

fn print_block(client: Client, wish: &Wish, entry: &Entry, output: Output) -> FaultResult<ExitCode> {
    let block = entry.to_block(client, &wish.name);
    let link = install_link(client, &wish.name, entry);
    let file = wish.file(client)?;
    let result = json!({ "client": client.id(), "file": file, "entry": entry, "block": block, "link": link });
    let code = output.result(&result, || block.clone());
    output.note(format_args!("{DIM}Goes into {}{DIM:#}", file.display()));
    if let Some(link) = link {
        output.note(format_args!("{DIM}Or open {link}{DIM:#}"));
    }
    Ok(code)
}

fn path_text(path: &Path) -> String {
    let text = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    text.to_string_lossy().into_owned()
}

/// The path of this program, which a client finds whatever its own search path is.
fn this_program() -> FaultResult<String> {
    let path = std::env::current_exe().map_err(|error| Fault::internal(&error))?;
    Ok(path.to_string_lossy().into_owned())
}
