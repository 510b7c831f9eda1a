//! `catalog.list`: the components there are.

use std::collections::BTreeSet;
use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{define, join, limits};
use crate::json::near;
use crate::kit::{Component, Kit};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("catalog.list")
        .title("List components")
        .summary("List the components of the design kit with properties and slots; filter, search, page, or ask for the summary form")
        .reads()
        .stable()
        .policy(limits(30, 60, 4))
        .tags(&["components", "catalog", "props", "design-system"])
        .example("Components of one category", json!({ "category": "core" }))
        .example("A short overview", json!({ "detail": "summary", "page": 1, "pageSize": 20 }))
        .example("Everything about one component", json!({ "query": "MetricCard", "detail": "complete", "pageSize": 1 }));
    join(foundry, def, run)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Detail {
    /// Name, summary, categories and traits.
    Summary,
    #[default]
    /// Properties and slots as well.
    Full,
    /// Descriptions of the properties and an example as well.
    Complete,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Only components of this category, such as core or viz.mark.
    category: Option<String>,
    /// Only components with this trait, such as Stateful.
    #[serde(rename = "trait")]
    with_trait: Option<String>,
    /// Only components for this context, such as form or list.
    context: Option<String>,
    /// Words to find in names, summaries and tags; best matches first.
    query: Option<String>,
    /// How much to say about each: summary, full or complete.
    #[serde(default)]
    detail: Detail,
    /// Page, from 1; all entries when neither page nor pageSize is given.
    #[schemars(range(min = 1))]
    page: Option<usize>,
    /// Entries on a page, 20 unless given.
    #[schemars(range(min = 1, max = 200))]
    page_size: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listing {
    pub components: Vec<Entry>,
    /// Entries that match, on all pages.
    pub total_count: usize,
    pub generated_at: String,
    pub stats: Stats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page_count: Option<usize>,
    /// Near values for a filter that matched nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Stats {
    pub component_count: usize,
    pub trait_count: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Entry {
    pub name: String,
    pub display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    pub contexts: Vec<String>,
    pub regions: Vec<String>,
    pub traits: Vec<String>,
    /// Properties by name: type, default, allowed values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prop_schema: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<Map<String, Value>>,
    /// Handlers it can be bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<String>>,
    /// Properties that show it at its best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<Map<String, Value>>,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Listing, FoundryError> {
    let kit = foundry.kit()?;
    let has =
        |list: &[String], wanted: &Option<String>| wanted.as_ref().is_none_or(|wanted| list.contains(wanted));
    let mut matching: Vec<&Component> = kit
        .components
        .iter()
        .filter(|component| {
            has(&component.categories, &args.category)
                && has(&component.traits, &args.with_trait)
                && has(&component.contexts, &args.context)
        })
        .collect();
    if let Some(query) = args.query.as_deref().filter(|query| !query.trim().is_empty()) {
        let mut scored: Vec<(u32, &Component)> = matching
            .into_iter()
            .map(|component| (relevance(component, query), component))
            .filter(|(score, _)| *score > 0)
            .collect();
        scored.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
        matching = scored.into_iter().map(|(_, component)| component).collect();
    }
    let total_count = matching.len();
    let suggestions = if total_count == 0 { suggestions(&kit, &args) } else { Vec::new() };
    let paged = args.page.is_some() || args.page_size.is_some();
    let size = args.page_size.unwrap_or(20).clamp(1, 200);
    let page = args.page.unwrap_or(1).max(1);
    if paged {
        matching = matching.into_iter().skip((page - 1).saturating_mul(size)).take(size).collect();
    }
    Ok(Listing {
        components: matching.into_iter().map(|component| entry(component, args.detail)).collect(),
        total_count,
        generated_at: kit.manifest.generated_at.clone(),
        stats: Stats { component_count: kit.components.len(), trait_count: kit.traits.len() },
        page: paged.then_some(page),
        page_count: paged.then(|| total_count.div_ceil(size)),
        suggestions,
    })
}

fn relevance(component: &Component, query: &str) -> u32 {
    let name = component.name.to_lowercase();
    let whole = query.trim().to_lowercase();
    let mut score = if name == whole { 100 } else { 0 };
    for word in whole.split_whitespace() {
        score += match () {
            () if name.contains(word) => 10,
            () if component.tags.iter().any(|tag| tag.contains(word)) => 6,
            () if component.summary.to_lowercase().contains(word) => 4,
            () if component.traits.iter().any(|name| name.to_lowercase().contains(word)) => 3,
            () if strsim::jaro_winkler(&name, word) > 0.88 => 2,
            () => 0,
        };
    }
    score
}

fn suggestions(kit: &Kit, args: &Args) -> Vec<String> {
    let values = |of: fn(&Component) -> &[String]| -> BTreeSet<&str> {
        kit.components.iter().flat_map(of).map(String::as_str).collect()
    };
    let mut found = Vec::new();
    let mut suggest = |label: &str, wanted: &Option<String>, known: BTreeSet<&str>| {
        if let Some(wanted) = wanted.as_ref().filter(|wanted| !known.contains(wanted.as_str())) {
            let close = near(wanted, known.iter().copied(), 3);
            let shown: Vec<&str> =
                if close.is_empty() { known.into_iter().take(20).collect() } else { close };
            found.extend(shown.into_iter().map(|value| format!("{label}={value}")));
        }
    };
    suggest("category", &args.category, values(|component| &component.categories));
    suggest("trait", &args.with_trait, values(|component| &component.traits));
    suggest("context", &args.context, values(|component| &component.contexts));
    if let Some(query) = &args.query {
        found.extend(near(query, kit.component_names(), 3).into_iter().map(|name| format!("query={name}")));
    }
    found
}

fn entry(component: &Component, detail: Detail) -> Entry {
    let complete = detail == Detail::Complete;
    let props = || {
        let mut schema = Map::new();
        for (name, prop) in &component.props {
            let mut value = serde_json::to_value(prop).expect("a property is plain data");
            if let Some(object) = value.as_object_mut().filter(|_| !complete) {
                object.remove("description");
            }
            schema.insert(name.clone(), value);
        }
        schema
    };
    let full = detail != Detail::Summary;
    Entry {
        name: component.name.clone(),
        display_name: component.display_name.clone(),
        summary: Some(component.summary.clone()),
        categories: component.categories.clone(),
        tags: component.tags.clone(),
        contexts: component.contexts.clone(),
        regions: component.regions.clone(),
        traits: component.traits.clone(),
        prop_schema: full.then(props),
        slots: full.then(|| component.slots.clone()),
        events: complete.then(|| component.archetype.events.clone()),
        example: complete.then(|| component.example.clone()),
    }
}
