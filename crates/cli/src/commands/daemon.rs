//! `mainstay daemon`: one process behind the clients on stdio.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

use clap::{ArgMatches, Command};
use mainstay_contract::{ErrorCode, Fault, FaultResult};
use serde_json::{Value, json};

use crate::output::{DONE, NAME, Output, print, say};
use crate::settings::with_some_flags;
use crate::{daemon, log};

pub fn command() -> Command {
    let place = |command: Command| with_some_flags(command, &["runtime-dir"]);
    with_some_flags(
        Command::new("daemon").about("Serve many clients of `mainstay mcp` from one process"),
        &["runtime-dir", "daemon-sessions", "log-verbose"],
    )
    .subcommands([
        place(Command::new("status").about("Show the running daemons and whom they serve")),
        place(Command::new("stop").about("End the daemon; its clients go on without it")),
    ])
    .after_help("Example: mainstay daemon\n         mainstay daemon status")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    match matches.subcommand() {
        Some(("status", matches)) => status(matches, output),
        Some(("stop", matches)) => stop(matches, output),
        _ => serve(matches, output),
    }
}

fn serve(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    log::start(&settings);
    let (stopped, stop) = std::io::pipe().map_err(|error| Fault::internal(&error))?;
    let by_signal = stop.try_clone().map_err(|error| Fault::internal(&error))?;
    super::on_signal(move || {
        // The reader lives as long as the daemon.
        let _ = (&by_signal).write_all(b"s");
    })?;
    let by_client = Mutex::new(stop);
    let on_stop = move || {
        if let Ok(mut stop) = by_client.lock() {
            let _ = stop.write_all(b"s");
        }
    };
    daemon::run(&settings, &stopped, on_stop, |socket| match output.json {
        true => {
            let pid = std::process::id();
            print(&json!({ "event": "listening", "socket": socket, "pid": pid }).to_string());
        }
        false => say(format_args!(
            "{DONE}Serving{DONE:#} clients of `mainstay mcp` at {NAME}{}{NAME:#}; stop with Ctrl-C",
            socket.display()
        )),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Exit status 1 when no daemon of this build runs.
fn status(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let found = daemon::find(&settings);
    let runs = found.iter().any(|one| one.is_joined && one.status.is_some());
    let rows: Vec<Value> = found
        .iter()
        .map(|one| json!({ "socket": one.socket, "joined": one.is_joined, "status": one.status }))
        .collect();
    output.result(&json!({ "running": runs, "daemons": rows }), || {
        if !runs && found.iter().all(|one| one.status.is_none()) {
            return "no daemon runs; start one with `mainstay daemon`".into();
        }
        found.iter().filter_map(|one| Some(text(one.status.as_ref()?, one.is_joined))).collect()
    });
    Ok(ExitCode::from(u8::from(!runs)))
}

fn text(status: &Value, is_joined: bool) -> String {
    let note = if is_joined { "" } else { ", of another build: clients of this one do not join it" };
    let mut text = format!(
        "process {}, for {}{note}; indexes in memory: {}\n",
        status["pid"],
        crate::units::duration(Duration::from_secs(status["uptimeSeconds"].as_u64().unwrap_or(0))),
        status["indexes"]["open"],
    );
    for one in status["sessions"]["now"].as_array().into_iter().flatten() {
        let since = one["since"].as_str().unwrap_or_default();
        text.push_str(&format!(
            "  client {}  {}  since {since}\n",
            one["pid"],
            one["folder"].as_str().unwrap_or_default()
        ));
    }
    text
}

fn stop(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    daemon::ask_to_stop(&settings).map_err(|_| {
        Fault::new(ErrorCode::NotFound, "no daemon of this build runs")
            .hint("`mainstay daemon status` lists those of other builds")
    })?;
    Ok(output
        .result(&json!({ "stopping": true }), || "The daemon ends; its clients go on without it.".into()))
}
