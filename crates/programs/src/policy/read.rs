//! From the document to a [`PolicyFile`].

use std::path::Path;

use globset::GlobBuilder;
use regex::RegexBuilder;

use super::{ArgRule, Docker, Executor, Pattern, PolicyFile, Rule, Sandbox, Unlisted};
use crate::config::{Fields, Findings, Limits, Place};
use crate::document::{self, Data, Node};
use crate::error::{Problem, ProgramsError};

/// Bounds what a compiled pattern may take.
const PATTERN_BYTES: usize = 1024 * 1024;

pub fn load(path: &Path) -> Result<PolicyFile, ProgramsError> {
    parse(path, &document::read(path)?)
}

pub fn parse(path: &Path, text: &str) -> Result<PolicyFile, ProgramsError> {
    from_document(path, &document::parse(path, text)?)
}

fn from_document(path: &Path, node: &Node) -> Result<PolicyFile, ProgramsError> {
    let mut findings = Findings::default();
    match read_policy(path, node, &mut findings) {
        Some(policy) if findings.problems.is_empty() => Ok(policy),
        _ => Err(ProgramsError::Invalid { path: path.to_owned(), problems: findings.problems }),
    }
}

fn read_policy(path: &Path, node: &Node, findings: &mut Findings) -> Option<PolicyFile> {
    let mut fields = Fields::open(node, Place::default(), findings)?;
    let words = [("enabled", Unlisted::Enabled), ("disabled", Unlisted::Disabled)];
    let policy = PolicyFile {
        source: path.to_owned(),
        unlisted: fields.word("default", &words, findings).unwrap_or(Unlisted::Disabled),
        rules: read_rules(&mut fields, findings),
        executor: read_executor(&mut fields, findings),
    };
    fields.finish(findings);
    Some(policy)
}

/// Opens `name` as a map and hands every entry to `read`.
fn each<T>(
    fields: &mut Fields<'_>,
    name: &'static str,
    findings: &mut Findings,
    mut read: impl FnMut(&str, &Node, Place, &mut Findings) -> Option<T>,
) -> Vec<T> {
    let Some(node) = fields.take(name) else { return Vec::new() };
    let Data::Map(entries) = &node.data else {
        fields.problem(name, node, "Input should be a mapping", findings);
        return Vec::new();
    };
    let place = fields.place.at(name);
    entries.iter().filter_map(|(key, value)| read(&key.name, value, place.at(&key.name), findings)).collect()
}

fn read_rules(fields: &mut Fields<'_>, findings: &mut Findings) -> Vec<Rule> {
    each(fields, "tools", findings, |name, node, place, findings| {
        let mut fields = Fields::open(node, place.clone(), findings)?;
        let is_glob = name.contains(['*', '?', '[', '{']);
        let glob = match is_glob.then(|| GlobBuilder::new(name).build()) {
            None => None,
            Some(Ok(glob)) => Some(glob.compile_matcher()),
            Some(Err(error)) => {
                let message = format!("not a pattern for names: {}", error.kind());
                findings.problems.push(Problem::new(node.line, place.to_string(), message));
                None
            }
        };
        let rule = Rule {
            name: name.to_owned(),
            glob,
            deny: fields.flag("deny", findings).unwrap_or(false),
            description: fields.text("description", findings),
            limits: Limits {
                concurrency: fields.count("concurrency", findings),
                rate_per_minute: fields.count("rate_per_minute", findings),
            },
            args: read_arg_rules(&mut fields, findings),
            line: node.line,
        };
        fields.finish(findings);
        Some(rule)
    })
}

fn read_arg_rules(fields: &mut Fields<'_>, findings: &mut Findings) -> Vec<ArgRule> {
    each(fields, "args", findings, |name, node, place, findings| {
        let mut fields = Fields::open(node, place, findings)?;
        let rule = ArgRule {
            name: name.to_owned(),
            pattern: read_pattern(&mut fields, findings),
            min: fields.number("min", findings),
            max: fields.number("max", findings),
            choices: fields.texts("enum", findings),
            line: node.line,
        };
        if let (Some(min), Some(max)) = (rule.min, rule.max)
            && min > max
        {
            fields.problem("min", node, format!("{min:?} is above `max` {max:?}"), findings);
        }
        fields.finish(findings);
        Some(rule)
    })
}

fn read_pattern(fields: &mut Fields<'_>, findings: &mut Findings) -> Option<Pattern> {
    let text = fields.text("pattern", findings)?;
    let whole = format!(r"\A(?:{text})\z");
    // Compiled alone first: `a)(b` must not become valid by being wrapped.
    let compiled = RegexBuilder::new(&text)
        .size_limit(PATTERN_BYTES)
        .build()
        .and_then(|_| RegexBuilder::new(&whole).size_limit(PATTERN_BYTES).build());
    match compiled {
        Ok(regex) => Some(Pattern { text, regex }),
        Err(error) => {
            let reason = error.to_string();
            let last = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            let node = fields.take("pattern")?;
            fields.problem("pattern", node, format!("not a regular expression: {last}"), findings);
            None
        }
    }
}

#[derive(Clone, Copy)]
enum Type {
    Local,
    Docker,
    Sandbox,
}

fn read_executor(fields: &mut Fields<'_>, findings: &mut Findings) -> Executor {
    let Some(node) = fields.take("executor") else { return Executor::Local };
    let Some(mut executor) = Fields::open(node, fields.place.at("executor"), findings) else {
        return Executor::Local;
    };
    let types = [("local", Type::Local), ("docker", Type::Docker), ("sandbox", Type::Sandbox)];
    let read = match executor.word("type", &types, findings).unwrap_or(Type::Local) {
        Type::Local => {
            // A file may keep its docker settings while it is switched to `local`.
            for name in ["image", "volumes", "working_dir", "network"] {
                executor.take(name);
            }
            Executor::Local
        }
        Type::Docker => {
            let image = executor.text("image", findings).filter(|image| !image.is_empty());
            if image.is_none() {
                let message = "Value error, Docker executor requires 'image' to be set";
                findings.problems.push(Problem::new(node.line, "executor", message));
            }
            Executor::Docker(Docker {
                image: image.unwrap_or_default(),
                volumes: executor.texts("volumes", findings).unwrap_or_default(),
                working_dir: executor.text("working_dir", findings),
                network: executor.text("network", findings),
            })
        }
        Type::Sandbox => Executor::Sandbox(Sandbox {
            read: executor.texts("read", findings).unwrap_or_default(),
            write: executor.texts("write", findings).unwrap_or_default(),
            network: executor.flag("network", findings).unwrap_or(false),
        }),
    };
    executor.finish(findings);
    read
}
