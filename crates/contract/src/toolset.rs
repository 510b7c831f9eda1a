//! Toolsets: named groups of tools.

use serde::{Deserialize, Serialize};

/// One of the four groups a tool belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Toolset {
    Search,
    Programs,
    Catalog,
    Foundry,
}

impl Toolset {
    pub const ALL: [Toolset; 4] = [Toolset::Search, Toolset::Programs, Toolset::Catalog, Toolset::Foundry];

    pub fn name(self) -> &'static str {
        match self {
            Toolset::Search => "search",
            Toolset::Programs => "programs",
            Toolset::Catalog => "catalog",
            Toolset::Foundry => "foundry",
        }
    }

    /// One line for summaries and help.
    pub fn summary(self) -> &'static str {
        match self {
            Toolset::Search => "Find code and docs by words, meaning and structure",
            Toolset::Programs => "Run command-line programs as safe tools",
            Toolset::Catalog => "Keep a governed catalog of instructions for agents",
            Toolset::Foundry => "Compose, check and generate user interfaces from a design system",
        }
    }

    pub fn parse(name: &str) -> Option<Toolset> {
        Toolset::ALL.into_iter().find(|set| set.name() == name)
    }
}
