//! What counts as drift, as data: the rules with their severities, and the native elements the kit stands in for.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding matters; `off` silences a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Off,
    Note,
    Warning,
    Error,
}

impl Severity {
    pub fn name(self) -> &'static str {
        match self {
            Severity::Off => "off",
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// One rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub id: String,
    pub severity: Severity,
    pub title: String,
    pub help: String,
}

/// A native element and the component that should stand in its place.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Native {
    pub element: String,
    pub component: String,
}

/// An event that belongs to a trait.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handler {
    pub handler: String,
    #[serde(rename = "trait")]
    pub trait_name: String,
}

/// The whole table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub rules: Vec<Rule>,
    pub elements: Vec<Native>,
    /// The component by type of an `<input>`; empty where the kit has none.
    pub inputs: BTreeMap<String, String>,
    pub handlers: Vec<Handler>,
}

impl Table {
    pub fn rule(&self, id: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.id == id)
    }
}

/// The table of this build.
pub fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        serde_json::from_str(include_str!("rules.json")).expect("the table is part of the build and valid")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_unique_names_and_say_why() {
        let mut ids: Vec<&str> = table().rules.iter().map(|rule| rule.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), table().rules.len());
        for rule in &table().rules {
            assert!(rule.help.ends_with('.') && rule.severity > Severity::Note, "{}", rule.id);
        }
    }
}
