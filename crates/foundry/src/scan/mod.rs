//! An accessibility scan: contrast of every token pair, findings about a tree, and axe-core where a browser is.

mod axe;
mod page;

use mainstay_contract::Call;
use serde::Serialize;
use serde_json::{Value, json};

pub use axe::Section;
pub use page::{body, html};

use crate::a11y;
use crate::issue::Issue;
use crate::kit::{Component, Kit};
use crate::tokens::contrast::{self, Finding};
use crate::tokens::css_name;
use crate::tree::Tree;
use crate::{Foundry, FoundryError, validate};

/// What a scan found.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub generated_at: String,
    pub token_source: String,
    pub summary: Summary,
    pub rules: Vec<Measured>,
    /// What a given tree is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<Vec<Inventory>>,
    /// What is wrong in a given tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<Issue>>,
    pub browser: Section,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub total_checks: usize,
    pub passed: usize,
    pub failed: usize,
    pub compliance_status: &'static str,
}

/// One contrast rule in one brand and theme.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measured {
    pub rule_id: String,
    pub brand: String,
    pub theme: String,
    pub target: String,
    pub summary: String,
    pub passed: bool,
    /// Two decimals; null when a side is not a measurable colour.
    pub ratio: Option<f64>,
    pub threshold: f64,
    pub foreground: Side,
    pub background: Side,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// Dashed, as CSS spells it.
    pub token: String,
    pub hex: Option<String>,
    pub css_variable: String,
}

/// A component of a tree and the failing rules it is subject to.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    pub component: String,
    pub count: usize,
    pub known: bool,
    pub failing_rules: Vec<String>,
    pub findings: usize,
}

impl Report {
    /// Whether nothing was found that shuts somebody out. What did not run says so in its section.
    pub fn is_ok(&self) -> bool {
        self.summary.failed == 0
            && self.findings.as_ref().is_none_or(Vec::is_empty)
            && self.browser.serious() == 0
    }

    /// The figures, without the lists.
    pub fn figures(&self) -> Value {
        json!({
            "summary": self.summary,
            "findings": self.findings.as_ref().map(Vec::len),
            "browser": self.browser.figures(),
        })
    }
}

/// Scans the kit in every brand and theme, and a tree when one is given.
pub fn run(foundry: &Foundry, call: &Call, kit: &Kit, tree: Option<&Tree>) -> Result<Report, FoundryError> {
    let rules = rules(kit);
    let failed = rules.iter().filter(|rule| !rule.passed).count();
    let findings = tree.map(|tree| findings(kit, tree));
    Ok(Report {
        generated_at: crate::artifacts::iso_of(call.now()),
        token_source: format!("{} {}", kit.manifest.name, kit.manifest.version),
        summary: Summary {
            total_checks: rules.len(),
            passed: rules.len() - failed,
            failed,
            compliance_status: if failed == 0 { "compliant" } else { "non-compliant" },
        },
        components: tree.map(|tree| inventory(kit, tree, &rules, findings.as_deref().unwrap_or_default())),
        findings,
        browser: axe::scan(foundry, call, kit, tree)?,
        rules,
    })
}

/// Every rule in every brand and theme.
pub fn rules(kit: &Kit) -> Vec<Measured> {
    let mut rules = Vec::new();
    for brand in &kit.manifest.brands {
        for theme in &kit.manifest.themes {
            let Some(set) = kit.tokens(brand, theme) else { continue };
            let found = contrast::evaluate(&set, &kit.rules, None);
            rules.extend(found.into_iter().map(|finding| measured(brand, theme, finding)));
        }
    }
    rules
}

fn measured(brand: &str, theme: &str, finding: Finding) -> Measured {
    let hint = (!finding.passed).then(|| finding.hint());
    let side = |(path, hex): (String, Option<String>)| {
        let css_variable = css_name(&path);
        Side { token: css_variable.trim_start_matches("--oods-").to_owned(), hex, css_variable }
    };
    let (foreground, background) = (side(finding.foreground), side(finding.background));
    Measured {
        target: format!("{} on {}", foreground.token, background.token),
        rule_id: finding.rule,
        brand: brand.to_owned(),
        theme: theme.to_owned(),
        summary: finding.summary,
        passed: finding.passed,
        ratio: finding.ratio,
        threshold: finding.minimum,
        foreground,
        background,
        hint,
    }
}

fn findings(kit: &Kit, tree: &Tree) -> Vec<Issue> {
    let mut findings = validate::check(kit, tree, true).errors;
    findings.extend(a11y::check(kit, tree, kit.default_brand()));
    findings
}

fn inventory(kit: &Kit, tree: &Tree, rules: &[Measured], findings: &[Issue]) -> Vec<Inventory> {
    let used = |component: &Component, id: &str| {
        let rule = kit.rules.iter().find(|rule| rule.id == id);
        rule.is_some_and(|rule| {
            let families = component.archetype.styles.iter().chain([&component.archetype.family]);
            rule.families.is_empty() || families.into_iter().any(|family| rule.families.contains(family))
        })
    };
    tree.components()
        .into_iter()
        .map(|name| {
            let component = kit.component(name);
            let mut failing: Vec<String> = rules
                .iter()
                .filter(|rule| {
                    !rule.passed && component.is_some_and(|component| used(component, &rule.rule_id))
                })
                .map(|rule| rule.rule_id.clone())
                .collect();
            failing.sort();
            failing.dedup();
            Inventory {
                component: name.to_owned(),
                count: tree.nodes.iter().filter(|node| node.component == name).count(),
                known: component.is_some(),
                failing_rules: failing,
                findings: findings.iter().filter(|issue| issue.component.as_deref() == Some(name)).count(),
            }
        })
        .collect()
}
