//! Alerts of Dependabot, as its API lists them.

use serde_json::Value;

use super::super::record::{Package, Vuln};
use super::{Draft, cve_of, ecosystem, first, number, prose, rating, severity, text, texts};

pub fn draft(alert: &Value) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let name = first(alert, &["/dependency/package/name", "/security_vulnerability/package/name"])
        .ok_or("it names no package (dependency.package.name)")?;
    let identifiers = texts(alert, "/security_advisory/identifiers", "/value");
    let ghsa = text(alert, "/security_advisory/ghsa_id");
    let cve = text(alert, "/security_advisory/cve_id").or_else(|| cve_of(identifiers.iter()));
    let id = ghsa.clone().or_else(|| cve.clone()).ok_or("its advisory has neither ghsa_id nor cve_id")?;
    let manifest = text(alert, "/dependency/manifest_path");
    let stable_key = match (first(alert, &["/id", "/number"]), &manifest) {
        (Some(number), _) => number,
        (None, manifest) => format!("{id}:{name}:{}", manifest.as_deref().unwrap_or_default()),
    };
    let cvss = rating(
        number(alert, "/security_advisory/cvss/score"),
        first(
            alert,
            &[
                "/security_advisory/cvss/vector_string",
                "/security_advisory/cvss_severities/cvss_v3/vector_string",
            ],
        ),
    );
    let word = first(alert, &["/security_vulnerability/severity", "/security_advisory/severity"]);
    let mut draft = Draft {
        stable_key,
        package: Some(Package {
            name,
            ecosystem: first(
                alert,
                &["/dependency/package/ecosystem", "/security_vulnerability/package/ecosystem"],
            )
            .map(|name| ecosystem(&name)),
            affected_range: text(alert, "/security_vulnerability/vulnerable_version_range"),
            fixed_version: text(alert, "/security_vulnerability/first_patched_version/identifier"),
            manifest_path: manifest,
            ..Package::default()
        }),
        vuln: Vuln {
            vuln_id: id.clone(),
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            aliases: identifiers
                .into_iter()
                .filter(|other| *other != id && Some(other) != cve.as_ref())
                .collect(),
            cve,
            title: text(alert, "/security_advisory/summary").unwrap_or_default(),
            description: prose(alert, "/security_advisory/description"),
            cwe: texts(alert, "/security_advisory/cwes", "/cwe_id"),
            references: texts(alert, "/security_advisory/references", "/url"),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    };
    for (key, pointer) in [
        ("alertState", "/state"),
        ("alertUrl", "/html_url"),
        ("scope", "/dependency/scope"),
        ("repo", "/repository/full_name"),
    ] {
        if let Some(value) = text(alert, pointer) {
            draft.meta.insert(key.to_owned(), value.into());
        }
    }
    Ok(draft)
}
