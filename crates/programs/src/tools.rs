//! The contract's tools made of the catalog.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{
    ArgCheck, Body, Call, Effect, ErrorCode, Fault, FaultResult, Payload, Policy, Ruling, Tool, ToolDef,
    Toolset, Verdict,
};
use serde_json::{Map, Value};

use crate::catalog::{Catalog, ProgramTool};
use crate::plan::UNKNOWN;
use crate::policy::Executor;
use crate::prepare::prepare;
use crate::run::Runner;
use crate::value::spelled;

/// What the runtime waits beyond a program's own timeout, so that the program's text is the answer.
const MARGIN: Duration = Duration::from_secs(10);

/// Returns one tool per program tool, in load order.
pub fn tools(catalog: &Arc<Catalog>, runner: &Arc<Runner>) -> Vec<Tool> {
    let make = |tool: &Arc<ProgramTool>| make(Arc::clone(tool), Arc::clone(runner), &catalog.executor);
    catalog.tools.iter().map(make).collect()
}

/// The tools that a policy leaves out: no rule of it names them.
pub fn left_out(catalog: &Catalog, policy: &Path) -> Vec<Tool> {
    let text = std::fs::read_to_string(policy).unwrap_or_default();
    let line = text.lines().position(|line| line.trim_start().starts_with("tools")).unwrap_or(0) + 1;
    let make = |(name, description): &(String, String)| {
        let mut def = ToolDef::new(name, Toolset::Programs).summary(description.as_str());
        let reason = "no rule of the policy file names it".to_owned();
        def.ruling = Some(Ruling {
            path: policy.display().to_string(),
            line,
            verdict: Verdict::Absent(reason.clone()),
        });
        def.raw_handler(move |_, _| Err(Fault::new(ErrorCode::Forbidden, reason.as_str())))
    };
    catalog.left_out.iter().map(make).collect()
}

fn make(tool: Arc<ProgramTool>, runner: Arc<Runner>, executor: &Executor) -> Tool {
    let config = &tool.program.config;
    let mut policy = Policy::interactive().timeout(tool.timeout() + MARGIN);
    policy.concurrency = tool.limits.concurrency;
    policy.rate_per_minute = tool.limits.rate_per_minute;
    let mut def = ToolDef::new(&tool.spec.name, Toolset::Programs)
        .summary(tool.description.as_str())
        .input(tool.schema.clone())
        // What nothing is said about can do anything, as far as a client should know.
        .effect(tool.spec.effect.or(config.effect).unwrap_or(Effect::Destructive))
        .payload(Payload::Text)
        .args(ArgCheck::Tool)
        .policy(policy);
    if def.effect != Effect::Read {
        def = def.planned_as_far(UNKNOWN);
    }
    def.group = Some(config.name.clone());
    def.category.clone_from(&config.category);
    def.tags.clone_from(&config.tags);
    def.rules = rules(&tool, executor);
    def.raw_handler(move |call, args| run(&tool, &runner, call, args))
}

/// What the policy demands, for people who look at the tool.
fn rules(tool: &ProgramTool, executor: &Executor) -> Vec<(Option<String>, String)> {
    let mut rules = Vec::new();
    for rule in &tool.rules {
        let mut add = |text: String| rules.push((Some(rule.name.clone()), text));
        rule.pattern.iter().for_each(|pattern| add(format!("matches {}", pattern.text)));
        rule.min.iter().for_each(|min| add(format!("at least {min}")));
        rule.max.iter().for_each(|max| add(format!("at most {max}")));
        rule.choices.iter().for_each(|choices| add(format!("one of {}", choices.join(", "))));
    }
    let listed = |paths: &[String], otherwise: &str| match paths.is_empty() {
        true => otherwise.to_owned(),
        false => paths.join(", "),
    };
    let place = match executor {
        Executor::Local => None,
        Executor::Docker(docker) => Some(format!("runs in the container image {}", docker.image)),
        Executor::Sandbox(sandbox) => Some(format!(
            "runs in a sandbox: reads {}, writes {}, network {}",
            listed(&sandbox.read, "everything"),
            listed(&sandbox.write, "nothing"),
            if sandbox.network { "allowed" } else { "off" },
        )),
    };
    rules.extend(place.map(|text| (None, text)));
    rules
}

fn run(tool: &ProgramTool, runner: &Runner, call: &Call, args: Value) -> FaultResult<Body> {
    let args = match args {
        Value::Object(args) => args,
        Value::Null => Map::new(),
        other => {
            let shown: String = spelled(&other).chars().take(200).collect();
            let text = format!("Argument validation failed:\n  - cannot convert '{shown}' to object");
            return Ok(Body::failed_text(text));
        }
    };
    match prepare(tool, &args, &runner.vars, runner.dialect) {
        Ok(prepared) => runner.run(call, tool, prepared),
        Err(text) => Ok(Body::failed_text(text)),
    }
}
