//! Measures loading, searching, calling and the size of what a model reads.
//!
//! `cargo run --release -p mainstay-programs --example measure`
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainstay_contract::Body;
use mainstay_process::{Launcher, SUPERVISE_WORD, supervise_main};
use mainstay_programs::{BUNDLED, Detail, Programs, ProgramsConfig, Vars};
use mainstay_runtime::{Access, Form, Limits, Origin, Request, Runtime, Sourced};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(SUPERVISE_WORD) {
        return supervise_main();
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Outcome<()> {
    let dir = tempfile::tempdir()?;
    let mut given =
        ProgramsConfig::new(Arc::new(Launcher::this_program()?), std::env::vars_os().collect::<Vars>());

    given.configs = vec![write_tools(dir.path(), 500)?];
    report("load 500 tools", &times(20, || Programs::load(&given).map(drop))?, None);

    given.configs = vec![write_tools(dir.path(), 5_000)?];
    let runtime = serve(&given)?;
    for (what, args) in [
        ("search 5,000 tools, 10 hits", json!({ "query": "operation 3" })),
        ("search 5,000 tools, no hit", json!({ "query": "zzz-none" })),
        ("search 5,000 tools, words apart", json!({ "query": "thing operation" })),
        ("summary of 5,000 tools", json!({})),
    ] {
        call(&runtime, "climax_search", &args)?;
        report(what, &times(200, || call(&runtime, "climax_search", &args).map(drop))?, None);
    }

    given.configs = vec!["coreutils".into()];
    let runtime = serve(&given)?;
    let echo = json!({ "tool_name": "echo", "args": { "message": "hi" } });
    call(&runtime, "climax_call", &echo)?;
    let (mut bare, mut called) = (Vec::new(), Vec::new());
    // In turns, so that a noisy moment hits both; the bundled tool runs `env echo`, and so does the bare spawn.
    for _ in 0..500 {
        bare.extend(times(1, || std::process::Command::new("env").args(["echo", "hi"]).output().map(drop))?);
        called.extend(times(1, || call(&runtime, "climax_call", &echo).map(drop))?);
    }
    let base = report("bare spawn of echo", &bare, None);
    report("climax_call echo", &called, Some(base));
    tokens(&mut given)
}

/// What a model reads to call one tool: the listing, one search, and in brief form one description.
fn tokens(given: &mut ProgramsConfig) -> Outcome<()> {
    let count = |text: &str| bpe_openai::o200k_base().count(text);
    given.configs = BUNDLED.iter().map(|(name, _)| (*name).to_owned()).collect();
    let programs = Programs::load(given)?;
    let classic: usize = programs
        .tools
        .iter()
        .filter(|tool| !tool.def.id.starts_with("climax_"))
        .map(|tool| count(&tool.def.id) + count(&tool.def.summary) + count(&tool.def.input.to_string()))
        .sum();
    println!("{} bundled tools listed one by one: {classic} tokens", programs.catalog.tools.len());
    for detail in [Detail::Full, Detail::Brief] {
        given.detail = detail;
        let runtime = serve(given)?;
        let listing: usize = runtime
            .registry()
            .listed()
            .map(|def| count(&def.id) + count(&def.summary) + count(&def.input.to_string()))
            .sum();
        let mut search = 0;
        for query in ["branch", "list", "logs", "test", "show", "version"] {
            search += count(&call(&runtime, "climax_search", &json!({ "query": query }))?);
        }
        let describe = match detail {
            Detail::Full => 0,
            Detail::Brief => {
                count(&call(&runtime, "climax_describe", &json!({ "tool_names": ["git_log"] }))?)
            }
        };
        let search = search / 6;
        println!(
            "{detail:?}: listing {listing}, one search {search}, describe {describe}: {} tokens",
            listing + search + describe
        );
    }
    Ok(())
}

fn write_tools(dir: &std::path::Path, count: usize) -> Outcome<String> {
    let tools: Vec<Value> = (0..count)
        .map(|n| {
            json!({ "name": format!("tool_{n:04}"), "description": format!("Synthetic operation {n} on thing {}", n % 7),
                "command": format!("op{n}"), "args": [
                    { "name": "target", "positional": true, "required": true, "description": "What to work on" },
                    { "name": "count", "type": "integer", "flag": "-n", "default": 10 },
                    { "name": "format", "flag": "--format", "enum": ["json", "text"] }] })
        })
        .collect();
    let config = json!({ "name": "bench", "description": "d", "command": "echo", "category": "c", "tags": ["synthetic"], "tools": tools });
    let path = dir.join(format!("{count}.yaml"));
    std::fs::write(&path, config.to_string())?;
    Ok(path.display().to_string())
}

fn serve(given: &ProgramsConfig) -> Outcome<Runtime> {
    let access = Access { form: Sourced::new(Form::Discovery, Origin::Default), ..Access::default() };
    Ok(Runtime::new(Programs::load(given)?.tools, access, Limits::default())?)
}

fn call(runtime: &Runtime, tool: &str, args: &Value) -> Outcome<String> {
    match runtime.call(Request::new(tool, args.clone())).result {
        Ok(Body::Json(raw)) => Ok(raw.get().to_owned()),
        Ok(Body::Content { blocks, is_error: false, .. }) => Ok(blocks[0]["text"].to_string()),
        other => Err(format!("{tool}: {other:?}").into()),
    }
}

fn times<E>(rounds: usize, mut work: impl FnMut() -> Result<(), E>) -> Result<Vec<Duration>, E> {
    (0..rounds)
        .map(|_| {
            let began = Instant::now();
            work().map(|()| began.elapsed())
        })
        .collect()
}

fn report(what: &str, times: &[Duration], base: Option<Duration>) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    let (least, median) = (times[0], times[times.len() / 2]);
    let ratio =
        base.map_or(String::new(), |base| format!("  {:.2}x", median.as_secs_f64() / base.as_secs_f64()));
    println!("{what:<34} min {least:>10.1?}  median {median:>10.1?}{ratio}");
    median
}
