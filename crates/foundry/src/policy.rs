//! The policy file: who may call what, how often, and where a tool may write.
//!
//! The runtime enforces what a [`Policy`] says. This module turns a file into policies, and a
//! file that cannot be understood into an error: a policy fails closed.

use std::time::Duration;

use mainstay_contract::{Policy, Role};
use serde::Deserialize;

/// Where artifacts go when the file does not say.
pub const DEFAULT_BASE: &str = "artifacts/current-state";

/// Why a policy file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy file is not valid: {0}")]
    Invalid(String),
    #[error("the policy file names the unknown role {role:?} in {place}")]
    UnknownRole { role: String, place: String },
    #[error("the policy file has {field} {value:?}, which leaves the project")]
    Outside { field: String, value: String },
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    #[serde(default)]
    artifacts_base: Option<String>,
    #[serde(default)]
    roles: Vec<String>,
    #[serde(default)]
    rules: Vec<Rule>,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    redactions: Vec<String>,
    #[serde(default, rename = "$schema")]
    _schema: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Limits {
    default_timeout_ms: Option<u64>,
    concurrency: Option<u32>,
    rate_per_minute: Option<u32>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Rule {
    tool: String,
    allow: Vec<String>,
    #[serde(default)]
    writes: Vec<String>,
    #[serde(default)]
    read_only: bool,
    timeout_ms: Option<u64>,
    rate_per_minute: Option<u32>,
    concurrency: Option<u32>,
}

/// The rules of one server; the seed's figures when there is no file.
#[derive(Debug, Clone)]
pub struct Rules {
    file: Option<File>,
    pub artifacts_base: String,
    /// Literal texts that never reach a transcript.
    pub redactions: Vec<String>,
    /// The text of the file, to find the lines of its rules.
    text: String,
}

/// What the rules say about one tool.
pub enum Verdict {
    Allowed(Policy),
    /// No rule allows anybody.
    Denied,
}

impl Rules {
    /// Reads the contents of a policy file; without one the built-in figures hold.
    pub fn read(contents: Option<&str>) -> Result<Rules, PolicyError> {
        let Some(contents) = contents else {
            return Ok(Rules {
                file: None,
                artifacts_base: DEFAULT_BASE.into(),
                redactions: Vec::new(),
                text: String::new(),
            });
        };
        let invalid = |error: serde_json::Error| PolicyError::Invalid(error.to_string());
        // Read as an object first: serde would also take a list of fields.
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(contents).map_err(invalid)?;
        let file: File = serde_json::from_value(object.into()).map_err(invalid)?;
        let base = file.artifacts_base.clone().unwrap_or_else(|| DEFAULT_BASE.into());
        let base = base.trim_end_matches('/').to_owned();
        inside("artifactsBase", &base)?;
        for role in &file.roles {
            known(role, "roles")?;
        }
        for rule in &file.rules {
            for role in &rule.allow {
                known(role, &rule.tool)?;
            }
            for glob in &rule.writes {
                inside("writes", &glob.replace("${BASE}", "base").replace("${DATE}", "date"))?;
                globset::Glob::new(glob).map_err(|error| PolicyError::Invalid(error.to_string()))?;
            }
            if rule.timeout_ms == Some(0) || rule.concurrency == Some(0) {
                return Err(PolicyError::Invalid(format!("a limit of {} is zero", rule.tool)));
            }
        }
        let redactions = file.redactions.clone();
        Ok(Rules { artifacts_base: base, redactions, text: contents.to_owned(), file: Some(file) })
    }

    /// The line of the rule for a tool: its own, else the one for every tool, else where the rules begin.
    pub fn line_of(&self, tool: &str) -> Option<usize> {
        self.file.as_ref()?;
        let line = |wanted: &str| self.text.lines().position(|line| line.contains(wanted));
        let rule = line(&format!("\"{tool}\"")).or_else(|| line("\"*\"")).or_else(|| line("\"rules\""));
        Some(rule.unwrap_or(0) + 1)
    }

    /// The policy of one tool: the first exact rule, else the `*` rule, else nobody.
    pub fn decide(&self, tool: &str, built_in: Policy) -> Verdict {
        let Some(file) = &self.file else { return Verdict::Allowed(built_in) };
        let exact = file.rules.iter().find(|rule| rule.tool == tool);
        let Some(rule) = exact.or_else(|| file.rules.iter().find(|rule| rule.tool == "*")) else {
            return Verdict::Denied;
        };
        let roles: Vec<Role> = rule.allow.iter().filter_map(|role| Role::parse(role)).collect();
        if roles.is_empty() {
            return Verdict::Denied;
        }
        let timeout = rule.timeout_ms.or(file.limits.default_timeout_ms).map(Duration::from_millis);
        Verdict::Allowed(Policy {
            roles,
            timeout: timeout.unwrap_or(built_in.timeout),
            rate_per_minute: rule
                .rate_per_minute
                .or(file.limits.rate_per_minute)
                .or(built_in.rate_per_minute),
            concurrency: rule.concurrency.or(file.limits.concurrency).or(built_in.concurrency),
            writes: match (rule.read_only, rule.writes.is_empty()) {
                (true, _) => Vec::new(),
                (false, true) => built_in.writes,
                (false, false) => rule.writes.clone(),
            },
            ..built_in
        })
    }
}

fn known(role: &str, place: &str) -> Result<(), PolicyError> {
    match Role::parse(role) {
        Some(_) => Ok(()),
        None => Err(PolicyError::UnknownRole { role: role.to_owned(), place: place.to_owned() }),
    }
}

fn inside(field: &str, path: &str) -> Result<(), PolicyError> {
    let leaves = path.is_empty()
        || path.starts_with(['/', '\\'])
        || path.contains(':')
        || path.split(['/', '\\']).any(|part| part == "..");
    if leaves {
        Err(PolicyError::Outside { field: field.to_owned(), value: path.to_owned() })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decide(file: &str, tool: &str) -> Option<Policy> {
        match Rules::read(Some(file)).unwrap().decide(tool, Policy::interactive().writes(&["x/**"])) {
            Verdict::Allowed(policy) => Some(policy),
            Verdict::Denied => None,
        }
    }

    #[test]
    fn the_first_exact_rule_wins_then_the_star_then_nobody() {
        let file = r#"{"rules":[{"tool":"*","allow":["maintainer"]},{"tool":"a","allow":["designer"],"timeoutMs":1,"readOnly":true}]}"#;
        let a = decide(file, "a").unwrap();
        assert_eq!((a.roles, a.timeout, a.writes.len()), (vec![Role::Designer], Duration::from_millis(1), 0));
        assert_eq!(decide(file, "b").unwrap().roles, [Role::Maintainer]);
        assert!(decide(r#"{"rules":[{"tool":"a","allow":[]}]}"#, "a").is_none());
        assert!(decide(r#"{"rules":[]}"#, "a").is_none());
    }

    #[test]
    fn a_broken_file_is_an_error() {
        for file in [
            "",
            "[]",
            "{",
            r#"{"rulez":[]}"#,
            r#"{"artifactsBase":"../out"}"#,
            r#"{"artifactsBase":"/etc"}"#,
            r#"{"rules":[{"tool":"a","allow":["admin"]}]}"#,
            r#"{"rules":[{"tool":"a","allow":["designer"],"writes":["../**"]}]}"#,
            r#"{"rules":[{"tool":"a","allow":["designer"],"timeoutMs":0}]}"#,
        ] {
            assert!(Rules::read(Some(file)).is_err(), "{file}");
        }
    }
}
