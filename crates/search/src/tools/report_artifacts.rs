//! `report_artifacts`: what search keeps on disk.

use std::sync::Arc;

use mainstay_contract::{Call, FaultResult, Policy, Tool, ToolDef, Toolset, timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::words::RepoArgs;
use crate::Search;
use crate::cache::{self, Cached};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("report_artifacts", Toolset::Search)
        .title("Report artifacts")
        .summary("Report what search keeps on disk: the index of a repository and of all others")
        .reads()
        .policy(Policy::interactive())
        .example("Everything kept", json!({}))
        .handler(move |call: &Call, args: RepoArgs| run(call, &search, &args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The index of this repository; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<Artifact>,
    /// The triage records of this repository, which no clean-up deletes; absent when there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<Records>,
    /// Whether that index can be used, and why not.
    health: Health,
    /// Everything that is kept, largest first.
    overall: Overall,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Records {
    /// Folder of the records.
    path: String,
    /// Findings.
    findings: usize,
    /// Decisions.
    decisions: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Health {
    /// Whether there is nothing to complain about.
    ok: bool,
    /// What is wrong, with the next step.
    issues: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Overall {
    /// Where it is kept.
    cache_root: String,
    /// Bytes of all of it.
    total_bytes: u64,
    /// The indexes.
    repos: Vec<Artifact>,
}

/// One index on disk.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Folder of the index.
    pub path: String,
    /// Repository it was built for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last written.
    pub written_at: String,
    /// Whether its repository no longer exists.
    pub orphan: bool,
}

impl From<&Cached> for Artifact {
    fn from(cached: &Cached) -> Artifact {
        Artifact {
            path: cached.dir.display().to_string(),
            repo: cached.repo.as_ref().map(|repo| repo.display().to_string()),
            bytes: cached.bytes,
            written_at: jiff::Timestamp::try_from(cached.written).map(timestamp).unwrap_or_default(),
            orphan: cached.is_orphan(),
        }
    }
}

fn run(call: &Call, search: &Search, args: &RepoArgs) -> FaultResult<Report> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let all = cache::list(call.caller(), &search.config.cache_dir);
    let dir = search.engine.index_dir(&repo);
    let issues: Vec<String> = search
        .engine
        .index(&repo)
        .err()
        .map(|error| {
            let fault: mainstay_contract::Fault = error.into();
            fault.hint.map_or(fault.message.clone(), |hint| format!("{}; {hint}", fault.message))
        })
        .into_iter()
        .collect();
    let ledger = search.ledgers.read(&repo)?;
    let is_empty = ledger.findings.is_empty() && ledger.decisions.is_empty();
    Ok(Report {
        records: (!is_empty).then(|| Records {
            path: search.ledgers.dir(&repo).display().to_string(),
            findings: ledger.findings.len(),
            decisions: ledger.decisions.len(),
        }),
        repo: all.iter().find(|cached| cached.dir == dir).map(Artifact::from),
        health: Health { ok: issues.is_empty(), issues },
        overall: Overall {
            cache_root: search.config.cache_dir.display().to_string(),
            total_bytes: all.iter().map(|cached| cached.bytes).sum(),
            repos: all.iter().map(Artifact::from).collect(),
        },
    })
}
