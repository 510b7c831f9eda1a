//! Rows about Mainstay itself: settings, tools, cache, index, and whether a server starts.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mainstay_contract::Body;
use mainstay_runtime::{Origin, Request};
use serde_json::{Value, json};

use super::{Look, Row, State};
use crate::mcp_client::Client;
use crate::toolsets::App;
use crate::{app, units};

/// What a server may need to start and list its tools on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Files of the cache that are counted before the answer is "at least".
const MAX_FILES: usize = 200_000;

pub(super) fn configuration(look: &Look<'_>) -> Row {
    let chosen: Vec<Value> = look
        .settings
        .show()
        .into_iter()
        .filter_map(|(setting, sourced)| Some((setting.key, sourced?)))
        .filter(|(_, sourced)| sourced.origin != Origin::Default)
        .map(|(key, sourced)| json!({ "key": key, "value": sourced.value, "origin": sourced.origin }))
        .collect();
    let files: Vec<String> = look.files.iter().map(|file| file.display().to_string()).collect();
    let detail = match files.is_empty() {
        true => format!("no file; {} by flag or variable", units::many(chosen.len() as u64, "setting")),
        false => format!("{}; {} chosen", files.join(", "), units::many(chosen.len() as u64, "setting")),
    };
    Row::new("configuration", State::Ok, detail).facts(json!({ "files": files, "chosen": chosen }))
}

pub(super) fn toolsets(look: &Look<'_>) -> Row {
    let runtime = match App::new(look.settings, false).and_then(|app| app.runtime()) {
        Ok(runtime) => runtime,
        Err(fault) => {
            let next = fault.hint.clone().unwrap_or_else(|| "change the settings of the toolset".into());
            return Row::new("toolsets", State::Problem, fault.message).next(next);
        }
    };
    let mut tools: BTreeMap<String, usize> = BTreeMap::new();
    for tool in mainstay_server::listed_tools(&runtime.registry(), app::naming(look.settings)) {
        let toolset = tool["_meta"]["toolset"].as_str().unwrap_or("other");
        *tools.entry(toolset.to_owned()).or_default() += 1;
    }
    let total: usize = tools.values().sum();
    let parts: Vec<String> = tools.iter().map(|(toolset, count)| format!("{toolset} {count}")).collect();
    let mode = if look.settings.switch("read-only").value { ", read only" } else { "" };
    let detail = format!("{} ({}){mode}", units::many(total as u64, "tool"), parts.join(", "));
    let facts = json!({ "tools": tools, "readOnly": look.settings.switch("read-only").value });
    match total {
        0 => Row::new("toolsets", State::Problem, "no tool is served")
            .next("look at `mainstay config show --origin`: toolsets, tools and exclude-tools leave nothing")
            .facts(facts),
        _ => Row::new("toolsets", State::Ok, detail).facts(facts),
    }
}

pub(super) fn cache(look: &Look<'_>) -> Row {
    let dir = app::cache_dir(look.settings);
    let mut files = 0;
    let size = size_of(&dir, &mut files);
    let facts = json!({ "path": dir, "exists": dir.is_dir(), "bytes": size, "files": files });
    // A folder that is not there yet is made on first use, in the nearest one that is.
    let nearest = dir.ancestors().find(|dir| dir.is_dir());
    let row = match nearest.map(tempfile::tempfile_in) {
        Some(Ok(_)) => {
            let least = if files >= MAX_FILES { "at least " } else { "" };
            Row::new("cache", State::Ok, format!("{}, {least}{}", dir.display(), units::bytes(size)))
        }
        Some(Err(error)) => {
            Row::new("cache", State::Problem, format!("{} cannot be written: {error}", dir.display()))
                .next("choose another folder with `cache-dir`, or give yourself the right to write there")
        }
        None => Row::new("cache", State::Problem, format!("{} lies nowhere", dir.display()))
            .next("choose another folder with `cache-dir`"),
    };
    row.facts(facts)
}

