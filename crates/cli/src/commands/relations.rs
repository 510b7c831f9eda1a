//! `mainstay refs`, `mainstay map` and `mainstay impact`: what belongs together in a repository, for people.

use std::io::Read as _;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use mainstay_contract::{Body, ErrorCode, Fault, FaultResult, ToolDef};
use mainstay_runtime::{Outcome, Request, Runtime};
use serde_json::{Map, Value, json};

use super::search::{build, definition, finish, parse};
use crate::flags::{tool_args, with_tool_flags};
use crate::output::{DIM, NAME, Output, WARNING};
use crate::settings::with_flags;
use crate::toolsets::App;
use crate::units;

/// Arguments of `impact` that have a place of their own.
const IMPACT: &[&str] = &["range", "diff", "repoPath"];

pub fn refs_command(def: &ToolDef) -> Command {
    let command = Command::new("refs")
        .about("Show where a symbol is defined, who refers to it and what it calls")
        .arg(
            Arg::new("symbol")
                .required(true)
                .value_name("SYMBOL")
                .help("Name, Type.name, FILE:NAME or FILE:LINE"),
        )
        .after_help("Example: mainstay refs Index.open --relation callers");
    with_tool_flags(with_flags(command), def, &["symbol", "repoPath"])
}

pub fn map_command(def: &ToolDef) -> Command {
    let command = Command::new("map")
        .about("Outline the repository by its most central definitions")
        .arg(
            Arg::new("focus")
                .num_args(0..)
                .value_name("FOCUS")
                .help("Files, folders or symbols that matter now"),
        )
        .after_help("Example: mainstay map --tokens 1000\n         mainstay map src/server.rs Session.close");
    with_tool_flags(with_flags(command), def, &["focus", "repoPath"])
}

pub fn impact_command(def: &ToolDef) -> Command {
    let command = Command::new("impact")
        .about("Show what a change touches, who depends on it and which tests reach it")
        .arg(
            Arg::new("range")
                .value_name("COMMITS")
                .help("As git diff takes them; the working tree when absent"),
        )
        .arg(
            Arg::new("diff")
                .long("diff")
                .value_name("FILE")
                .conflicts_with("range")
                .help("A file with a unified diff; - reads stdin"),
        )
        .after_help("Example: mainstay impact\n         mainstay impact main...HEAD --depth 2");
    with_tool_flags(with_flags(command), def, IMPACT)
}

pub fn refs(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let symbol = matches.get_one::<String>("symbol").expect("clap requires a symbol");
    let args = [("symbol", json!(symbol))];
    answer(matches, "symbol_references", &["symbol", "repoPath"], args.into(), output, references, |found| {
        ["definitions", "callers", "references"].iter().any(|key| found["total"][key] != 0)
    })
}

pub fn map(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let focus: Vec<&String> = matches.get_many::<String>("focus").into_iter().flatten().collect();
    let args = if focus.is_empty() { Vec::new() } else { vec![("focus", json!(focus))] };
    answer(matches, "repo_map", &["focus", "repoPath"], args, output, outline, |found| {
        found["shown"]["symbols"] != 0
    })
}

pub fn impact(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let range = matches.get_one::<String>("range").map(|range| ("range", json!(range)));
    let diff = match matches.get_one::<String>("diff") {
        Some(file) => Some(("diff", json!(text_of(file)?))),
        None => None,
    };
    let args = range.into_iter().chain(diff).collect();
    answer(matches, "impact", IMPACT, args, output, touched, |_| true)
}

/// The text of a file, or of stdin.
fn text_of(file: &str) -> FaultResult<String> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        file => std::fs::read_to_string(file).map(|read| text = read),
    };
    read.map_err(|error| {
        Fault::not_found(format!("could not read {file}: {error}"))
            .hint("name a file with a unified diff, or - for stdin")
    })?;
    Ok(text)
}

/// Calls a tool, building an index first where there is none, and prints its answer.
fn answer(
    matches: &ArgMatches,
    tool: &str,
    placed: &[&str],
    args: Vec<(&str, Value)>,
    output: Output,
    text: fn(&Value) -> String,
    is_yes: fn(&Value) -> bool,
) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, false)?.runtime()?;
    let def = definition(&runtime, tool)?;
    let mut all: Map<String, Value> = tool_args(matches, &def, placed);
    all.extend(args.into_iter().map(|(key, value)| (key.to_owned(), value)));
    let outcome = ask(&runtime, tool, Value::Object(all), output);
    let yes = matches!(&outcome.result, Ok(Body::Json(raw)) if is_yes(&parse(raw.get())));
    let status = finish(&outcome, output, text);
    Ok(if outcome.result.is_ok() && !yes { ExitCode::from(1) } else { status })
}

fn ask(runtime: &Runtime, tool: &str, args: Value, output: Output) -> Outcome {
    let outcome = runtime.call(Request::new(tool, args.clone()));
    if !outcome.result.as_ref().is_err_and(|failure| failure.fault.code == ErrorCode::NoIndex) {
        return outcome;
    }
    output.note(format_args!("{DIM}No index yet; building one. This happens once.{DIM:#}"));
    let built = build(runtime, json!({}), output);
    match built.result {
        Ok(_) => runtime.call(Request::new(tool, args)),
        Err(_) => built,
    }
}

