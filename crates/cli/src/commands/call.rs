//! `mainstay call TOOL`: any tool from the shell, through the same path as every other surface.

use std::ffi::OsString;
use std::io::Read;
use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::{Body, Fault, FaultResult, ToolDef};
use mainstay_runtime::budget::{CURSOR, DETAIL, MAX_TOKENS};
use mainstay_runtime::{Outcome, Request, Runtime};
use serde_json::{Map, Value};

use crate::output::{Output, WARNING, exit_of, explain, print, say};
use crate::settings::{Kind, Setting};
use crate::toolsets::App;

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
    let request = Request { meta: budget(matches), ..Request::new(tool, Value::Object(args)) };
    Ok(answer(&runtime, request, output))
}

/// Flags that say how much of the answer is wanted, with the metadata each stands for.
pub const BUDGET_FLAGS: [(&str, &str, &str); 3] = [
    ("answer-tokens", MAX_TOKENS, "Answer with at most so many tokens; the cursor leads to the rest"),
    ("answer-detail", DETAIL, "How much is told of each listed thing: ids, brief or full"),
    ("answer-cursor", CURSOR, "Go on from the cursor of an earlier answer"),
];

fn budget(matches: &ArgMatches) -> Map<String, Value> {
    let given = BUDGET_FLAGS.iter().filter_map(|(flag, key, _)| {
        let text = matches.get_one::<String>(flag)?;
        let number = text.parse::<u64>().ok().filter(|_| *key == MAX_TOKENS);
        Some(((*key).to_owned(), number.map_or_else(|| Value::from(text.as_str()), Value::from)))
    });
    given.collect()
}

/// Flags of the command itself that are followed by a value.
const WITH_VALUE: &[&str] = &["args", "color", "config", "answer-tokens", "answer-detail", "answer-cursor"];
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
            None => !WITHOUT_VALUE.contains(&name),
        };
        let is_ours = setting.is_some() || WITH_VALUE.contains(&name) || WITHOUT_VALUE.contains(&name);
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

/// Calls a tool and prints its answer; the exit status follows the answer.
fn answer(runtime: &Runtime, request: Request, output: Output) -> ExitCode {
    let outcome = runtime.call(request);
    if output.json {
        print(&mainstay_server::envelope(&outcome));
        return status(&outcome);
    }
    for warning in &outcome.meta.warnings {
        let message = warning.get("message").and_then(Value::as_str).unwrap_or_default();
        say(format_args!("{WARNING}warning:{WARNING:#} {message}"));
    }
    match &outcome.result {
        Ok(Body::Json(raw)) => {
            let value: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            print(&format!("{value:#}"));
        }
        Ok(Body::Text { text, .. }) => print(text),
        Ok(Body::Content { blocks, .. }) => {
            for text in blocks.iter().filter_map(|block| block.get("text")?.as_str()) {
                print(text);
            }
        }
        Ok(other) => print(&format!("{other:?}")),
        Err(failure) => {
            explain(&failure.fault);
        }
    }
    if let Some(cursor) = outcome.meta.page.as_ref().and_then(|page| page.cursor.as_ref()) {
        say(format_args!("{WARNING}more:{WARNING:#} go on with --answer-cursor '{cursor}'"));
    }
    status(&outcome)
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
