//! Findings written by hand or by a script: our own field names, flat or nested.

use serde_json::Value;

use super::super::record::{Asset, Location, MAX_LIST, MAX_TEXT_CHARS, Package, Vuln, cut};
use super::{
    Draft, cve_of, ecosystem, first, key_of_payload, line_number, number, prose, rating, severity, text,
    texts,
};

/// Fields that have a place of their own; every other plain field becomes `meta`.
const KNOWN: &[&str] = &[
    "stableKey",
    "recordId",
    "id",
    "vulnId",
    "cve",
    "ghsa",
    "title",
    "name",
    "summary",
    "description",
    "severity",
    "cvss",
    "cvssScore",
    "cvssVector",
    "cwe",
    "references",
    "url",
    "aliases",
    "functions",
    "vuln",
    "package",
    "packageName",
    "ecosystem",
    "packageEcosystem",
    "version",
    "installedVersion",
    "affectedRange",
    "fixedVersion",
    "manifestPath",
    "purl",
    "asset",
    "assetId",
    "assetType",
    "account",
    "region",
    "exposure",
    "location",
    "file",
    "line",
    "startLine",
    "endLine",
    "meta",
    "source",
    "recordType",
    "createdAt",
    "updatedAt",
];

pub fn draft(record: &Value) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let own_id = text(record, "/recordId").or_else(|| text(record, "/stableKey"));
    if own_id.as_ref().is_some_and(|id| id.contains(['/', '\\'])) {
        return Err("its id holds a slash".into());
    }
    let package = package(record);
    let cve = first(record, &["/cve", "/vuln/cve"]);
    let id = first(record, &["/vulnId", "/vuln/vulnId", "/ghsa", "/id"]).or_else(|| cve.clone());
    let title = first(record, &["/title", "/vuln/title", "/summary", "/name"]);
    let Some(vuln_id) = id.clone().or_else(|| title.clone()) else {
        return Err("it has neither vulnId, cve, id nor title".into());
    };
    let asset = asset(record);
    let location = location(record);
    let stable_key = own_id.unwrap_or_else(|| match (&id, &package) {
        (Some(id), package) => {
            let package = package.as_ref();
            [
                id.as_str(),
                package.map_or("", |package| &package.name),
                package.and_then(|package| package.manifest_path.as_deref()).unwrap_or_default(),
                asset.as_ref().map_or("", |asset| &asset.asset_id),
                location.as_ref().map_or("", |location| &location.file),
            ]
            .join(":")
        }
        _ => key_of_payload(record, &mut warnings),
    });
    let cvss = rating(
        number(record, "/cvssScore")
            .or_else(|| number(record, "/cvss/score"))
            .or_else(|| number(record, "/vuln/cvss/score"))
            .or_else(|| number(record, "/cvss")),
        first(record, &["/cvssVector", "/cvss/vector", "/vuln/cvss/vector"]),
    );
    let word = first(record, &["/severity", "/vuln/severity"]);
    let either = |name: &str| {
        let found = texts(record, &format!("/{name}"), "/id");
        if found.is_empty() { texts(record, &format!("/vuln/{name}"), "/id") } else { found }
    };
    let description = match prose(record, "/description") {
        text if text.is_empty() => prose(record, "/vuln/description"),
        text => text,
    };
    let mut references = either("references");
    references.extend(text(record, "/url"));
    let aliases = either("aliases");
    let mut draft = Draft {
        stable_key,
        vuln: Vuln {
            cve: cve.or_else(|| cve_of([&vuln_id].into_iter().chain(&aliases))),
            vuln_id,
            aliases,
            title: title.unwrap_or_default(),
            description,
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            cwe: either("cwe"),
            functions: either("functions"),
            references,
        },
        package,
        asset,
        location,
        exposure: record.get("exposure").and_then(Value::as_object).cloned().unwrap_or_default(),
        warnings,
        ..Draft::default()
    };
    let plain = |value: &Value| match value {
        Value::String(text) => Some(Value::from(cut(text, MAX_TEXT_CHARS))),
        Value::Number(_) | Value::Bool(_) => Some(value.clone()),
        _ => None,
    };
    let extra = record.get("meta").and_then(Value::as_object).into_iter().flatten();
    let top = record.as_object().into_iter().flatten().filter(|(key, _)| !KNOWN.contains(&key.as_str()));
    for (key, value) in top.chain(extra).take(MAX_LIST) {
        if let Some(value) = plain(value) {
            draft.meta.insert(key.clone(), value);
        }
    }
    Ok(draft)
}

fn package(record: &Value) -> Option<Package> {
    let purl = first(record, &["/purl", "/package/purl"]);
    Some(Package {
        name: first(record, &["/packageName", "/package/name", "/package"])?,
        ecosystem: first(record, &["/packageEcosystem", "/ecosystem", "/package/ecosystem"])
            .or_else(|| Some(purl.as_ref()?.strip_prefix("pkg:")?.split('/').next()?.to_owned()))
            .map(|name| ecosystem(&name)),
        installed_version: first(
            record,
            &["/installedVersion", "/package/installedVersion", "/package/version", "/version"],
        ),
        affected_range: first(record, &["/affectedRange", "/package/affectedRange"]),
        fixed_version: first(record, &["/fixedVersion", "/package/fixedVersion"]),
        manifest_path: first(record, &["/manifestPath", "/package/manifestPath"]),
        purl,
    })
}

fn asset(record: &Value) -> Option<Asset> {
    Some(Asset {
        asset_id: first(record, &["/assetId", "/asset/assetId", "/asset/id", "/asset"])?,
        asset_type: first(record, &["/assetType", "/asset/assetType"]),
        account: first(record, &["/account", "/asset/account"]),
        region: first(record, &["/region", "/asset/region"]),
        tags: record.pointer("/asset/tags").and_then(Value::as_object).cloned().unwrap_or_default(),
        others: Vec::new(),
    })
}

fn location(record: &Value) -> Option<Location> {
    Some(Location {
        file: first(record, &["/location/file", "/file"])?,
        start_line: line_number(record, "/location/startLine")
            .or_else(|| line_number(record, "/startLine"))
            .or_else(|| line_number(record, "/line")),
        end_line: line_number(record, "/location/endLine").or_else(|| line_number(record, "/endLine")),
    })
}
