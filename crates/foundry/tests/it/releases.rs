//! Releases on real repositories, packed by the real npm and cargo.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Site;
use crate::scratch::Project;

const TAG: &str = "v0.2.0-internal.20260228";

fn read(project: &Project, path: &Value) -> String {
    let path = path.as_str().unwrap();
    assert!(!path.starts_with('/'), "{path} is relative");
    fs::read_to_string(project.path().join(path)).unwrap()
}

/// Files below the folder of artifacts, without the folder of the day and of the run.
fn left(project: &Project) -> Vec<String> {
    let files = project.files();
    let ours = files.iter().filter_map(|path| path.strip_prefix("artifacts/current-state/"));
    ours.map(|path| path.splitn(4, '/').last().unwrap().to_owned()).collect()
}

#[test]
fn a_tag_is_annotated_with_its_message_on_the_current_commit() {
    let project = Project::new();
    let message = "Sprint 52 release\n\n# not a comment\n-- done";
    let made = project.site.call("release.tag", json!({ "tag": TAG, "message": message, "apply": true }));
    assert_eq!((&made["created"], &made["tag"]), (&json!(true), &json!(TAG)));
    assert_eq!(made.get("warnings"), None);
    assert_eq!(project.git(&["cat-file", "-t", TAG]), "tag");
    assert_eq!(project.git(&["for-each-ref", "--format=%(contents)", &format!("refs/tags/{TAG}")]), message);
    let head = project.git(&["rev-parse", "HEAD"]);
    assert_eq!(project.git(&["rev-parse", &format!("{TAG}^{{commit}}")]), head);
    let record: Value = serde_json::from_str(&read(&project, &made["artifacts"][0])).unwrap();
    assert_eq!((&record["commit"], &record["message"]), (&json!(head), &json!(message)));
    assert_eq!(left(&project), ["bundle.json", "tag.json", "transcript.json"]);
}

#[test]
fn a_dry_run_creates_nothing_but_its_records() {
    let project = Project::new();
    let plan = project.site.call("release.tag", json!({ "tag": TAG, "message": null }));
    assert_eq!((&plan["created"], &plan["artifacts"]), (&json!(false), &json!([])));
    assert_eq!(project.git(&["tag", "--list"]), "");
    assert_eq!(left(&project), ["bundle.json", "transcript.json"]);
    let transcript: Value = serde_json::from_str(&read(&project, &plan["transcriptPath"])).unwrap();
    assert_eq!((&transcript["command"], &transcript["tool"]), (&json!("plan"), &json!("release.tag")));
}

#[test]
fn an_existing_tag_is_a_warning_in_a_dry_run_and_refused_with_apply() {
    let project = Project::new();
    project.git(&["tag", TAG]);
    let plan = project.site.call("release.tag", json!({ "tag": TAG }));
    assert_eq!(plan["warnings"], json!([format!("tag {TAG} already exists")]));
    let fault = project.site.fault("release.tag", json!({ "tag": TAG, "apply": true }));
    assert_eq!(fault.code.line().name(), "BAD_REQUEST");
    assert!(fault.message.contains("already exists"), "{}", fault.message);
}

#[test]
fn uncommitted_changes_are_a_warning_and_our_own_artifacts_are_none() {
    let project = Project::new();
    let tag = |apply: bool| project.site.call("release.tag", json!({ "tag": TAG, "apply": apply }));
    tag(false);
    assert_eq!(tag(false).get("warnings"), None, "the records of the first call are no change");
    project.write("README.md", "changed");
    project.write("new.txt", "x");
    let made = tag(true);
    assert_eq!(made["warnings"], json!(["2 files have uncommitted changes, which are not in the tag"]));
    assert_eq!(made["created"], true);
}

#[test]
fn names_that_are_no_release_tags_are_refused_before_anything_happens() {
    let project = Project::new();
    for tag in [
        "v1.2.3",
        "v0.2.0-internal.20269930",
        "v0.2.0-internal.20260230",
        "--force",
        "",
        "v0.2.0-internal.20260228;x",
    ] {
        let fault = project.site.fault("release.tag", json!({ "tag": tag, "apply": true }));
        assert_eq!(fault.code.line().name(), "BAD_REQUEST", "{tag}");
    }
    assert!(left(&project).is_empty());
    assert!(!project.site.accepts("release.tag", &json!({ "message": "x" })));
    assert!(!project.site.accepts("release.tag", &json!({ "tag": TAG, "force": true })));
    let nul = json!({ "tag": TAG, "message": "a\u{0}b", "apply": true });
    assert_eq!(project.site.fault("release.tag", nul).code.line().name(), "SCHEMA_INPUT");
}

