//! The file that says how many tokens definitions may cost.
//!
//! ```toml
//! [tools]
//! "*" = 900        # any tool that is not named
//! search = 2500
//! [toolsets]
//! search = 9000
//! [profiles]
//! default = 20000
//! ```

use std::path::Path;

use mainstay_contract::{Fault, FaultResult};
use serde::Serialize;
use toml_edit::DocumentMut;

use crate::commands::cost::Cost;

/// Something that costs more than it may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Over {
    pub what: String,
    pub tokens: usize,
    pub budget: usize,
}

/// The most tokens of tools, toolsets and profiles, in the order of the file.
#[derive(Debug, Default)]
pub struct TokenBudget {
    limits: Vec<(Part, String, usize)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Tool,
    Toolset,
    Profile,
}

impl TokenBudget {
    pub fn read(path: &Path) -> FaultResult<TokenBudget> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Fault::invalid(format!("could not read {}: {error}", path.display())))?;
        TokenBudget::parse(&text).map_err(|reason| Fault::invalid(format!("{}: {reason}", path.display())))
    }

    fn parse(text: &str) -> Result<TokenBudget, String> {
        let document: DocumentMut =
            text.parse().map_err(|error: toml_edit::TomlError| error.message().to_owned())?;
        let mut limits = Vec::new();
        for (name, item) in document.iter() {
            let part = match name {
                "tools" => Part::Tool,
                "toolsets" => Part::Toolset,
                "profiles" => Part::Profile,
                other => return Err(format!("{other} is none of tools, toolsets and profiles")),
            };
            let table = item.as_table_like().ok_or_else(|| format!("{name} must be a table"))?;
            for (key, value) in table.iter() {
                let limit = value.as_integer().and_then(|number| usize::try_from(number).ok());
                let limit = limit.ok_or_else(|| format!("{name}.{key} must be a whole number"))?;
                limits.push((part, key.to_owned(), limit));
            }
        }
        Ok(TokenBudget { limits })
    }

    /// What costs more than it may; a name that nothing has costs nothing and is over too, because it is a mistake.
    pub fn over(&self, cost: &Cost) -> Vec<Over> {
        let named =
            |tool: &str| self.limits.iter().any(|(part, name, _)| *part == Part::Tool && name == tool);
        let mut over = Vec::new();
        for (part, name, budget) in &self.limits {
            let found: Vec<(String, usize)> = match part {
                Part::Tool if name == "*" => {
                    let rest = cost.tools.iter().filter(|row| !named(&row.tool));
                    rest.map(|row| (row.tool.clone(), row.total)).collect()
                }
                Part::Tool => {
                    let tool = cost.tools.iter().find(|row| row.tool == *name);
                    tool.map(|row| (row.tool.clone(), row.total)).into_iter().collect()
                }
                Part::Toolset => cost
                    .toolsets
                    .get(name)
                    .map(|sum| (format!("toolset {name}"), sum.total))
                    .into_iter()
                    .collect(),
                Part::Profile => cost
                    .profiles
                    .get(name)
                    .map(|sum| (format!("profile {name}"), sum.total))
                    .into_iter()
                    .collect(),
            };
            if found.is_empty() && name != "*" {
                over.push(Over {
                    what: format!("{name} is in the budget and nowhere else"),
                    tokens: 0,
                    budget: *budget,
                });
            }
            let beyond = found.into_iter().filter(|(_, tokens)| tokens > budget);
            over.extend(beyond.map(|(what, tokens)| Over { what, tokens, budget: *budget }));
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_that_cannot_be_read_says_why() {
        for (text, reason) in [
            ("[tool]\na = 1", "tool is none of tools, toolsets and profiles"),
            ("[tools]\na = -1", "tools.a must be a whole number"),
            ("tools = 3", "tools must be a table"),
        ] {
            assert_eq!(TokenBudget::parse(text).unwrap_err(), reason);
        }
        assert!(TokenBudget::parse("[tools").is_err());
    }
}
