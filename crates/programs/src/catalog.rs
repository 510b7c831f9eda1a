//! The programs and tools that are active: configurations joined with the policy.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use crate::config::{Config, DEFAULT_OUTPUT_BYTES, DEFAULT_TIMEOUT, Limits, ToolSpec};
use crate::gate::Gate;
use crate::policy::{ArgRule, Executor, PolicyFile};
use crate::schema;

/// One configured program.
#[derive(Debug)]
pub struct Program {
    pub config: Config,
    pub gate: Gate,
}

/// One tool a caller may use.
#[derive(Debug)]
pub struct ProgramTool {
    pub program: Arc<Program>,
    pub spec: ToolSpec,
    /// The policy's words where it has some.
    pub description: String,
    pub schema: Value,
    /// In the order of the policy file.
    pub rules: Vec<ArgRule>,
    pub limits: Limits,
}

impl ProgramTool {
    pub fn timeout(&self) -> std::time::Duration {
        self.spec.timeout.or(self.program.config.timeout).unwrap_or(DEFAULT_TIMEOUT)
    }

    pub fn has_end_of_options(&self) -> bool {
        self.spec.end_of_options.unwrap_or(self.program.config.end_of_options)
    }

    pub fn has_options_first(&self) -> bool {
        self.spec.options_first.unwrap_or(self.program.config.options_first)
    }

    pub fn output_bytes(&self) -> usize {
        let own = self.spec.output.as_ref().and_then(|rule| rule.max_bytes);
        own.or(self.program.config.output.max_bytes).unwrap_or(DEFAULT_OUTPUT_BYTES)
    }

    pub fn saves_output(&self) -> bool {
        self.spec.output.as_ref().unwrap_or(&self.program.config.output).save
    }
}

/// Everything active, in load order.
#[derive(Debug, Default)]
pub struct Catalog {
    pub programs: Vec<Arc<Program>>,
    pub tools: Vec<Arc<ProgramTool>>,
    pub executor: Executor,
    /// Names and descriptions of the tools that the policy leaves out.
    pub left_out: Vec<(String, String)>,
    by_name: HashMap<String, usize>,
}

impl Catalog {
    pub fn new(configs: Vec<Config>, policy: Option<&PolicyFile>) -> Catalog {
        let mut catalog = Catalog {
            executor: policy.map(|policy| policy.executor.clone()).unwrap_or_default(),
            ..Catalog::default()
        };
        let mut slots: Vec<Option<Arc<ProgramTool>>> = Vec::new();
        let mut taken: HashMap<String, usize> = HashMap::new();
        for config in configs {
            let gate = Gate::new(config.limits);
            let program = Arc::new(Program { config, gate });
            for spec in &program.config.tools {
                let Some(tool) = activate(&program, spec, policy) else {
                    catalog.left_out.push((spec.name.clone(), spec.description.clone()));
                    continue;
                };
                // A later configuration takes the name over, as in the original.
                if let Some(earlier) = taken.insert(spec.name.clone(), slots.len()) {
                    slots[earlier] = None;
                }
                slots.push(Some(Arc::new(tool)));
            }
            catalog.programs.push(program);
        }
        catalog.tools = slots.into_iter().flatten().collect();
        catalog.left_out.retain(|(name, _)| !taken.contains_key(name));
        let names = catalog.tools.iter().enumerate();
        catalog.by_name = names.map(|(position, tool)| (tool.spec.name.clone(), position)).collect();
        catalog
    }

    pub fn tool(&self, name: &str) -> Option<&Arc<ProgramTool>> {
        self.by_name.get(name).map(|position| &self.tools[*position])
    }
}

fn activate(program: &Arc<Program>, spec: &ToolSpec, policy: Option<&PolicyFile>) -> Option<ProgramTool> {
    let rules = match policy {
        Some(policy) => policy.rules_for(&spec.name)?,
        None => Vec::new(),
    };
    let described = rules.iter().rev().find_map(|rule| rule.description.clone());
    Some(ProgramTool {
        program: Arc::clone(program),
        description: described.unwrap_or_else(|| spec.description.clone()),
        schema: schema::of_tool(spec),
        rules: rules.iter().flat_map(|rule| rule.args.iter().cloned()).collect(),
        limits: Limits {
            concurrency: rules.iter().filter_map(|rule| rule.limits.concurrency).min(),
            rate_per_minute: rules.iter().filter_map(|rule| rule.limits.rate_per_minute).min(),
        },
        spec: spec.clone(),
    })
}
