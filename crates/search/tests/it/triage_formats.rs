//! Reports of every scanner become the same records; what cannot be read is named with its place.

use serde_json::{Value, json};

use crate::site::Site;

/// Reads a report and returns what was answered with the fields of its findings, worst first.
fn ingest(source: &str, input: Value) -> (Value, Vec<Value>) {
    let site = Site::new(&[]);
    let report = site.call("triage_ingest", json!({"source": source, "input": input.clone()})).unwrap();
    let again = site.call("triage_ingest", json!({"source": source, "input": input})).unwrap();
    assert_eq!(again["recordIds"], report["recordIds"], "the same report, the same ids");
    assert_eq!((&again["written"], &again["errors"]), (&json!(0), &report["errors"]));
    let found =
        site.call("search", json!({"query": "*", "mode": "records", "output": "full", "top": 100})).unwrap();
    let records = found["search"]["records"].as_array().unwrap().iter().map(|hit| hit["record"].clone());
    (report, records.collect())
}

fn check(source: &str, input: Value, expected: &[&str], errors: &[&str]) {
    let (report, records) = ingest(source, input);
    let lines: Vec<String> = records
        .iter()
        .map(|record| {
            let text = |pointer: &str| {
                record
                    .pointer(pointer)
                    .map_or("-".to_owned(), |value| value.as_str().map_or(value.to_string(), str::to_owned))
            };
            format!(
                "{} {} {} {} {} {}",
                text("/vulnId"),
                text("/cve"),
                text("/severity"),
                text("/package/name"),
                text("/package/ecosystem"),
                text("/location/file"),
            )
        })
        .collect();
    assert_eq!(lines, expected, "{source}");
    let bad: Vec<String> = report["errorDetails"]
        .as_array()
        .unwrap()
        .iter()
        .map(|bad| format!("{} {}", bad["index"], bad["position"].as_str().unwrap()))
        .collect();
    assert_eq!(bad, errors, "{source}");
    assert_eq!(report["errors"], errors.len());
}

#[test]
fn dependabot_alerts() {
    let alert = |number: u32, ghsa: Value| {
        json!({
            "number": number, "state": "open",
            "dependency": { "package": { "ecosystem": "pip", "name": "jinja2" }, "manifest_path": "requirements.txt" },
            "security_advisory": {
                "ghsa_id": ghsa, "cve_id": "CVE-2024-0001", "summary": "A hole", "severity": "high",
                "cvss": { "score": 7.5 }, "cwes": [{ "cwe_id": "CWE-79" }],
            },
            "security_vulnerability": { "vulnerable_version_range": "< 3.1.3" },
        })
    };
    let mut nothing = alert(3, json!("GHSA-c"));
    nothing["dependency"] = json!({});
    check(
        "dependabot",
        json!([alert(1, json!("GHSA-a")), 7, nothing, alert(2, json!("GHSA-b"))]),
        &["GHSA-a CVE-2024-0001 high jinja2 pypi -", "GHSA-b CVE-2024-0001 high jinja2 pypi -"],
        &["1 /1", "2 /2"],
    );
}

