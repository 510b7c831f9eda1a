//! `validate` and `list`: what a person is told about configurations, as data and as text.

use std::path::Path;

use serde::Serialize;

use crate::bundled::{BUNDLED, Source};
use crate::catalog::{Catalog, ProgramTool};
use crate::config::{Arg, Config, Kind, Slot};
use crate::error::ProgramsError;
use crate::executor::find_program;
use crate::expand::Vars;
use crate::policy::{self, ArgRule, Dialect, Executor};
use crate::prepare::base_words;
use crate::programs::warnings;

/// What `validate` found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Validation {
    pub configs: Vec<Checked>,
    pub policy: Option<Checked>,
    pub is_valid: bool,
}

/// One file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    pub file: String,
    pub name: Option<String>,
    /// Tools of a configuration, rules of a policy.
    pub count: usize,
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

impl Checked {
    fn failed(file: String, error: &ProgramsError) -> Checked {
        let problems = match error {
            ProgramsError::Invalid { problems, .. } => problems.iter().map(ToString::to_string).collect(),
            other => vec![other.to_string()],
        };
        Checked { file, name: None, count: 0, problems, warnings: Vec::new() }
    }

    fn is_valid(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Checks files without running anything.
pub fn validate(words: &[String], policy: Option<&Path>, dialect: Dialect, vars: &Vars) -> Validation {
    let mut loaded = Vec::new();
    let configs: Vec<Checked> = words
        .iter()
        .map(|word| {
            let source = Source::of(word);
            match source.load() {
                Err(error) => Checked::failed(source.shown(), &error),
                Ok(config) => {
                    let checked = check(&source, &config, vars);
                    loaded.push(config);
                    checked
                }
            }
        })
        .collect();
    let policy = policy.map(|path| check_policy(path, &loaded, dialect));
    let is_valid = configs.iter().chain(&policy).all(Checked::is_valid);
    Validation { configs, policy, is_valid }
}

fn check(source: &Source, config: &Config, vars: &Vars) -> Checked {
    let mut warnings: Vec<String> = config.warnings.iter().map(ToString::to_string).collect();
    if let Some(program) = base_words(&config.command, vars).first()
        && find_program(program, vars).is_none()
    {
        warnings.push(format!("'{program}' not found on PATH"));
    }
    Checked {
        file: source.shown(),
        name: Some(config.name.clone()),
        count: config.tools.len(),
        problems: Vec::new(),
        warnings,
    }
}

fn check_policy(path: &Path, configs: &[Config], dialect: Dialect) -> Checked {
    let file = path.display().to_string();
    let loaded = policy::load(path).and_then(|policy| {
        let warnings = warnings(&[], None, dialect)?;
        let unknown = policy.check_names(configs, dialect)?;
        Ok((policy, warnings.into_iter().chain(unknown.iter().map(ToString::to_string)).collect()))
    });
    match loaded {
        Err(error) => Checked::failed(file, &error),
        Ok((policy, warnings)) => Checked {
            file,
            name: Some("policy".into()),
            count: policy.rules.len(),
            problems: Vec::new(),
            warnings,
        },
    }
}

impl Validation {
    /// The original's lines.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let all = self.configs.iter().map(|checked| (checked, "tool(s)"));
        for (checked, noun) in all.chain(self.policy.iter().map(|checked| (checked, "tool rule(s)"))) {
            match &checked.name {
                Some(name) => text.push_str(&format!("✓ {name} — {} {noun}\n", checked.count)),
                None => text.push_str(&format!("✗ {}\n", checked.file)),
            }
            for problem in &checked.problems {
                text.push_str(&format!("    {problem}\n"));
            }
            for warning in &checked.warnings {
                text.push_str(&format!("  ⚠ {warning}\n"));
            }
        }
        let bad = self.configs.iter().filter(|checked| !checked.is_valid()).count();
        let good = self.configs.len() - bad;
        match (bad, self.is_valid) {
            (0, true) => text.push_str(&format!("\nAll {good} config(s) valid\n")),
            (0, false) => text.push_str(&format!("\nAll {good} config(s) valid, the policy is not\n")),
            _ => text.push_str(&format!("\n{good} valid, {bad} invalid\n")),
        }
        text
    }
}

/// What `list` shows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub server: String,
    pub executor: Option<String>,
    pub tools: Vec<Row>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub tool: String,
    pub description: String,
    pub command: String,
    /// `name (required, positional, …)`.
    pub arguments: Vec<String>,
}

