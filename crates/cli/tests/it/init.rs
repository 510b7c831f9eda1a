//! The first configuration: questions, flags, and files that exist already.

use crate::site::Site;
use crate::terminal::at_terminal;

fn read(site: &Site) -> String {
    std::fs::read_to_string(site.repo().join("mainstay.toml")).unwrap()
}

/// The lines that say something.
fn said(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

#[test]
fn without_a_terminal_the_file_is_shown_and_yes_writes_it() {
    let site = Site::new();
    let shown = site.run(["init"]);
    assert_eq!(said(&shown.stdout), ["toolsets = [\"search\"]", "read-only = false"]);
    assert_eq!(
        (shown.exit, shown.stderr.as_str()),
        (0, "Nothing was written; `mainstay init --yes` writes it\n")
    );
    assert!(!site.repo().join("mainstay.toml").exists());
    let written = site.run(["init", "--yes"]);
    assert_eq!(written.exit, 0, "{}", written.transcript());
    assert!(shown.stdout.starts_with(&read(&site)), "{}", read(&site));
    let listed = site.run(["tools", "list", "--json"]).json();
    assert!(listed["result"]["tools"].as_array().unwrap().iter().all(|tool| tool["toolset"] == "search"));
}

#[test]
fn every_answer_has_a_flag() {
    let site = Site::new().file("app/a.rs", "").file("lib/b.rs", "");
    let ran = site.run([
        "init",
        "--yes",
        "--folder",
        "app",
        "--folder",
        "lib",
        "--toolsets",
        "search,foundry",
        "--read-only",
        "--queue-max",
        "9",
        "--json",
    ]);
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(ran.json()["result"]["written"], true);
    assert_eq!(
        said(&read(&site)),
        [
            "repo = \"app\"",
            "allowed-repo-roots = [\"lib\"]",
            "toolsets = [\"search\", \"foundry\"]",
            "read-only = true",
            "queue-max = 9",
        ]
    );
    let shown = site.run(["config", "show", "--json"]).json();
    assert_eq!(shown["result"]["repo"]["value"], "[REPO]/app");
    for (args, message) in [
        (&["init", "--force", "--toolsets", "serch"][..], "unknown toolset serch; did you mean search?"),
        (&["init", "--force", "--folder", "none"], "there is no folder none"),
        (&["init", "--force", "--token", "hush"], "token is a secret, which does not belong into a file"),
    ] {
        let ran = site.run(args.iter().copied());
        assert_eq!(ran.exit, 2, "{args:?}");
        assert!(ran.stderr.starts_with(&format!("error: {message}\nhint: ")), "{}", ran.stderr);
    }
}

#[test]
fn a_file_that_exists_is_never_overwritten_silently() {
    let mine = "# mine\nread-only = true # always\nqueue-max = 3\n";
    let site = Site::new().file("mainstay.toml", mine);
    let ran = site.run(["init", "--yes"]);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("exists already\nhint: `--force` changes it"), "{}", ran.stderr);
    assert_eq!(read(&site), mine);
    assert_eq!(site.run(["init", "--yes", "--force"]).exit, 0);
    assert_eq!(read(&site), "# mine\nread-only = false # always\nqueue-max = 3\ntoolsets = [\"search\"]\n");
}

#[test]
fn the_file_of_the_user_holds_for_every_project() {
    let site = Site::new();
    assert_eq!(site.run(["init", "--yes", "--user", "--toolsets", "catalog"]).exit, 0);
    assert!(site.home().join(".config/mainstay/mainstay.toml").is_file());
    let shown = site.run(["config", "show", "--json"]).json();
    assert_eq!(shown["result"]["toolsets"]["value"], "catalog");
}

#[test]
fn at_a_terminal_three_questions_make_the_file() {
    let site = Site::new().file("src/a.rs", "");
    let shown = at_terminal(&site, "init", "nowhere\nsrc\nserch\nsearch, catalog\nyes\n\n");
    assert_eq!(shown.exit, 0, "{}", shown.text);
    for words in
        ["Folders to work on", "there is no folder nowhere", "did you mean search?", "Read only", "Wrote"]
    {
        assert!(shown.text.contains(words), "{words}: {}", shown.text);
    }
    assert_eq!(
        said(&read(&site)),
        ["repo = \"src\"", "toolsets = [\"search\", \"catalog\"]", "read-only = true"]
    );
    let other = Site::new();
    let refused = at_terminal(&other, "init --toolsets search", ".\nno\nno\n");
    assert!(refused.text.contains("Nothing was written"), "{}", refused.text);
    assert!(!refused.text.contains("Toolsets, of"), "an answer by flag is not asked for: {}", refused.text);
    assert!(!other.repo().join("mainstay.toml").exists());
}
