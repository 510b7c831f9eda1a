//! `mainstay search`, `mainstay index` and `mainstay show`: the search toolset for people.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{Body, ErrorCode, Fault, FaultResult, ToolDef};
use mainstay_runtime::{Outcome, Request, Runtime};
use serde_json::{Map, Value, json};

use crate::flags::{tool_args, with_tool_flags};
use crate::output::{DIM, DONE, MATCH, NAME, Output, WARNING, exit_of, explain, print};
use crate::progress::Bar;
use crate::settings::with_flags;
use crate::toolsets::App;
use crate::units;

/// Arguments whose flag is spelled otherwise in the contract.
const SEED_FLAGS: &[(&str, &str)] = &[
    ("branchesMin", "branches"),
    ("loopsMin", "loops"),
    ("breaksMin", "breaks"),
    ("continuesMin", "continues"),
    ("churnMin", "churn"),
];

/// The lists of hits in an answer, in the order people want to see them.
const MODES: &[&str] = &["code", "prose", "extractedProse", "records"];

/// Arguments that have a place of their own on the command line.
const PLACED: &[&str] = &["query", "repoPath"];

pub fn search_command(def: &ToolDef) -> Command {
    let command = Command::new("search")
        .about("Search the repository you are in")
        .arg(Arg::new("query").required(true).num_args(1..).value_name("QUERY").help("Words, \"exact text\", /regex/ or a question"))
        .after_help("Example: mainstay search \"how are cancelled requests cleaned up\"\n         mainstay search '/fn \\w+_index/' --lang rust -n 20");
    let command = with_tool_flags(with_flags(command), def, PLACED);
    let command = SEED_FLAGS.iter().fold(command, |command, (argument, flag)| {
        command.mut_arg(*argument, |arg| arg.visible_alias(*flag))
    });
    let switch = |name: &'static str, about: &'static str, other: &'static str| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .conflicts_with(other)
            .help(about)
            .help_heading("Filters and output")
    };
    command
        .mut_arg("top", |arg| arg.short('n'))
        .arg(switch("compact", "Short for --output compact", "output"))
        .arg(switch("no-ann", "Short for --ann=false", "ann"))
}

pub fn index_command() -> Command {
    Command::new("index").about("Build and look at search indexes").subcommand_required(true).subcommands([
        with_flags(Command::new("build").about("Build the index of a repository or bring it up to date"))
            .arg(Arg::new("full").long("full").action(ArgAction::SetTrue).help("Work on every file again")),
        with_flags(Command::new("status").about("Show how large and how fresh the index is")),
        with_flags(Command::new("verify").about("Read the whole index and check it")),
    ])
}

pub fn show_command() -> Command {
    with_flags(Command::new("show").about("Show lines of a file"))
        .arg(Arg::new("place").required(true).value_name("FILE[:LINE[-LINE]]").help("File and lines"))
        .after_help("Example: mainstay show src/lib.rs:10-40")
}

pub fn search(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, false)?.runtime()?;
    let def = definition(&runtime, "search")?;
    let mut args = tool_args(matches, &def, PLACED);
    let words: Vec<&str> =
        matches.get_many::<String>("query").into_iter().flatten().map(String::as_str).collect();
    args.insert("query".into(), words.join(" ").into());
    if matches.get_flag("compact") {
        args.insert("output".into(), "compact".into());
    }
    if matches.get_flag("no-ann") {
        args.insert("ann".into(), false.into());
    }
    if !output.json && !args.contains_key("output") {
        args.insert("output".into(), "full".into());
    }
    let by_risk = args.keys().any(|name| name.starts_with("risk"));
    let mut outcome = runtime.call(Request::new("search", Value::Object(args.clone())));
    if outcome.result.as_ref().is_err_and(|failure| failure.fault.code == ErrorCode::NoIndex) {
        output.note(format_args!("{DIM}No index yet; building one. This happens once.{DIM:#}"));
        let built = build(&runtime, json!({}), output);
        if built.result.is_err() {
            return Ok(finish(&built, output, |_| String::new()));
        }
        outcome = runtime.call(Request::new("search", Value::Object(args)));
    }
    let found = matches!(&outcome.result, Ok(Body::Json(raw)) if count(raw.get()) > 0);
    let status = finish(&outcome, output, |result| page(result, by_risk));
    Ok(if outcome.result.is_ok() && !found { ExitCode::from(1) } else { status })
}