fn rows<'v>(found: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    found[key].as_array().into_iter().flatten()
}

fn word<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap_or_default()
}

/// What is not certain says so.
fn doubt(row: &Value) -> String {
    match word(row, "certainty") {
        "by-name" => format!("  {WARNING}by name{WARNING:#}"),
        _ => String::new(),
    }
}

fn named(row: &Value) -> String {
    match word(row, "name") {
        "" => format!("{DIM}top of the file{DIM:#}"),
        name => format!("{DIM}{}{DIM:#} {name}", word(row, "kind")),
    }
}

fn references(found: &Value) -> String {
    let mut text = String::new();
    for row in rows(found, "definitions") {
        text.push_str(&format!("{NAME}{}:{}{NAME:#}  {}\n", word(row, "file"), row["startLine"], named(row)));
        if !word(row, "signature").is_empty() {
            text.push_str(&format!("        {}\n", word(row, "signature")));
        }
    }
    for (key, title) in [("callers", "called by"), ("references", "mentioned by"), ("callees", "calls")] {
        let total = found["total"][key].as_u64().unwrap_or_default();
        if total == 0 {
            continue;
        }
        text.push_str(&format!("\n{title} {total}\n"));
        for row in rows(found, key) {
            text.push_str(&format!(
                "  {NAME}{}:{}{NAME:#}  {}{}\n",
                word(row, "file"),
                row["line"],
                named(row),
                doubt(row)
            ));
            if key != "callees" && !word(row, "text").is_empty() {
                text.push_str(&format!("        {}\n", word(row, "text")));
            }
        }
    }
    ended(text, found)
}

/// Notes, and how to see the rest.
fn ended(mut text: String, found: &Value) -> String {
    for note in rows(found, "notes").filter_map(Value::as_str) {
        text.push_str(&format!("{DIM}{note}{DIM:#}\n"));
    }
    if let Some(cursor) = found["cursor"].as_str() {
        text.push_str(&format!("{DIM}there is more: add --cursor {cursor}{DIM:#}\n"));
    }
    text.trim_end().to_owned()
}

fn outline(found: &Value) -> String {
    let mut text = String::new();
    for line in word(found, "map").lines() {
        match line.starts_with(' ') {
            true => text.push_str(&format!("{line}\n")),
            false => text.push_str(&format!("{NAME}{line}{NAME:#}\n")),
        }
    }
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    text.push_str(&format!(
        "{DIM}{} of {} tokens; left out: {}, {}{DIM:#}\n",
        units::count(number(&found["tokens"])),
        units::count(number(&found["budget"])),
        units::many(number(&found["omitted"]["symbols"]), "definition"),
        units::many(number(&found["omitted"]["files"]), "file"),
    ));
    ended(text, found)
}

fn touched(found: &Value) -> String {
    let mut text = String::new();
    let total = |key: &str| found["total"][key].as_u64().unwrap_or_default();
    text.push_str(&format!("{} changed ({})\n", units::many(total("files"), "file"), word(found, "of")));
    for row in rows(found, "files") {
        let gone = if row["removed"] == true { "  removed" } else { "" };
        text.push_str(&format!(
            "  {NAME}{}{NAME:#}  {DIM}+{} -{}{DIM:#}{gone}\n",
            word(row, "file"),
            row["added"],
            row["deleted"]
        ));
    }
    if total("touched") > 0 {
        text.push_str(&format!("\ntouches {}\n", total("touched")));
        for row in rows(found, "touched") {
            text.push_str(&format!(
                "  {NAME}{}:{}{NAME:#}  {}\n",
                word(row, "file"),
                row["startLine"],
                named(row)
            ));
        }
    }
    for (key, title) in [("callers", "reaches"), ("tests", "tests")] {
        if total(key) == 0 {
            continue;
        }
        text.push_str(&format!("\n{title} {}\n", total(key)));
        for row in rows(found, key) {
            let via = format!("{DIM}step {} through {}{DIM:#}", row["depth"], word(row, "via"));
            text.push_str(&format!(
                "  {NAME}{}:{}{NAME:#}  {}  {via}{}\n",
                word(row, "file"),
                row["line"],
                named(row),
                doubt(row)
            ));
        }
    }
    let owners = owners(&found["owners"]);
    if !owners.is_empty() {
        text.push_str(&format!("\nowners\n{owners}"));
    }
    ended(text, found)
}

fn owners(owners: &Value) -> String {
    let mut text = String::new();
    for row in rows(owners, "codeowners") {
        let names: Vec<&str> = rows(row, "owners").filter_map(Value::as_str).collect();
        text.push_str(&format!("  {}  {DIM}by {}{DIM:#}\n", names.join(" "), word(row, "pattern")));
    }
    for row in rows(owners, "git") {
        text.push_str(&format!(
            "  {}  {DIM}{} lately{DIM:#}\n",
            word(row, "name"),
            units::many(row["commits"].as_u64().unwrap_or_default(), "commit")
        ));
    }
    text
}
