//! `mainstay call TOOL`: any tool from the shell, through the same path as every other surface.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::ArgMatches;
use mainstay_contract::{Body, ErrorCode, Fault, FaultResult, ToolDef};
use mainstay_runtime::{Outcome, Request, Runtime, nearest};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::output::{DONE, Output, WARNING, exit_of, explain, print, say};
use crate::progress::Bar;
use crate::settings::{Kind, Setting};
use crate::toolsets::App;
use crate::{budget, files, units};

/// How long a call that was answered may still take to clean up.
const CLEAN_UP: Duration = Duration::from_secs(5);

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, matches.get_flag("conformance-fixtures"))?.runtime()?;
    let tool = matches.get_one::<String>("tool").expect("clap requires a tool");
    let mut args = match matches.get_one::<String>("args") {
        Some(text) => json_args(text)?,
        None => Map::new(),
    };
    if let Some(words) = matches.get_many::<String>("pairs") {
        let words: Vec<&str> = words.map(String::as_str).collect();
        let def = runtime.registry().get(tool);
        args.extend(pair_args(&words, def.as_deref())?);
    }
    let answer = Answer {
        fields: matches.get_many::<String>("fields").into_iter().flatten().cloned().collect(),
        file: matches.get_one::<String>("save").map(|file| settings.work_dir.join(file)),
    };
    let request =
        Request { surface: "shell", meta: budget::meta(matches), ..Request::new(tool, Value::Object(args)) };
    call(&runtime, request, &answer, output)
}

/// Flags of the command itself that are followed by a value.
const WITH_VALUE: &[&str] = &["args", "color", "config", "fields", "save"];
const WITHOUT_VALUE: &[&str] =
    &["json", "quiet", "help", "conformance-fixtures", "classic", "discovery", "no-dashboard"];

/// Moves `--key value` pairs that are no flags of ours behind `--`, so that they read as arguments of the tool.
pub fn rearrange(words: Vec<OsString>) -> Vec<OsString> {
    let is_word = |word: &OsString| !word.to_string_lossy().starts_with('-');
    let mut places = words.iter().enumerate().skip(1).filter(|(_, word)| is_word(word)).map(|(at, _)| at);
    let (Some(command), Some(tool)) = (places.next(), places.next()) else { return words };
    if words[command] != "call" {
        return words;
    }
    let (mut ours, mut pairs) = (words[..=tool].to_vec(), Vec::new());
    let mut rest = words[tool + 1..].iter().peekable();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            pairs.extend(rest.cloned());
            break;
        }
        let Some(name) = text.strip_prefix("--") else {
            ours.push(word.clone());
            continue;
        };
        let (name, inline) = name.split_once('=').map_or((name, false), |(name, _)| (name, true));
        let setting = Setting::find(name);
        let takes_value = match setting {
            Some(setting) => setting.kind != Kind::Switch,
            None => name != budget::PLAN_FLAG && !WITHOUT_VALUE.contains(&name),
        };
        let is_ours = setting.is_some()
            || WITH_VALUE.contains(&name)
            || budget::is_flag(name)
            || WITHOUT_VALUE.contains(&name);
        let side = if is_ours { &mut ours } else { &mut pairs };
        side.push(word.clone());
        if takes_value && !inline {
            side.extend(rest.next_if(|next| is_ours || !next.to_string_lossy().starts_with("--")).cloned());
        }
    }
    if !pairs.is_empty() {
        ours.push("--".into());
        ours.extend(pairs);
    }
    ours
}

/// What becomes of an answer.
#[derive(Default)]
struct Answer {
    /// The parts of the result to keep; all of it when empty.
    fields: Vec<String>,
    /// Where the answer goes instead of stdout.
    file: Option<PathBuf>,
}

