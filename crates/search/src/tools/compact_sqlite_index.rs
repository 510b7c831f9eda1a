//! `compact_sqlite_index`: make the SQLite file of a repository as small as it can be.

use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::build_sqlite_index::{ModeArg, planned, target};
use crate::download::choose_dir;
use crate::{Search, SearchError, sqlite};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("compact_sqlite_index", Toolset::Search)
        .title("Compact SQLite index")
        .summary("Rewrite the SQLite index of a repository without empty pages and report its size before and after")
        .writes()
        .planned_as_far("how SQLite lays out a compacted file is known only then")
        .policy(Policy::batch())
        .example("Compact the index of the server's own repository", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// What to compact; everything is in one file.
    mode: Option<ModeArg>,
    /// The file; the one beside the native index when absent.
    path: Option<String>,
    /// Say how much is empty and change nothing.
    dry_run: Option<bool>,
    /// Keep the file as it was beside the new one.
    keep_backup: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository the file belongs to.
    repo_path: String,
    /// What was compacted.
    mode: ModeArg,
    /// The file.
    path: String,
    /// Whether nothing was changed because it was only asked for.
    dry_run: bool,
    /// Size before.
    before_bytes: u64,
    /// Size after; of a dry run, without the empty pages.
    after_bytes: u64,
    /// The file as it was, when it was kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<String>,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let path = match &args.path {
        Some(named) => choose_dir(call, &repo, &search.config.cache_dir, named)?,
        None => sqlite::default_path(&search.engine.index_dir(&repo)),
    };
    let dry_run = args.dry_run == Some(true);
    let (before_bytes, after_bytes, backup) = match dry_run {
        true => {
            let (bytes, empty) = sqlite::weigh(&path)?;
            (bytes, bytes - empty, None)
        }
        false => {
            call.changes().propose_all(|| vec![planned(&path)])?;
            let done = sqlite::compact(call, target(search, &path), args.keep_backup == Some(true))?;
            (done.before_bytes, done.after_bytes, done.backup)
        }
    };
    Ok(Report {
        repo_path: repo.display().to_string(),
        mode: args.mode.unwrap_or(ModeArg::All),
        path: path.display().to_string(),
        dry_run,
        before_bytes,
        after_bytes,
        backup: backup.map(|path| path.display().to_string()),
    })
}
