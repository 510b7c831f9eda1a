//! `mainstay replay`: the calls of a recording against another server, and what came out different.

mod diff;

use std::collections::BTreeMap;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};
use mainstay_contract::{Fault, FaultResult, redact};
use mainstay_runtime::recording::{FORMAT, FORMAT_VERSION};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::diff::{Grade, differences};
use crate::mcp_client::Client;
use crate::output::{DONE, ERROR, Output, table};

pub fn command() -> Command {
    Command::new("replay")
        .about("Repeat recorded calls against a server and grade the differences")
        .arg(Arg::new("file").required(true).value_name("FILE").help("A recording made with --record"))
        .arg(
            Arg::new("against")
                .long("against")
                .value_name("COMMAND")
                .help("The server on stdio to call; this program with `mcp` when unset"),
        )
        .after_help("Example: mainstay mcp --record calls.jsonl\n         mainstay replay calls.jsonl --against \"mainstay mcp\"")
}

/// One recorded call.
#[derive(Deserialize)]
struct Recorded {
    seq: u64,
    tool: String,
    args: Value,
    /// A secret stood in the arguments, so the call cannot be repeated.
    masked: bool,
    answer: Value,
}

/// The same difference, in however many calls it shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    grade: Grade,
    tool: String,
    /// Where in the answer; `*` stands for any position of a list.
    at: String,
    calls: usize,
    /// The first call that shows it.
    seq: u64,
    recorded: Value,
    now: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replayed {
    calls: usize,
    same: usize,
    /// Calls that differ in nothing but times.
    only_time: usize,
    different: usize,
    /// Calls left out because a secret was masked in their arguments.
    left_out: usize,
    findings: Vec<Finding>,
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let calls = read(matches.get_one::<String>("file").map(String::as_str).unwrap_or_default())?;
    let words = match matches.get_one::<String>("against") {
        Some(text) => shlex::split(text).filter(|words| !words.is_empty()).ok_or_else(|| {
            Fault::invalid(format!("{text} is not a command")).hint("write --against \"mainstay mcp\"")
        })?,
        None => {
            let program = std::env::current_exe().map_err(|error| Fault::internal(&error))?;
            vec![program.to_string_lossy().into_owned(), "mcp".to_owned()]
        }
    };
    let mut server = std::process::Command::new(&words[0]);
    let mut client = Client::start(server.args(&words[1..]), None)?;
    client.initialize("mainstay replay")?;
    let replayed = replay(&calls, &mut client)?;
    output.result(&replayed, || text(&replayed));
    Ok(ExitCode::from(u8::from(replayed.different > 0)))
}

fn read(path: &str) -> FaultResult<Vec<Recorded>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Fault::not_found(format!("could not read {path}: {error}")))?;
    let mut lines = text.lines();
    let first: Value = lines.next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    if first["format"] != FORMAT || first["version"] != FORMAT_VERSION {
        return Err(Fault::invalid(format!("{path} is not a recording of version {FORMAT_VERSION}"))
            .hint("make one with `mainstay mcp --record FILE`"));
    }
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Fault::invalid(format!("{path}:{}: not a recorded call: {error}", number + 2)))
    };
    lines.enumerate().map(parse).collect()
}

/// Calls a tool and returns its answer in the form recordings have.
fn answer_of(client: &mut Client, tool: &str, args: &Value) -> FaultResult<Value> {
    let answer = client.request("tools/call", json!({ "name": tool, "arguments": args }))?;
    if let Some(error) = answer.get("error") {
        let code = error.pointer("/data/code").unwrap_or(&error["code"]);
        return Ok(json!({ "error": { "code": code, "message": error["message"] } }));
    }
    let result = &answer["result"];
    let is_error = result["isError"] == true;
    match result.get("structuredContent") {
        Some(envelope) if envelope["ok"] == true => Ok(json!({ "result": envelope["result"] })),
        Some(envelope) if envelope["ok"] == false => {
            let error = &envelope["error"];
            Ok(json!({ "error": { "code": error["code"], "message": error["message"] } }))
        }
        Some(bare) => Ok(json!({ "result": bare })),
        None => match result.pointer("/content/0/text") {
            Some(text) => Ok(json!({ "text": text, "isError": is_error })),
            None => Ok(json!({ "content": true, "isError": is_error })),
        },
    }
}

fn replay(calls: &[Recorded], client: &mut Client) -> FaultResult<Replayed> {
    let mut replayed = Replayed {
        calls: calls.len(),
        same: 0,
        only_time: 0,
        different: 0,
        left_out: 0,
        findings: Vec::new(),
    };
    let mut known: BTreeMap<(String, String, Grade), usize> = BTreeMap::new();
    for call in calls {
        if call.masked {
            replayed.left_out += 1;
            continue;
        }
        let now = redact::mask_arguments(None, &answer_of(client, &call.tool, &call.args)?);
        let recorded = redact::mask_arguments(None, &call.answer);
        let found = differences(&recorded, &now);
        match found.iter().map(|difference| difference.grade).max() {
            None => replayed.same += 1,
            Some(Grade::Time) => replayed.only_time += 1,
            Some(_) => replayed.different += 1,
        }
        for difference in found.into_iter().filter(|difference| difference.grade != Grade::Time) {
            let key = (call.tool.clone(), difference.at.clone(), difference.grade);
            match known.get(&key) {
                Some(at) => replayed.findings[*at].calls += 1,
                None => {
                    known.insert(key, replayed.findings.len());
                    replayed.findings.push(Finding {
                        grade: difference.grade,
                        tool: call.tool.clone(),
                        at: difference.at,
                        calls: 1,
                        seq: call.seq,
                        recorded: difference.recorded,
                        now: difference.now,
                    });
                }
            }
        }
    }
    Ok(replayed)
}

fn text(replayed: &Replayed) -> String {
    let Replayed { calls, same, only_time, different, left_out, findings } = replayed;
    let head = match different {
        0 => format!("{DONE}Same{DONE:#}"),
        _ => format!("{ERROR}Different{ERROR:#}"),
    };
    let mut text = format!(
        "{head} {calls} calls: {same} the same, {only_time} but for times, {different} different, {left_out} left out for a masked secret"
    );
    if !findings.is_empty() {
        let short = |value: &Value| value.to_string().chars().take(60).collect::<String>();
        let rows = findings.iter().map(|finding| {
            vec![
                finding.grade.name().to_owned(),
                finding.tool.clone(),
                finding.at.clone(),
                finding.calls.to_string(),
                short(&finding.recorded),
                short(&finding.now),
            ]
        });
        text.push_str("\n\n");
        text.push_str(&table(&["grade", "tool", "at", "calls", "recorded", "now"], rows.collect()));
    }
    text
}