/// Calls a tool and prints its answer; the exit status follows the answer.
fn call(runtime: &Runtime, request: Request, answer: &Answer, output: Output) -> FaultResult<ExitCode> {
    let bar = Bar::start(output.quiet);
    let steps = bar.clone();
    let (tool, args) = (request.tool.clone(), request.args.clone());
    let mut outcome = runtime.call(request.on_step(move |_, step| steps.show(&step)));
    bar.finish();
    // A call that was answered before its work ended, as after a timeout, still cleans up after itself.
    runtime.drain(CLEAN_UP);
    if let Err(failure) = &mut outcome.result
        && failure.fault.hint.is_none()
        && let Some(def) = runtime.registry().get(&tool)
    {
        failure.fault.hint = misspelled(&args, &def).or_else(|| next_step(&failure.fault, &def));
    }
    if let Ok(Body::Json(raw)) = &mut outcome.result
        && !answer.fields.is_empty()
    {
        let chosen = chosen(&serde_json::from_str(raw.get()).unwrap_or_default(), &answer.fields)?;
        *raw = RawValue::from_string(chosen.to_string()).map_err(|error| Fault::internal(&error))?;
    }
    if !output.json {
        for warning in &outcome.meta.warnings {
            let message = warning.get("message").and_then(Value::as_str).unwrap_or_default();
            say(format_args!("{WARNING}warning:{WARNING:#} {message}"));
        }
    }
    let text = match (&outcome.result, output.json) {
        (_, true) => mainstay_server::envelope(&outcome),
        (Ok(body), false) => page(body),
        (Err(failure), false) => {
            explain(&failure.fault);
            return Ok(status(&outcome));
        }
    };
    match &answer.file {
        Some(file) if outcome.result.is_ok() => {
            let text = if text.ends_with('\n') { text } else { text + "\n" };
            files::write(file, &text).map_err(|error| {
                Fault::invalid(format!("could not write {}: {error}", file.display()))
                    .hint("name another file with --save")
            })?;
            let size = text.len() as u64;
            output.result(&json!({ "file": file, "bytes": size }), || {
                format!("{DONE}Wrote{DONE:#} {} ({})", file.display(), units::bytes(size))
            });
        }
        _ => print(&text),
    }
    if let Ok(Body::Planned { plan, .. }) = &outcome.result
        && let Some(id) = plan["id"].as_str()
    {
        output.note(format_args!(
            "{WARNING}next:{WARNING:#} repeat the call with --apply-plan {id} in place of --plan"
        ));
    }
    if let Some(cursor) = outcome.meta.page.as_ref().and_then(|page| page.cursor.as_ref()) {
        output.note(format_args!("{WARNING}more:{WARNING:#} go on with --answer-cursor '{cursor}'"));
    }
    Ok(status(&outcome))
}

/// A body as a person reads it.
fn page(body: &Body) -> String {
    match body {
        Body::Json(raw) => {
            let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            format!("{value:#}")
        }
        Body::Text { text, .. } | Body::Planned { text, .. } => text.clone(),
        Body::Content { blocks, .. } => {
            let texts = blocks.iter().filter_map(|block| block.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        other => format!("{other:?}"),
    }
}

/// The parts of a result named by dotted paths; a list on the way stands for each of its items.
fn chosen(result: &Value, fields: &[String]) -> FaultResult<Value> {
    let mut kept = Value::Null;
    for field in fields {
        let path: Vec<&str> = field.split('.').collect();
        let Some(part) = part(result, &path) else {
            let names: Vec<&str> =
                result.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
            let near = nearest(field, names.iter().copied(), 1);
            let hint = near.first().map_or_else(
                || format!("the fields are {}", names.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            return Err(Fault::invalid(format!("the result has no field {field}")).hint(hint));
        };
        merge(&mut kept, part);
    }
    Ok(kept)
}

fn part(value: &Value, path: &[&str]) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else { return Some(value.clone()) };
    match value {
        Value::Array(items) => Some(items.iter().map(|item| part(item, path).unwrap_or(json!({}))).collect()),
        Value::Object(fields) => Some(json!({ (*first): part(fields.get(*first)?, rest)? })),
        _ => None,
    }
}

fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(into), Value::Array(from)) if into.len() == from.len() => {
            for (into, from) in into.iter_mut().zip(from) {
                merge(into, from);
            }
        }
        (into, from) => *into = from,
    }
}

/// The argument that an unknown one was probably meant to be.
fn misspelled(args: &Value, def: &ToolDef) -> Option<String> {
    let known = def.input["properties"].as_object()?;
    let unknown = args.as_object()?.keys().find(|key| !known.contains_key(*key))?;
    let near = nearest(unknown, known.keys().map(String::as_str), 1);
    near.first().map(|near| format!("did you mean {near}?"))
}

