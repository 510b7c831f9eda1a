//! OSV: reports of osv-scanner, and advisories in the OSV format itself.

use serde_json::Value;

use super::super::record::{MAX_LIST, Package, Vuln};
use super::{Draft, Entries, cve_of, ecosystem, first, list, prose, rating, records, severity, text, texts};

pub fn read(report: &Value, out: &mut Entries) -> Result<(), String> {
    if report.get("results").is_some_and(Value::is_array) {
        for (result_at, result) in list(report, "/results").enumerate() {
            let source = text(result, "/source/path");
            for (package_at, package) in list(result, "/packages").enumerate() {
                for (at, advisory) in list(package, "/vulnerabilities").enumerate() {
                    let pointer = format!("/results/{result_at}/packages/{package_at}/vulnerabilities/{at}");
                    out.add(&pointer, scanned(advisory, package, source.clone()));
                }
            }
        }
        return Ok(());
    }
    for (pointer, advisory) in records(report)? {
        if advisory.is_object() && advisory.get("id").is_none() && advisory.get("affected").is_none() {
            out.add(&pointer, Err("it is no OSV advisory: it has neither id nor affected".into()));
            continue;
        }
        let mut affected = list(advisory, "/affected")
            .filter_map(|affected| text(affected, "/package/name").map(|_| affected))
            .peekable();
        if affected.peek().is_none() {
            out.add(&pointer, Err("it names no affected package".into()));
        }
        for one in affected.take(MAX_LIST) {
            out.add(&pointer, draft(advisory, one, None, None));
        }
    }
    Ok(())
}

fn scanned(advisory: &Value, package: &Value, source: Option<String>) -> Result<Draft, String> {
    let name = text(package, "/package/name").ok_or("it names no package")?;
    let of_package = |affected: &&Value| text(affected, "/package/name").as_ref() == Some(&name);
    let affected = list(advisory, "/affected").find(of_package).unwrap_or(package);
    let mut draft = draft(advisory, affected, source, text(package, "/package/version"))?;
    let known = draft.package.get_or_insert_default();
    known.name = name;
    known.ecosystem =
        text(package, "/package/ecosystem").map(|name| ecosystem(&name)).or(known.ecosystem.take());
    Ok(draft)
}

fn draft(
    advisory: &Value,
    affected: &Value,
    source: Option<String>,
    version: Option<String>,
) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let id = text(advisory, "/id").ok_or("it has no id")?;
    let aliases = texts(advisory, "/aliases", "");
    let name = text(affected, "/package/name").unwrap_or_default();
    let vector = |list_of: &Value| {
        let mut ratings: Vec<&Value> = list(list_of, "/severity").collect();
        // Only a vector of version 3 gives a score.
        ratings.sort_by_key(|rating| rating["type"] != "CVSS_V3");
        ratings.first().and_then(|rating| text(rating, "/score"))
    };
    let cvss = rating(None, vector(affected).or_else(|| vector(advisory)));
    let word = first(advisory, &["/database_specific/severity"]);
    let ranges = || list(affected, "/ranges").flat_map(|range| list(range, "/events"));
    let event = |key: &str| ranges().filter_map(|event| text(event, &format!("/{key}"))).last();
    let range = [("introduced", ">= "), ("fixed", "< "), ("last_affected", "<= ")]
        .into_iter()
        .filter_map(|(key, sign)| event(key).map(|version| format!("{sign}{version}")))
        .collect::<Vec<_>>()
        .join(", ");
    let mut functions: Vec<String> = list(affected, "/ecosystem_specific/imports")
        .flat_map(|import| texts(import, "/symbols", ""))
        .collect();
    functions.extend(texts(affected, "/ecosystem_specific/affects/functions", ""));
    functions.truncate(MAX_LIST);
    Ok(Draft {
        stable_key: format!("{id}:{name}:{}", source.as_deref().unwrap_or_default()),
        package: Some(Package {
            name,
            ecosystem: text(affected, "/package/ecosystem").map(|name| ecosystem(&name)),
            installed_version: version,
            affected_range: (!range.is_empty()).then_some(range),
            fixed_version: event("fixed"),
            manifest_path: source,
            purl: text(affected, "/package/purl"),
        }),
        vuln: Vuln {
            cve: cve_of([&id].into_iter().chain(&aliases)),
            vuln_id: id,
            aliases,
            title: text(advisory, "/summary").unwrap_or_default(),
            description: prose(advisory, "/details"),
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            cwe: texts(advisory, "/database_specific/cwe_ids", ""),
            functions,
            references: texts(advisory, "/references", "/url"),
        },
        warnings,
        ..Draft::default()
    })
}
