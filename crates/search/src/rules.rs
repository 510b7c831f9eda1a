//! The rules about risks that hold: those of the program, and those of the file the settings name.

use mainstay_index::RiskRules;

use crate::{SearchConfig, SearchError};

/// Reads the rules. The file is read again for every call that asks for risks, so that a change counts at once.
pub fn load(config: &SearchConfig) -> Result<RiskRules, SearchError> {
    let Some(path) = &config.risk_rules else { return Ok(RiskRules::default()) };
    let bad = |reason: String| SearchError::BadRules { path: path.display().to_string(), reason };
    let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    RiskRules::with(&text).map_err(bad)
}
