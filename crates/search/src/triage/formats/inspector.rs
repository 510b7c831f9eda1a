//! Findings of AWS Inspector. One that names several packages becomes one record for each.

use serde_json::Value;

use super::super::record::{Asset, MAX_LIST, Package, Vuln, line};
use super::{Draft, cve_of, ecosystem, first, list, number, prose, rating, severity, text, texts};

pub fn drafts(finding: &Value) -> Result<Vec<Draft>, String> {
    let details = finding.get("packageVulnerabilityDetails").unwrap_or(&Value::Null);
    let id = first(details, &["/vulnerabilityId"])
        .or_else(|| first(finding, &["/vulnerabilityId", "/type"]))
        .ok_or("it names no vulnerability (packageVulnerabilityDetails.vulnerabilityId)")?;
    let asset = asset(finding);
    let own_key = first(finding, &["/findingArn", "/arn", "/id"]);
    if own_key.is_none() && asset.is_none() {
        return Err("it has neither findingArn nor a resource".into());
    }
    let mut packages: Vec<Option<Package>> =
        list(details, "/vulnerablePackages").filter_map(package).take(MAX_LIST).map(Some).collect();
    if packages.is_empty() {
        packages.push(None);
    }
    let several = packages.len() > 1;
    let related = texts(details, "/relatedVulnerabilities", "");
    let draft = |package: Option<Package>| {
        let mut warnings = Vec::new();
        let asset_id = asset.as_ref().map_or("", |asset| asset.asset_id.as_str());
        let mut stable_key = own_key.clone().unwrap_or_else(|| format!("{id}:{asset_id}"));
        if let Some(package) = package.as_ref().filter(|_| several) {
            let place = package.manifest_path.as_deref().unwrap_or_default();
            stable_key = format!("{stable_key}:{}:{place}", package.name);
        }
        let cvss = rating(
            number(finding, "/inspectorScore").or_else(|| number(details, "/cvss/0/baseScore")),
            first(
                finding,
                &[
                    "/inspectorScoreDetails/adjustedCvss/scoringVector",
                    "/packageVulnerabilityDetails/cvss/0/scoringVector",
                ],
            ),
        );
        let word = first(finding, &["/severity", "/packageVulnerabilityDetails/vendorSeverity"]);
        let mut draft = Draft {
            stable_key,
            vuln: Vuln {
                vuln_id: id.clone(),
                cve: cve_of([&id].into_iter().chain(&related)),
                aliases: related.clone(),
                title: text(finding, "/title").unwrap_or_default(),
                description: prose(finding, "/description"),
                severity: severity(word.as_deref(), cvss.as_ref(), &mut warnings),
                cvss,
                references: texts(details, "/referenceUrls", ""),
                cwe: texts(finding, "/codeVulnerabilityDetails/cwes", ""),
                ..Vuln::default()
            },
            package,
            asset: asset.clone(),
            warnings,
            ..Draft::default()
        };
        for (key, pointer) in [("findingStatus", "/status"), ("exploitAvailable", "/exploitAvailable")] {
            if let Some(value) = text(finding, pointer) {
                draft.meta.insert(key.to_owned(), value.into());
            }
        }
        draft
    };
    Ok(packages.into_iter().map(draft).collect())
}

fn package(package: &Value) -> Option<Package> {
    Some(Package {
        name: text(package, "/name")?,
        ecosystem: text(package, "/packageManager").map(|name| ecosystem(&name)),
        installed_version: text(package, "/version"),
        fixed_version: text(package, "/fixedInVersion").filter(|version| version != "NotAvailable"),
        manifest_path: text(package, "/filePath"),
        ..Package::default()
    })
}

fn asset(finding: &Value) -> Option<Asset> {
    let mut resources = list(finding, "/resources");
    let resource = resources.next()?;
    Some(Asset {
        asset_id: text(resource, "/id")?,
        asset_type: text(resource, "/type"),
        account: text(finding, "/awsAccountId"),
        region: text(resource, "/region"),
        tags: resource
            .get("tags")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .take(MAX_LIST)
            .map(|(key, value)| (line(key), value.as_str().map(line).unwrap_or_default().into()))
            .collect(),
        others: resources.filter_map(|resource| text(resource, "/id")).take(MAX_LIST).collect(),
    })
}
