//! `mainstay doctor`: looks, explains, repairs nothing.

use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use mainstay_process::Launcher;
use serde_json::json;

use super::connect;
use crate::doctor::{Look, Row, State, bad_configuration, verdict};
use crate::output::{DIM, DONE, ERROR, NAME, Output, WARNING};
use crate::settings::with_flags;

pub fn command() -> Command {
    with_flags(Command::new("doctor").about("Look whether everything works; change nothing")).after_help(
        "Exit status 0 means ready, 1 means that the last line says what to do.\n\n\
         Example: mainstay doctor\n         mainstay doctor --json",
    )
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let rows = match super::settings(matches) {
        Err(fault) => vec![bad_configuration(&fault.message)],
        Ok(settings) => {
            let launcher = Launcher::this_program().map_err(|error| Fault::internal(&error))?;
            let mut args = vec!["mcp".to_owned()];
            args.extend(connect::setting_args(matches, &settings)?);
            let look = Look {
                settings: &settings,
                args,
                files: settings.files(matches),
                places: connect::places(&settings).ok(),
                launcher: Arc::new(launcher),
            };
            look.rows()
        }
    };
    let (is_ready, sentence) = verdict(&rows);
    output.result(&json!({ "ready": is_ready, "verdict": sentence, "rows": rows }), || {
        let colour = if is_ready { DONE } else { ERROR };
        let lines: String = rows.iter().map(line).collect();
        format!("{lines}\n{colour}{sentence}{colour:#}")
    });
    Ok(ExitCode::from(u8::from(!is_ready)))
}

fn line(row: &Row) -> String {
    let (colour, mark) = match row.state {
        State::Ok => (DONE, "ok"),
        State::Note => (DIM, "note"),
        State::Warning => (WARNING, "warning"),
        State::Problem => (ERROR, "problem"),
    };
    let next =
        row.next.as_ref().map(|next| format!("\n{:25}{NAME}next:{NAME:#} {next}", "")).unwrap_or_default();
    format!("{colour}{mark:<8}{colour:#}  {:<14} {}{next}\n", row.id, row.detail)
}
