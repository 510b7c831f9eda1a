//! The search toolset: find code and documents, and keep what makes that fast.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod cache;
mod download;
mod engine;
mod error;
mod extension;
mod git;
mod records;
mod repo;
mod store;
mod tools;
mod triage;
mod workspace;

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_contract::{Tool, ToolDef};
use serde_json::Value;

pub use download::Network;
pub use error::SearchError;
pub use git::Git;

/// What the toolset is given; it reads nothing from the environment.
#[derive(Debug, Clone, Default)]
pub struct SearchConfig {
    /// The repository meant when a call names none.
    pub repo: PathBuf,
    /// Where indexes and downloads are kept.
    pub cache_dir: PathBuf,
    /// How facts about history are found; none are where git is not available.
    pub git: Git,
    /// The effective settings with their origin, as `config_status` reports them.
    pub settings: Value,
    /// How downloads reach the network.
    pub network: Network,
}

/// What the tools of this toolset share.
struct Search {
    config: SearchConfig,
    engine: engine::Engine,
    ledgers: triage::ledger::Ledgers,
    finder: triage::find::Finder,
    git: Git,
}

impl Search {
    fn new(config: SearchConfig) -> Search {
        Search {
            engine: engine::Engine::new(config.cache_dir.clone()),
            ledgers: triage::ledger::Ledgers::new(config.cache_dir.clone()),
            finder: triage::find::Finder::default(),
            git: config.git.clone(),
            config,
        }
    }
}

/// The tools of this toolset.
pub fn tools(config: SearchConfig) -> Vec<Tool> {
    tools::table(&Arc::new(Search::new(config)))
}

/// Every language of which facts are known, and the filters of `search` that work there.
pub fn fact_coverage() -> Vec<(&'static str, Vec<&'static str>)> {
    let known = mainstay_index::fact_coverage().into_iter();
    known.map(|(language, facts)| (language, facts.iter().map(|fact| fact.argument()).collect())).collect()
}

/// The definition of `search`, from which the command line makes its flags.
pub fn search_definition() -> Arc<ToolDef> {
    let tools = tools(SearchConfig::default());
    let search = tools.iter().find(|tool| tool.def.id == "search").expect("the table has search");
    Arc::clone(&search.def)
}
