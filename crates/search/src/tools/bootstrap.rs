//! `bootstrap`: take a repository from nothing to searchable, step by step.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Call, Fault, FaultResult, Policy, Progress, Tool, ToolDef, Toolset};
use mainstay_index::IndexError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::build_sqlite_index::{bring_up_to_date, planned};
use crate::{Search, SearchError, sqlite};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("bootstrap", Toolset::Search)
        .title("Bootstrap")
        .summary("Take a repository from nothing to searchable: check it, prepare the cache, build the index, try it")
        .writes()
        .planned_as_far("an index follows from the files of the repository and is known once it is built")
        .policy(Policy::batch())
        .example("Make the server's own repository searchable", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Leave out the check of what has to be installed.
    skip_install: Option<bool>,
    /// Leave out word lists.
    skip_dicts: Option<bool>,
    /// Leave out the index.
    skip_index: Option<bool>,
    /// Leave out artifacts of CI runs.
    skip_artifacts: Option<bool>,
    /// Leave out language tooling.
    skip_tooling: Option<bool>,
    /// Write the index as a SQLite file too.
    with_sqlite: Option<bool>,
    /// Keep what is known of unchanged files; true when absent.
    incremental: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The repository.
    repo_path: String,
    /// Whether it can be searched now.
    searchable: bool,
    /// What was done, in order.
    steps: Vec<Step>,
    /// How long it took.
    elapsed_ms: u64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Step {
    /// Which step it is.
    name: &'static str,
    /// `done`, `skipped` as asked, `not_needed`, or `failed`.
    status: &'static str,
    /// What was found or done.
    detail: String,
    /// How long it took.
    elapsed_ms: u64,
}

/// What a step came to.
type Came = (&'static str, String);

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let began = Instant::now();
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let asked = |skip: Option<bool>| skip == Some(true);
    let mut targets = Vec::new();
    if !asked(args.skip_index) {
        targets.push(search.engine.target(&repo));
    }
    if asked(args.with_sqlite) {
        targets.push(planned(&sqlite::default_path(&search.engine.index_dir(&repo))));
    }
    call.changes().propose_all(|| targets)?;
    let names =
        ["repository", "install", "dictionaries", "tooling", "artifacts", "cache", "index", "sqlite", "try"];
    let mut steps: Vec<Step> = Vec::new();
    for (at, name) in names.into_iter().enumerate() {
        call.cancel().check()?;
        call.report(Progress {
            phase: name.into(),
            message: format!("step {} of {}: {name}", at + 1, names.len()),
            done: Some(at as u64),
            total: Some(names.len() as u64),
            ..Progress::default()
        });
        let started = Instant::now();
        let (status, detail) = match name {
            "repository" => repository(&repo),
            "install" => unneeded(asked(args.skip_install), "this program needs no other"),
            "dictionaries" => unneeded(asked(args.skip_dicts), "words are split without word lists"),
            "tooling" => unneeded(asked(args.skip_tooling), "grammars are built in"),
            "artifacts" => {
                unneeded(asked(args.skip_artifacts), "an index is built faster than it is fetched")
            }
            "cache" => cache(search)?,
            "index" => index(call, search, &repo, args)?,
            "sqlite" => sqlite(call, search, &repo, args)?,
            _ => attempt(search, &repo, asked(args.skip_index)),
        };
        steps.push(Step { name, status, detail, elapsed_ms: millis(started) });
    }
    Ok(Report {
        repo_path: repo.display().to_string(),
        searchable: steps.last().is_some_and(|step| step.status == "done"),
        steps,
        elapsed_ms: millis(began),
    })
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}

fn unneeded(skip: bool, why: &str) -> Came {
    if skip { ("skipped", "as asked".into()) } else { ("not_needed", why.into()) }
}

fn repository(repo: &Path) -> Came {
    match repo.ancestors().any(|dir| dir.join(".git").exists()) {
        true => ("done", "a git repository".into()),
        false => ("done", "a folder without git; filters on authors and history need a repository".into()),
    }
}

/// Makes the cache and writes to it once, so that a build does not find out late.
fn cache(search: &Search) -> FaultResult<Came> {
    let dir = &search.config.cache_dir;
    let failed = |error: std::io::Error| {
        Fault::from(SearchError::Cache { path: dir.display().to_string(), reason: error.to_string() })
    };
    std::fs::create_dir_all(dir).map_err(failed)?;
    tempfile::tempfile_in(dir).map_err(failed)?;
    Ok(("done", dir.display().to_string()))
}

fn index(call: &Call, search: &Search, repo: &Path, args: &Args) -> Result<Came, SearchError> {
    if args.skip_index == Some(true) {
        return Ok(("skipped", "as asked".into()));
    }
    let built = search.engine.build(call, repo, args.incremental == Some(false))?;
    Ok((
        "done",
        format!("{} chunks of {} files, {} worked on", built.chunks, built.files, built.analysed_files),
    ))
}

/// Writes the native index as a database, where it was asked for.
fn sqlite(call: &Call, search: &Search, repo: &Path, args: &Args) -> Result<Came, SearchError> {
    if args.with_sqlite != Some(true) {
        return Ok(("not_needed", "searches use the native index".into()));
    }
    match bring_up_to_date(call, search, repo, None, args.incremental != Some(false)) {
        Ok(database) => Ok(("done", format!("{} chunks of {} files", database.chunks, database.files))),
        // Without an index there is nothing to write; the last step says so too.
        Err(SearchError::Index(error @ IndexError::NoIndex { .. })) => {
            Ok(("failed", Fault::from(SearchError::Index(error)).message))
        }
        Err(error) => Err(error),
    }
}

/// Opens the index as a search would.
fn attempt(search: &Search, repo: &Path, skipped: bool) -> Came {
    match search.engine.index(repo) {
        Ok(index) => ("done", format!("{} files answer", index.status().files)),
        Err(_) if skipped => ("skipped", "there is no index, and none was asked for".into()),
        Err(error) => ("failed", Fault::from(error).message),
    }
}