pub fn index(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, false)?.runtime()?;
    match verb {
        "build" => {
            let outcome = build(&runtime, json!({ "incremental": !matches.get_flag("full") }), output);
            Ok(finish(&outcome, output, built))
        }
        "status" => {
            let outcome = runtime.call(Request::new("index_status", json!({})));
            Ok(finish(&outcome, output, status))
        }
        _ => {
            let outcome = runtime.call(Request::new("check_status", json!({ "verify": true })));
            let sound = matches!(&outcome.result, Ok(Body::Json(raw)) if parse(raw.get())["ok"] == true);
            let status = finish(&outcome, output, checks);
            Ok(if outcome.result.is_ok() && !sound { ExitCode::from(1) } else { status })
        }
    }
}

pub fn show(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, false)?.runtime()?;
    let place = matches.get_one::<String>("place").expect("clap requires a place");
    let (file, lines) = match place.rsplit_once(':') {
        Some((file, lines)) if lines.starts_with(|c: char| c.is_ascii_digit()) => (file, Some(lines)),
        _ => (place.as_str(), None),
    };
    let mut args = Map::new();
    args.insert("file".into(), file.into());
    if let Some(lines) = lines {
        let number = |text: &str| {
            text.parse::<u32>().map_err(|_| Fault::invalid(format!("{text} is not a line number")))
        };
        let (start, end) = lines.split_once('-').map_or((lines, None), |(start, end)| (start, Some(end)));
        args.insert("startLine".into(), number(start)?.into());
        if let Some(end) = end {
            args.insert("endLine".into(), number(end)?.into());
        }
    }
    let outcome = runtime.call(Request::new("show_file", Value::Object(args)));
    Ok(finish(&outcome, output, |value| {
        let first = value["startLine"].as_u64().unwrap_or(1);
        numbered(value["text"].as_str().unwrap_or_default(), first, &[])
    }))
}

pub(super) fn definition(runtime: &Runtime, tool: &str) -> FaultResult<Arc<ToolDef>> {
    runtime.registry().get(tool).ok_or_else(|| {
        Fault::new(ErrorCode::UnknownTool, format!("the tool {tool} is not available"))
            .hint(format!("`mainstay tools explain {tool}` says why"))
    })
}

pub(super) fn build(runtime: &Runtime, args: Value, output: Output) -> Outcome {
    let bar = Bar::start(output.quiet || output.json);
    let steps = bar.clone();
    let outcome = runtime.call(Request::new("build_index", args).on_step(move |_, step| steps.show(&step)));
    bar.finish();
    outcome
}

