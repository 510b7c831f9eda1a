//! `mainstay tools cost`: the tokens a client pays before the first word.

use std::collections::BTreeMap;
use std::process::ExitCode;

use mainstay_contract::FaultResult;
use mainstay_server::listed_tools;
use serde::Serialize;
use serde_json::Value;

use crate::app;
use crate::journals::tokens as count;
use crate::output::{Output, table};
use crate::settings::Settings;
use crate::toolsets::App;

/// The tokenizer the numbers are made with.
pub const TOKENIZER: &str = "o200k_base";

/// Tokens of one tool as a model sees it: name, description and argument schema.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    tool: String,
    toolset: String,
    description: usize,
    schema: usize,
    total: usize,
    /// Shown to clients, not to models.
    output_schema: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cost {
    tokenizer: &'static str,
    total: usize,
    toolsets: BTreeMap<String, usize>,
    tools: Vec<Row>,
    budget: Option<usize>,
    within_budget: bool,
}

pub fn run(settings: &Settings, budget: Option<usize>, output: Output) -> FaultResult<ExitCode> {
    let runtime = App::new(settings, false)?.runtime()?;
    let naming = app::naming(settings);
    let tools: Vec<Row> = listed_tools(&runtime.registry(), naming).iter().map(row).collect();
    let mut toolsets = BTreeMap::new();
    for row in &tools {
        *toolsets.entry(row.toolset.clone()).or_default() += row.total;
    }
    let total = tools.iter().map(|row| row.total).sum();
    let within_budget = budget.is_none_or(|budget| total <= budget);
    let cost = Cost { tokenizer: TOKENIZER, total, toolsets, tools, budget, within_budget };
    output.result(&cost, || text(&cost));
    if !within_budget {
        output
            .note(format_args!("{total} tokens are more than the budget of {}", budget.unwrap_or_default()));
    }
    Ok(ExitCode::from(u8::from(!within_budget)))
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
    let mut rows: Vec<Vec<String>> = cost
        .tools
        .iter()
        .map(|row| {
            vec![
                row.tool.clone(),
                row.toolset.clone(),
                row.description.to_string(),
                row.schema.to_string(),
                row.total.to_string(),
            ]
        })
        .collect();
    for (toolset, tokens) in &cost.toolsets {
        rows.push(vec![
            format!("= {toolset}"),
            String::new(),
            String::new(),
            String::new(),
            tokens.to_string(),
        ]);
    }
    rows.push(vec!["= all".into(), String::new(), String::new(), String::new(), cost.total.to_string()]);
    table(&["tool", "toolset", "description", "schema", "total"], rows)
}
