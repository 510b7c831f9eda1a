//! `purity.audit`: drift from the design system in the source of the project.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::audit::{self, Finding, Options, Report, Severity, sarif};
use crate::json::pretty;
use crate::record::{File, Place, Record};
use crate::{Foundry, FoundryError};

/// Findings in an answer; the files have them all.
const SHOWN: usize = 50;
/// Findings in the notes of a preview.
const NOTED: usize = 10;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("purity.audit")
        .title("Audit source for drift")
        .summary("Find raw values, unknown tokens and components, inline styles and bypassed traits in CSS, TSX, Vue and HTML, with the token to write instead; apply writes JSON, SARIF and a patch of the exact fixes")
        .writes()
        .planned()
        .policy(limits(120, 12, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["audit", "lint", "tokens", "components", "sarif", "drift"])
        .example("Audit the project and write the reports", json!({ "apply": true }))
        .example(
            "Only the colours of one folder",
            json!({ "paths": ["src"], "rules": { "raw-color": "error", "raw-font": "off" } }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Write the reports; otherwise only show what they would say.
    #[serde(default)]
    apply: bool,
    /// Files or folders to audit, relative to the root; the whole project when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    /// Severities that differ from the usual ones, by rule: off, note, warning or error.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rules: BTreeMap<String, Severity>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Day("purity.audit"))?;
    let kit = foundry.kit()?;
    let options = Options {
        paths: args.paths.clone(),
        severities: args.rules.clone(),
        leave_out: vec![foundry.rules.artifacts_base.clone()],
        max_findings: None,
    };
    let report = audit::audit(&kit, &foundry.config.root, &options, &|| call.cancel().is_cancelled())?;
    let preview =
        Preview { summary: Some(report.summary.sentence()), notes: notes(&report), ..Preview::default() };
    let shown: Vec<&Finding> = report.findings.iter().take(SHOWN).collect();
    let figures = json!({
        "summary": report.summary,
        "findings": shown,
        "findingsLeftOut": report.summary.total() - shown.len(),
    });
    let is_pure = report.summary.errors == 0 && report.summary.warnings == 0;
    let kept = record.finish(&args, args.apply, files(&report))?;
    Ok(Generic::new(kept, preview).with_figures(is_pure, figures))
}

fn notes(report: &Report) -> Vec<String> {
    let line = |finding: &Finding| {
        format!("{}:{} {}: {}", finding.path, finding.place.line, finding.rule, finding.message)
    };
    let mut notes: Vec<String> = report.findings.iter().take(NOTED).map(line).collect();
    if report.summary.total() > notes.len() {
        notes.push(format!("{} more findings", report.summary.total() - notes.len()));
    }
    let skipped = report.summary.files_skipped.iter().filter(|(reason, _)| *reason != "partOfTheKit");
    notes.extend(skipped.map(|(reason, count)| format!("{count} files not read: {reason}")));
    notes
}

fn files(report: &Report) -> Vec<File> {
    let paths: BTreeSet<&str> = report.findings.iter().map(|finding| finding.path.as_str()).collect();
    let document: Value = json!({
        "violations": report.summary.total(),
        "files": paths,
        "summary": report.summary,
        "findings": report.findings,
    });
    let log = sarif::log(report, env!("CARGO_PKG_VERSION"));
    // All three every time: one that stayed from an earlier run of the day would not be true any more.
    vec![
        File::new("purity-audit.json", "Every finding with its fix", pretty(&document)),
        File::new("purity-audit.sarif", "The findings for code hosts and editors", pretty(&log)),
        File::new("purity-fixes.patch", "Exact fixes, for git apply", report.patch.as_str()),
    ]
}
