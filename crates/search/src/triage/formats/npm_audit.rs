//! `npm audit --json`: the report of npm 7 and later, and the older one.

use serde_json::Value;

use super::super::record::{MAX_LIST, Package, Vuln};
use super::{Draft, Entries, cve_of, first, list, number, prose, rating, severity, text, texts};

pub fn read(report: &Value, out: &mut Entries) -> Result<(), String> {
    if let Some(packages) = report.get("vulnerabilities").and_then(Value::as_object) {
        for (name, package) in packages {
            let pointer = format!("/vulnerabilities/{}", name.replace('~', "~0").replace('/', "~1"));
            if !package.get("via").is_some_and(Value::is_array) {
                out.add(&pointer, Err("it does not say what it is vulnerable by (via)".into()));
                continue;
            }
            // A text in `via` is another package of this report, which has its own advisory.
            let advisories = list(package, "/via").enumerate().filter(|(_, via)| !via.is_string());
            for (at, advisory) in advisories.take(MAX_LIST) {
                out.add(&format!("{pointer}/via/{at}"), draft(package, advisory));
            }
        }
        return Ok(());
    }
    let advisories = report
        .get("advisories")
        .and_then(Value::as_object)
        .ok_or("it has neither vulnerabilities nor advisories")?;
    for (key, advisory) in advisories {
        out.add(&format!("/advisories/{key}"), older(advisory));
    }
    Ok(())
}

fn draft(package: &Value, advisory: &Value) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let name = first(advisory, &["/name", "/dependency"])
        .or_else(|| text(package, "/name"))
        .ok_or("it names no package")?;
    let url = text(advisory, "/url");
    let id = url
        .as_deref()
        .and_then(|url| url.rsplit('/').next())
        .filter(|last| last.starts_with("GHSA-"))
        .map(str::to_owned)
        .or_else(|| text(advisory, "/source"))
        .ok_or("its advisory has neither url nor source")?;
    let cvss = rating(number(advisory, "/cvss/score"), text(advisory, "/cvss/vectorString"));
    let word = text(advisory, "/severity");
    let mut draft = Draft {
        stable_key: format!("{id}:{name}"),
        package: Some(Package {
            name,
            ecosystem: Some("npm".into()),
            affected_range: first(advisory, &["/range"]).or_else(|| text(package, "/range")),
            manifest_path: Some("package-lock.json".into()),
            ..Package::default()
        }),
        vuln: Vuln {
            cve: cve_of([&id].into_iter()),
            vuln_id: id,
            title: text(advisory, "/title").unwrap_or_default(),
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            cwe: texts(advisory, "/cwe", ""),
            references: url.into_iter().collect(),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    };
    if let Some(direct) = package.get("isDirect").and_then(Value::as_bool) {
        draft.meta.insert("direct".into(), direct.into());
    }
    if let (Some(fix), Some(version)) =
        (text(package, "/fixAvailable/name"), text(package, "/fixAvailable/version"))
    {
        draft.meta.insert("fix".into(), format!("{fix}@{version}").into());
    }
    Ok(draft)
}

fn older(advisory: &Value) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let name = text(advisory, "/module_name").ok_or("it names no package (module_name)")?;
    let id = first(advisory, &["/github_advisory_id", "/id"]).ok_or("it has no id")?;
    let cves = texts(advisory, "/cves", "");
    let cvss = rating(number(advisory, "/cvss/score"), text(advisory, "/cvss/vectorString"));
    let word = text(advisory, "/severity");
    let mut cwe = texts(advisory, "/cwe", "");
    cwe.extend(text(advisory, "/cwe"));
    Ok(Draft {
        stable_key: format!("{id}:{name}"),
        package: Some(Package {
            name,
            ecosystem: Some("npm".into()),
            installed_version: text(advisory, "/findings/0/version"),
            affected_range: text(advisory, "/vulnerable_versions"),
            fixed_version: text(advisory, "/patched_versions"),
            manifest_path: Some("package-lock.json".into()),
            ..Package::default()
        }),
        vuln: Vuln {
            vuln_id: id,
            cve: cve_of(cves.iter()),
            aliases: cves,
            title: text(advisory, "/title").unwrap_or_default(),
            description: prose(advisory, "/overview"),
            severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
            cvss,
            cwe,
            references: text(advisory, "/url").into_iter().collect(),
            ..Vuln::default()
        },
        warnings,
        ..Draft::default()
    })
}
