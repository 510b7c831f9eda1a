//! `a11y.scan`: who could not use this.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::json::pretty;
use crate::record::{File, Place, Record};
use crate::scan::{self, Report};
use crate::tree::{Tree, TreeJson};
use crate::{Foundry, FoundryError};

/// Failures an answer lists; the report has all of them.
const MAX_NOTES: usize = 40;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let tree = json!({
        "version": "2026.02",
        "screens": [{ "id": "screen_home", "component": "Stack", "children": [{ "id": "title", "component": "Text", "props": { "content": "Hello" } }] }]
    });
    let def = define_on_demand("a11y.scan")
        .title("Scan accessibility")
        .summary("Measure the contrast rules of the kit in every brand and theme, check a given UiSchema, and run axe-core on the rendered page where a browser and axe-core are installed; apply writes the report")
        .writes()
        .planned_as_far("the report holds what axe-core finds in a browser, which is known only by looking")
        .policy(limits(120, 12, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["accessibility", "wcag", "contrast", "axe", "browser"])
        .example("Scan the kit and a tree", json!({ "apply": true, "schema": tree }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Write the report.
    #[serde(default)]
    apply: bool,
    /// A tree to check too; its components are listed with the rules they fail.
    schema: Option<TreeJson>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Day("a11y.scan"))?;
    let kit = foundry.kit()?;
    let tree = args.schema.as_ref().map(|schema| Tree::read(&schema.0)).transpose();
    let tree = tree.map_err(|issues| {
        let first = issues.first().map_or("it is not a UiSchema", |issue| issue.message.as_str());
        FoundryError::arguments(format!("schema: {first}"))
    })?;
    let report = scan::run(foundry, call, &kit, tree.as_ref())?;
    let files = match args.apply {
        true => {
            let json = serde_json::to_value(&report).expect("a report is plain data");
            vec![
                File::new("a11y-report.json", "Accessibility report", pretty(&json)),
                File::new("a11y-report.html", "Accessibility report, to look at", scan::html(&report)),
            ]
        }
        false => Vec::new(),
    };
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Generic::new(kept, preview(&report)).with_figures(report.is_ok(), report.figures()))
}

fn preview(report: &Report) -> Preview {
    let scan::Summary { total_checks, passed, failed, compliance_status } = &report.summary;
    let mut summary =
        format!("{total_checks} contrast checks, {passed} passed, {failed} failed: {compliance_status}.");
    if let Some(components) = &report.components {
        let findings = report.findings.as_ref().map_or(0, Vec::len);
        summary.push_str(&format!(" {} components in the tree, {findings} findings.", components.len()));
    }
    let mut notes = Vec::new();
    let section = &report.browser;
    match &section.message {
        None => notes.push(format!(
            "{}: {} violations in {} pages, {} serious",
            section.engine.as_deref().unwrap_or("axe-core"),
            section.pages.iter().map(|page| page.violations.len()).sum::<usize>(),
            section.pages.len(),
            section.serious(),
        )),
        Some(message) => notes.push(format!(
            "axe-core did not run: {message} ({}); {}",
            section.code.unwrap_or("FAILED"),
            section.hint.as_deref().unwrap_or("see the report"),
        )),
    }
    let failing = report.rules.iter().filter(|rule| !rule.passed).map(|rule| {
        let hint = rule.hint.as_deref().unwrap_or_default();
        format!("{} in brand {}, theme {}: {hint}", rule.rule_id, rule.brand, rule.theme)
    });
    let serious = section.pages.iter().flat_map(|page| {
        page.violations.iter().map(move |violation| {
            format!(
                "axe {} ({}) in theme {}: {} places",
                violation.id, violation.impact, page.theme, violation.count
            )
        })
    });
    let found = report.findings.iter().flatten().map(|issue| format!("{}: {}", issue.code, issue.message));
    let all: Vec<String> = failing.chain(serious).chain(found).collect();
    let more = all.len().saturating_sub(MAX_NOTES);
    notes.extend(all.into_iter().take(MAX_NOTES));
    if more > 0 {
        notes.push(format!("{more} more are in the report"));
    }
    Preview { summary: Some(summary), notes, ..Preview::default() }
}
