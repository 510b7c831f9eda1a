//! The search toolset: find code and documents, and keep what makes that fast.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod backend;
mod cache;
mod documents;
mod download;
mod engine;
mod error;
mod extension;
mod git;
mod hex;
mod history;
mod lint;
mod look;
mod records;
mod relations;
mod repo;
mod rules;
mod sqlite;
mod store;
mod suggest;
mod tools;
mod triage;
mod vectors;
mod warm;
mod watch;
mod workspace;

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_contract::{Tool, ToolDef};
use serde_json::Value;

use warm::Kept;
use watch::Watch;

pub use documents::DocumentProgram;
pub use download::{DownloadError, Network, get};
pub use error::SearchError;
pub use git::Git;
pub use mainstay_index::SkipReason;
pub use warm::Warm;
pub use watch::Debounce;

/// What the toolset is given; it reads nothing from the environment.
#[derive(Debug, Clone, Default)]
pub struct SearchConfig {
    /// The repository meant when a call names none.
    pub repo: PathBuf,
    /// Where relative paths of calls begin.
    pub work_dir: PathBuf,
    /// Where indexes and downloads are kept.
    pub cache_dir: PathBuf,
    /// How facts about history are found; none are where git is not available.
    pub git: Git,
    /// The effective settings with their origin, as `config_status` reports them.
    pub settings: Value,
    /// How downloads reach the network.
    pub network: Network,
    /// SARIF files of linters whose findings the filter `lint` knows.
    pub lint_reports: Vec<PathBuf>,
    /// How PDF and DOCX files are read; without it they are binary files.
    pub documents: Option<DocumentProgram>,
    /// Keep the indexes that are used fresh from file events.
    pub watch: Option<Debounce>,
    /// What is kept in memory, shared with whoever has the same one.
    pub warm: Warm,
    /// A file with rules about risks beside those of the program.
    pub risk_rules: Option<PathBuf>,
    /// What a budget of tokens is counted with; a rule of thumb where nothing is given.
    pub tokens: Option<fn(&str) -> usize>,
}

impl SearchConfig {
    fn tokens(&self, text: &str) -> usize {
        match self.tokens {
            Some(count) => count(text),
            None => text.len().div_ceil(3),
        }
    }
}

/// What the tools of this toolset share.
struct Search {
    config: SearchConfig,
    engine: engine::Engine,
    git: Git,
    kept: Arc<Kept>,
    lint: lint::Reports,
}

impl Search {
    fn new(config: SearchConfig, uses: Option<watch::Uses>) -> Search {
        let kept = config.warm.of(&config.cache_dir);
        let (cache_dir, documents) = (config.cache_dir.clone(), config.documents.clone());
        let engine = engine::Engine::new(cache_dir, Arc::clone(&kept), uses, documents);
        let lint = lint::Reports::new(config.lint_reports.clone());
        Search { engine, git: config.git.clone(), kept, lint, config }
    }
}

impl std::ops::Deref for Search {
    type Target = Kept;

    fn deref(&self) -> &Kept {
        &self.kept
    }
}

/// The tools of this toolset.
pub fn tools(config: SearchConfig) -> Vec<Tool> {
    let (watch, uses) = config.watch.map(Watch::new).unzip();
    let search = Arc::new(Search::new(config, uses));
    if let Some(watch) = watch {
        watch.start(&search);
    }
    tools::table(&search)
}

/// Every language of which facts are known, and the filters of `search` that work there.
pub fn fact_coverage() -> Vec<(&'static str, Vec<&'static str>)> {
    let known = mainstay_index::fact_coverage().into_iter();
    known
        .map(|(language, facts)| {
            let mut filters: Vec<&str> = facts.iter().map(|fact| fact.argument()).collect();
            // A name that is called or read is used.
            if filters.contains(&"reads") && !filters.contains(&"uses") {
                filters.push("uses");
            }
            (language, filters)
        })
        .collect()
}

/// The definition of `search`, from which the command line makes its flags.
pub fn search_definition() -> Arc<ToolDef> {
    let [search] = definitions(["search"]);
    search
}

/// The definitions of some tools of the table.
pub fn definitions<const N: usize>(ids: [&str; N]) -> [Arc<ToolDef>; N] {
    let tools = tools(SearchConfig::default());
    let find = |id: &str| tools.iter().find(|tool| tool.def.id == id).expect("the table has the tool");
    ids.map(|id| Arc::clone(&find(id).def))
}
