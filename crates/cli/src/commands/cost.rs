//! `mainstay tools cost`: the tokens a client pays before the first word.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use mainstay_contract::{Fault, FaultResult, Toolset};
use mainstay_runtime::{Access, Form, OnDemand, Origin, Registry, Sourced};
use mainstay_server::{Naming, listed_tools};
use serde::Serialize;
use serde_json::Value;

use crate::app;
use crate::journals::tokens as count;
use crate::output::{Output, table};
use crate::settings::Settings;
use crate::token_budget::{Over, TokenBudget};
use crate::toolsets::App;

/// The tokenizer the numbers are made with.
pub const TOKENIZER: &str = "o200k_base";

/// Tokens of one tool as a model sees it: name, description and argument schema.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub tool: String,
    pub toolset: String,
    pub description: usize,
    pub schema: usize,
    pub total: usize,
    /// Shown to clients, not to models.
    pub output_schema: usize,
}

/// Tokens of several tools, split.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Sum {
    pub tools: usize,
    pub description: usize,
    pub schema: usize,
    pub total: usize,
}

impl Sum {
    fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Sum {
        rows.into_iter().fold(Sum::default(), |sum, row| Sum {
            tools: sum.tools + 1,
            description: sum.description + row.description,
            schema: sum.schema + row.schema,
            total: sum.total + row.total,
        })
    }
}

/// What the tools of these settings cost, and what those of each profile would.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    tokenizer: &'static str,
    pub total: usize,
    pub toolsets: BTreeMap<String, Sum>,
    pub profiles: BTreeMap<String, Sum>,
    pub tools: Vec<Row>,
    budget: Option<usize>,
    over: Vec<Over>,
    within_budget: bool,
}

pub fn run(
    settings: &Settings,
    budget: Option<usize>,
    file: Option<&Path>,
    output: Output,
) -> FaultResult<ExitCode> {
    let naming = app::naming(settings);
    let app = App::new(settings, false)?;
    let tools = rows(&app.runtime()?.registry(), naming);
    let mut toolsets = BTreeMap::new();
    for toolset in Toolset::ALL.map(Toolset::name) {
        let sum = Sum::of(tools.iter().filter(|row| row.toolset == toolset));
        if sum.tools > 0 {
            toolsets.insert(toolset.to_owned(), sum);
        }
    }
    let total = tools.iter().map(|row| row.total).sum();
    let profiles = profiles(&app, naming)?;
    let mut cost = Cost {
        tokenizer: TOKENIZER,
        total,
        toolsets,
        profiles,
        tools,
        budget,
        over: Vec::new(),
        within_budget: true,
    };
    cost.over = file.map(TokenBudget::read).transpose()?.map(|budget| budget.over(&cost)).unwrap_or_default();
    if let Some(budget) = budget.filter(|budget| total > *budget) {
        cost.over.push(Over { what: "all tools".into(), tokens: total, budget });
    }
    cost.within_budget = cost.over.is_empty();
    output.result(&cost, || text(&cost));
    for Over { what, tokens, budget } in &cost.over {
        output.note(format_args!("{what}: {tokens} tokens are more than the budget of {budget}"));
    }
    Ok(ExitCode::from(u8::from(!cost.within_budget)))
}

fn rows(registry: &Registry, naming: Naming) -> Vec<Row> {
    listed_tools(registry, naming).iter().map(row).collect()
}

/// Ways to start a server that people choose between, by name.
fn profiles(app: &App, naming: Naming) -> FaultResult<BTreeMap<String, Sum>> {
    let set = |change: &dyn Fn(&mut Access)| {
        let mut access = Access::default();
        change(&mut access);
        access
    };
    let only = |toolset: Toolset| {
        set(&|access| {
            access.toolsets = Sourced::new(vec![toolset], Origin::Default);
            if toolset == Toolset::Programs {
                access.form.value = Form::Discovery;
            }
        })
    };
    let mut profiles: Vec<(String, Access)> =
        Toolset::ALL.into_iter().map(|toolset| (toolset.name().to_owned(), only(toolset))).collect();
    profiles.push(("default".into(), Access::default()));
    profiles.push(("discovery".into(), set(&|access| access.form.value = Form::Discovery)));
    profiles.push(("read-only".into(), set(&|access| access.read_only.value = true)));
    profiles.push(("everything".into(), set(&|access| access.on_demand.value = OnDemand::All)));
    let tools = app.tools(&Toolset::ALL)?;
    let sum = |(name, access): (String, Access)| {
        let registry = Registry::new(tools.clone(), &access).map_err(|error| Fault::internal(&error))?;
        Ok((name, Sum::of(&rows(&registry, naming))))
    };
    profiles.into_iter().map(sum).collect()
}

fn row(tool: &Value) -> Row {
    let text = |key: &str| tool[key].as_str().unwrap_or_default();
    let description = count(text("name")) + count(text("description"));
    let schema = count(&tool["inputSchema"].to_string());
    Row {
        tool: text("name").to_owned(),
        toolset: tool["_meta"]["toolset"].as_str().unwrap_or_default().to_owned(),
        description,
        schema,
        total: description + schema,
        output_schema: tool.get("outputSchema").map_or(0, |schema| count(&schema.to_string())),
    }
}

fn text(cost: &Cost) -> String {
    let line = |name: String, toolset: &str, sum: Sum| {
        let numbers = [sum.description, sum.schema, sum.total].map(|number| number.to_string());
        [name, toolset.to_owned()].into_iter().chain(numbers).collect::<Vec<String>>()
    };
    let tools = cost.tools.iter().map(|row| line(row.tool.clone(), &row.toolset, Sum::of([row])));
    let toolsets = cost.toolsets.iter().map(|(name, sum)| line(format!("= {name}"), "", *sum));
    let all = line("= all".into(), "", Sum::of(&cost.tools));
    let profiles = cost.profiles.iter().map(|(name, sum)| line(format!("profile {name}"), "", *sum));
    let rows = tools.chain(toolsets).chain([all]).chain(profiles).collect();
    table(&["tool", "toolset", "description", "schema", "total"], rows)
}
