//! Records as pages of text: what is indexed, and what a person may read.

use super::record::{Decision, Finding};

/// A finding as a page.
pub fn of_finding(finding: &Finding) -> String {
    let vuln = &finding.vuln;
    let mut page = Page::new(&format!("{} {}", vuln.vuln_id, vuln.title));
    page.field("severity", vuln.severity.name());
    page.field("source", &finding.source);
    page.maybe("cve", vuln.cve.as_deref());
    page.list("aliases", &vuln.aliases);
    page.list("cwe", &vuln.cwe);
    if let Some(package) = &finding.package {
        page.field("package", &package.name);
        page.maybe("ecosystem", package.ecosystem.as_deref());
        page.maybe("installed version", package.installed_version.as_deref());
        page.maybe("affected range", package.affected_range.as_deref());
        page.maybe("fixed version", package.fixed_version.as_deref());
        page.maybe("manifest", package.manifest_path.as_deref());
    }
    if let Some(asset) = &finding.asset {
        page.field("asset", &asset.asset_id);
        page.list("other assets", &asset.others);
    }
    if let Some(place) = &finding.location {
        page.field("file", &place.file);
    }
    for (name, value) in [
        ("service", &finding.service),
        ("env", &finding.env),
        ("team", &finding.team),
        ("owner", &finding.owner),
        ("repo", &finding.repo),
    ] {
        page.maybe(name, value.as_deref());
    }
    for (key, value) in finding.meta.iter().chain(&finding.exposure) {
        page.field(key, &value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    page.list("functions", &vuln.functions);
    page.prose(&vuln.description);
    page.list("references", &vuln.references);
    page.text
}

/// A decision as a page.
pub fn of_decision(decision: &Decision, finding: Option<&Finding>) -> String {
    let about = finding.map_or(decision.finding_record_id.as_str(), |finding| &finding.vuln.vuln_id);
    let mut page = Page::new(&format!("{} {about}", decision.status.name()));
    page.field("finding", &decision.finding_record_id);
    if let Some(finding) = finding {
        page.field("title", &finding.vuln.title);
        page.maybe("package", finding.package.as_ref().map(|package| package.name.as_str()));
        page.maybe("service", finding.service.as_deref());
    }
    page.maybe("reviewer", decision.reviewer.as_deref());
    page.field("decided", &decision.created_at);
    page.maybe("expires", decision.expires_at.as_deref());
    page.list("codes", &decision.justification_codes);
    page.prose(decision.justification.as_deref().unwrap_or_default());
    page.list("evidence", &decision.evidence_refs);
    page.text
}

struct Page {
    text: String,
}

impl Page {
    fn new(title: &str) -> Page {
        Page { text: format!("# {}\n\n", title.trim()) }
    }

    fn field(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.text.push_str(&format!("{name}: {}\n", value.replace('\n', " ")));
        }
    }

    fn maybe(&mut self, name: &str, value: Option<&str>) {
        self.field(name, value.unwrap_or_default());
    }

    fn list(&mut self, name: &str, values: &[String]) {
        self.field(name, &values.join(" "));
    }

    /// A longer text; its headings are not the page's.
    fn prose(&mut self, text: &str) {
        if !text.is_empty() {
            let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches(['#', ' '])).collect();
            self.text.push_str(&format!("\n{}\n\n", lines.join("\n").trim()));
        }
    }
}
