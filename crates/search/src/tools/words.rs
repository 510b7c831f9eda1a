//! Argument shapes several tools share.

use schemars::JsonSchema;
use serde::Deserialize;

/// The arguments of a tool that is only about a repository.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RepoArgs {
    /// Repository root; the server's own when absent.
    pub repo_path: Option<String>,
}

/// One string or several.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn list(&self) -> Vec<String> {
        match self {
            OneOrMany::One(text) => vec![text.clone()],
            OneOrMany::Many(texts) => texts.clone(),
        }
    }
}
