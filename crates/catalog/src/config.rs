//! What the crate is told about its surroundings: it reads no environment by itself.

use std::path::PathBuf;

use regex::Regex;

/// The features that `INDEX_FEATURES` may name.
pub const KNOWN_FEATURES: &[&str] = &["usage", "window", "hotness", "drift", "risk"];

/// Where a catalog lives and how it behaves.
#[derive(Debug, Clone, Default)]
pub struct CatalogConfig {
    /// The directory of entries (`INSTRUCTIONS_DIR`); may be absent until the first write.
    pub dir: PathBuf,
    /// Where relative paths of calls begin.
    pub work_dir: PathBuf,
    /// Feature names as the operator gave them (`INDEX_FEATURES`).
    pub features: Vec<String>,
    /// Hash the governance projection with a final newline (`GOV_HASH_TRAILING_NEWLINE`).
    pub trailing_newline: bool,
    /// Review criteria to use instead of the built-in ones.
    pub criteria_file: Option<PathBuf>,
    /// `owners.json`: default owners by id pattern.
    pub owners_file: Option<PathBuf>,
    /// `usage-snapshot.json` of an earlier server, whose counts are added.
    pub usage_snapshot: Option<PathBuf>,
}

impl CatalogConfig {
    pub fn new(dir: impl Into<PathBuf>) -> CatalogConfig {
        CatalogConfig { dir: dir.into(), ..CatalogConfig::default() }
    }

    pub(crate) fn has_feature(&self, name: &str) -> bool {
        self.features.iter().any(|feature| feature.trim() == name)
    }
}

/// Default owners: the first pattern that matches an id names its owner.
#[derive(Debug, Default)]
pub struct Owners(Vec<(Regex, String)>);

impl Owners {
    /// Reads `{"ownership":[{"pattern","owner"}]}`; rules that cannot be used are left out.
    pub fn read(text: &str) -> Owners {
        let value: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let rules = value["ownership"].as_array().map(Vec::as_slice).unwrap_or_default();
        Owners(
            rules
                .iter()
                .filter_map(|rule| {
                    let pattern = Regex::new(rule["pattern"].as_str()?).ok()?;
                    Some((pattern, rule["owner"].as_str()?.to_owned()))
                })
                .collect(),
        )
    }

    pub fn of(&self, id: &str) -> String {
        let rule = self.0.iter().find(|(pattern, _)| pattern.is_match(id));
        rule.map_or_else(|| "unowned".to_owned(), |(_, owner)| owner.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_matching_pattern_names_the_owner() {
        let owners = Owners::read(
            r#"{"ownership":[{"pattern":"(","owner":"x"},{"pattern":"^sec-","owner":"security"},{"pattern":".","owner":"all"}]}"#,
        );
        assert_eq!(owners.of("sec-1"), "security");
        assert_eq!(owners.of("other"), "all");
        assert_eq!(Owners::read("nonsense").of("a"), "unowned");
    }
}
