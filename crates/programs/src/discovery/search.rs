//! `climax_search`: tools by word, category or program; without filters, what there is.

use std::collections::HashMap;
use std::sync::Arc;

use mainstay_contract::{
    ArgCheck, Body, Call, Fault, FaultResult, Listing, Payload, Policy, Tool, ToolDef, Toolset,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::Detail;
use super::index::{Cache, Entry, Filter, Index, category};
use crate::catalog::Catalog;

const DEFAULT_LIMIT: usize = 10;

pub fn tool(catalog: Arc<Catalog>, cache: Arc<Cache>, detail: Detail) -> Tool {
    let text = |description: &str| json!({ "type": "string", "description": description });
    ToolDef::new("climax_search", Toolset::Programs)
        .title("Search tools")
        .summary(
            "Search for available CLI tools by keyword, category, or CLI name. \
             Call with no filters to get a summary of all available CLIs.",
        )
        .input(json!({
            "type": "object",
            "properties": {
                "query": text("Search keyword (matched against tool name, description, CLI name, category, tags)"),
                "category": text("Filter by CLI category (exact match, case-insensitive)"),
                "cli": text("Filter by CLI name (exact match, case-insensitive)"),
                "limit": {
                    "type": "integer",
                    "description": "Maximum number of results to return (default: 10)",
                    "default": DEFAULT_LIMIT,
                },
            },
        }))
        .output(json!({
            "type": "object",
            "properties": {
                "mode": { "type": "string", "enum": ["search", "summary"] },
                "results": { "type": "array", "items": { "type": "object" } },
                "summary": { "type": "array", "items": { "type": "object" } },
            },
            "required": ["mode"],
        }))
        .reads()
        .stable()
        .payload(Payload::Bare)
        .args(ArgCheck::Tool)
        .listing(Listing::Discovery)
        .policy(Policy::instant())
        .example("Everything there is", json!({}))
        .example("Tools about branches", json!({ "query": "branch", "limit": 3 }))
        .raw_handler(move |call, args| run(&catalog, &cache, detail, call, &args))
}

#[derive(Serialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
enum Answer<'a> {
    Search { results: Vec<Hit<'a>> },
    Summary { summary: Vec<Group<'a>> },
}

#[derive(Serialize)]
pub(super) struct Hit<'a> {
    tool_name: &'a str,
    description: &'a str,
    cli_name: &'a str,
    category: Option<&'a str>,
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a Value>,
}

impl<'a> Hit<'a> {
    pub(super) fn new(entry: &'a Entry, detail: Detail) -> Hit<'a> {
        let def = &entry.def;
        Hit {
            tool_name: &def.id,
            description: &def.summary,
            cli_name: &entry.cli,
            category: category(def),
            tags: &def.tags,
            input_schema: (detail == Detail::Full).then_some(&def.input),
        }
    }
}

#[derive(Serialize)]
struct Group<'a> {
    name: &'a str,
    description: &'a str,
    tool_count: usize,
    category: Option<&'a str>,
    tags: &'a [String],
}

fn run(catalog: &Catalog, cache: &Cache, detail: Detail, call: &Call, args: &Value) -> FaultResult<Body> {
    let filter =
        Filter { query: text(args, "query")?, category: text(args, "category")?, cli: text(args, "cli")? };
    let limit = limit(args)?;
    let index = cache.index(call);
    let answer = match filter.is_empty() {
        true => {
            let mut summary = summarise(catalog, &index);
            summary.truncate(limit);
            Answer::Summary { summary }
        }
        false => {
            let entries = index.search(&filter, limit);
            Answer::Search { results: entries.into_iter().map(|entry| Hit::new(entry, detail)).collect() }
        }
    };
    Body::json(&answer)
}

fn text(args: &Value, name: &str) -> FaultResult<Option<String>> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(_) => Err(Fault::invalid(format!("{name} must be a string")).detail("path", format!("/{name}"))),
    }
}

/// A count, also as text or as a whole float; a negative one asks for nothing.
fn limit(args: &Value) -> FaultResult<usize> {
    let number = match args.get("limit") {
        None | Some(Value::Null) => return Ok(DEFAULT_LIMIT),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => text.trim().parse::<i64>().ok().map(|number| number as f64),
        Some(_) => None,
    };
    match number.filter(|number| number.fract() == 0.0) {
        Some(number) => Ok(number as usize),
        None => Err(Fault::invalid("limit must be an integer").detail("path", "/limit")),
    }
}

/// Programs in load order where the first of their tools stands, and a group per other toolset.
fn summarise<'a>(catalog: &'a Catalog, index: &'a Index) -> Vec<Group<'a>> {
    let mut counts: HashMap<*const crate::catalog::Program, usize> = HashMap::new();
    for entry in &index.entries {
        if let Some(tool) = catalog.tool(&entry.def.id).filter(|_| entry.def.toolset == Toolset::Programs) {
            *counts.entry(Arc::as_ptr(&tool.program)).or_default() += 1;
        }
    }
    let programs: Vec<Group<'a>> = catalog
        .programs
        .iter()
        .map(|program| Group {
            name: &program.config.name,
            description: &program.config.description,
            tool_count: counts.get(&Arc::as_ptr(program)).copied().unwrap_or(0),
            category: program.config.category.as_deref(),
            tags: &program.config.tags,
        })
        // A program the policy left nothing of is not there; one that never had a tool is, as in the original.
        .zip(&catalog.programs)
        .filter(|(group, program)| group.tool_count > 0 || program.config.tools.is_empty())
        .map(|(group, _)| group)
        .collect();

    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut programs = Some(programs);
    for entry in &index.entries {
        if entry.def.toolset == Toolset::Programs && entry.def.group.is_some() {
            groups.extend(programs.take().into_iter().flatten());
        } else if let Some(group) = groups.iter_mut().find(|group| group.name == entry.cli) {
            group.tool_count += 1;
        } else {
            groups.push(Group {
                name: &entry.cli,
                description: entry.def.toolset.summary(),
                tool_count: 1,
                category: category(&entry.def),
                tags: &[],
            });
        }
    }
    groups.extend(programs.take().into_iter().flatten());
    groups
}
