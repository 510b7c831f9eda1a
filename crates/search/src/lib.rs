//! The search toolset: find code and documents, and keep what makes that fast.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod repo;
mod store;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_contract::Tool;
use serde_json::Value;

/// What the toolset is given; it reads nothing from the environment.
#[derive(Debug, Clone)]
pub struct SearchConfig {
    /// The repository meant when a call names none.
    pub repo: PathBuf,
    /// Where indexes and downloads are kept.
    pub cache_dir: PathBuf,
    /// The effective settings with their origin, as `config_status` reports them.
    pub settings: Value,
}

/// The tools of this toolset.
pub fn tools(config: SearchConfig) -> Vec<Tool> {
    tools::table(&Arc::new(config))
}
