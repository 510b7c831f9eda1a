//! An audit as SARIF 2.1.0, the form code hosts and editors show findings in.

use serde_json::{Value, json};

use super::finding::{Edit, Finding, Place};
use super::rules::table;
use super::{Report, Severity};
use crate::json::sha256_hex;

/// The report as a SARIF log; `version` is that of this program.
pub fn log(report: &Report, version: &str) -> Value {
    let rules: Vec<Value> = table()
        .rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "shortDescription": { "text": rule.title },
                "fullDescription": { "text": rule.help },
                "help": { "text": rule.help },
                "defaultConfiguration": { "level": rule.severity.name() },
            })
        })
        .collect();
    let results: Vec<Value> = report.findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "mainstay purity.audit", "semanticVersion": version, "rules": rules } },
            "columnKind": "utf16CodeUnits",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "The root of the project" } } },
            "results": results,
            "properties": { "summary": report.summary },
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let rule = table().rules.iter().position(|rule| rule.id == finding.rule);
    // Stays the same when lines move, so that a host can follow a finding from commit to commit.
    let print = sha256_hex(format!("{}\n{}\n{}", finding.rule, finding.path, finding.snippet).as_bytes());
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": if finding.severity == Severity::Off { "none" } else { finding.severity.name() },
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": { "artifactLocation": artifact(&finding.path), "region": region(&finding.place) } }],
        "partialFingerprints": { "ruleAndLine/v1": print },
    });
    if let Some(fix) = &finding.fix {
        let what = match &fix.token {
            Some(token) => format!("use the token {token}"),
            None => "use the name the kit has".to_owned(),
        };
        let replacements: Vec<Value> = fix.edits.iter().map(replacement).collect();
        result["fixes"] = json!([{
            "description": { "text": what },
            "artifactChanges": [{ "artifactLocation": artifact(&finding.path), "replacements": replacements }],
        }]);
    }
    result
}

fn artifact(path: &str) -> Value {
    let encoded: String = path
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                (byte as char).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    json!({ "uri": encoded, "uriBaseId": "SRCROOT" })
}

fn region(place: &Place) -> Value {
    json!({
        "startLine": place.line, "startColumn": place.column,
        "endLine": place.end_line, "endColumn": place.end_column,
    })
}

fn replacement(edit: &Edit) -> Value {
    json!({ "deletedRegion": region(&edit.place), "insertedContent": { "text": edit.replacement } })
}
