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
    let words = ["search", "settle", "--json", "--mode", "code"];
    let mut command = site.mainstay(words.into_iter().chain(flags.iter().copied()));
    let tools = site.home().join("tools");
    if tools.exists() {
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", tools.display()));
    }
    let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
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

/// Puts a git before the real one that writes down what it is asked for.
#[cfg(unix)]
fn listen(site: &Site) {
    use std::os::unix::fs::PermissionsExt;
    let (tools, heard) = (site.home().join("tools"), site.home().join("heard"));
    std::fs::create_dir(&tools).unwrap();
    let script = format!(
        "#!/bin/sh\necho \"$*\" >> '{}'\nPATH=/usr/local/bin:/usr/bin:/bin exec git \"$@\"\n",
        heard.display()
    );
    std::fs::write(tools.join("git"), script).unwrap();
    std::fs::set_permissions(tools.join("git"), PermissionsExt::from_mode(0o755)).unwrap();
}

/// The files that git was asked to blame since the last time.
#[cfg(unix)]
fn blamed(site: &Site) -> Vec<String> {
    let heard = site.home().join("heard");
    let text = std::fs::read_to_string(&heard).unwrap_or_default();
    std::fs::write(heard, "").unwrap();
    let blames = text.lines().filter(|line| line.contains(" blame "));
    let mut files: Vec<String> =
        blames.filter_map(|line| line.rsplit(' ').next().map(str::to_owned)).collect();
    files.sort();
    files
}

#[cfg(unix)]
#[test]
fn a_blame_outlives_the_process_until_the_file_or_the_names_change() {
    let site = site();
    listen(&site);
    let bob = |expected: &[&str]| assert_eq!(names(&site, &["--chunk-author", "bob"]), expected);
    bob(&["settle_other"]);
    assert_eq!(blamed(&site), ["new.py", "old.py"]);
    bob(&["settle_other"]);
    assert_eq!(blamed(&site), Vec::<String>::new(), "the next process knows");

    site.write("notes.txt", "nothing of it\n");
    commit(&site, "Cy", "cy@example.org", "2024-07-01T00:00:00Z");
    bob(&["settle_other"]);
    assert_eq!(blamed(&site), Vec::<String>::new(), "a commit that leaves the files alone");

    site.write("old.py", "def settle_old():\n    return 5\n");
    bob(&["settle_other"]);
    assert_eq!(blamed(&site), ["old.py"], "a changed file");
    commit(&site, "Robert", "robert@example.org", "2024-08-01T00:00:00Z");
    bob(&["settle_old", "settle_other"]);
    assert_eq!(blamed(&site), ["old.py"], "a new commit of it");

    site.write(".mailmap", "Rob Roy <rob@example.org> <robert@example.org>\n");
    bob(&[]);
    assert_eq!(names(&site, &["--author", "rob roy"]), ["settle_new", "settle_old", "settle_other"]);
    assert_eq!(blamed(&site), ["new.py", "old.py"], "other names");

    let stores = std::fs::read_dir(site.home().join(".cache/mainstay/repos")).unwrap();
    for store in stores {
        std::fs::write(store.unwrap().path().join("blames"), "no blames").unwrap();
    }
    assert_eq!(names(&site, &["--chunk-author", "rob roy"]), ["settle_old", "settle_other"]);
    assert_eq!(blamed(&site), ["new.py", "old.py"], "what cannot be read is asked for again");
}

#[cfg(unix)]
#[test]
fn no_program_of_the_repositorys_settings_is_run() {
    let site = site();
    site.write(".gitattributes", "*.py diff=evil filter=evil filter=\"a=b\"\n");
    commit(&site, "Ann", "ann@example.org", "2024-07-01T00:00:00Z");
    let ran = site.home().join("ran");
    let program = format!("touch '{}'; cat", ran.display());
    for name in
        ["diff.evil.textconv", "filter.evil.clean", "filter.a=b.clean", "gpg.program", "diff.external"]
    {
        git(&site, "Ann", "ann@example.org", "2024-07-01T00:00:00Z", &["config", name, &program]);
    }
    git(&site, "Ann", "a@x", "2024-07-01T00:00:00Z", &["config", "log.showSignature", "true"]);
    assert_eq!(names(&site, &["--chunk-author", "bob"]), ["settle_other"]);
    site.write("old.py", "def settle_old():\n    return 6\n");
    assert_eq!(names(&site, &["--chunk-author", "ann"]).len(), 3);
    for words in
        [&["impact", "--json"][..], &["call", "show_file", "--args", r#"{"file": "old.py"}"#, "--json"]]
    {
        let _ = site.run(words.iter().copied());
    }
    assert!(!ran.exists());
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
