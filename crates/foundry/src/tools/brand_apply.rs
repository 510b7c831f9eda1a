//! `brand.apply`: preview or record an overlay of a brand's tokens.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::output::{Change, ChangeKind, Diff, DiffStatus, DiffSummary, Generic, Hunk, Preview};
use super::{brand, define, join, limits};
use crate::artifacts::iso_of;
use crate::brand::{self as overlay, Plan, TokenChange};
use crate::json::pretty;
use crate::record::{File, Place, Record};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("brand.apply")
        .title("Apply a brand overlay")
        .summary("Preview a change of a brand's tokens as a diff with a contrast check; apply writes snapshots into the run directory and never touches the kit")
        .writes()
        .planned()
        .policy(limits(120, 12, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["brand", "tokens", "theme", "contrast"])
        .example(
            "Preview a smaller body text",
            json!({ "brand": "A", "strategy": "alias", "apply": false, "delta": { "typography": { "body": { "fontSize": 14 } } } }),
        )
        .example(
            "The same as operations, written",
            json!({ "brand": "A", "strategy": "patch", "apply": true, "delta": [{ "op": "replace", "path": "/typography/body/fontSize/$value", "value": { "value": 14, "unit": "px" } }] }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// The delta is an object of tokens, merged.
    Alias,
    /// The delta is a list of RFC 6902 operations.
    Patch,
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Brand of the kit: A or B in the built-in one.
    #[serde(default = "brand_a")]
    brand: String,
    /// Tokens to merge, or RFC 6902 operations; base, dark and hc as first key narrow to one theme.
    #[schemars(schema_with = "delta_schema")]
    delta: Value,
    /// How the delta is written; alias for an object and patch for a list unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<Strategy>,
    /// Write snapshots and diagnostics.
    #[serde(default)]
    apply: bool,
}

fn brand_a() -> String {
    "A".into()
}

fn delta_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["object", "array"] })
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("review-kit/brand.apply"))?;
    let kit = foundry.kit()?;
    let brand = brand(&kit, Some(&args.brand))?;
    let strategy = match (args.strategy, &args.delta) {
        (Some(Strategy::Alias), _) => overlay::Strategy::Alias,
        (Some(Strategy::Patch), _) => overlay::Strategy::Patch,
        (None, Value::Array(_)) => overlay::Strategy::Patch,
        (None, _) => overlay::Strategy::Alias,
    };
    let plan = overlay::plan(&kit, brand, strategy, &args.delta)?;
    let (started, ended) = (record.started(), call.now());
    let duration_ms = (ended - started).get_milliseconds();
    let files = files(brand, strategy, &plan, &iso_of(started), &iso_of(ended), duration_ms);
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Generic::new(kept, preview(brand, &plan)))
}

fn preview(brand: &str, plan: &Plan) -> Preview {
    let changed = plan.changed();
    let summary = match changed {
        0 => format!("No token value changes for brand {brand}."),
        1 => format!("Updated 1 token value for brand {brand}."),
        many => format!("Updated {many} token values for brand {brand}."),
    };
    let touched = || plan.themes.iter().filter(|(_, _, changes)| !changes.is_empty());
    let mut notes: Vec<String> = touched()
        .map(|(theme, _, changes)| {
            format!("{theme}: {} updated token{}", changes.len(), if changes.len() == 1 { "" } else { "s" })
        })
        .collect();
    notes.extend(
        plan.contrast.iter().map(|(theme, finding)| format!("contrast in theme {theme}: {}", finding.hint())),
    );
    let diffs = touched().map(|(theme, _, changes)| diff(brand, theme, changes)).collect();
    let specimens = touched()
        .flat_map(|(theme, _, changes)| changes.iter().map(move |change| specimen(theme, change)))
        .take(12)
        .map(|specimen| format!("data:application/json,{}", percent(&specimen.to_string())))
        .collect();
    Preview { summary: Some(summary), notes, specimens, diffs }
}

fn specimen(theme: &str, change: &TokenChange) -> Value {
    json!({ "theme": theme, "token": change.pointer, "before": change.before, "after": change.after })
}

fn percent(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => (byte as char).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}

fn diff(brand: &str, theme: &str, changes: &[TokenChange]) -> Diff {
    let line = |kind, value: String| Change { kind, value };
    let hunks = changes
        .iter()
        .enumerate()
        .map(|(index, change)| {
            let mut lines = vec![line(ChangeKind::Context, change.pointer.clone())];
            lines.extend(change.before.iter().map(|value| line(ChangeKind::Remove, value.to_string())));
            lines.extend(change.after.iter().map(|value| line(ChangeKind::Add, value.to_string())));
            Hunk { header: format!("@@ theme={theme} change={} @@", index + 1), changes: lines }
        })
        .collect();
    Diff {
        path: format!("brands/{brand}/{theme}.json"),
        status: DiffStatus::Modified,
        summary: DiffSummary {
            additions: changes.iter().filter(|change| change.after.is_some()).count(),
            deletions: changes.iter().filter(|change| change.before.is_some()).count(),
        },
        hunks,
    }
}

fn files(
    brand: &str,
    strategy: overlay::Strategy,
    plan: &Plan,
    started: &str,
    ended: &str,
    duration_ms: i64,
) -> Vec<File> {
    let mut files: Vec<File> = plan
        .themes
        .iter()
        .map(|(theme, document, _)| {
            File::new(
                format!("tokens.{brand}.{theme}.json"),
                "Brand tokens after the change",
                pretty(document),
            )
        })
        .collect();
    let specimens: Vec<Value> = plan
        .themes
        .iter()
        .flat_map(|(theme, _, changes)| changes.iter().map(|change| specimen(theme, change)))
        .collect();
    files.push(File::new("specimens.json", "Every changed value", pretty(&json!(specimens))));
    files.push(File::new(
        "variables.css",
        "Changed values as custom properties",
        overlay::variables_css(brand, plan),
    ));
    let touched: Vec<&str> = plan
        .themes
        .iter()
        .filter(|(_, _, changes)| !changes.is_empty())
        .map(|(theme, _, _)| *theme)
        .collect();
    let contrast: Vec<Value> = plan
        .contrast
        .iter()
        .map(|(theme, finding)| json!({ "theme": theme, "rule": finding.rule, "ratio": finding.ratio, "minimum": finding.minimum }))
        .collect();
    let diagnostics = json!({
        "brand": brand,
        "strategy": if strategy == overlay::Strategy::Alias { "alias" } else { "patch" },
        "tokensChanged": plan.changed(),
        "themesTouched": touched,
        "contrastFailures": contrast,
        "runStarted": started,
        "runEnded": ended,
        "build": { "durationMs": duration_ms, "command": "brand.apply" },
    });
    files.push(File::new("diagnostics.json", "Figures of the run", pretty(&diagnostics)));
    files
}
