//! `index_status`: whether a repository has an index, how large and how fresh it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset, timestamp};
use mainstay_index::{IndexError, Status};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::words::RepoArgs;
use crate::answer::FreshnessJson;
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("index_status", Toolset::Search)
        .title("Index status")
        .summary("Report whether a repository has an index, how large and how fresh it is")
        .reads()
        .policy(Policy::interactive())
        .example("Ask about the server's own repository", json!({}))
        .handler(move |call: &Call, args: RepoArgs| run(call, &search, &args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository the report is about.
    repo_path: String,
    /// Where indexes and downloads are kept.
    cache_root: String,
    /// Directory of this repository's index.
    repo_cache_root: String,
    /// Whether there is an index that can be used.
    indexed: bool,
    /// What is checked out.
    git: Git,
    /// The index; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<IndexReport>,
    /// The SQLite index; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    sqlite: Option<SqliteReport>,
    /// Why an index cannot be used, and the next step.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct SqliteReport {
    /// The file.
    path: String,
    /// Its size.
    bytes: u64,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Git {
    /// Whether it is a git repository.
    is_repo: bool,
    /// Commit checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// Branch checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct IndexReport {
    /// When it was built.
    built_at: String,
    /// Files in it.
    files: u64,
    /// Chunks in it.
    chunks: u64,
    /// Bytes of source.
    source_bytes: u64,
    /// Bytes on disk.
    index_bytes: u64,
    /// Files by language.
    languages: BTreeMap<&'static str, u64>,
    /// Files left out, by reason.
    skipped: BTreeMap<&'static str, u64>,
    /// What changed since.
    freshness: FreshnessJson,
}

fn run(call: &Call, search: &Search, args: &RepoArgs) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let mut report = Report {
        repo_path: repo.display().to_string(),
        cache_root: search.config.cache_dir.display().to_string(),
        repo_cache_root: search.engine.index_dir(&repo).display().to_string(),
        indexed: false,
        git: Git { is_repo: repo.join(".git").exists(), ..Git::default() },
        index: None,
        sqlite: sqlite(&crate::sqlite::default_path(&search.engine.index_dir(&repo))),
        problem: None,
    };
    match search.engine.index(&repo) {
        Ok(index) => {
            let status = index.status();
            report.indexed = true;
            if let Some(revision) = &status.revision {
                report.git =
                    Git { is_repo: true, head: revision.commit.clone(), branch: revision.branch.clone() };
            }
            report.index = Some(describe(&status));
        }
        Err(SearchError::Index(IndexError::NoIndex { .. })) => {}
        Err(SearchError::Index(error)) if error.wants_rebuild() => {
            report.problem = Some(format!("{error}; build it again with `mainstay index build`"));
        }
        Err(error) => return Err(error),
    }
    Ok(report)
}

fn describe(status: &Status) -> IndexReport {
    let built_at = i64::try_from(status.freshness.built_at_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    IndexReport {
        built_at: built_at.map(timestamp).unwrap_or_default(),
        files: status.files,
        chunks: status.chunks,
        source_bytes: status.source_bytes,
        index_bytes: status.index_bytes,
        languages: status.languages.clone(),
        skipped: status.skipped.counts.iter().map(|(reason, count)| (reason.name(), *count)).collect(),
        freshness: (&status.freshness).into(),
    }
}

fn sqlite(path: &std::path::Path) -> Option<SqliteReport> {
    let bytes = std::fs::metadata(path).ok()?.len();
    Some(SqliteReport { path: path.display().to_string(), bytes })
}
