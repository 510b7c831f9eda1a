//! `mainstay audit`: read, check and export the log of calls.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult};
use mainstay_runtime::audit::{rows, verify};
use serde_json::{Value, json};

use crate::output::{DONE, ERROR, Output, table};
use crate::settings::with_flags;

pub fn command() -> Command {
    let tool = Arg::new("only").long("tool").value_name("TOOL").help("Only calls of this tool");
    Command::new("audit")
        .about("Read, check and export the log of calls")
        .subcommand_required(true)
        .subcommands([
            with_flags(Command::new("tail").about("Show the newest calls"))
                .arg(
                    Arg::new("count")
                        .short('n')
                        .long("count")
                        .value_name("ROWS")
                        .value_parser(clap::value_parser!(usize))
                        .default_value("20")
                        .help("How many"),
                )
                .arg(tool.clone()),
            with_flags(Command::new("verify").about("Check that no row was changed, dropped, added or moved")),
            with_flags(Command::new("export").about("Print every row"))
                .arg(
                    Arg::new("format")
                        .long("format")
                        .value_parser(["jsonl", "csv"])
                        .default_value("jsonl")
                        .help("Form of the rows"),
                )
                .arg(tool),
        ])
        .after_help("Example: mainstay mcp --audit ~/.local/state/mainstay/audit\n         mainstay audit verify --audit ~/.local/state/mainstay/audit")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (name, matches) = matches.subcommand().ok_or_else(|| Fault::invalid("no such command"))?;
    let settings = super::settings(matches)?;
    let dir = settings.path("audit").map(|dir| settings.work_dir.join(dir)).ok_or_else(|| {
        Fault::invalid("no audit log is configured")
            .hint("name its directory with --audit, MAINSTAY_AUDIT or audit in mainstay.toml")
    })?;
    match name {
        "verify" => check(&dir, output),
        "tail" => {
            let mut rows = chosen(&dir, matches)?;
            let count = matches.get_one::<usize>("count").copied().unwrap_or_default();
            let rows = rows.split_off(rows.len().saturating_sub(count));
            Ok(output.result(&json!({ "rows": rows }), || as_table(&rows)))
        }
        _ => {
            let rows = chosen(&dir, matches)?;
            let text = match matches.get_one::<String>("format").map(String::as_str) {
                Some("csv") => csv(&rows),
                _ => rows.iter().map(|row| format!("{row}\n")).collect(),
            };
            Ok(output.result(&json!({ "rows": rows }), || text))
        }
    }
}

fn unreadable(dir: &std::path::Path, error: &std::io::Error) -> Fault {
    Fault::not_found(format!("could not read the audit log {}: {error}", dir.display()))
        .hint("a server started with --audit writes it")
}

fn chosen(dir: &std::path::Path, matches: &ArgMatches) -> FaultResult<Vec<Value>> {
    let mut rows = rows(dir).map_err(|error| unreadable(dir, &error))?;
    if let Some(tool) = matches.get_one::<String>("only") {
        rows.retain(|row| row["tool"].as_str() == Some(tool));
    }
    Ok(rows)
}

fn check(dir: &std::path::Path, output: Output) -> FaultResult<ExitCode> {
    let report = verify(dir).map_err(|error| unreadable(dir, &error))?;
    output.result(&report, || match &report.broken {
        None => {
            format!("{DONE}Verified{DONE:#} {} rows; the newest has the hash {}", report.rows, report.head)
        }
        Some(broken) => {
            format!("{ERROR}Broken{ERROR:#} at {}:{}: {}", broken.file, broken.line, broken.what)
        }
    });
    Ok(ExitCode::from(u8::from(!report.ok)))
}

const COLUMNS: [&str; 10] =
    ["at", "surface", "caller", "tool", "plan", "decision", "outcome", "durationMs", "bytes", "tokens"];

fn cells(row: &Value) -> Vec<String> {
    // A request that did not become a call has an address and a path instead of a caller and a tool.
    let value = |key: &str| match key {
        "caller" if row["caller"].is_null() => &row["from"],
        "tool" if row["tool"].is_null() => &row["request"],
        "plan" => &row["plan"]["id"],
        key => &row[key],
    };
    let cell = |key: &&str| match value(key) {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    COLUMNS.iter().map(cell).collect()
}

fn as_table(rows: &[Value]) -> String {
    match rows.is_empty() {
        true => "no calls".to_owned(),
        false => table(&COLUMNS, rows.iter().map(cells).collect()),
    }
}

fn csv(rows: &[Value]) -> String {
    let line = |cells: Vec<String>| {
        let quoted = cells.into_iter().map(|cell| {
            // A spreadsheet runs a cell that begins like a formula.
            let cell =
                if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell };
            match cell.contains([',', '"', '\n', '\r']) {
                true => format!("\"{}\"", cell.replace('"', "\"\"")),
                false => cell,
            }
        });
        quoted.collect::<Vec<_>>().join(",") + "\n"
    };
    let header = line(COLUMNS.map(str::to_owned).to_vec());
    header + &rows.iter().map(|row| line(cells(row))).collect::<String>()
}