#[test]
fn a_tag_needs_a_repository_with_a_commit_and_an_author() {
    let home = tempfile::tempdir().unwrap();
    let site = Site::with(|config| config.programs = Some(crate::scratch::programs(home.path())));
    let args = json!({ "tag": TAG, "apply": true });
    let fault = site.fault("release.tag", args.clone());
    assert!(fault.message.contains("no git repository"), "{}", fault.message);
    let status =
        std::process::Command::new("git").args(["init", "--quiet"]).current_dir(site.path()).status();
    assert!(status.unwrap().success());
    assert!(site.fault("release.tag", args.clone()).message.contains("no commit"));

    let project = Project::with(|config| {
        let env = &mut config.programs.as_mut().unwrap().env;
        env.retain(|name, _| !name.to_string_lossy().starts_with("GIT_"));
        env.insert("GIT_CONFIG_NOSYSTEM".into(), "1".into());
        env.insert("GIT_CONFIG_COUNT".into(), "1".into());
        env.insert("GIT_CONFIG_KEY_0".into(), "user.useConfigOnly".into());
        env.insert("GIT_CONFIG_VALUE_0".into(), "true".into());
    });
    let fault = project.site.fault("release.tag", args);
    assert!(fault.message.contains("who creates the tag"), "{} {:?}", fault.message, fault.details);

    let none = Site::new().fault("release.tag", json!({ "tag": TAG }));
    assert_eq!(none.code.name(), "CAPABILITY_MISSING");
}

/// Two npm packages, one crate.
fn with_packages(project: &Project) {
    project.write(
        "packages/tokens/package.json",
        r#"{ "name": "@oods/tokens", "version": "1.2.0", "files": ["dist"], "main": "dist/index.js", "types": "dist/index.d.ts",
            "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }, "./css": "./dist/tokens.css" } }"#,
    );
    project.write("packages/tokens/dist/index.js", "module.exports = {};\n");
    project.write("packages/tokens/dist/index.d.ts", "export {};\n");
    project.write("packages/tokens/.gitignore", "dist\n");
    project.write(
        "packages/variants/package.json",
        r#"{ "name": "@oods/tw-variants", "version": "0.1.0", "main": "index.js", "scripts": {
            "prepack": "node -e \"require('fs').writeFileSync('index.js', 'exports.at = ' + process.hrtime.bigint() + ';')\"" } }"#,
    );
    project.write("tools/core/Cargo.toml", "[package]\nname = \"core-rules\"\nversion = \"0.3.0\"\nedition = \"2021\"\nlicense = \"MIT\"\ndescription = \"x\"\n");
    project.write("tools/core/src/lib.rs", "pub fn one() -> u8 { 1 }\n");
}

