//! `mainstay contract`: tool definitions as files, compared and locked.

use std::path::Path;
use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::snapshot::{self, Change};
use mainstay_contract::{Fault, FaultResult, SCHEMA_VERSION, ToolDef, Toolset};
use mainstay_runtime::fingerprint;
use serde_json::{Value, json};

use super::reference;
use super::tools::everything;
use crate::files;
use crate::output::{DONE, Output, table};
use crate::toolsets::App;

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let (verb, matches) = matches.subcommand().expect("clap requires a subcommand");
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str).expect("clap requires it");
    match verb {
        "snapshot" => write_snapshots(matches, Path::new(word("dir")), output),
        "docs" => write_reference(matches, Path::new(word("dir")), output),
        "diff" => {
            let (old, new) = (read(Path::new(word("old")))?, read(Path::new(word("new")))?);
            report(&old, &new, output)
        }
        "lock" => lock(matches, Path::new(word("file")), output),
        _ => {
            let file = Path::new(word("file"));
            if !file.is_file() {
                let message = format!("no lock file at {}", file.display());
                return Err(Fault::not_found(message).hint("record one with `mainstay contract lock`"));
            }
            report(&read(file)?, &offered(matches)?, output)
        }
    }
}

/// One file per toolset, every tool of it.
fn write_snapshots(matches: &ArgMatches, dir: &Path, output: Output) -> FaultResult<ExitCode> {
    let registry = everything(&super::settings(matches)?)?;
    let mut files = Vec::new();
    for toolset in Toolset::ALL {
        let defs = registry.registered().filter(|def| def.toolset == toolset).map(|def| &**def);
        let text = format!("{:#}\n", snapshot::snapshot(toolset, defs));
        let path = dir.join(format!("{}.json", toolset.name()));
        write(&path, &text)?;
        files.push(path.display().to_string());
    }
    Ok(output.result(&json!({ "files": files }), || format!("Wrote {}", files.join(", "))))
}

/// The reference pages, written from the same definitions.
fn write_reference(matches: &ArgMatches, dir: &Path, output: Output) -> FaultResult<ExitCode> {
    let registry = everything(&super::settings(matches)?)?;
    let defs: Vec<&ToolDef> = registry.registered().map(|def| &**def).collect();
    let mut files = Vec::new();
    for (name, text) in reference::pages(&defs) {
        let path = dir.join(name);
        write(&path, &text)?;
        files.push(path.display().to_string());
    }
    Ok(output.result(&json!({ "files": files }), || format!("Wrote {}", files.join(", "))))
}

fn lock(matches: &ArgMatches, file: &Path, output: Output) -> FaultResult<ExitCode> {
    let offered = offered(matches)?;
    write(file, &format!("{offered:#}\n"))?;
    let count = offered["tools"].as_array().map_or(0, Vec::len);
    Ok(output.result(&json!({ "file": file, "tools": count }), || {
        format!("Locked {count} tools in {}", file.display())
    }))
}

/// What the server of these settings lists.
fn offered(matches: &ArgMatches) -> FaultResult<Value> {
    let settings = super::settings(matches)?;
    let runtime = App::new(&settings, false)?.runtime()?;
    let registry = runtime.registry();
    let locked = |def: &std::sync::Arc<ToolDef>| {
        let mut tool = snapshot::definition(def);
        tool["hash"] = fingerprint(def).into();
        tool
    };
    let tools: Vec<Value> = registry.listed().map(locked).collect();
    Ok(json!({ "schemaVersion": SCHEMA_VERSION, "tools": tools }))
}

/// Reads a snapshot file, or the files of a directory as one snapshot.
fn read(path: &Path) -> FaultResult<Value> {
    let unreadable = |path: &Path, error: &dyn std::fmt::Display| {
        Fault::invalid(format!("could not read {}: {error}", path.display()))
    };
    let parse = |path: &Path| -> FaultResult<Value> {
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        serde_json::from_str(&text).map_err(|error| unreadable(path, &error))
    };
    if !path.is_dir() {
        return parse(path);
    }
    let mut files: Vec<_> = std::fs::read_dir(path)
        .map_err(|error| unreadable(path, &error))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut joined = json!({ "schemaVersion": SCHEMA_VERSION, "tools": [] });
    for file in files {
        let snapshot = parse(&file)?;
        joined["schemaVersion"] = snapshot["schemaVersion"].clone();
        if let (Some(all), Some(tools)) = (joined["tools"].as_array_mut(), snapshot["tools"].as_array()) {
            all.extend(tools.iter().cloned());
        }
    }
    Ok(joined)
}

/// Exit status 1 when something changed.
fn report(old: &Value, new: &Value, output: Output) -> FaultResult<ExitCode> {
    let changes = snapshot::changes(old, new);
    let missing = snapshot::missing_bumps(old, new, &changes);
    let grade = changes.iter().map(|change| change.grade).max();
    let result = json!({ "grade": grade, "changes": changes, "missingBumps": missing });
    output.result(&result, || text(&changes, &missing));
    Ok(ExitCode::from(u8::from(!changes.is_empty())))
}

fn text(changes: &[Change], missing: &[String]) -> String {
    if changes.is_empty() {
        return format!("{DONE}No difference{DONE:#}");
    }
    let rows = changes.iter().map(|change| {
        let grade = json!(change.grade).as_str().unwrap_or_default().to_owned();
        vec![grade, change.tool.clone(), change.what.clone()]
    });
    let mut text = table(&["grade", "tool", "change"], rows.collect());
    for bump in missing {
        text.push_str(&format!("\n{bump}"));
    }
    text
}

fn write(path: &Path, text: &str) -> FaultResult<()> {
    files::write(path, text)
        .map_err(|error| Fault::invalid(format!("could not write {}: {error}", path.display())))
}
