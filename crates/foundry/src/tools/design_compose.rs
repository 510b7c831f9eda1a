//! `design.compose`: from an intent in words to a tree.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{define, join, limits};
use crate::compose::{self, LayoutName, Preferences};
use crate::issue::Issue;
use crate::tree::{Tree, TreeJson};
use crate::{Foundry, FoundryError, validate};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("design.compose")
        .title("Compose a screen")
        .summary("Turn an intent in words into a complete UiSchema with real components and content; render it with repl.render or turn it into code with code.generate")
        .reads()
        .stable()
        .policy(limits(30, 60, 4))
        .tags(&["uischema", "compose", "layout", "generate", "screen"])
        .example(
            "A dashboard",
            json!({ "intent": "dashboard with metrics and sidebar navigation", "layout": "auto", "options": { "validate": true, "topN": 3 } }),
        )
        .example("A list of an object of the kit", json!({ "intent": "list of subscriptions" }))
        .example("A form", json!({ "intent": "registration form with name, email and password" }));
    join(foundry, def, run)
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayoutChoice {
    /// From the words of the intent.
    #[default]
    Auto,
    Dashboard,
    Form,
    Detail,
    List,
    Card,
    Timeline,
    Wizard,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// What the screen is for, in words.
    #[schemars(length(min = 1, max = 4000))]
    intent: String,
    /// Layout; auto takes it from the words.
    layout: Option<LayoutChoice>,
    /// How the layout is filled.
    preferences: Option<PreferenceArgs>,
    /// Validation and number of candidates.
    options: Option<Options>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PreferenceArgs {
    /// Theme of the tree: light, dark or hc.
    theme: Option<String>,
    /// Figures in a dashboard.
    #[schemars(range(min = 1, max = 12))]
    metric_columns: Option<usize>,
    /// Fields in a form.
    #[schemars(range(min = 1, max = 20))]
    field_groups: Option<usize>,
    /// Tabs of a detail page.
    #[schemars(range(min = 1, max = 10))]
    tab_count: Option<usize>,
    /// Labels of the tabs.
    tab_labels: Option<Vec<String>>,
    /// Component by slot name.
    component_overrides: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Validate the tree; true unless given.
    validate: Option<bool>,
    /// Candidates listed for each slot; 3 unless given.
    #[schemars(range(min = 1, max = 10))]
    top_n: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Error,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Composed {
    pub status: Status,
    pub layout: LayoutName,
    pub schema: TreeJson,
    pub selections: Vec<Selection>,
    pub validation: Validation,
    pub warnings: Vec<Issue>,
    pub meta: Meta,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Selection {
    pub slot_name: String,
    pub intent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected_component: Option<String>,
    pub candidates: Vec<Candidate>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Candidate {
    pub name: String,
    /// 0 to 1; how much speaks for the component, not a rank.
    pub confidence: f64,
    pub reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValidationStatus {
    Ok,
    Invalid,
    Skipped,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Validation {
    pub status: ValidationStatus,
    pub errors: Vec<Issue>,
    pub warnings: Vec<Issue>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Meta {
    pub intent_parsed: String,
    pub layout_detected: String,
    /// The kit's object the intent is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    pub slot_count: usize,
    pub node_count: usize,
}

fn within(value: Option<usize>, most: usize, name: &str) -> Result<Option<usize>, FoundryError> {
    match value {
        Some(value) if value == 0 || value > most => {
            Err(FoundryError::arguments(format!("{name} must be from 1 to {most}")))
        }
        other => Ok(other),
    }
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Composed, FoundryError> {
    let kit = foundry.kit()?;
    if args.intent.trim().is_empty() || args.intent.len() > 16_000 {
        return Err(FoundryError::arguments("intent must have from 1 to 4000 characters"));
    }
    let layout = match args.layout.unwrap_or_default() {
        LayoutChoice::Auto => None,
        LayoutChoice::Dashboard => Some(LayoutName::Dashboard),
        LayoutChoice::Form => Some(LayoutName::Form),
        LayoutChoice::Detail => Some(LayoutName::Detail),
        LayoutChoice::List => Some(LayoutName::List),
        LayoutChoice::Card => Some(LayoutName::Card),
        LayoutChoice::Timeline => Some(LayoutName::Timeline),
        LayoutChoice::Wizard => Some(LayoutName::Wizard),
    };
    let given = args.preferences.unwrap_or_default();
    let preferences = Preferences {
        theme: given.theme,
        metric_columns: within(given.metric_columns, 12, "metricColumns")?,
        field_groups: within(given.field_groups, 20, "fieldGroups")?,
        tab_count: within(given.tab_count, 10, "tabCount")?,
        tab_labels: given.tab_labels.unwrap_or_default(),
        overrides: given.component_overrides.unwrap_or_default().into_iter().collect(),
    };
    let options = args.options.unwrap_or_default();
    let top = within(options.top_n, 10, "topN")?.unwrap_or(3);
    let intent = compose::Intent::read(&kit, &args.intent);
    let composition = compose::compose(&kit, &args.intent, layout, &preferences, top);
    let tree = Tree::read(&composition.schema);
    let node_count = tree.as_ref().map_or(0, |tree| tree.nodes.len());
    let validation = match (options.validate.unwrap_or(true), tree) {
        (false, _) => {
            Validation { status: ValidationStatus::Skipped, errors: Vec::new(), warnings: Vec::new() }
        }
        (true, Ok(tree)) => {
            let report = validate::check(&kit, &tree, true);
            let status =
                if report.errors.is_empty() { ValidationStatus::Ok } else { ValidationStatus::Invalid };
            Validation { status, errors: report.errors, warnings: report.warnings }
        }
        (true, Err(errors)) => Validation { status: ValidationStatus::Invalid, errors, warnings: Vec::new() },
    };
    let status =
        if matches!(validation.status, ValidationStatus::Invalid) { Status::Error } else { Status::Ok };
    let selections: Vec<Selection> = composition
        .selections
        .into_iter()
        .map(|selection| Selection {
            slot_name: selection.slot,
            intent: selection.intent.to_owned(),
            selected_component: selection.selected,
            candidates: selection
                .candidates
                .into_iter()
                .map(|candidate| Candidate {
                    name: candidate.name,
                    confidence: candidate.confidence,
                    reason: candidate.reason,
                })
                .collect(),
        })
        .collect();
    Ok(Composed {
        status,
        layout: composition.layout,
        schema: TreeJson(composition.schema),
        meta: Meta {
            intent_parsed: intent.text.clone(),
            layout_detected: composition.layout.name().to_owned(),
            object: intent.object.map(|object| object.name.clone()),
            slot_count: selections.len(),
            node_count,
        },
        selections,
        validation,
        warnings: composition.warnings,
    })
}
