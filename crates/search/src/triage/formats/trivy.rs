//! Reports of Trivy: vulnerabilities, misconfigurations and secrets.

use serde_json::Value;

use super::super::record::{Location, Package, Vuln};
use super::{
    Draft, Entries, cve_of, ecosystem, first, line_number, list, number, prose, rating, severity, text, texts,
};

/// Reads one kind of result.
type Read = fn(&Value, &Value, &str) -> Result<Draft, String>;

pub fn read(report: &Value, out: &mut Entries) -> Result<(), String> {
    if report.get("SchemaVersion").is_none() && !report.get("Results").is_some_and(Value::is_array) {
        return Err("it has no list of Results".into());
    }
    let artifact = text(report, "/ArtifactName");
    for (result_at, result) in list(report, "/Results").enumerate() {
        let target = text(result, "/Target").unwrap_or_default();
        let kinds: [(&str, Read); 3] = [
            ("Vulnerabilities", vulnerability),
            ("Misconfigurations", misconfiguration),
            ("Secrets", secret),
        ];
        for (key, draft) in kinds {
            for (at, one) in list(result, &format!("/{key}")).enumerate() {
                let mut draft = draft(result, one, &target);
                if let (Ok(draft), Some(artifact)) = (&mut draft, &artifact) {
                    draft.meta.insert("artifact".into(), artifact.as_str().into());
                }
                out.add(&format!("/Results/{result_at}/{key}/{at}"), draft);
            }
        }
    }
    Ok(())
}

fn vulnerability(result: &Value, one: &Value, target: &str) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let id = text(one, "/VulnerabilityID").ok_or("it has no VulnerabilityID")?;
    let name = text(one, "/PkgName").ok_or("it names no package (PkgName)")?;
    let path = text(one, "/PkgPath");
    let cvss = one
        .get("CVSS")
        .and_then(Value::as_object)
        .and_then(|by_source| by_source.get("nvd").or_else(|| by_source.values().next()))
        .and_then(|known| rating(number(known, "/V3Score"), first(known, &["/V3Vector", "/V2Vector"])));
    let word = text(one, "/Severity");
    Ok(Draft {
        stable_key: format!("{id}:{name}:{target}:{}", path.as_deref().unwrap_or_default()),
        package: Some(Package {
            name,
            ecosystem: text(result, "/Type").map(|name| ecosystem(&name)),
            installed_version: text(one, "/InstalledVersion"),
            affected_range: None,
            fixed_version: text(one, "/FixedVersion"),
            manifest_path: path.or_else(|| Some(target.to_owned())).filter(|path| !path.is_empty()),
            purl: text(one, "/PkgIdentifier/PURL"),
        }),
        vuln: Vuln {
            cve: cve_of([&id].into_iter()),
            vuln_id: id,
            aliases: texts(one, "/VendorIDs", ""),
            title: text(one, "/Title").unwrap_or_default(),
            description: prose(one, "/Description"),
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            cwe: texts(one, "/CweIDs", ""),
            references: texts(one, "/References", ""),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    })
}

fn misconfiguration(_: &Value, one: &Value, target: &str) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let id = first(one, &["/ID", "/AVDID"]).ok_or("it has no ID")?;
    let place = location(one, "/CauseMetadata", target);
    let word = text(one, "/Severity");
    Ok(Draft {
        stable_key: format!("{id}:{target}:{}", place.start_line.unwrap_or_default()),
        location: Some(place),
        vuln: Vuln {
            vuln_id: id,
            title: first(one, &["/Title", "/Message"]).unwrap_or_default(),
            description: prose(one, "/Description"),
            severity: severity(word.as_deref(), None, &mut warnings),
            references: texts(one, "/References", ""),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    })
}

fn secret(_: &Value, one: &Value, target: &str) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let id = text(one, "/RuleID").ok_or("it has no RuleID")?;
    let place = location(one, "", target);
    let word = text(one, "/Severity");
    // The match itself is left out: a record must not carry the secret on.
    Ok(Draft {
        stable_key: format!("{id}:{target}:{}", place.start_line.unwrap_or_default()),
        location: Some(place),
        vuln: Vuln {
            vuln_id: id,
            title: text(one, "/Title").unwrap_or_default(),
            severity: severity(word.as_deref(), None, &mut warnings),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    })
}

fn location(one: &Value, inside: &str, target: &str) -> Location {
    Location {
        file: target.to_owned(),
        start_line: line_number(one, &format!("{inside}/StartLine")),
        end_line: line_number(one, &format!("{inside}/EndLine")),
    }
}