#[test]
fn inspector_findings_with_several_packages_become_several_records() {
    let finding = json!({
        "findingArn": "arn:aws:inspector2:eu:1:finding/a", "severity": "CRITICAL", "title": "CVE-2024-0002",
        "packageVulnerabilityDetails": {
            "vulnerabilityId": "CVE-2024-0002",
            "vulnerablePackages": [
                { "name": "openssl", "version": "1.1.1", "packageManager": "OS" },
                { "name": "libssl", "version": "1.1.1", "packageManager": "OS" },
            ],
        },
        "resources": [{ "id": "i-1", "type": "AWS_EC2_INSTANCE", "region": "eu" }, { "id": "i-2" }],
    });
    let (report, records) = ingest("aws_inspector", json!({ "findings": [finding, { "title": "nothing" }] }));
    assert_eq!((&report["total"], &report["written"], &report["errors"]), (&json!(3), &json!(2), &json!(1)));
    assert_eq!(report["errorDetails"][0]["position"], "/findings/1");
    let mut names: Vec<&str> = records.iter().map(|record| record["packageName"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["libssl", "openssl"]);
    assert_eq!(records[0]["asset"]["others"], json!(["i-2"]));
}

#[test]
fn generic_and_manual_records_may_be_flat_or_nested() {
    check(
        "generic",
        json!({ "records": [
            { "vulnId": "X-1", "cve": "CVE-2024-0003", "cvssScore": 9.8, "packageName": "left-pad", "ecosystem": "npm" },
            { "vuln": { "vulnId": "X-2", "severity": "moderate" }, "package": { "name": "time", "purl": "pkg:cargo/time@0.1" } },
            { "severity": "high" },
            { "recordId": "../escape", "title": "A path as id" },
            { "title": "Only a title", "severity": "dangerous", "file": "src/a.rs" },
        ] }),
        &[
            "X-1 CVE-2024-0003 critical left-pad npm -",
            "X-2 - medium time cargo -",
            "Only a title - unknown - - src/a.rs",
        ],
        &["2 /records/2", "3 /records/3"],
    );
}

#[test]
fn lines_of_json_are_read_one_by_one() {
    let text = "{\"vulnId\":\"A\",\"severity\":\"low\"}\n\n{broken\n{\"vulnId\":\"B\",\"severity\":\"info\"}\n[]\n\"text\"\n";
    check("manual", json!(text), &["A - low - - -", "B - info - - -"], &["1 line 3", "3 line 6"]);
}

#[test]
fn sarif_results() {
    let log = json!({ "version": "2.1.0", "runs": [{
        "tool": { "driver": { "name": "Scan", "rules": [
            { "id": "js/xss", "properties": { "security-severity": "6.1", "tags": ["external/cwe/cwe-79"] } },
        ] } },
        "results": [
            { "ruleId": "js/xss", "ruleIndex": 0, "message": { "text": "Text reaches the page" },
              "locations": [{ "physicalLocation": { "artifactLocation": { "uri": "src/app.js" }, "region": { "startLine": 3 } } }] },
            { "ruleId": "other", "level": "error", "message": { "text": "Bad" } },
            { "message": { "text": "no rule" } },
        ],
    }] });
    check("sarif", log, &["other - high - - -", "js/xss - medium - - src/app.js"], &["2 /runs/0/results/2"]);
}

#[test]
fn osv_reports_and_advisories() {
    let advisory = json!({
        "id": "GHSA-x", "aliases": ["CVE-2024-0004"], "summary": "Hole",
        "severity": [{ "type": "CVSS_V3", "score": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H" }],
        "affected": [{ "package": { "ecosystem": "crates.io", "name": "time" },
            "ranges": [{ "type": "SEMVER", "events": [{ "introduced": "0" }, { "fixed": "0.2.23" }] }] }],
    });
    let scan = json!({ "results": [{ "source": { "path": "Cargo.lock" }, "packages": [
        { "package": { "name": "time", "version": "0.1.43", "ecosystem": "crates.io" }, "vulnerabilities": [advisory, {}] },
    ] }] });
    check(
        "osv",
        scan.clone(),
        &["GHSA-x CVE-2024-0004 high time cargo -"],
        &["1 /results/0/packages/0/vulnerabilities/1"],
    );
    check(
        "osv",
        json!([advisory, { "id": "Y" }, {}]),
        &["GHSA-x CVE-2024-0004 high time cargo -"],
        &["1 /1", "2 /2"],
    );
    let (_, records) = ingest("osv", scan);
    assert_eq!(records[0]["package"]["fixedVersion"], "0.2.23");
    assert_eq!(records[0]["package"]["affectedRange"], ">= 0, < 0.2.23");
    assert_eq!(records[0]["vuln"]["cvss"]["score"], 7.5);
}

#[test]
fn trivy_reports() {
    let report = json!({ "SchemaVersion": 2, "ArtifactName": "image:1", "Results": [
        { "Target": "package-lock.json", "Type": "npm", "Vulnerabilities": [
            { "VulnerabilityID": "CVE-2024-0005", "PkgName": "lodash", "InstalledVersion": "4.17.15", "Severity": "HIGH" },
            { "PkgName": "nameless" },
        ] },
        { "Target": "Dockerfile", "Misconfigurations": [{ "ID": "DS002", "Title": "root user", "Severity": "LOW" }] },
        { "Target": "config.env", "Secrets": [{ "RuleID": "aws-key", "Severity": "CRITICAL", "Title": "AWS key", "StartLine": 4, "Match": "AKIA-not-kept" }] },
    ] });
    check(
        "trivy",
        report.clone(),
        &[
            "aws-key - critical - - config.env",
            "CVE-2024-0005 CVE-2024-0005 high lodash npm -",
            "DS002 - low - - Dockerfile",
        ],
        &["1 /Results/0/Vulnerabilities/1"],
    );
    let (_, records) = ingest("trivy", report);
    assert!(!json!(records).to_string().contains("AKIA"), "the secret itself is not kept");
}

#[test]
fn npm_audit_reports_old_and_new() {
    let report = json!({ "auditReportVersion": 2, "vulnerabilities": {
        "lodash": { "name": "lodash", "severity": "high", "isDirect": true, "range": "<4.17.21", "via": [
            { "source": 1, "name": "lodash", "title": "Injection", "url": "https://example.test/advisories/GHSA-35jh-r3h4-6jhm", "severity": "high", "range": "<4.17.21" },
        ] },
        "grunt": { "name": "grunt", "severity": "high", "via": ["lodash"] },
        "odd/name": { "name": "odd" },
    } });
    check(
        "npm_audit",
        report,
        &["GHSA-35jh-r3h4-6jhm - high lodash npm -"],
        &["1 /vulnerabilities/odd~1name"],
    );
    let old = json!({ "advisories": { "577": { "id": 577, "module_name": "lodash", "severity": "low", "title": "Pollution", "cves": ["CVE-2018-3721"] }, "1": {} } });
    check("npm_audit", old, &["577 CVE-2018-3721 low lodash npm -"], &["1 /advisories/1"]);
}

#[test]
fn cargo_audit_reports() {
    let report = json!({
        "vulnerabilities": { "found": true, "count": 1, "list": [
            { "advisory": { "id": "RUSTSEC-2020-0071", "aliases": ["CVE-2020-26235"], "title": "Segfault",
                "cvss": "CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:U/C:N/I:N/A:H" },
              "versions": { "patched": [">=0.2.23"] }, "package": { "name": "time", "version": "0.1.43" } },
            { "advisory": {}, "package": { "name": "x" } },
        ] },
        "warnings": { "yanked": [{ "kind": "yanked", "package": { "name": "old", "version": "1.0.0" } }] },
    });
    check(
        "cargo_audit",
        report,
        &["RUSTSEC-2020-0071 CVE-2020-26235 medium time cargo -", "yanked - info old cargo -"],
        &["1 /vulnerabilities/list/1"],
    );
}

#[test]
fn a_report_of_another_kind_is_refused() {
    let site = Site::new(&[
        ("report.json", "{\"runs\": 1}"),
        ("bad.json", "{\n  \"a\": }"),
        ("bin.json", "\0\0\0\u{1}"),
    ]);
    for (source, input) in [
        ("sarif", json!({"inputPath": "report.json"})),
        ("trivy", json!({"inputPath": "report.json"})),
        ("cargo_audit", json!({"inputPath": "report.json"})),
        ("npm_audit", json!({"inputPath": "report.json"})),
        ("generic", json!({"inputPath": "bad.json"})),
        ("generic", json!({"inputPath": "bin.json"})),
        ("generic", json!({"input": "not json"})),
        ("generic", json!({})),
        ("generic", json!({"input": {"vulnId": "A"}, "inputPath": "report.json"})),
    ] {
        let mut args = input;
        args["source"] = json!(source);
        let fault = site.call("triage_ingest", args.clone()).unwrap_err();
        assert_eq!(fault.code, mainstay_contract::ErrorCode::InvalidRequest, "{args}");
    }
    let fault =
        site.call("triage_ingest", json!({"source": "generic", "inputPath": "bad.json"})).unwrap_err();
    assert_eq!((&fault.details["line"], &fault.details["column"]), (&json!(2), &json!(8)));
}
