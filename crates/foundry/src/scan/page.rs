//! The scan as a page.

use std::fmt::Write;

use super::axe::State;
use super::{Measured, Report};
use crate::report::{figures, page, swatch, table, tag, text};

pub fn html(report: &Report) -> String {
    let lead = format!("{}, {}", report.token_source, report.generated_at);
    page("Accessibility report", &lead, &body(report), "")
}

/// The report without its frame, for pages that hold more.
pub fn body(report: &Report) -> String {
    let mut body = figures(&[
        ("Contrast checks", report.summary.total_checks.to_string()),
        ("Failed", report.summary.failed.to_string()),
        (
            "Findings in the tree",
            report.findings.as_ref().map_or("–".into(), |found| found.len().to_string()),
        ),
        (
            "Serious axe violations",
            match report.browser.status {
                State::Ok => report.browser.serious().to_string(),
                _ => "not run".into(),
            },
        ),
    ]);
    browser(report, &mut body);
    if let Some(findings) = report.findings.as_ref().filter(|findings| !findings.is_empty()) {
        body.push_str("<h2>Findings in the tree</h2>\n");
        let rows: Vec<Vec<String>> = findings
            .iter()
            .map(|issue| {
                vec![
                    format!("<code>{}</code>", text(&issue.code)),
                    text(issue.component.as_deref().unwrap_or("–")),
                    text(&issue.message),
                    text(issue.hint.as_deref().unwrap_or("")),
                ]
            })
            .collect();
        body.push_str(&table("Findings", &["Code", "Component", "What", "Remedy"], &rows));
    }
    if let Some(components) = &report.components {
        body.push_str("<h2>Components of the tree</h2>\n");
        let rows: Vec<Vec<String>> = components
            .iter()
            .map(|entry| {
                let rules = match entry.failing_rules.is_empty() {
                    true => tag("good", "none"),
                    false => text(&entry.failing_rules.join(", ")),
                };
                vec![text(&entry.component), entry.count.to_string(), entry.findings.to_string(), rules]
            })
            .collect();
        body.push_str(&table("Components", &["Component", "Uses", "Findings", "Failing rules"], &rows));
    }
    contrast(&report.rules, &mut body);
    body
}

fn browser(report: &Report, body: &mut String) {
    body.push_str("<h2>In a browser</h2>\n");
    let section = &report.browser;
    if section.status != State::Ok {
        let code = section.code.unwrap_or("FAILED");
        let _ = writeln!(
            body,
            "<p>{} axe-core did not run: {}. {}</p>",
            tag("warn", code),
            text(section.message.as_deref().unwrap_or("")),
            text(section.hint.as_deref().unwrap_or("")),
        );
        return;
    }
    let _ = writeln!(body, "<p class=\"quiet\">{}</p>", text(section.engine.as_deref().unwrap_or("")));
    let mut rows = Vec::new();
    for page in &section.pages {
        for violation in &page.violations {
            let mut owners: Vec<&str> =
                violation.nodes.iter().filter_map(|node| node.component.as_deref()).collect();
            owners.sort_unstable();
            owners.dedup();
            let meaning =
                if matches!(violation.impact.as_str(), "serious" | "critical") { "bad" } else { "warn" };
            rows.push(vec![
                text(&page.theme),
                tag(meaning, &violation.impact),
                format!("<code>{}</code>", text(&violation.id)),
                text(&violation.help),
                violation.count.to_string(),
                text(&owners.join(", ")),
            ]);
        }
    }
    if rows.is_empty() {
        let themes: Vec<&str> = section.pages.iter().map(|page| page.theme.as_str()).collect();
        let _ = writeln!(body, "<p>{} in {}.</p>", tag("good", "no violation"), text(&themes.join(", ")));
    } else {
        body.push_str(&table(
            "Violations",
            &["Theme", "Impact", "Rule", "What", "Places", "Components"],
            &rows,
        ));
    }
}

fn contrast(rules: &[Measured], body: &mut String) {
    body.push_str("<h2>Contrast</h2>\n");
    let mut groups: Vec<(&str, &str)> =
        rules.iter().map(|rule| (rule.brand.as_str(), rule.theme.as_str())).collect();
    groups.dedup();
    for (brand, theme) in groups {
        let here: Vec<&Measured> =
            rules.iter().filter(|rule| rule.brand == brand && rule.theme == theme).collect();
        let failed = here.iter().filter(|rule| !rule.passed).count();
        let verdict = match failed {
            0 => tag("good", "all pass"),
            many => tag("bad", &format!("{many} fail")),
        };
        let rows: Vec<Vec<String>> = here.iter().map(|rule| row(rule)).collect();
        let open = if failed > 0 { " open" } else { "" };
        let _ = write!(
            body,
            "<details class=\"panel\"{open}><summary>Brand {}, theme {} {verdict}</summary>\n{}</details>\n",
            text(brand),
            text(theme),
            table(
                &format!("Contrast of brand {brand} in theme {theme}"),
                &["Rule", "What", "Text", "On", "Ratio", "Needs", ""],
                &rows
            ),
        );
    }
}

fn row(rule: &Measured) -> Vec<String> {
    let side = |side: &super::Side| {
        let color = side.hex.as_deref().map_or(String::new(), swatch);
        format!("{color} <span class=\"quiet code\">{}</span>", text(&side.token))
    };
    vec![
        format!("<code>{}</code>", text(&rule.rule_id)),
        text(&rule.summary),
        side(&rule.foreground),
        side(&rule.background),
        rule.ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")),
        crate::color::number(rule.threshold),
        if rule.passed { tag("good", "pass") } else { tag("bad", "fail") },
    ]
}
