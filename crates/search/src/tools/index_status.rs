//! `index_status`: whether a repository has an index, how large and how fresh it is.

use std::sync::Arc;

use mainstay_contract::{Call, FaultResult, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::SearchConfig;
use crate::store::index_dir;

pub fn tool(config: &Arc<SearchConfig>) -> Tool {
    let config = Arc::clone(config);
    ToolDef::new("index_status", Toolset::Search)
        .title("Index status")
        .summary("Report whether a repository has an index, how large and how fresh it is")
        .reads()
        .policy(Policy::interactive())
        .example("Ask about the server's own repository", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &config, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository the report is about.
    repo: String,
    /// Directory the index is kept in.
    index_dir: String,
    /// Whether there is an index.
    indexed: bool,
    /// Bytes of the index on disk.
    size_bytes: u64,
}

fn run(call: &Call, config: &SearchConfig, args: Args) -> FaultResult<Report> {
    let repo = crate::repo::resolve(call, config, args.repo_path.as_deref())?;
    let dir = index_dir(&config.cache_dir, &repo);
    let size_bytes = size_of(&dir);
    Ok(Report {
        repo: repo.display().to_string(),
        index_dir: dir.display().to_string(),
        indexed: size_bytes > 0,
        size_bytes,
    })
}

/// Bytes of the files in one directory; a missing one has none.
fn size_of(dir: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.metadata().ok())
        .filter(std::fs::Metadata::is_file)
        .map(|file| file.len())
        .sum()
}