/// The next step for failures that mean the same with every tool.
fn next_step(fault: &Fault, def: &ToolDef) -> Option<String> {
    match fault.code {
        ErrorCode::InvalidRequest | ErrorCode::SchemaInput => {
            Some(format!("`mainstay tools show {}` lists the arguments", def.id))
        }
        ErrorCode::Forbidden | ErrorCode::PolicyDenied => {
            Some(format!("`mainstay tools explain {}` says which rule decided", def.id))
        }
        _ => None,
    }
}

fn status(outcome: &Outcome) -> ExitCode {
    match &outcome.result {
        Ok(Body::Text { is_error: true, .. } | Body::Content { is_error: true, .. }) => ExitCode::from(1),
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => exit_of(failure.fault.code),
    }
}

fn json_args(text: &str) -> FaultResult<Map<String, Value>> {
    let mut from_stdin = String::new();
    let text = match text {
        "-" => {
            std::io::stdin().read_to_string(&mut from_stdin).map_err(|error| Fault::internal(&error))?;
            &from_stdin
        }
        text => text,
    };
    serde_json::from_str(text).map_err(|error| {
        Fault::invalid(format!("--args is not a JSON object: {error}"))
            .hint("try --args '{\"query\": \"…\"}'")
    })
}

/// `--key value`, `--key=value` and a bare `--switch`; the schema says what a value is.
fn pair_args(words: &[&str], def: Option<&ToolDef>) -> FaultResult<Map<String, Value>> {
    let mut args: Map<String, Value> = Map::new();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").ok_or_else(|| {
            Fault::invalid(format!("expected --key, found {word}"))
                .hint("write `-- --key value` after the tool name")
        })?;
        let (name, text) = match name.split_once('=') {
            Some((name, text)) => (name, Some(text)),
            None => (name, words.next_if(|next| !next.starts_with("--")).copied()),
        };
        let key = spelled(name, def);
        let value = typed(text, def.and_then(|def| def.input["properties"].get(&key)));
        match args.get_mut(&key) {
            Some(Value::Array(items)) => items.push(value),
            Some(first) => *first = Value::Array(vec![first.take(), value]),
            None => drop(args.insert(key, value)),
        }
    }
    Ok(args)
}

/// The schema's spelling of a key: `repo-path` finds `repoPath`.
fn spelled(name: &str, def: Option<&ToolDef>) -> String {
    let plain = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let properties = def.and_then(|def| def.input["properties"].as_object());
    let found = properties.and_then(|map| map.keys().find(|key| *key == name || plain(key) == plain(name)));
    found.cloned().unwrap_or_else(|| name.to_owned())
}

fn typed(text: Option<&str>, schema: Option<&Value>) -> Value {
    let Some(text) = text else { return Value::Bool(true) };
    let names_string = |schema: &Value| {
        schema["type"] == "string"
            || schema["type"].as_array().is_some_and(|types| types.iter().any(|one| one == "string"))
    };
    let is_string = schema.is_some_and(|schema| {
        names_string(schema)
            || schema["enum"].is_array()
            || schema["anyOf"].as_array().is_some_and(|any| any.iter().any(names_string))
    });
    match is_string {
        true => Value::String(text.to_owned()),
        false => serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_that_are_no_flags_of_ours_belong_to_the_tool() {
        let check = |line: &str, expected: &str| {
            let words = line.split(' ').map(OsString::from).collect();
            let arranged: Vec<String> =
                rearrange(words).into_iter().map(|word| word.into_string().unwrap()).collect();
            assert_eq!(arranged.join(" "), expected);
        };
        check(
            "m call t --top 5 --json --repo d --lang=rust",
            "m call t --json --repo d -- --top 5 --lang=rust",
        );
        check("m call t --case --query x", "m call t -- --case --query x");
        check("m --json call t --args {} --read-only", "m --json call t --args {} --read-only");
        check("m call t -- --json yes", "m call t -- --json yes");
        check("m search --top 5", "m search --top 5");
    }
}