#[test]
fn packages_are_packed_twice_and_every_difference_is_named() {
    let project = Project::with(|config| config.packages = vec!["tools/core".into()]);
    with_packages(&project);
    project.commit("fix(tokens): round once");
    project.git(&["tag", "v1.0.0"]);
    project.commit("feat!: drop the old scale");
    project.commit("not conventional");
    let before = project.files();
    let made = project.site.call("release.verify", json!({ "apply": true }));
    let names: Vec<&str> =
        made["results"].as_array().unwrap().iter().map(|result| result["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["@oods/tokens", "@oods/tw-variants", "core-rules"]);

    let tokens = &made["results"][0];
    assert_eq!((&tokens["identical"], &tokens["version"]), (&json!(true), &json!("1.2.0")), "{tokens}");
    assert_eq!(tokens["files"], json!(["dist/index.d.ts", "dist/index.js", "package.json"]));
    assert_eq!(
        tokens["warnings"],
        json!(["exports[\"./css\"] points to ./dist/tokens.css, which is not packed"])
    );
    assert_eq!(tokens["sha256"].as_str().unwrap().len(), 64);

    let variants = &made["results"][1];
    assert_eq!(variants["identical"], false);
    assert_eq!(variants["warnings"], json!(["different in the two archives: index.js"]));
    assert!(!project.path().join("packages/variants/index.js").exists(), "scripts run in a copy");

    let core = &made["results"][2];
    assert_eq!((&core["identical"], &core["version"]), (&json!(true), &json!("0.3.0")), "{core}");
    assert!(core["files"].as_array().unwrap().contains(&json!("src/lib.rs")), "{core}");
    assert_eq!(core.get("warnings"), None, "cargo packs without a network: {core}");

    assert_eq!(made["summary"], "2 of 3 packages packed the same twice; 2 with warnings.");
    assert_eq!(
        made["warnings"],
        json!(["1 of 2 commits have no conventional subject: \"not conventional\""])
    );
    let changelog = read(&project, &made["changelogPath"]);
    assert!(
        changelog.starts_with(
            "# Changelog\n\n2 commits since v1.0.0.\n\n## Breaking Changes\n\n- drop the old scale ("
        ),
        "{changelog}"
    );
    assert!(!changelog.contains("round once"));
    assert_eq!(
        left(&project),
        ["CHANGELOG.md", "bundle.json", "diagnostics.json", "results.json", "transcript.json"]
    );
    let after: Vec<String> =
        project.files().into_iter().filter(|path| !path.starts_with("artifacts/")).collect();
    assert_eq!(after, before, "the project itself is as it was");
    let scratch: Vec<_> = fs::read_dir(project.home.path()).unwrap().collect();
    assert!(scratch.is_empty(), "{scratch:?}");

    let old =
        project.site.call("release.verify", json!({ "packages": ["@oods/tokens"], "fromTag": "v1.0.0" }));
    assert_eq!((old["results"].as_array().unwrap().len(), &old["artifacts"]), (1, &json!([])));
    assert!(
        !project.path().join(old["changelogPath"].as_str().unwrap()).exists(),
        "a dry run writes no changelog"
    );
}

#[test]
fn what_cannot_be_verified_is_refused_with_what_there_is() {
    let project = Project::new();
    let fault = |args: Value| {
        let fault = project.site.fault("release.verify", args);
        (fault.code.line().name(), fault.message.clone(), fault.hint.unwrap_or_default())
    };
    assert!(fault(json!({})).1.contains("no packages"));
    project.write(
        "packages/a/package.json",
        r#"{ "name": "alpha", "version": "1.0.0", "scripts": { "prepack": "exit 3" } }"#,
    );
    project.write("packages/b/package.json", "{");
    let (code, message, hint) = fault(json!({ "packages": ["alpah"] }));
    assert_eq!(
        (code, message.as_str(), hint.as_str()),
        ("BAD_REQUEST", "no package is called \"alpah\"", "did you mean alpha")
    );
    assert_eq!(fault(json!({ "packages": ["alpha", "alpha"] })).0, "SCHEMA_INPUT");
    assert!(!project.site.accepts("release.verify", &json!({ "packages": [] })));
    assert!(!project.site.accepts("release.verify", &json!({ "packages": ["a", "a"] })));
    project.git(&["tag", "v1.0.0"]);
    for tag in ["v1.0.1", "--all", "", "HEAD"] {
        assert!(fault(json!({ "fromTag": tag })).1.contains("there is no tag"), "{tag}");
    }
    assert_eq!(fault(json!({ "fromTag": "v1.0.1" })).2, "did you mean v1.0.0");
    // A package that cannot be packed is a result, and the broken manifest beside it a warning.
    let answer = project.site.call("release.verify", json!({}));
    assert_eq!(answer["results"][0]["identical"], false);
    assert!(
        answer["results"][0]["warnings"][0].as_str().unwrap().starts_with("npm exited with status"),
        "{answer}"
    );
    assert!(
        answer["warnings"][0].as_str().unwrap().starts_with("packages/b/package.json was passed over"),
        "{answer}"
    );
}

#[test]
fn a_crate_that_needs_a_registry_is_compared_by_its_files() {
    let project = Project::new();
    project.write("Cargo.toml", "[workspace]\nmembers = [\"packages/*\"]\nresolver = \"2\"\n[workspace.package]\nversion = \"4.5.6\"\n");
    project.write(
        "packages/x/Cargo.toml",
        "[package]\nname = \"x-rules\"\nversion.workspace = true\nedition = \"2021\"\n[dependencies]\nno-such-crate-zzz = \"1\"\n",
    );
    project.write("packages/x/src/main.rs", "fn main() {}\n");
    let answer = project.site.call("release.verify", json!({}));
    let result = &answer["results"][0];
    assert_eq!((&result["identical"], &result["version"]), (&json!(true), &json!("4.5.6")), "{answer}");
    assert!(
        result["warnings"][0].as_str().unwrap().contains("the listed files were compared instead"),
        "{result}"
    );
    assert!(result["files"].as_array().unwrap().contains(&json!("src/main.rs")));
}
