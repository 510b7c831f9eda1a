//! `config_status`: the settings in force and where each was made.

use std::sync::Arc;

use mainstay_contract::{Call, FaultResult, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::SearchConfig;

pub fn tool(config: &Arc<SearchConfig>) -> Tool {
    let config = Arc::clone(config);
    ToolDef::new("config_status", Toolset::Search)
        .title("Configuration status")
        .summary("Report the settings in force, where each was made, and what this server can do")
        .reads()
        .policy(Policy::interactive())
        .example("Show the settings", json!({}))
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
    /// Repository the tools work on.
    repo: String,
    /// Where indexes and downloads are kept.
    cache_dir: String,
    /// Active toolsets.
    toolsets: Vec<&'static str>,
    /// Every setting with its value and origin.
    settings: Value,
}

fn run(call: &Call, config: &SearchConfig, args: Args) -> FaultResult<Report> {
    let repo = crate::repo::resolve(call, config, args.repo_path.as_deref())?;
    Ok(Report {
        repo: repo.display().to_string(),
        cache_dir: config.cache_dir.display().to_string(),
        toolsets: call.host().toolsets().into_iter().map(Toolset::name).collect(),
        settings: config.settings.clone(),
    })
}