/// Prints an outcome: `text` of its result for a person, the envelope with `--json`.
pub(super) fn finish(outcome: &Outcome, output: Output, text: impl FnOnce(&Value) -> String) -> ExitCode {
    if output.json {
        print(&mainstay_server::envelope(outcome));
    }
    match &outcome.result {
        Ok(Body::Json(raw)) => {
            if !output.json {
                for warning in outcome.meta.warnings.iter().filter_map(|warning| warning["message"].as_str())
                {
                    output.note(format_args!("{WARNING}warning:{WARNING:#} {warning}"));
                }
                let text = text(&parse(raw.get()));
                if !text.is_empty() {
                    print(&text);
                }
            }
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => {
            if !output.json {
                explain(&failure.fault);
            }
            exit_of(failure.fault.code)
        }
    }
}

pub(super) fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn count(result: &str) -> usize {
    let result = parse(result);
    MODES.iter().map(|mode| result["search"][mode].as_array().map_or(0, Vec::len)).sum()
}

/// Hits grouped by file, in the order of their best hit; with the way values take where that was asked for.
fn page(result: &Value, by_risk: bool) -> String {
    let search = &result["search"];
    let mut hits: Vec<&Value> = Vec::new();
    for hit in MODES.iter().flat_map(|mode| search[mode].as_array().into_iter().flatten()) {
        // A definition is shown once, also when its documentation is a hit too.
        if !hits.iter().any(|shown| shown["id"] == hit["id"] && shown["repo"] == hit["repo"]) {
            hits.push(hit);
        }
    }
    let mut files: Vec<(String, Vec<&Value>)> = Vec::new();
    for hit in hits {
        let file = hit["file"].as_str().unwrap_or_default();
        let file = hit["repo"].as_str().map_or(file.to_owned(), |repo| format!("{repo}/{file}"));
        match files.iter_mut().find(|group| group.0 == file) {
            Some(group) => group.1.push(hit),
            None => files.push((file, vec![hit])),
        }
    }
    let mut text = String::new();
    for (file, hits) in &files {
        for hit in hits {
            if let Some(record) = hit.get("record") {
                text.push_str(&record_line(hit, record));
                continue;
            }
            let line = hit["snippet"]["line"].as_u64().or(hit["startLine"].as_u64()).unwrap_or(1);
            let name = hit["name"].as_str().unwrap_or_default();
            let kind = hit["kind"].as_str().unwrap_or_default();
            text.push_str(&format!("{NAME}{file}:{line}{NAME:#}  {DIM}{kind}{DIM:#} {name}\n"));
            if let Some(snippet) = hit["snippet"]["text"].as_str() {
                let matches: Vec<(usize, usize)> =
                    hit["snippet"]["matches"].as_array().into_iter().flatten().filter_map(pair).collect();
                text.push_str(&numbered(snippet, line, &matches));
            }
            for said in hit["lint"].as_array().into_iter().flatten() {
                text.push_str(&lint_line(said));
            }
            for flow in hit["riskFlows"].as_array().into_iter().flatten().filter(|_| by_risk) {
                text.push_str(&flow_lines(flow));
            }
            text.push('\n');
        }
    }
    if files.is_empty() {
        text.push_str("No match\n");
    }
    for note in search["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        text.push_str(&format!("{DIM}{note}{DIM:#}\n"));
    }
    let fresh = &search["freshness"];
    let changed: u64 =
        ["changedFiles", "addedFiles", "deletedFiles"].iter().filter_map(|key| fresh[key].as_u64()).sum();
    if changed > 0 {
        text.push_str(&format!("{DIM}{changed} files changed since the index was built; they were searched as they are now{DIM:#}\n"));
    }
    text.trim_end().to_owned()
}

/// A value from outside and the lines it passes, from its source to its sink.
fn flow_lines(flow: &Value) -> String {
    let word = |key: &str| flow[key].as_str().unwrap_or_default();
    let ids: Vec<&str> = flow["ids"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut text = format!(
        "{:>6}  {WARNING}{}{WARNING:#} {}->{} {DIM}{} {}{DIM:#}\n",
        "",
        word("severity"),
        word("source"),
        word("sink"),
        word("category"),
        ids.join(" "),
    );
    for step in flow["path"].as_array().into_iter().flatten() {
        let line = step["line"].as_u64().unwrap_or_default();
        let place = step["file"].as_str().map_or(line.to_string(), |file| format!("{file}:{line}"));
        let shown = step["text"].as_str().unwrap_or_default();
        text.push_str(&format!("{:>6}    {DIM}{place}{DIM:#}  {shown}\n", ""));
    }
    text
}

/// What a linter said, under the line it is about.
fn lint_line(said: &Value) -> String {
    let word = |key: &str| said[key].as_str().unwrap_or_default();
    let stale = if said["stale"] == true { " (the file has changed since)" } else { "" };
    format!(
        "{DIM}{:>6}{DIM:#}  {WARNING}{}{WARNING:#} {} {DIM}{}{stale}{DIM:#}\n",
        said["line"].as_u64().unwrap_or_default(),
        word("level"),
        word("message"),
        word("rule"),
    )
}

/// A triage record: what a person needs to tell it from others, and its id for the next call.
fn record_line(hit: &Value, record: &Value) -> String {
    let field = |key: &str| record[key].as_str().unwrap_or("-").to_owned();
    let status = if hit["kind"] == "decision" { field("state") } else { field("status") };
    format!(
        "{NAME}{}{NAME:#}  {} {status} {DIM}{}{DIM:#} {} {}\n{:>6}  {}\n\n",
        hit["id"].as_str().unwrap_or_default(),
        field("severity"),
        hit["kind"].as_str().unwrap_or_default(),
        field("vulnId"),
        field("packageName"),
        "",
        hit["headline"].as_str().unwrap_or_default(),
    )
}

fn pair(value: &Value) -> Option<(usize, usize)> {
    Some((usize::try_from(value[0].as_u64()?).ok()?, usize::try_from(value[1].as_u64()?).ok()?))
}

/// Lines with their numbers, matches highlighted.
fn numbered(text: &str, first: u64, matches: &[(usize, usize)]) -> String {
    let mut shown = String::new();
    let mut offset = 0;
    for (number, line) in (first..).zip(text.trim_end_matches('\n').split('\n')) {
        shown.push_str(&format!("{DIM}{number:>6}{DIM:#}  {}\n", highlighted(line, offset, matches)));
        offset += line.len() + 1;
    }
    shown
}

fn highlighted(line: &str, offset: usize, matches: &[(usize, usize)]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for (start, end) in matches {
        let (Some(start), Some(end)) = (start.checked_sub(offset), end.checked_sub(offset)) else { continue };
        let (Some(before), Some(inside)) = (line.get(at..start), line.get(start..end.min(line.len()))) else {
            continue;
        };
        text.push_str(&format!("{before}{MATCH}{inside}{MATCH:#}"));
        at = start + inside.len();
    }
    text.push_str(line.get(at..).unwrap_or_default());
    text
}

fn built(result: &Value) -> String {
    let number = |key: &str| result[key].as_u64().unwrap_or_default();
    let mut text = format!(
        "{DONE}Indexed{DONE:#} {} from {} in {} ({} worked on)",
        units::many(number("chunks"), "chunk"),
        units::many(number("files"), "file"),
        units::duration(Duration::from_millis(number("elapsedMs"))),
        units::count(number("analysedFiles")),
    );
    for (reason, count) in result["skipped"].as_object().into_iter().flatten() {
        text.push_str(&format!("\n  {DIM}skipped{DIM:#}  {count} {reason}"));
    }
    text
}

fn status(result: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let index = &result["index"];
    let mut rows = vec![("repository", text(&result["repoPath"]))];
    match (index, result["problem"].as_str()) {
        (_, Some(problem)) => rows.push(("index", problem.to_owned())),
        (Value::Null, None) => rows.push(("index", "none yet; `mainstay index build` builds it".into())),
        (index, None) => {
            let number = |key: &str| index[key].as_u64().unwrap_or_default();
            rows.push((
                "index",
                format!("{}, {}", text(&result["repoCacheRoot"]), units::bytes(number("indexBytes"))),
            ));
            rows.push(("built", text(&index["builtAt"])));
            let source = units::bytes(number("sourceBytes"));
            let files = units::many(number("files"), "file");
            rows.push((
                "holds",
                format!("{} from {files} ({source})", units::many(number("chunks"), "chunk")),
            ));
            let words = |key: &str| {
                let counts = index[key].as_object().into_iter().flatten();
                let mut counts: Vec<(u64, &String)> =
                    counts.filter_map(|(name, count)| Some((count.as_u64()?, name))).collect();
                counts.sort_by(|a, b| b.cmp(a));
                let words = counts.iter().map(|(count, name)| format!("{name} {}", units::count(*count)));
                words.collect::<Vec<_>>().join(", ")
            };
            rows.push(("languages", words("languages")));
            rows.push(("skipped", words("skipped")));
            rows.push(("since then", since(&index["freshness"])));
        }
    }
    let lines = rows.iter().filter(|(_, said)| !said.is_empty());
    lines.map(|(name, said)| format!("{DIM}{name:<11}{DIM:#} {said}\n")).collect()
}

fn since(fresh: &Value) -> String {
    let parts = [("changedFiles", "changed"), ("addedFiles", "added"), ("deletedFiles", "deleted")];
    let counts =
        parts.iter().filter_map(|(key, word)| Some((fresh[key].as_u64().filter(|count| *count > 0)?, word)));
    let said: Vec<String> = counts.map(|(count, word)| format!("{} {word}", units::count(count))).collect();
    if said.is_empty() { "nothing changed".into() } else { said.join(", ") }
}

fn checks(result: &Value) -> String {
    let rows = result["checks"].as_array().into_iter().flatten();
    let lines: Vec<String> = rows
        .map(|row| {
            let mark = if row["ok"] == true { "ok " } else { "no " };
            let hint = row["hint"].as_str().map(|hint| format!("\n     {hint}")).unwrap_or_default();
            format!(
                "{mark}  {}: {}{hint}",
                row["name"].as_str().unwrap_or_default(),
                row["detail"].as_str().unwrap_or_default()
            )
        })
        .collect();
    lines.join("\n")
}
