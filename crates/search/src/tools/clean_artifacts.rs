//! `clean_artifacts`: delete the index of a repository, or of all.

use std::sync::Arc;
use std::time::SystemTime;

use mainstay_contract::{Call, Fault, Policy, Target, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::report_artifacts::Artifact;
use crate::cache::{self, Cached};
use crate::triage::record::digest;
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("clean_artifacts", Toolset::Search)
        .title("Clean artifacts")
        .summary("Delete the index of a repository, or of every repository; the next build makes it again")
        .destroys()
        .planned()
        .policy(Policy::interactive())
        .example("What would be deleted", json!({"dryRun": true}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Delete the indexes of every repository.
    all: Option<bool>,
    /// Say what would be deleted and delete nothing.
    dry_run: Option<bool>,
    /// The plan of a dry run: nothing is deleted when something else would be by now.
    #[schemars(length(min = 1, max = 200))]
    plan_id: Option<String>,
}

/// What was deleted, or would be.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cleaned {
    /// Whether nothing was deleted because it was only asked for.
    pub dry_run: bool,
    /// Stands for exactly these indexes as they are; pass it to delete them and nothing else.
    pub plan_id: String,
    /// The indexes that were deleted, or would be.
    pub removed: Vec<Artifact>,
    /// Bytes they took.
    pub freed_bytes: u64,
    /// What could not be deleted, and why.
    pub failed: Vec<Failed>,
}

/// An index that stays.
#[derive(Serialize, JsonSchema)]
pub struct Failed {
    /// Folder of the index.
    pub path: String,
    /// Why it stays.
    pub reason: String,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Cleaned, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let dir = search.engine.index_dir(&repo);
    let chosen: Vec<Cached> = match args.all {
        Some(true) => cache::list(call.caller(), &search.config.cache_dir),
        _ if dir.is_dir() => vec![cache::look(&dir)],
        _ => Vec::new(),
    };
    clean(call, search, &chosen, args.dry_run == Some(true), args.plan_id.as_deref())
}

/// Deletes indexes one by one; one that is being built stays and is reported.
pub fn clean(
    call: &Call,
    search: &Search,
    chosen: &[Cached],
    dry_run: bool,
    agreed: Option<&str>,
) -> Result<Cleaned, SearchError> {
    let plan_id = plan(chosen);
    if agreed.is_some_and(|agreed| agreed != plan_id) {
        let fault = Fault::invalid("what would be deleted has changed since the dry run")
            .detail("planId", plan_id)
            .hint("look at a new dry run and pass its planId");
        return Err(fault.into());
    }
    if !dry_run {
        let target = |cached: &Cached| Target::exact(cached.dir.display().to_string(), cached.state(), None);
        call.changes().propose_all(|| chosen.iter().map(target).collect())?;
    }
    let mut cleaned = Cleaned { dry_run, plan_id, removed: Vec::new(), freed_bytes: 0, failed: Vec::new() };
    for cached in chosen {
        call.cancel().check()?;
        if !dry_run && let Err(error) = search.engine.remove(cached) {
            cleaned.failed.push(Failed { path: cached.dir.display().to_string(), reason: error.to_string() });
            continue;
        }
        cleaned.freed_bytes += cached.bytes;
        cleaned.removed.push(cached.into());
    }
    Ok(cleaned)
}

/// An id that follows from what is chosen, to the byte and the moment it was written.
fn plan(chosen: &[Cached]) -> String {
    let mut lines: Vec<String> = chosen
        .iter()
        .map(|cached| {
            let written = cached.written.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            format!("{}\0{}\0{}", cached.dir.display(), cached.bytes, written.as_nanos())
        })
        .collect();
    lines.sort();
    digest(&lines.join("\n"))
}
