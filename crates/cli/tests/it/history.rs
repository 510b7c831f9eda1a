//! Filters on the history of a real repository: who changed what, when and how much.

use std::process::Command;

use serde_json::Value;

use crate::site::Site;

/// Commits everything as somebody at some time.
fn commit(site: &Site, name: &str, mail: &str, time: &str) {
    for words in [&["add", "-A"][..], &["commit", "-q", "-m", "change"]] {
        git(site, name, mail, time, words);
    }
}

pub fn git(site: &Site, name: &str, mail: &str, time: &str, words: &[&str]) {
    let done = Command::new("git")
        .args(words)
        .current_dir(site.repo())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", name), ("GIT_AUTHOR_EMAIL", mail), ("GIT_AUTHOR_DATE", time)])
        .envs([("GIT_COMMITTER_NAME", name), ("GIT_COMMITTER_EMAIL", mail), ("GIT_COMMITTER_DATE", time)])
        .output()
        .unwrap();
    assert!(done.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Two files of Ann, one of which Bob changed a little later. Bob has two addresses that are one.
fn site() -> Site {
    let site = Site::new()
        .file("old.py", "def settle_old():\n    return 1\n")
        .file("new.py", "def settle_new():\n    return 1\n\n\ndef settle_other():\n    return 2\n")
        .file(".mailmap", "Bob Builder <bob@example.org> <robert@example.org>\n");
    git(&site, "Ann", "ann@example.org", "2020-01-01T00:00:00Z", &["init", "-q"]);
    commit(&site, "Ann Author", "ann@example.org", "2020-01-01T00:00:00Z");
    site.write(
        "new.py",
        "def settle_new():\n    return 1\n\n\ndef settle_other():\n    total = 3\n    return total\n",
    );
    commit(&site, "Robert", "robert@example.org", "2024-06-01T00:00:00Z");
    site
}

fn names(site: &Site, flags: &[&str]) -> Vec<String> {
    let ran =
        site.run(["search", "settle", "--json", "--mode", "code"].into_iter().chain(flags.iter().copied()));
    let answer = ran.json();
    assert_eq!(answer["ok"], true, "{flags:?}: {answer}");
    let hits = answer["result"]["search"]["code"].as_array().unwrap().iter();
    let mut names: Vec<String> = hits.filter_map(|hit| hit["name"].as_str().map(str::to_owned)).collect();
    names.sort();
    names
}

#[test]
fn files_are_found_by_who_changed_them_when_and_how_much() {
    let site = site();
    let all = ["settle_new", "settle_old", "settle_other"];
    let of_new = ["settle_new", "settle_other"];
    assert_eq!(names(&site, &[]), all);
    for (flags, expected) in [
        (&["--author", "ann author"][..], &["settle_old"][..]),
        (&["--author", "bob builder"], &of_new),
        (&["--author", "bob@example.org"], &of_new),
        (&["--author", "robert"], &[]),
        (&["--author", "nobody, ANN"], &["settle_old"]),
        (&["--modified-after", "2023-01-01"], &of_new),
        (&["--modified-after", "2019-01-01"], &all),
        (&["--modified-since", "1"], &[]),
        (&["--churn-min", "7"], &of_new),
        (&["--churn-min", "1"], &all),
        (&["--churn-min", "100"], &[]),
        (&["--chunk-author", "bob"], &["settle_other"]),
        (&["--chunk-author", "ann"], &all),
        (&["--chunk-author", "ann", "--author", "bob"], &of_new),
        (&["--author", "bob", "--writes", "total"], &["settle_other"]),
    ] {
        assert_eq!(names(&site, flags), expected, "{flags:?}");
    }
    // A new commit is read on top of what is known.
    site.write("old.py", "def settle_old():\n    return 4\n");
    commit(&site, "Cy", "cy@example.org", "2025-01-01T00:00:00Z");
    assert_eq!(names(&site, &["--author", "cy"]), ["settle_old"]);
    assert_eq!(names(&site, &["--churn-min", "4"]), all);
    assert_eq!(names(&site, &["--author", "bob"]), of_new);
}

#[test]
fn without_a_history_the_answer_says_why() {
    let site = Site::new().file("a.py", "def settle():\n    return 1\n");
    let answer: Value = site.run(["search", "settle", "--json", "--author", "ann"]).json();
    assert_eq!(answer["error"]["code"], "CAPABILITY_MISSING", "{answer}");
    for flags in [["--modified-after", "yesterday"], ["--modified-since", "-1"], ["--churn-min", "many"]] {
        let answer = site.run(["search", "settle", "--json"].into_iter().chain(flags)).json();
        assert_eq!(answer["error"]["code"], "INVALID_REQUEST", "{flags:?}: {answer}");
    }
}
