//! Findings of linters in SARIF files: shown with the chunks they are about, and filtered by.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::filters::surface::{Http, Mcp, Surface};
use crate::site::Site;

/// One run of a tool with one result, in the shape that tool writes.
fn run(tool: &str, result: Value, more: Value) -> Value {
    let mut run = json!({ "tool": { "driver": { "name": tool } }, "results": [result] });
    run.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    run
}

fn result(rule: &str, uri: &str, line: u32) -> Value {
    let region = json!({ "startLine": line, "startColumn": 1 });
    json!({
        "ruleId": rule, "message": { "text": format!("{rule} is broken here") },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri }, "region": region } }],
    })
}

fn sarif(runs: &[Value]) -> String {
    json!({ "version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": runs })
        .to_string()
}

/// Four programs with a good and a bad function each, and a report on each as its linter writes it.
fn site() -> Site {
    let site = Site::new()
        .file("web/app.js", "function fine() {\n  return 1;\n}\n\nfunction sloppy() {\n  var lamp = 1;\n}\n")
        .file("src/main.rs", "struct Lamp;\n\nimpl Lamp {\n    fn fine(&self) {}\n\n    fn sloppy(&self) {\n        return ();\n    }\n}\n")
        .file("tool.py", "def fine():\n    return 1\n\n\ndef sloppy():\n    import os\n")
        .file("main.go", "package main\n\nfunc fine() {}\n\nfunc sloppy() {\n\tpanic(1)\n}\n")
        .file("deploy.yaml", "lamp: sloppy\nother: fine\n");
    let absolute = format!("file://{}/web/app.js", site.repo().canonicalize().unwrap().display());
    let bases = json!({ "originalUriBaseIds": { "ROOT": { "uri": "./" } } });
    let mut ruff = result("F401", "tool.py", 6);
    ruff["locations"][0]["physicalLocation"]["artifactLocation"]["uriBaseId"] = "%SRCROOT%".into();
    let mut clippy = result("clippy::needless_return", "src/main.rs", 7);
    clippy["level"] = "warning".into();
    let mut semgrep = result("go.panic", "main.go", 6);
    semgrep["ruleIndex"] = 0.into();
    let rules = json!({ "tool": { "driver": { "name": "semgrep", "rules": [{ "id": "go.panic", "defaultConfiguration": { "level": "error" } }] } } });
    let mut suppressed = result("quiet", "main.go", 3);
    suppressed["suppressions"] = json!([{ "kind": "inSource" }]);
    site.write("reports/eslint.sarif", &sarif(&[run("ESLint", result("no-var", &absolute, 6), json!({}))]));
    site.write("reports/clippy.sarif", &sarif(&[run("clippy", clippy, bases)]));
    site.write("reports/ruff.sarif", &sarif(&[run("ruff", ruff, json!({}))]));
    let of_yaml = run("yamllint", result("truthy", "deploy.yaml", 1), json!({}));
    site.write(
        "reports/semgrep.sarif",
        &sarif(&[run("semgrep", semgrep, rules), run("x", suppressed, json!({})), of_yaml]),
    );
    site
}

const REPORTS: &str = "reports/eslint.sarif,reports/clippy.sarif,reports/ruff.sarif,reports/semgrep.sarif";
const QUERY: &str = "fine OR sloppy";

/// `FILE NAME RULE` of every hit in code.
fn hits(found: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let hits = found["code"].as_array().unwrap().iter();
    let mut hits: Vec<String> = hits
        .map(|hit| format!("{} {} {}", text(&hit["file"]), text(&hit["name"]), text(&hit["lint"][0]["rule"])))
        .collect();
    hits.sort();
    hits
}

fn search(site: &Site, flags: &[&str]) -> Value {
    let words = ["search", QUERY, "--json", "--mode", "code", "-n", "50"];
    let answer = site.run(words.into_iter().chain(flags.iter().copied())).json();
    assert_eq!(answer["ok"], true, "{flags:?}: {answer}");
    answer
}

const BAD: [&str; 5] = [
    "deploy.yaml lamp truthy",
    "main.go sloppy go.panic",
    "src/main.rs sloppy clippy::needless_return",
    "tool.py sloppy F401",
    "web/app.js sloppy no-var",
];