/// Names of the bundled configurations with their descriptions.
pub fn bundled() -> Result<Vec<(String, String)>, ProgramsError> {
    let describe = |(name, _): &(&str, &str)| {
        let config = Source::of(name).load()?;
        Ok(((*name).to_owned(), config.description))
    };
    BUNDLED.iter().map(describe).collect()
}

/// Lists the active tools by name.
pub fn list(server: &str, catalog: &Catalog) -> Listed {
    let mut tools: Vec<Row> = catalog.tools.iter().map(|tool| row(tool)).collect();
    tools.sort_by(|a, b| a.tool.cmp(&b.tool));
    let executor = match &catalog.executor {
        Executor::Local => None,
        Executor::Docker(docker) => Some(format!("docker ({})", docker.image)),
        Executor::Sandbox(sandbox) => {
            Some(format!("sandbox (writes below: {})", shown_paths(&sandbox.write)))
        }
    };
    Listed { server: server.to_owned(), executor, tools }
}

fn shown_paths(paths: &[String]) -> String {
    if paths.is_empty() { "nowhere".to_owned() } else { paths.join(", ") }
}

fn row(tool: &ProgramTool) -> Row {
    let base = tool.program.config.command.shown();
    let own = tool.spec.command.shown();
    Row {
        tool: tool.spec.name.clone(),
        description: tool.description.clone(),
        command: format!("{base} {own}").trim_end().to_owned(),
        arguments: tool.spec.args.iter().map(|arg| argument(arg, &tool.rules)).collect(),
    }
}

fn argument(arg: &Arg, rules: &[ArgRule]) -> String {
    let mut notes = Vec::new();
    if arg.required {
        notes.push("required".to_owned());
    }
    match &arg.slot {
        Slot::Positional => notes.push("positional".into()),
        Slot::Cwd => notes.push("cwd".into()),
        Slot::Stdin => notes.push("stdin".into()),
        Slot::Flag(_) => {}
    }
    if matches!(arg.kind, Kind::Many { .. }) {
        notes.push("repeatable".into());
    }
    if let Some(default) = arg.default.as_ref().filter(|_| !arg.secret) {
        notes.push(format!("default={}", crate::value::spelled(default)));
    }
    if let Some(choices) = &arg.choices {
        notes.push(format!("enum={}", choices.join("|")));
    }
    for rule in rules.iter().filter(|rule| rule.name == arg.name) {
        notes.extend(rule.pattern.as_ref().map(|pattern| format!("pattern={}", pattern.text)));
        notes.extend(rule.min.map(|min| format!("min={min:?}")));
        notes.extend(rule.max.map(|max| format!("max={max:?}")));
        notes.extend(rule.choices.as_ref().map(|choices| format!("enum={}", choices.join("|"))));
    }
    match notes.is_empty() {
        true => arg.name.clone(),
        false => format!("{} ({})", arg.name, notes.join(", ")),
    }
}

impl Listed {
    pub fn to_text(&self) -> String {
        let mut text = format!("{} — {} tool(s)\n", self.server, self.tools.len());
        if let Some(executor) = &self.executor {
            text.push_str(&format!("executor: {executor}\n"));
        }
        text.push('\n');
        let width = |pick: fn(&Row) -> usize| self.tools.iter().map(pick).max().unwrap_or(0);
        let names = width(|row| row.tool.chars().count());
        let commands = width(|row| row.command.chars().count()).min(60);
        for row in &self.tools {
            let arguments = row.arguments.join(", ");
            let line = format!("{:names$}  {:commands$}  {arguments}", row.tool, row.command);
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
