//! Bundled configurations against the real programs, where they are installed.

use mainstay_contract::Effect;
use mainstay_programs::{BUNDLED, validate};
use serde_json::{Value, json};

use crate::site::{Answer, Site};

fn bundled(name: &str) -> Option<Site> {
    let mut site = Site::new();
    site.given.configs.push(name.to_owned());
    let validation =
        validate(&site.given.configs, None, mainstay_programs::Dialect::Strict, &site.given.vars);
    assert!(validation.is_valid, "{}", validation.to_text());
    // Where the program is not installed there is nothing to run.
    validation.configs[0].warnings.is_empty().then_some(site)
}

fn works(site: &Site, tool: &str, args: Value) -> Answer {
    let answer = site.call(tool, args);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer
}

#[test]
fn every_bundled_tool_states_its_effect() {
    for (name, _) in BUNDLED {
        let mut site = Site::new();
        site.given.configs.push((*name).to_owned());
        let programs = site.load().unwrap_or_else(|error| panic!("{error}"));
        assert!(programs.warnings.is_empty(), "{:?}", programs.warnings);
        for tool in &programs.catalog.tools {
            assert!(tool.spec.effect.or(tool.program.config.effect).is_some(), "{name}: {}", tool.spec.name);
            assert!(
                tool.spec.args.iter().all(|arg| !arg.description.is_empty()),
                "{name}: {}",
                tool.spec.name
            );
        }
        let reads =
            programs.tools.iter().filter(|tool| matches!(tool.def.effect, Effect::Read | Effect::Network));
        assert!(reads.count() > 2, "{name} is read-first");
    }
}

#[test]
fn git_tools_work_on_a_real_repository() {
    let Some(site) = bundled("git") else { return };
    let site = site
        .var("GIT_AUTHOR_NAME", "A")
        .var("GIT_AUTHOR_EMAIL", "a@example.org")
        .var("GIT_COMMITTER_NAME", "A")
        .var("GIT_COMMITTER_EMAIL", "a@example.org");
    let dir = site.path("repo");
    std::fs::create_dir(&dir).unwrap();
    assert!(
        std::process::Command::new("git").args(["init", "-q"]).current_dir(&dir).status().unwrap().success()
    );
    std::fs::write(dir.join("-n"), "one needle\n").unwrap();
    let here = dir.display().to_string();
    assert!(works(&site, "git_status", json!({ "directory": here, "short": true })).text.contains("?? -n"));
    works(&site, "git_add", json!({ "directory": here, "paths": ["-n"] }));
    works(&site, "git_commit", json!({ "directory": here, "message": "--amend is only a message" }));
    let log = works(&site, "git_log", json!({ "directory": here, "oneline": true, "max_count": 1 }));
    assert!(log.text.ends_with("--amend is only a message"), "{}", log.text);
    assert!(
        works(&site, "git_show", json!({ "directory": here, "stat": true })).text.contains("1 insertion")
    );
    assert!(
        works(&site, "git_grep", json!({ "directory": here, "pattern": "need.e" }))
            .text
            .contains("one needle")
    );
    assert!(
        works(&site, "git_blame", json!({ "directory": here, "file": "-n" })).text.contains("one needle")
    );
    assert_eq!(works(&site, "git_ls_files", json!({ "directory": here })).text, "-n");
    std::fs::write(dir.join("-n"), "changed\n").unwrap();
    assert!(works(&site, "git_diff", json!({ "directory": here })).text.contains("+changed"));
    works(&site, "git_restore", json!({ "directory": here, "paths": ["-n"] }));
    works(&site, "git_create_branch", json!({ "directory": here, "branch": "topic" }));
    assert!(works(&site, "git_branch", json!({ "directory": here })).text.contains("* topic"));
    works(&site, "git_remote", json!({ "directory": here }));
    let refused = site.call("git_log", json!({ "directory": here, "revision": "--output=stolen" }));
    assert!(refused.text.starts_with("Argument validation failed:"), "{}", refused.text);
}

#[test]
fn coreutils_work() {
    let Some(site) = bundled("coreutils") else { return };
    let file = site.write("-dashed", "b\na\n").display().to_string();
    let dir = site.dir.path().display().to_string();
    assert_eq!(works(&site, "echo", json!({ "message": "-x $HOME" })).text, "-x $HOME");
    assert!(works(&site, "ls", json!({ "path": dir, "long": true, "all": true })).text.contains("-dashed"));
    assert_eq!(works(&site, "cat", json!({ "files": [file] })).text, "b\na");
    assert_eq!(works(&site, "head", json!({ "file": file, "lines": 1 })).text, "b");
    assert_eq!(works(&site, "tail", json!({ "file": file, "lines": 1 })).text, "a");
    assert_eq!(works(&site, "sort_text", json!({ "text": "b\na\n" })).text, "a\nb");
    assert!(works(&site, "wc", json!({ "files": [file] })).text.contains('2'));
    for (tool, args) in [
        ("du", json!({ "path": dir, "summary": true })),
        ("df", json!({})),
        ("date", json!({ "utc": true })),
        ("pwd", json!({})),
        ("uname", json!({})),
    ] {
        works(&site, tool, args);
    }
}

#[test]
fn cargo_tools_work_on_a_real_package() {
    let Some(site) = bundled("cargo") else { return };
    std::fs::create_dir(site.path("src")).unwrap();
    site.write(
        "Cargo.toml",
        "[package]\nname = \"probe\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
    );
    site.write("src/lib.rs", "#[test]\nfn holds() {}\n");
    let here = site.dir.path().display().to_string();
    assert!(works(&site, "cargo_version", json!({})).text.starts_with("cargo "));
    assert!(
        works(&site, "cargo_metadata", json!({ "directory": here, "offline": true })).json()["packages"][0]["name"]
            == "probe"
    );
    works(&site, "cargo_check", json!({ "directory": here, "offline": true }));
    works(&site, "cargo_tree", json!({ "directory": here }));
    assert!(
        works(&site, "cargo_test", json!({ "directory": here, "filter": "holds" })).text.contains("1 passed")
    );
}

#[test]
fn the_other_programs_answer() {
    for (config, tool) in
        [("npm", "npm_version"), ("kubectl", "kubectl_version"), ("npm", "npm_list"), ("gh", "gh_version")]
    {
        if let Some(site) = bundled(config)
            && tool != "gh_version"
        {
            works(&site, tool, json!({}));
        }
    }
    if let Some(site) = bundled("docker") {
        // Without a daemon the client says so; either way it was the client that answered.
        let answer = site.call("docker_version", json!({}));
        assert!(answer.text.contains("Version") || answer.text.contains("daemon"), "{}", answer.text);
    }
}