#[test]
fn findings_of_four_linters_are_shown_and_filtered_by() {
    let site = site();
    let answer = search(&site, &["--lint", "--lint-reports", REPORTS]);
    assert_eq!(hits(&answer["result"]["search"]), BAD);
    assert!(answer["_meta"].get("warnings").is_none(), "{answer}");
    let first = answer["result"]["search"]["code"].as_array().unwrap().iter();
    let go = first.clone().find(|hit| hit["file"] == "main.go").unwrap();
    assert_eq!(
        go["lint"],
        json!([{ "line": 6, "rule": "go.panic", "level": "error", "message": "go.panic is broken here", "tool": "semgrep" }])
    );
    let good = hits(&search(&site, &["--lint=false", "--lint-reports", REPORTS])["result"]["search"]);
    assert!(
        good.contains(&"main.go fine ".to_owned()) && !good.iter().any(|hit| hit.contains("sloppy")),
        "{good:?}"
    );
    // Without reports only mistakes of syntax count.
    assert!(hits(&search(&site, &["--lint"])["result"]["search"]).is_empty());
    // The variable and the file of settings mean the same as the flag.
    let mut command = site.mainstay(["search", QUERY, "--json", "--mode", "code", "-n", "50", "--lint"]);
    let by_variable = site.ran(command.env("MAINSTAY_LINT_REPORTS", REPORTS)).json();
    assert_eq!(hits(&by_variable["result"]["search"]), BAD);
    let list: Vec<String> = REPORTS.split(',').map(|path| format!("\"{path}\"")).collect();
    site.write("mainstay.toml", &format!("lint-reports = [{}]\n", list.join(", ")));
    for surface in [&mut Mcp::start(&site) as &mut dyn Surface, &mut Http::start(&site)] {
        let found = surface.ask(&json!({ "query": QUERY, "mode": "code", "top": 50, "lint": true })).unwrap();
        assert_eq!(hits(&found), BAD, "{}", surface.name());
    }
    // People see what the linter said.
    let page = site.run(["search", "sym:sloppy", "--lang", "go"]);
    assert!(page.stdout.contains("error go.panic is broken here go.panic"), "{}", page.stdout);
}

#[test]
fn a_report_older_than_a_file_says_so() {
    let site = site();
    let path = site.repo().join("tool.py");
    let later = SystemTime::now() + Duration::from_secs(100);
    std::fs::File::options().write(true).open(path).unwrap().set_modified(later).unwrap();
    let answer = search(&site, &["--lint", "--lint-reports", REPORTS]);
    let warnings = answer["_meta"]["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{answer}");
    assert_eq!(
        (&warnings[0]["code"], &warnings[0]["report"]),
        (&json!("LINT_REPORT_STALE"), &json!("reports/ruff.sarif"))
    );
    for hit in answer["result"]["search"]["code"].as_array().unwrap() {
        let stale = hit["lint"][0].get("stale") == Some(&json!(true));
        assert_eq!(stale, hit["file"] == "tool.py", "{hit}");
    }
    // A report that was written again is read again.
    let report = std::fs::File::options().write(true).open(site.repo().join("reports/ruff.sarif")).unwrap();
    report.set_modified(later + Duration::from_secs(100)).unwrap();
    assert!(search(&site, &["--lint", "--lint-reports", REPORTS])["_meta"].get("warnings").is_none());
}

#[test]
fn bad_reports_are_warnings_and_hostile_paths_are_nothing() {
    let site = site();
    site.write("reports/text.sarif", "this is no JSON");
    site.write("reports/other.sarif", "{\"results\": []}");
    let nowhere = result("outside", "../../etc/passwd", 1);
    let list: Vec<Value> =
        ["/etc/passwd", "file:///etc/passwd", "https://example.org/a.js", "a/%2e%2e/%2e%2e/%2e%2e/x"]
            .iter()
            .map(|uri| result("outside", uri, 1))
            .chain([nowhere, json!({ "ruleId": "no-place", "message": { "text": "x" } }), json!(7)])
            .collect();
    site.write("reports/hostile.sarif", &json!({ "runs": [{ "results": list }] }).to_string());
    let deep = format!("{{\"runs\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    site.write("reports/deep.sarif", &deep);
    let reports = "reports/text.sarif,reports/other.sarif,reports/hostile.sarif,reports/deep.sarif,no/such.sarif,reports/ruff.sarif";
    let answer = search(&site, &["--lint", "--lint-reports", reports]);
    assert_eq!(hits(&answer["result"]["search"]), ["tool.py sloppy F401"]);
    let warnings = answer["_meta"]["warnings"].as_array().unwrap();
    let said: Vec<(&str, &str)> =
        warnings.iter().map(|one| (one["code"].as_str().unwrap(), one["report"].as_str().unwrap())).collect();
    assert_eq!(
        said,
        [
            ("LINT_REPORT_UNREADABLE", "reports/text.sarif"),
            ("LINT_REPORT_UNREADABLE", "reports/other.sarif"),
            ("LINT_REPORT_OUTSIDE", "reports/hostile.sarif"),
            ("LINT_REPORT_INCOMPLETE", "reports/hostile.sarif"),
            ("LINT_REPORT_UNREADABLE", "reports/deep.sarif"),
            ("LINT_REPORT_UNREADABLE", "no/such.sarif"),
        ]
    );
    assert!(!answer.to_string().contains("passwd"));
}
