//! `config_status`: the settings in force and where each was made.

use std::sync::Arc;

use mainstay_contract::{Call, FaultResult, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::words::RepoArgs;
use crate::Search;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("config_status", Toolset::Search)
        .title("Configuration status")
        .summary("Report the settings in force, where each was made, and what this server can do")
        .reads()
        .policy(Policy::interactive())
        .example("Show the settings", json!({}))
        .handler(move |call: &Call, args: RepoArgs| run(call, &search, args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository the tools work on.
    repo: String,
    /// Where indexes and downloads are kept.
    cache_dir: String,
    /// Active toolsets.
    toolsets: Vec<&'static str>,
    /// Every setting with its value and origin.
    settings: Value,
}

fn run(call: &Call, search: &Search, args: RepoArgs) -> FaultResult<Report> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    Ok(Report {
        repo: repo.display().to_string(),
        cache_dir: search.config.cache_dir.display().to_string(),
        toolsets: call.host().toolsets().into_iter().map(Toolset::name).collect(),
        settings: search.config.settings.clone(),
    })
}
