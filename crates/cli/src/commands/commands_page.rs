//! The reference page of commands, written from the command line itself.

use clap::{Arg, Command};

use crate::args;
use crate::settings::Setting;

const INTRO: &str = "<!-- Written by `scripts/generate` from the definitions; edit those. -->

# Commands

Every command takes `--json` (print one JSON envelope), `--quiet` (print results and errors only) and `--color
auto|always|never`; `NO_COLOR` is respected. Commands marked *settings* take every flag of the [settings](settings.md) too.

## Exit codes

| code | meaning |
|---|---|
| 0 | done |
| 1 | done, and the answer is no: no match, a failed gate, drift found |
| 2 | wrong command line |
| 3 | cannot be met: no index, not found, forbidden |
| 4 | cancelled, timed out or overloaded |
| 5 | our fault |
";

/// The whole page.
pub fn page() -> String {
    let mut root = args::command();
    root.build();
    let mut page = INTRO.to_owned();
    for command in root.get_subcommands() {
        section(&mut page, "mainstay", command);
    }
    page
}

fn section(page: &mut String, parent: &str, command: &Command) {
    let name = format!("{parent} {}", command.get_name());
    let children: Vec<&Command> = command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
        .collect();
    if command.get_name() == "help" || command.is_hide_set() {
        return;
    }
    if !command.is_subcommand_required_set() {
        describe(page, &name, command);
    }
    for child in children {
        section(page, &name, child);
    }
}

fn describe(page: &mut String, name: &str, command: &Command) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let own: Vec<&Arg> = command.get_arguments().filter(|arg| is_own(arg)).collect();
    let places: String =
        own.iter().filter(|arg| arg.is_positional()).map(|arg| format!(" {}", place(arg))).collect();
    let has_settings = command.get_arguments().any(|arg| arg.get_id() == "queue-max");
    let settings = if has_settings { " Takes *settings*." } else { "" };
    page.push_str(&format!("\n## `{name}`\n\n{}.{settings}\n\n", about.trim_end_matches('.')));
    page.push_str(&format!(
        "```text\n{name}{places}{}\n```\n",
        if own.iter().any(|arg| !arg.is_positional()) { " [flags]" } else { "" }
    ));
    if !own.is_empty() {
        page.push_str("\n| argument | meaning |\n|---|---|\n");
        for arg in own {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let values: Vec<String> = arg
                .get_possible_values()
                .iter()
                .map(|value| format!("`{}`", value.get_name()))
                .filter(|value| value != "`true`" && value != "`false`")
                .collect();
            let values = if values.is_empty() { String::new() } else { format!(": {}", values.join(", ")) };
            page.push_str(&format!("| `{}` | {}{values} |\n", spelled(arg), cell(&help)));
        }
    }
    if let Some(after) = command.get_after_help() {
        page.push_str(&examples(&after.to_string()));
    }
}

/// Arguments of the command itself: no global flag, no setting.
fn is_own(arg: &Arg) -> bool {
    let id = arg.get_id().as_str();
    let is_common = ["json", "quiet", "color", "help", "version", "config"].contains(&id);
    let is_setting =
        arg.get_help_heading() == Some("Settings") || (Setting::find(id).is_some() && !arg.is_positional());
    !arg.is_hide_set() && !is_common && !is_setting
}

fn place(arg: &Arg) -> String {
    let name = value_name(arg);
    let dots = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "…" } else { "" };
    if arg.is_required_set() { format!("{name}{dots}") } else { format!("[{name}{dots}]") }
}

fn value_name(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names.first().map_or_else(|| arg.get_id().as_str().to_uppercase(), ToString::to_string)
}

fn spelled(arg: &Arg) -> String {
    let Some(long) = arg.get_long() else { return place(arg) };
    let short = arg.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    match arg.get_action().takes_values() {
        true => format!("{short}--{long} {}", value_name(arg)),
        false => format!("{short}--{long}"),
    }
}

/// The words below the flags: examples become a block, the rest stays text.
fn examples(after: &str) -> String {
    let (text, examples) = after.split_once("Example: ").unwrap_or((after, ""));
    let mut page = String::new();
    if !text.trim().is_empty() {
        page.push_str(&format!("\n{}\n", text.trim()));
    }
    if !examples.is_empty() {
        let lines: Vec<&str> = examples.lines().map(str::trim).collect();
        page.push_str(&format!("\n```sh\n{}\n```\n", lines.join("\n")));
    }
    page
}

fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
