//! `workspace_status`: several repositories at once, and how fresh the index of each is.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Call, Fault, Policy, Tool, ToolDef, Toolset, timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::FreshnessJson;
use crate::workspace::{Member, Workspace};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("workspace_status", Toolset::Search)
        .title("Workspace status")
        .summary("Report the repositories of a workspace file: which can be searched, how large and how fresh they are")
        .reads()
        .policy(Policy::interactive())
        .example("The repository as a workspace of its own", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Workspace file, relative to the repository; mainstay-workspace.json when absent, and without that the repository alone.
    #[schemars(length(min = 1, max = 4096))]
    workspace_path: Option<String>,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Whether every repository can be searched.
    ok: bool,
    /// The workspace file; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace_path: Option<String>,
    /// Name of the workspace.
    name: String,
    /// Follows from the repositories: another set, another id.
    repo_set_id: String,
    /// The repositories, in the order of the file.
    repos: Vec<RepoStatus>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct RepoStatus {
    /// Its name in the workspace.
    name: String,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Whether it can be searched.
    indexed: bool,
    /// When its index was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    built_at: Option<String>,
    /// Files in its index.
    files: u64,
    /// Chunks in its index.
    chunks: u64,
    /// Bytes of its index.
    index_bytes: u64,
    /// Its triage findings.
    findings: usize,
    /// Branch checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// What changed since the index was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    freshness: Option<FreshnessJson>,
    /// Why it cannot be searched, and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let is_alone = args.workspace_path.is_none() && !repo.join(crate::workspace::DEFAULT_FILE).exists();
    let workspace = match is_alone {
        true => alone(&repo),
        false => Workspace::load(call, &repo, args.workspace_path.as_deref())?,
    };
    let mut repos = Vec::new();
    for member in &workspace.repos {
        call.cancel().check()?;
        call.progress("status", format!("looking at {}", member.name));
        repos.push(status(search, member));
    }
    Ok(Report {
        ok: repos.iter().all(|repo| repo.indexed),
        workspace_path: (!is_alone).then(|| workspace.path.display().to_string()),
        repo_set_id: workspace.id(),
        name: workspace.name,
        repos,
    })
}

/// A repository without a workspace file is a workspace of one.
fn alone(repo: &Path) -> Workspace {
    let name = repo.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Workspace {
        path: repo.to_owned(),
        name: name.clone(),
        repos: vec![Member { name, path: Ok(repo.to_owned()) }],
    }
}

fn status(search: &Search, member: &Member) -> RepoStatus {
    let mut report = RepoStatus {
        name: member.name.clone(),
        path: member.path.as_ref().ok().map(|path| path.display().to_string()),
        indexed: false,
        built_at: None,
        files: 0,
        chunks: 0,
        index_bytes: 0,
        findings: 0,
        branch: None,
        freshness: None,
        problem: None,
    };
    let path = match &member.path {
        Ok(path) => path,
        Err(reason) => {
            report.problem = Some(reason.clone());
            return report;
        }
    };
    match search.engine.index(path) {
        Ok(index) => {
            let status = index.status();
            let built_at = i64::try_from(status.freshness.built_at_ms)
                .ok()
                .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
            report.indexed = true;
            report.built_at = built_at.map(timestamp);
            (report.files, report.chunks, report.index_bytes) =
                (status.files, status.chunks, status.index_bytes);
            report.branch = status.revision.as_ref().and_then(|revision| revision.branch.clone());
            report.freshness = Some((&status.freshness).into());
        }
        Err(error) => {
            let fault: Fault = error.into();
            report.problem = Some(match &fault.hint {
                Some(hint) => format!("{}; {hint}", fault.message),
                None => fault.message.clone(),
            });
        }
    }
    report.findings = search.ledgers.read(path).map_or(0, |ledger| ledger.findings.len());
    report
}
