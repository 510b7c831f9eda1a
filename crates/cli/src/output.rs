//! What a person or a program sees: results on stdout, everything else on stderr.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use clap::ArgMatches;
use mainstay_contract::{ErrorCode, Fault, Meta, failure, success};
use serde::Serialize;

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const DONE: Style = AnsiColor::Green.on_default().bold();
pub const NAME: Style = AnsiColor::Cyan.on_default();
pub const MATCH: Style = AnsiColor::Red.on_default().bold();
pub const DIM: Style = Style::new().dimmed();

/// How to answer.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub json: bool,
    pub quiet: bool,
}

impl Output {
    pub fn new(matches: &ArgMatches) -> Output {
        let choice = match matches.get_one::<String>("color").map(String::as_str) {
            Some("always") => anstream::ColorChoice::Always,
            Some("never") => anstream::ColorChoice::Never,
            _ => anstream::ColorChoice::Auto,
        };
        choice.write_global();
        let json = matches.get_flag("json");
        // An envelope says everything by itself.
        Output { json, quiet: json || matches.get_flag("quiet") }
    }

    /// Prints a result: `text` for a person, one envelope with `--json`.
    pub fn result(&self, result: &impl Serialize, text: impl FnOnce() -> String) -> ExitCode {
        match self.json {
            true => {
                let result = serde_json::to_string(result).expect("results are plain data");
                print(&success(&result, &Meta::at(jiff::Timestamp::now())));
            }
            false => {
                let text = text();
                if !text.is_empty() {
                    print(&text);
                }
            }
        }
        ExitCode::SUCCESS
    }

    /// Prints a failure and returns its exit status.
    pub fn fault(&self, fault: &Fault) -> ExitCode {
        if self.json {
            print(&failure(fault, &Meta::at(jiff::Timestamp::now())));
        } else {
            explain(fault);
        }
        exit_of(fault.code)
    }

    /// Says something beside the result, unless quiet.
    pub fn note(&self, text: impl Display) {
        if !self.quiet {
            say(format_args!("{text}"));
        }
    }
}

/// Writes the message and the next step of a failure to stderr.
pub fn explain(fault: &Fault) {
    say(format_args!("{ERROR}error:{ERROR:#} {}", fault.message));
    if let Some(errors) = fault.details.get("errors").and_then(serde_json::Value::as_array) {
        for error in errors.iter().filter_map(|error| error.get("message")?.as_str()) {
            say(format_args!("  - {error}"));
        }
    }
    say(format_args!("{NAME}hint:{NAME:#} {}", next_step(fault)));
}

/// The hint of a failure; one that brings none gets the remedy of its code.
fn next_step(fault: &Fault) -> String {
    match (&fault.hint, fault.code) {
        (Some(hint), _) => hint.clone(),
        (None, ErrorCode::Internal) => {
            "this is a bug; run again with RUST_LOG=debug and report the log".into()
        }
        (None, ErrorCode::InvalidRequest | ErrorCode::BadRequest) => {
            "run the command with --help to see what it takes".into()
        }
        (None, code) => {
            let mut remedy = code.row().remedy.chars();
            remedy.next().map(|first| first.to_lowercase().chain(remedy).collect()).unwrap_or_default()
        }
    }
}

pub fn exit_of(code: ErrorCode) -> ExitCode {
    ExitCode::from(code.row().exit.status())
}

/// Writes one line to stdout; a reader that went away is not an error.
pub fn print(text: &str) {
    let mut stdout = anstream::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(stdout, "{text}{newline}").and_then(|()| stdout.flush());
}

/// Writes one line to stderr.
pub fn say(text: std::fmt::Arguments<'_>) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// A plain table with aligned columns.
pub fn table(headers: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::NOTHING).set_header(headers.to_vec()).add_rows(rows);
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 1));
    }
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
