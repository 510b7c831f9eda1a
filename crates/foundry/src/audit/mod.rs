//! Drift from the design system in the source of a project.
//!
//! [`audit`] walks a project, reads every stylesheet, script and template with the parser of its language, and reports
//! what does not come from the kit: raw values, tokens and components that do not exist, elements and handlers that a
//! component should stand for. Rules are data ([`rules`]); findings carry the edit that would mend them.

mod css;
mod design;
mod element;
mod files;
mod finding;
mod markup;
mod patch;
pub mod rules;
pub mod sarif;
mod scan;
mod script;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use tree_sitter::Parser;

pub use finding::{Edit, Finding, Fix, Place};
pub use rules::Severity;

use crate::codegen::Framework;
use crate::error::FoundryError;
use crate::json::sha256_hex;
use crate::kit::Kit;
use crate::scaffold;
use crate::tokens::{TokenSet, emit};
use design::Design;
use files::{File, Kind};
use scan::{Collected, Scan};

/// How many findings are kept; all are counted.
pub const MAX_FINDINGS: usize = 5_000;

/// What to audit, and how strictly.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Files or folders, relative to the root; the whole project when empty.
    pub paths: Vec<String>,
    /// Severities that differ from the table's.
    pub severities: BTreeMap<String, Severity>,
    /// Folders that are not the project's source, such as the one for artifacts.
    pub leave_out: Vec<String>,
    /// Findings to keep; [`MAX_FINDINGS`] when absent.
    pub max_findings: Option<usize>,
}

/// The severity of every rule in one audit.
pub struct Severities(BTreeMap<String, Severity>);

impl Severities {
    fn new(changed: &BTreeMap<String, Severity>) -> Result<Severities, FoundryError> {
        let table = rules::table();
        if let Some(name) = changed.keys().find(|name| table.rule(name).is_none()) {
            let known: Vec<&str> = table.rules.iter().map(|rule| rule.id.as_str()).collect();
            return Err(FoundryError::Unknown {
                message: format!("no rule is called {name:?}"),
                hint: Some(format!("one of {}", known.join(", "))),
            });
        }
        let severity = |rule: &rules::Rule| changed.get(&rule.id).copied().unwrap_or(rule.severity);
        Ok(Severities(table.rules.iter().map(|rule| (rule.id.clone(), severity(rule))).collect()))
    }

    /// The severity of a rule that is on.
    fn of(&self, rule: &str) -> Option<Severity> {
        self.0.get(rule).copied().filter(|severity| *severity != Severity::Off)
    }
}

/// Figures of one audit.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub files_scanned: usize,
    pub bytes_scanned: u64,
    /// Files with syntax a parser did not understand; what it did understand was checked.
    pub files_with_syntax_errors: usize,
    /// Files left out, by reason.
    pub files_skipped: BTreeMap<String, usize>,
    pub errors: usize,
    pub warnings: usize,
    pub notes: usize,
    /// Findings that comments in the source allow.
    pub suppressed: usize,
    /// Findings counted here and not listed, because there are too many.
    pub unlisted: usize,
    /// Findings whose fix changes nothing on screen.
    pub exact_fixes: usize,
    /// Findings by rule.
    pub by_rule: BTreeMap<String, usize>,
}

impl Summary {
    pub fn total(&self) -> usize {
        self.by_rule.values().sum()
    }

    /// One sentence for people.
    pub fn sentence(&self) -> String {
        let count =
            |number: usize, name: &str| format!("{number} {name}{}", if number == 1 { "" } else { "s" });
        let files = count(self.files_scanned, "file");
        match self.total() {
            0 => format!("No drift in {files}."),
            _ => format!(
                "{}, {} and {} in {files}; {}.",
                count(self.errors, "error"),
                count(self.warnings, "warning"),
                count(self.notes, "note"),
                match self.exact_fixes {
                    0 => "no fix is exact".to_owned(),
                    1 => "1 fix is exact".to_owned(),
                    many => format!("{many} fixes are exact"),
                },
            ),
        }
    }
}

/// What an audit found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub summary: Summary,
    /// By path and place.
    pub findings: Vec<Finding>,
    /// The exact fixes as one patch for `git apply`.
    #[serde(skip)]
    pub patch: String,
}

