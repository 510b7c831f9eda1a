//! `cargo audit --json`: vulnerabilities, and warnings about unmaintained, unsound and yanked crates.

use serde_json::Value;

use super::super::record::{MAX_LIST, Package, Vuln};
use super::super::severity::Severity;
use super::{Draft, Entries, cve_of, list, prose, rating, severity, text, texts};

pub fn read(report: &Value, out: &mut Entries) -> Result<(), String> {
    if report.pointer("/vulnerabilities/list").is_none_or(|list| !list.is_array()) {
        return Err("it has no vulnerabilities.list".into());
    }
    for (at, one) in list(report, "/vulnerabilities/list").enumerate() {
        out.add(&format!("/vulnerabilities/list/{at}"), draft(one, None));
    }
    for (kind, warnings) in report.get("warnings").and_then(Value::as_object).into_iter().flatten() {
        for (at, one) in warnings.as_array().into_iter().flatten().enumerate() {
            out.add(&format!("/warnings/{kind}/{at}"), draft(one, Some(kind)));
        }
    }
    Ok(())
}

fn draft(one: &Value, warning: Option<&str>) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let name = text(one, "/package/name").ok_or("it names no package")?;
    let version = text(one, "/package/version");
    // A yanked crate has no advisory: what is wrong is its own state.
    let id = match (text(one, "/advisory/id"), warning) {
        (Some(id), _) => id,
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => return Err("its advisory has no id".into()),
    };
    let aliases = texts(one, "/advisory/aliases", "");
    let cvss = rating(None, text(one, "/advisory/cvss"));
    let mut functions: Vec<String> = one
        .pointer("/affected/functions")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(path, _)| path.rsplit("::").next().unwrap_or(path).to_owned())
        .collect();
    functions.truncate(MAX_LIST);
    let found = severity(None, cvss.as_ref(), &mut warnings);
    let patched = texts(one, "/versions/patched", "");
    let mut references = texts(one, "/advisory/references", "");
    references.extend(text(one, "/advisory/url"));
    let mut draft = Draft {
        stable_key: format!("{id}:{name}:{}", version.as_deref().unwrap_or_default()),
        package: Some(Package {
            name,
            ecosystem: Some("cargo".into()),
            installed_version: version,
            fixed_version: patched.first().cloned(),
            manifest_path: Some("Cargo.lock".into()),
            ..Package::default()
        }),
        vuln: Vuln {
            cve: cve_of([&id].into_iter().chain(&aliases)),
            title: text(one, "/advisory/title")
                .unwrap_or_else(|| warning.map_or(String::new(), |kind| format!("the crate is {kind}"))),
            description: prose(one, "/advisory/description"),
            severity: if warning.is_some() && found == Severity::Unknown { Severity::Info } else { found },
            cvss,
            vuln_id: id,
            aliases,
            functions,
            references,
            cwe: Vec::new(),
        },
        warnings,
        ..Draft::default()
    };
    if let Some(kind) = warning {
        draft.meta.insert("kind".into(), kind.into());
    }
    Ok(draft)
}
