//! What the operator allows: which tools, with which values, run how.
//!
//! A rule names one tool or, with `*`, `?` and `[…]`, several. All rules that match a tool apply: one `deny` removes it,
//! every constraint must hold. Without a policy everything is allowed.

mod read;

use std::path::PathBuf;

use globset::GlobMatcher;
use regex::Regex;

pub use read::{load, parse};

use crate::config::{Arg, Config, Findings, Limits, ToolSpec};
use crate::error::{Problem, ProgramsError};
use crate::value::{Given, Item, shown};

/// What happens to tools no rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unlisted {
    Enabled,
    Disabled,
}

#[derive(Debug, Clone)]
pub struct PolicyFile {
    pub source: PathBuf,
    pub unlisted: Unlisted,
    pub rules: Vec<Rule>,
    pub executor: Executor,
}

#[derive(Debug, Clone)]
pub struct Rule {
    pub name: String,
    glob: Option<GlobMatcher>,
    pub deny: bool,
    pub description: Option<String>,
    pub limits: Limits,
    pub args: Vec<ArgRule>,
    pub line: u32,
}

#[derive(Debug, Clone)]
pub struct ArgRule {
    pub name: String,
    pub pattern: Option<Pattern>,
    pub min: Option<f64>,
    pub max: Option<f64>,
    pub choices: Option<Vec<String>>,
    pub line: u32,
}

/// A pattern as written, and compiled to match the whole value.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub text: String,
    pub regex: Regex,
}

/// Where programs run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Executor {
    #[default]
    Local,
    Docker(Docker),
    Sandbox(Sandbox),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Docker {
    pub image: String,
    /// `$VAR` is expanded.
    pub volumes: Vec<String>,
    pub working_dir: Option<String>,
    pub network: Option<String>,
}

/// Restrictions the kernel keeps (Landlock).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Paths that may be read; everything when empty.
    pub read: Vec<String>,
    /// Paths that may be written; nothing when empty.
    pub write: Vec<String>,
    /// TCP is allowed.
    pub network: bool,
}

/// Whose behaviour holds where ours and the original's differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Ours: a rule that would never apply is an error, and every default is applied.
    #[default]
    Strict,
    /// The original's: such a rule is a warning, defaults are applied to flags alone, `docker` gets the same words.
    Climax,
}

impl Rule {
    pub fn matches(&self, tool: &str) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(tool),
            None => self.name == tool,
        }
    }
}

impl PolicyFile {
    /// Returns the rules for one tool in file order, or nothing when the tool is not allowed.
    pub fn rules_for(&self, tool: &str) -> Option<Vec<&Rule>> {
        let rules: Vec<&Rule> = self.rules.iter().filter(|rule| rule.matches(tool)).collect();
        let is_allowed =
            !rules.iter().any(|rule| rule.deny) && (self.unlisted == Unlisted::Enabled || !rules.is_empty());
        is_allowed.then_some(rules)
    }

    /// Looks for rules that would never apply.
    pub fn check_names(&self, configs: &[Config], dialect: Dialect) -> Result<Vec<Problem>, ProgramsError> {
        let mut findings = Findings::default();
        for rule in &self.rules {
            self.check_rule(rule, configs, &mut findings);
        }
        match dialect {
            Dialect::Strict if !findings.problems.is_empty() => {
                Err(ProgramsError::Invalid { path: self.source.clone(), problems: findings.problems })
            }
            _ => Ok(findings.problems),
        }
    }

    fn check_rule(&self, rule: &Rule, configs: &[Config], findings: &mut Findings) {
        let all = || configs.iter().flat_map(|config| &config.tools);
        let tools: Vec<&ToolSpec> = all().filter(|tool| rule.matches(&tool.name)).collect();
        if tools.is_empty() {
            let near = crate::config::nearest(&rule.name, all().map(|tool| tool.name.as_str()));
            let key = format!("tools → {}", rule.name);
            let message = format!("no tool has this name{}", suggestion(near));
            findings.problems.push(Problem::new(rule.line, key, message));
            return;
        }
        for arg_rule in &rule.args {
            let names = || tools.iter().flat_map(|tool| &tool.args).map(|arg| arg.name.as_str());
            if !names().any(|name| name == arg_rule.name) {
                let near = crate::config::nearest(&arg_rule.name, names());
                let key = format!("tools → {} → args → {}", rule.name, arg_rule.name);
                let message = format!("the tool has no argument of this name{}", suggestion(near));
                findings.problems.push(Problem::new(arg_rule.line, key, message));
            }
        }
    }
}

fn suggestion(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl ArgRule {
    /// Adds a text for everything the value breaks.
    pub fn check(&self, arg: &Arg, given: &Given, failures: &mut Vec<String>) {
        for item in given.items() {
            self.check_item(arg, item, failures);
        }
    }

    fn check_item(&self, arg: &Arg, item: &Item, failures: &mut Vec<String>) {
        let name = &arg.name;
        let word = item.word();
        let value = shown(arg, &word);
        if let Some(pattern) = &self.pattern
            && !pattern.regex.is_match(&word)
        {
            let pattern = &pattern.text;
            failures.push(format!("Argument '{name}': value '{value}' does not match pattern '{pattern}'"));
        }
        if let Some(choices) = &self.choices
            && !choices.contains(&word)
        {
            failures.push(format!("Argument '{name}' must be one of: {}", choices.join(", ")));
        }
        if self.min.is_none() && self.max.is_none() {
            return;
        }
        match item.number() {
            // A bound on something that is no number cannot be kept, so the value is refused.
            None => failures.push(format!("Argument '{name}': value '{value}' is not a number")),
            Some(number) => {
                if let Some(min) = self.min
                    && number < min
                {
                    failures.push(format!("Argument '{name}': value {value} is below minimum {min:?}"));
                }
                if let Some(max) = self.max
                    && number > max
                {
                    failures.push(format!("Argument '{name}': value {value} exceeds maximum {max:?}"));
                }
            }
        }
    }
}
