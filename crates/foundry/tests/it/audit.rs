//! What the audit finds in real source of every language, and that its fixes are right.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use mainstay_foundry::audit::{self, Finding, Options, Report, Severity};
use mainstay_foundry::codegen::Framework;
use mainstay_foundry::kit::{LazyKit, Source};
use mainstay_foundry::scaffold;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::Site;

fn project(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn run(root: &Path, options: &Options) -> Report {
    let kit = LazyKit::new(Source::Embedded).get().unwrap();
    audit::audit(&kit, root, options, &|| false).unwrap()
}

/// `rule line:column replacement` of every finding.
fn lines(report: &Report) -> Vec<String> {
    let line = |finding: &Finding| {
        let fix = finding.fix.as_ref().map_or(String::new(), |fix| {
            format!(" {}{}", if fix.exact { "= " } else { "~ " }, fix.edits[0].replacement)
        });
        format!("{} {}:{}{fix}", finding.rule, finding.place.line, finding.place.column)
    };
    report.findings.iter().map(line).collect()
}

#[track_caller]
fn check(path: &str, text: &str, want: &[&str]) {
    let root = project(&[(path, text)]);
    assert_eq!(lines(&run(root.path(), &Options::default())), want, "{path}");
}

#[test]
fn stylesheets() {
    check(
        "app.css",
        ".card {\n  color: #ff00ff;\n  background: white;\n  padding: 16px 13px;\n  margin: -8px auto 0;\n  border-radius: 10px;\n  \
         font-size: 14px;\n  font-weight: bold;\n  line-height: 1.5;\n  width: 300px;\n  gap: var(--oods-sys-space-cluster-tight);\n}\n",
        &[
            "raw-color 2:10",
            "raw-color 3:15 = var(--oods-sys-surface-raised)",
            "raw-spacing 4:12 = var(--oods-sys-space-inset-default)",
            "raw-spacing 4:17 ~ var(--oods-sys-space-cluster-default)",
            "raw-spacing 5:11 = calc(-1 * var(--oods-sys-space-stack-tight))",
            "raw-radius 6:18 = var(--oods-sys-radius-card)",
            "raw-font 7:14 = var(--oods-ref-font-size-sm)",
            "raw-font 8:16 = var(--oods-ref-font-weight-bold)",
            "raw-font 9:16 = var(--oods-ref-font-leading-normal)",
        ],
    );
    check(
        "app.css",
        ":root { --oods-sys-text-primary: red; --mine: #000000; --oods-own: 1px; }\n\
         .oods-button { color: var(--oods-sys-text-primry); top: var(--oods-own); }\n\
         .oods-root a { background: url(#ffffff.png); color: currentColor; outline: 1px solid transparent; }\n\
         .x { box-shadow: 0 1px 2px rgba(0, 0, 0, .2); font: 14px/1.4 Arial; color: var(--mine, #fff); border: 1px solid hsl(0 100% 50%) }\n",
        &[
            "token-override 1:9",
            "raw-color 1:47",
            "restyled-component 2:2",
            "unknown-token 2:27 ~ --oods-sys-text-primary",
            "raw-shadow 4:18",
            "raw-font 4:53",
            "raw-color 4:113",
        ],
    );
}

#[test]
fn components_and_styles_of_tsx() {
    check(
        "App.tsx",
        "import { Buton, Card as Panel, Button } from '@oods/components';\n\
         import { Table } from 'antd';\nimport { Link } from 'react-router-dom';\n\
         const Own = () => null;\n\
         export const App = ({ items }: { items: string[] }) => (\n  <Panel>\n    <Buton label=\"x\">y</Buton>\n    \
         <Button lable=\"x\" size=\"large\" onClick={go} aria-label=\"x\" data-x=\"1\" />\n    <Table /> <Link to=\"/\" /> <Own /> <Nowhere />\n    \
         <div onClick={go} style={{ padding: 8, color: '#fff', gap: 'var(--oods-sys-space-none)' }} />\n    \
         <button>go</button><input type=\"checkbox\" /><input type=\"hidden\" />\n    <p style={{ gap: 'var(--oods-sys-space-none)' }} style={dynamic} />\n  </Panel>\n);\n",
        &[
            "unknown-component 7:6 ~ Button",
            "unknown-prop 8:13 ~ label",
            "prop-value 8:29",
            "foreign-component 9:6",
            "unknown-component 9:40",
            "bypassed-trait 10:10",
            "inline-style 10:23",
            "raw-spacing 10:41 = 'var(--oods-sys-space-inset-tight)'",
            "raw-color 10:52 = var(--oods-sys-accent-on)",
            "bypassed-trait 11:6",
            "bypassed-component 11:25",
            "inline-style 12:54",
        ],
    );
    check(
        "theme.ts",
        "export const brand = '#ff00ff';\nexport const id = '#add';\nexport const shadow = 'rgb(1, 2, 3)';\n",
        &["raw-color 1:23", "raw-color 3:24"],
    );
    check(
        "styled.ts",
        "const Box = styled.div`\n  color: ${theme};\n  padding: 16px;\n  ${mixin}\n  margin: ${a} 8px;\n`;\n\
         const view = html`<button @click=${go}>x</button><oods-metric-crd></oods-metric-crd>`;\n",
        &[
            "raw-spacing 3:12 = var(--oods-sys-space-inset-default)",
            "raw-spacing 5:16 = var(--oods-sys-space-stack-tight)",
            "bypassed-trait 7:20",
            "unknown-component 7:51 ~ MetricCard",
        ],
    );
}

#[test]
fn every_block_of_a_vue_file_is_read_in_its_own_language() {
    check(
        "App.vue",
        "<script setup lang=\"ts\">\nimport { Badge } from '@oods/components';\nconst color: string = '#ff00ff';\n</script>\n\
         <template>\n  <Badge lable=\"x\" tone=\"nope\" :style=\"{ padding: '16px', gap: n }\" />\n  <div style=\"color: #ff00ff\" @click=\"go\" />\n  \
         <RouterLink to=\"/\" /><Nope /><button class=\"oods-button\">ok</button>\n</template>\n\
         <style scoped>\n.a { padding: 16px; }\n</style>\n",
        &[
            "raw-color 3:24",
            "unknown-prop 6:10 ~ label",
            "prop-value 6:26",
            "inline-style 6:32",
            "raw-spacing 6:52 = var(--oods-sys-space-inset-default)",
            "inline-style 7:8",
            "raw-color 7:22",
            "bypassed-trait 7:31",
            "unknown-component 8:25",
            "raw-spacing 11:15 = var(--oods-sys-space-inset-default)",
        ],
    );
}

#[test]
fn pages_with_their_styles_and_scripts() {
    check(
        "index.html",
        "<!doctype html>\n<style>p { color: #ff00ff }</style>\n<script type=\"module\">const c = '#ff00ff';</script>\n\
         <script type=\"application/json\">{\"c\": \"#ff00ff\"}</script>\n\
         <table style=\"margin: 0; padding: 8px\"></table><a name=\"x\"></a><div data-oods-component=\"Buton\"></div>\n\
         <p style=\"gap: var(--oods-sys-space-none)\">ok</p>\n",
        &[
            "raw-color 2:19",
            "raw-color 3:34",
            "bypassed-component 5:2",
            "inline-style 5:8",
            "raw-spacing 5:35 = var(--oods-sys-space-inset-tight)",
            "unknown-component 5:90 ~ Button",
        ],
    );
}

#[test]
fn a_scaffolded_project_has_no_drift_and_its_own_drift_is_found() {
    let kit = LazyKit::new(Source::Embedded).get().unwrap();
    for framework in [Framework::React, Framework::Vue] {
        let root = tempfile::tempdir().unwrap();
        scaffold::write(root.path(), &scaffold::project(&kit, framework, None)).unwrap();
        let report = run(root.path(), &Options::default());
        assert_eq!(lines(&report), Vec::<String>::new(), "{framework:?}");
        assert!(report.summary.files_skipped["partOfTheKit"] >= 3, "{:?}", report.summary);
        let file = root.path().join("src/oods/components.css");
        let changed = fs::read_to_string(&file).unwrap() + "\n.oods-badge { color: #ff00ff; }\n";
        fs::write(&file, changed).unwrap();
        assert!(run(root.path(), &Options::default()).summary.by_rule.contains_key("raw-color"));
    }
}

#[test]
fn exact_fixes_are_a_patch_that_git_applies_and_that_leaves_nothing_exact() {
    let root = project(&[
        ("a.css", ".a { padding: 16px 8px;\r\n  color: #ff00ff; margin: -8px }"),
        ("src/b.tsx", "export const B = () => <p style={{ padding: 8, fontSize: '14px' }} />;\n"),
    ]);
    let report = run(root.path(), &Options::default());
    assert_eq!(report.summary.exact_fixes, 5, "{:?}", lines(&report));
    fs::write(root.path().join("fix.patch"), &report.patch).unwrap();
    let git =
        Command::new("git").args(["apply", "-v", "fix.patch"]).current_dir(root.path()).output().unwrap();
    assert!(git.status.success(), "{}\n{}", String::from_utf8_lossy(&git.stderr), report.patch);
    let again = run(root.path(), &Options::default());
    assert_eq!((again.summary.exact_fixes, again.patch.as_str()), (0, ""));
    assert_eq!(again.summary.by_rule, BTreeMap::from([("raw-color".into(), 1)]));
    assert!(
        fs::read_to_string(root.path().join("src/b.tsx"))
            .unwrap()
            .contains("padding: 'var(--oods-sys-space-inset-tight)'")
    );
}

#[test]
fn what_git_ignores_and_what_is_too_much_is_counted_not_read() {
    let raw = ".a { color: #ff00ff }\n";
    let large = raw.repeat(60_000);
    let root = project(&[
        (".gitignore", "build/\n"),
        ("build/x.css", raw),
        ("node_modules/x/x.css", raw),
        ("out/x.css", raw),
        ("x.min.css", raw),
        ("x.svelte", "<style></style>"),
        ("large.css", &large),
        ("binary.css", "a\0b"),
        (".purityignore", "legacy/\n"),
        ("legacy/x.css", raw),
        ("ok.css", "/* purity-ignore-next-line raw-color */\n.a { color: #ff00ff }\n.b { color: #ff00ff }\n"),
    ]);
    let options = Options { leave_out: vec!["out".into()], ..Options::default() };
    let report = run(root.path(), &options);
    assert_eq!(lines(&report), ["raw-color 3:13"]);
    assert_eq!(report.summary.suppressed, 1);
    let want = [("generated", 1), ("tooLarge", 1), ("unreadable", 1), ("unsupportedLanguage", 1)];
    let want: BTreeMap<String, usize> =
        want.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(report.summary.files_skipped, want);

    let few = Options {
        max_findings: Some(1),
        paths: vec!["ok.css".into(), "large.css".into()],
        ..options.clone()
    };
    fs::write(root.path().join("ok.css"), raw.repeat(10)).unwrap();
    let report = run(root.path(), &few);
    assert_eq!((report.findings.len(), report.summary.unlisted, report.summary.total()), (1, 9, 10));
    assert_eq!(report.summary.errors, 10, "what is not listed counts");

    let strict = BTreeMap::from([("raw-color".to_owned(), Severity::Off)]);
    let report = run(root.path(), &Options { severities: strict, ..options.clone() });
    assert_eq!(report.summary.total(), 0);
}

#[test]
fn hostile_source_ends_in_time_and_never_panics() {
    let deep = "<div>".repeat(3_000);
    let nested = format!("a{}", "{a".repeat(3_000));
    let jsx = format!("const x = {};", "<A style={{color:'#".repeat(1_000));
    let root = project(&[
        ("a.html", &deep),
        ("b.css", &nested),
        ("c.tsx", &jsx),
        ("d.vue", "<template><a :style=\"{\" /><b style='x:y' @click></template><script lang=ts>import {"),
        ("e.css", "a{color:#;padding:px -;margin:--x;font:;x:var(;--oods-:1;color:rgb(1e999 0 0)}"),
        ("f.tsx", "<>{`${`</>`; style`x${"),
    ]);
    let report = run(root.path(), &Options::default());
    assert_eq!(report.summary.files_scanned, 6);
    assert!(report.summary.files_with_syntax_errors >= 3);
}

#[test]
fn a_cancelled_audit_stops() {
    let root = project(&[("a.css", "a{color:red}")]);
    let kit = LazyKit::new(Source::Embedded).get().unwrap();
    assert!(audit::audit(&kit, root.path(), &Options::default(), &|| true).is_err());
    let outside = Options { paths: vec!["../x".into()], ..Options::default() };
    assert!(audit::audit(&kit, root.path(), &outside, &|| false).is_err());
}

#[test]
fn deprecated_names_of_a_kit_are_found_with_what_to_use() {
    let kit_dir = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("kit"), kit_dir.path());
    let change = |file: &str, from: &str, to: &str| {
        let path = kit_dir.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    };
    change(
        "components/primitive.json",
        "\"name\": \"Banner\",",
        "\"name\": \"Banner\", \"deprecated\": {\"reason\": \"too loud\", \"use\": \"Card\"},",
    );
    change("tokens/system.json", "\"muted\": {", "\"muted\": { \"$deprecated\": \"use secondary\",");
    let kit = LazyKit::new(Source::Directory(kit_dir.path().to_owned())).get().unwrap();
    let root = project(&[
        ("a.tsx", "import { Banner } from '@oods/components';\nexport const A = () => <Banner>x</Banner>;\n"),
        ("b.css", "a { color: var(--oods-sys-text-muted); }\n"),
    ]);
    let report = audit::audit(&kit, root.path(), &Options::default(), &|| false).unwrap();
    assert_eq!(lines(&report), ["deprecated-component 2:25 ~ Card", "deprecated-token 1:16"]);
    assert_eq!(report.findings[0].fix.as_ref().unwrap().edits.len(), 2);
    assert!(report.findings[1].message.ends_with("use secondary"), "{}", report.findings[1].message);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            let _ = fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_tool_previews_and_writes_json_sarif_and_a_patch() {
    let site = Site::new();
    fs::create_dir_all(site.path().join("src")).unwrap();
    fs::write(site.path().join("src/ä b.css"), "a { padding: 16px; color: #ff00ff; }\n").unwrap();
    fs::write(site.path().join("src/c.css"), "a { padding: 16px; }\n").unwrap();
    let plan = site.call("purity.audit", json!({}));
    assert_eq!((&plan["artifacts"], &plan["status"]), (&json!([]), &json!("invalid")));
    assert_eq!(plan["structuredData"]["findings"].as_array().unwrap().len(), 3);
    assert!(!site.path().join("artifacts/current-state").join("purity-audit.json").exists());

    let made = site.call("purity.audit", json!({ "apply": true }));
    let read = |index: usize| {
        let path = made["artifacts"][index].as_str().unwrap().to_owned();
        (fs::read_to_string(site.path().join(&path)).unwrap(), path)
    };
    let (report, path) = read(0);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(path.ends_with("/purity.audit/purity-audit.json"), "{path}");
    assert_eq!((&report["violations"], &report["files"]), (&json!(3), &json!(["src/c.css", "src/ä b.css"])));
    let sarif: Value = serde_json::from_str(&read(1).0).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    for result in results {
        let rule =
            &sarif["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
    }
    let location = &results[1]["locations"][0]["physicalLocation"];
    assert_eq!(location["artifactLocation"]["uri"], "src/%C3%A4%20b.css");
    assert_eq!(
        location["region"],
        json!({ "startLine": 1, "startColumn": 14, "endLine": 1, "endColumn": 18 })
    );
    let change = &results[1]["fixes"][0]["artifactChanges"][0]["replacements"][0];
    assert_eq!(change["insertedContent"]["text"], "var(--oods-sys-space-inset-default)");
    assert!(read(2).0.starts_with("--- a/src/c.css"));

    // The reports of the first run are not source.
    let again = site.call("purity.audit", json!({ "apply": true }));
    assert_eq!(again["structuredData"], made["structuredData"]);
    let narrow = json!({ "paths": ["src/c.css"], "rules": { "raw-spacing": "off" } });
    assert_eq!(site.call("purity.audit", narrow)["status"], "ok");
    for wrong in
        [json!({ "paths": ["../x"] }), json!({ "paths": ["/etc"] }), json!({ "rules": { "nope": "off" } })]
    {
        assert_eq!(site.fault("purity.audit", wrong).code.line().name(), "BAD_REQUEST");
    }
    assert!(!site.accepts("purity.audit", &json!({ "rules": { "raw-color": "fatal" } })));
    assert!(!site.accepts("purity.audit", &json!({ "schema": {} })));
}