fn size_of(dir: &Path, files: &mut usize) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut bytes = 0;
    for entry in entries {
        if *files >= MAX_FILES {
            break;
        }
        *files += 1;
        bytes += match entry.file_type() {
            Ok(kind) if kind.is_dir() => size_of(&entry.path(), files),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |metadata| metadata.len()),
            _ => 0,
        };
    }
    bytes
}

pub(super) fn index(look: &Look<'_>) -> Row {
    let repo = look.settings.repo();
    let Ok(runtime) = App::new(look.settings, false).and_then(|app| app.runtime()) else {
        return Row::new("index", State::Note, "not looked at, because the toolsets do not load");
    };
    if runtime.registry().get("index_status").is_none() {
        return Row::new("index", State::Note, "not looked at, because the search tools are not served");
    }
    let outcome = runtime.call(Request::new("index_status", json!({})));
    let status: Value = match &outcome.result {
        Ok(Body::Json(raw)) => serde_json::from_str(raw.get()).unwrap_or_default(),
        Ok(_) => Value::Null,
        Err(failure) => {
            let next = failure.fault.hint.clone().unwrap_or_else(|| "name a repository with `repo`".into());
            return Row::new("index", State::Problem, failure.fault.message.clone()).next(next);
        }
    };
    let shown = repo.display();
    let row = match (&status["index"], status["problem"].as_str()) {
        (_, Some(problem)) => Row::new("index", State::Warning, problem).next("run `mainstay index build`"),
        (Value::Null, None) => {
            Row::new("index", State::Note, format!("none yet for {shown}; the first search builds it"))
        }
        (index, None) => {
            let number = |key: &str| index[key].as_u64().unwrap_or_default();
            let fresh = |key: &str| index["freshness"][key].as_u64().unwrap_or_default();
            let changed = fresh("changedFiles") + fresh("addedFiles") + fresh("deletedFiles");
            let mut detail = format!(
                "{shown}: {}, {}, {}",
                units::many(number("files"), "file"),
                units::many(number("chunks"), "chunk"),
                units::bytes(number("indexBytes"))
            );
            if changed > 0 {
                detail.push_str(&format!("; {} changed since", units::many(changed, "file")));
            }
            Row::new("index", State::Ok, detail)
        }
    };
    row.facts(status)
}

/// Starts a server as a client would and greets it; no tool is called.
pub(super) fn smoke(look: &Look<'_>) -> Row {
    let failed = |detail: String| {
        Row::new("server", State::Problem, detail).next("run `mainstay mcp </dev/null` and read what it says")
    };
    let Ok(program) = std::env::current_exe() else { return failed("this program has no path".into()) };
    let began = Instant::now();
    let mut command = Command::new(program);
    command
        .args(&look.args)
        // Whatever the settings say, the greeting comes in lines, and a page about this server helps nobody.
        .args(["--transport", "sdk", "--dashboard=false"])
        .current_dir(&look.settings.work_dir)
        .env_clear()
        .envs(&look.settings.env)
        .stderr(Stdio::piped());
    let mut client = match Client::start(&mut command, Some(PATIENCE)) {
        Ok(client) => client,
        Err(fault) => return failed(format!("`mainstay mcp` does not start: {}", fault.message)),
    };
    let greeted = client.initialize("mainstay doctor");
    let listed = greeted.and_then(|hello| Ok((hello, client.request("tools/list", json!({}))?)));
    let said = listed.ok().and_then(|(hello, list)| Some((hello, list["result"]["tools"].as_array()?.len())));
    let Some((hello, tools)) = said else {
        let error = client.complaint();
        let error = error.lines().next().unwrap_or("it said nothing");
        return failed(format!("`mainstay mcp` does not answer: {error}"));
    };
    let took = began.elapsed();
    let time = units::duration(took);
    let protocol = hello["protocolVersion"].as_str().unwrap_or_default().to_owned();
    Row::new(
        "server",
        State::Ok,
        format!("`mainstay mcp` answers with {} in {time}", units::many(tools as u64, "tool")),
    )
    .facts(json!({ "tools": tools, "protocol": protocol, "durationMs": took.as_millis() as u64 }))
}
