//! Figures of a real project.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Site;
use crate::scratch::Project;

#[test]
fn a_snapshot_counts_what_is_there_and_is_written_only_with_apply() {
    let project = Project::new();
    project.write("src/Button.stories.tsx", "x");
    project.write(".gitignore", "build\n");
    project.write("build/x.js", "x");
    project.write("packages/a/package.json", r#"{ "name": "alpha", "version": "1.0.0" }"#);
    project.git(&["tag", "v0.1.0"]);
    project.commit("feat: more");
    let plan = project.site.call("diag.snapshot", json!({}));
    assert_eq!((&plan["artifacts"], plan.get("diagnosticsPath")), (&json!([]), None));
    let figures = &plan["structuredData"];
    let head = project.git(&["rev-parse", "HEAD"]);
    assert_eq!(
        figures["git"],
        json!({ "head": head, "branch": "main", "dirty": false, "changedFiles": 0, "commitsSinceRelease": 1, "lastRelease": "v0.1.0" })
    );
    assert_eq!(figures["repository"]["files"], 4, "{figures}");
    assert_eq!(figures["inventory"]["stories"], 1);
    assert_eq!(
        figures["packages"],
        json!([{ "name": "alpha", "version": "1.0.0", "folder": "packages/a", "kind": "npm" }])
    );
    let components = project.site.call("catalog.list", json!({}))["stats"]["componentCount"].clone();
    assert_eq!(
        (&figures["inventory"]["components"], &figures["kit"]["components"]),
        (&components, &components)
    );
    assert_eq!(figures["contrast"]["pairs"], figures["contrast"]["passed"]);

    project.write("README.md", "changed");
    let made = project.site.call("diag.snapshot", json!({ "apply": true }));
    let path = made["diagnosticsPath"].as_str().unwrap();
    let written: Value =
        serde_json::from_str(&fs::read_to_string(project.path().join(path)).unwrap()).unwrap();
    assert_eq!((&written["git"]["dirty"], &written["repository"]["files"]), (&json!(true), &json!(4)));
    assert_eq!(written, made["structuredData"]);
    assert!(!project.site.accepts("diag.snapshot", &json!({ "depth": 1 })));
}

#[test]
fn a_folder_without_git_is_noted() {
    let home = tempfile::tempdir().unwrap();
    let site = Site::with(|config| config.programs = Some(crate::scratch::programs(home.path())));
    let plan = site.call("diag.snapshot", json!({}));
    assert_eq!(plan["structuredData"]["git"], Value::Null);
    assert_eq!(plan["preview"]["notes"], json!(["the project is no git repository"]));
    assert_eq!(Site::new().call("diag.snapshot", json!({}))["structuredData"]["git"], Value::Null);
}