/// Audits the project at `root` against a kit; `stop` is asked before every file.
pub fn audit(
    kit: &Kit,
    root: &Path,
    options: &Options,
    stop: &dyn Fn() -> bool,
) -> Result<Report, FoundryError> {
    let severities = Severities::new(&options.severities)?;
    let (files, skipped) = files::collect(root, &options.paths, &options.leave_out, stop)?;
    let design = Design::new(kit);
    // Only a project that was scaffolded from the kit has files to compare.
    let own = OnceCell::new();
    let limit = options.max_findings.unwrap_or(MAX_FINDINGS).min(MAX_FINDINGS);
    let mut collected = Collected::default();
    let mut parser = Parser::new();
    let mut summary = Summary {
        files_skipped: skipped.into_iter().map(|(reason, count)| (reason.to_owned(), count)).collect(),
        ..Summary::default()
    };
    let mut patch = String::new();
    for file in &files {
        if stop() {
            return Err(FoundryError::Cancelled);
        }
        let Some(text) = files::read(file) else {
            *summary.files_skipped.entry("unreadable".into()).or_default() += 1;
            continue;
        };
        if text.contains("oods") && own.get_or_init(|| kit_files(kit)).contains(&sha256_hex(text.as_bytes()))
        {
            *summary.files_skipped.entry("partOfTheKit".into()).or_default() += 1;
            continue;
        }
        let first = collected.findings.len();
        let mut scan =
            Scan::new(&design, (&file.path, &text), &severities, &mut parser, &mut collected, limit);
        read(&mut scan, file);
        summary.files_scanned += 1;
        summary.bytes_scanned += file.bytes;
        summary.files_with_syntax_errors += usize::from(scan.is_broken);
        patch::append(&mut patch, &file.path, &text, &collected.findings[first..]);
    }
    Ok(finish(summary, collected, &severities, patch))
}

fn read(scan: &mut Scan, file: &File) {
    let text = scan.text;
    match file.kind {
        Kind::Css => css::stylesheet(scan, text, 0),
        Kind::Script(dialect) => drop(script::script(scan, text, 0, dialect)),
        Kind::Markup(flavour) => markup::document(scan, flavour),
    }
}

fn finish(mut summary: Summary, collected: Collected, severities: &Severities, patch: String) -> Report {
    let Collected { mut findings, defined, suppressed, dropped } = collected;
    findings.retain(|finding| finding.property.as_ref().is_none_or(|property| !defined.contains(property)));
    findings.sort_by(|a, b| (&a.path, a.place, a.rule).cmp(&(&b.path, b.place, b.rule)));
    findings.dedup_by(|a, b| a.path == b.path && a.place == b.place && a.rule == b.rule);
    for finding in &findings {
        *summary.by_rule.entry(finding.rule.to_owned()).or_default() += 1;
    }
    for (rule, count) in &dropped {
        *summary.by_rule.entry((*rule).to_owned()).or_default() += count;
        summary.unlisted += count;
    }
    for (rule, count) in &summary.by_rule {
        match severities.of(rule) {
            Some(Severity::Error) => summary.errors += count,
            Some(Severity::Warning) => summary.warnings += count,
            _ => summary.notes += count,
        }
    }
    summary.exact_fixes =
        findings.iter().filter(|finding| finding.fix.as_ref().is_some_and(|fix| fix.exact)).count();
    summary.suppressed = suppressed;
    Report { summary, findings, patch }
}

/// Hashes of the files that scaffolding and token builds write: they are the kit, not a drift from it.
fn kit_files(kit: &Kit) -> HashSet<String> {
    let mut hashes = HashSet::new();
    for framework in [Framework::React, Framework::Vue, Framework::Svelte, Framework::Lit] {
        let project = scaffold::project(kit, framework, None);
        hashes.extend(project.iter().map(|file| sha256_hex(file.text.as_bytes())));
    }
    for brand in &kit.manifest.brands {
        for theme in &kit.manifest.themes {
            let sets = kit.themes_of(brand, theme);
            let others: Vec<(&str, &TokenSet)> =
                sets.iter().map(|(theme, set)| (*theme, set.as_ref())).collect();
            if let Some((_, set)) = others.first() {
                let files = emit::files(set, brand, theme, &others);
                hashes.extend(files.iter().map(|file| sha256_hex(file.text.as_bytes())));
            }
        }
    }
    hashes
}
