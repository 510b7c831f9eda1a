//! `check_status`: whether everything search needs is in place.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Call, FaultResult, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Search, SearchError, sqlite};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("check_status", Toolset::Search)
        .title("Check status")
        .summary("Check that repository, index and cache are usable, with a next step for what is not")
        .reads()
        .policy(Policy::interactive())
        .example("Check the server's own repository", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Read the whole index and check every byte.
    verify: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Whether every check passed.
    ok: bool,
    /// The checks, in the order they were made.
    checks: Vec<Check>,
}

#[derive(Serialize, JsonSchema)]
struct Check {
    /// What was looked at.
    name: &'static str,
    /// Whether it is as it should be.
    ok: bool,
    /// What was found.
    detail: String,
    /// The next step when it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

fn run(call: &Call, search: &Search, args: Args) -> FaultResult<Report> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let has_git = repo.ancestors().any(|dir| dir.join(".git").exists());
    let cache =
        search.config.cache_dir.ancestors().find(|dir| dir.exists()).map(std::path::Path::to_path_buf);
    let writable = cache
        .as_ref()
        .is_some_and(|dir| std::fs::metadata(dir).is_ok_and(|meta| !meta.permissions().readonly()));
    let mut checks = vec![
        Check { name: "repository", ok: true, detail: repo.display().to_string(), hint: None },
        Check {
            name: "git",
            ok: has_git,
            detail: if has_git { "a git repository".into() } else { "not a git repository".into() },
            hint: (!has_git).then(|| "filters on authors and history need a git repository".into()),
        },
        Check {
            name: "cache",
            ok: writable,
            detail: search.config.cache_dir.display().to_string(),
            hint: (!writable).then(|| "choose a writable directory with --cache-dir".into()),
        },
        index_check(search, &repo, args.verify == Some(true)),
    ];
    checks.extend(sqlite_check(search, &repo, args.verify == Some(true)));
    Ok(Report { ok: checks.iter().all(|check| check.ok), checks })
}

fn index_check(search: &Search, repo: &Path, verify: bool) -> Check {
    let opened = search.engine.index(repo).and_then(|index| match verify {
        true => index.verify().map_err(SearchError::from),
        false => Ok(()),
    });
    let problem = opened.err();
    let dir = search.engine.index_dir(repo);
    Check {
        name: "index",
        ok: problem.is_none(),
        detail: problem.as_ref().map_or_else(|| dir.display().to_string(), ToString::to_string),
        hint: problem.is_some().then(|| "build one with `mainstay index build`".into()),
    }
}

/// A database is checked where there is one; nobody needs it.
fn sqlite_check(search: &Search, repo: &Path, verify: bool) -> Option<Check> {
    let path = sqlite::default_path(&search.engine.index_dir(repo));
    path.is_file().then(|| {
        let opened = search.shelf.index(repo, &path).and_then(|_| match verify {
            true => sqlite::verify(repo, &path),
            false => Ok(()),
        });
        let problem = opened.err();
        Check {
            name: "sqlite",
            ok: problem.is_none(),
            detail: problem.as_ref().map_or_else(|| path.display().to_string(), ToString::to_string),
            hint: problem.is_some().then(|| "build it again with build_sqlite_index".into()),
        }
    })
}
