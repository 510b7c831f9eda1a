//! Instruction files in, one document out.

use serde_json::json;

use crate::site::{Server, Site};

fn project(site: &Site) -> std::path::PathBuf {
    let root = site.root.path().join("project");
    for dir in [".cursor/rules", ".github/instructions"] {
        std::fs::create_dir_all(root.join(dir)).unwrap();
    }
    let write = |name: &str, text: &str| std::fs::write(root.join(name), text).unwrap();
    write("AGENTS.md", "# Project\n\nBe kind.\n\n## Build\n\nRun `make`.\n\n## Test\n\nRun `make test`.\n");
    write(
        ".cursor/rules/naming.mdc",
        "---\ndescription: How we name things\nglobs: src/**/*.ts\nalwaysApply: true\n---\n\nUse nouns.\n",
    );
    write(".github/copilot-instructions.md", "Prefer small functions.\n");
    write(".github/instructions/ts.instructions.md", "---\napplyTo: \"**/*.ts\"\n---\nNo `any`.\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("AGENTS.md", root.join("CLAUDE.md")).unwrap();
    root
}

#[test]
fn files_become_drafts_only_when_applied() {
    let site = Site::new();
    let root = project(&site);
    let before = site.files();
    let preview = site.call("instructions/importFiles", json!({"path": root}));
    let drafts: Vec<(&str, &str)> = preview["drafts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|draft| (draft["source"].as_str().unwrap(), draft["entry"]["id"].as_str().unwrap()))
        .collect();
    assert_eq!(
        drafts,
        [
            ("AGENTS.md", "agents-project"),
            ("AGENTS.md", "agents-build"),
            ("AGENTS.md", "agents-test"),
            (".github/copilot-instructions.md", "copilot-copilot-instructions"),
            (".cursor/rules/naming.mdc", "cursor-how-we-name-things"),
            (".github/instructions/ts.instructions.md", "copilot-ts"),
        ]
    );
    assert_eq!(site.files(), before, "a preview writes nothing");
    let applied = site.call("instructions/importFiles", json!({"path": root, "apply": true}));
    assert_eq!(applied["applied"]["imported"], 6, "{applied}");
    let rule = site.get("cursor-how-we-name-things");
    assert_eq!(
        [&rule["status"], &rule["body"], &rule["globs"], &rule["alwaysApply"], &rule["semanticSummary"]],
        [
            &json!("draft"),
            &json!("Use nouns."),
            &json!("src/**/*.ts"),
            &json!(true),
            &json!("How we name things")
        ]
    );
    assert_eq!(site.get("copilot-ts")["applyTo"], "**/*.ts");
    let again = site.call("instructions/importFiles", json!({"path": root, "apply": true}));
    assert_eq!((&again["applied"]["skipped"], &again["drafts"][0]["exists"]), (&json!(6), &json!(true)));
}

#[test]
fn an_exported_document_reads_back_as_the_same_entries() {
    let site = Site::new();
    site.call("instructions/import", json!({"entries": [
        {"id": "second", "title": "Second", "body": "More.\n\n### Deeper\n\nText.", "priority": 40, "audience": "all", "requirement": "optional"},
        {"id": "first", "title": "First", "body": "Must do.", "priority": 60, "audience": "all", "requirement": "mandatory"},
        {"id": "gone", "title": "Gone", "body": "x", "priority": 1, "audience": "all", "requirement": "deprecated", "deprecatedBy": "first"},
        {"id": "theirs", "title": "Theirs", "body": "y", "priority": 1, "audience": "group", "requirement": "optional", "teamIds": ["core"]}
    ]}));
    let document = site.call("instructions/exportMarkdown", json!({"format": "agents-md"}));
    assert_eq!((&document["count"], &document["scope"]), (&json!(2), &json!("all")));
    let text = document["text"].as_str().unwrap();
    assert!(text.find("## First").unwrap() < text.find("## Second").unwrap(), "{text}");
    let team = site.call("instructions/exportMarkdown", json!({"teamIds": ["core"]}));
    assert!(team["text"].as_str().unwrap().contains("## Theirs"));
    let target = Site::new();
    let file = target.root.path().join("AGENTS.md");
    std::fs::write(&file, text).unwrap();
    target.call("instructions/importFiles", json!({"path": file, "apply": true}));
    assert_eq!(target.ids(), ["first", "second"]);
    for id in ["first", "second"] {
        for field in ["title", "body", "requirement"] {
            assert_eq!(target.get(id)[field], site.get(id)[field], "{id} {field}");
        }
    }
}

#[test]
fn applying_needs_the_gate_and_odd_files_are_named() {
    let site = Site::new();
    let root = project(&site);
    let reader = Server::read_only(site.config());
    assert!(reader.try_call("instructions/importFiles", json!({"path": root, "apply": true})).is_err());
    assert_eq!(
        reader.call("instructions/importFiles", json!({"path": root}))["drafts"].as_array().unwrap().len(),
        6
    );
    std::fs::write(root.join("AGENTS.md"), [0xff, 0xfe, 0x00]).unwrap();
    let result = site.call("instructions/importFiles", json!({"path": root}));
    assert_eq!(result["unread"][0]["file"], "AGENTS.md");
    let odd = site.root.path().join("notes.txt");
    std::fs::write(&odd, "x").unwrap();
    let result = site.call("instructions/importFiles", json!({"path": odd}));
    assert_eq!(result["unread"][0]["reason"], "not a known kind of instruction file");
    assert!(site.try_call("instructions/importFiles", json!({"path": "/no/such/place"})).is_err());
}
