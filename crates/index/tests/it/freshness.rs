//! Files changed since the build are searched as they are, and answers say so.

use crate::site::{Site, ask, paths};
use mainstay_index::BuildOptions;
use std::fs;

#[test]
fn changed_added_and_deleted_files_are_seen_without_a_build() {
    let site =
        Site::new().file("a.rs", "fn alpha() {}").file("b.rs", "fn beta() {}").file("c.rs", "fn gamma() {}");
    site.build();
    let index = site.open();
    assert!(!ask(&index, "alpha").freshness.checked);
    site.write("a.rs", "fn omega() {}\n\n/// Greek.\nfn alpha_two() {}");
    site.write("d/new.rs", "fn delta() {}");
    site.remove("c.rs");
    let freshness = index.refresh().unwrap();
    assert_eq!(
        (
            freshness.modified_files,
            freshness.added_files,
            freshness.deleted_files,
            freshness.not_searched_files
        ),
        (1, 1, 1, 0)
    );
    assert_eq!(paths(&ask(&index, "omega")), ["a.rs"]);
    assert_eq!(ask(&index, "\"fn alpha()\"").total, 0);
    assert_eq!(paths(&ask(&index, "delta")), ["d/new.rs"]);
    assert_eq!(ask(&index, "gamma").total, 0);
    assert_eq!(paths(&ask(&index, "beta")), ["b.rs"]);
    assert!(ask(&index, "beta").freshness.checked);
}

#[test]
fn searching_changed_files_directly_answers_like_a_build() {
    let site = Site::new();
    for number in 0..30 {
        site.write(&format!("src/file{number}.rs"), crate::site::program(number));
    }
    site.build();
    let index = site.open();
    site.write("src/file3.rs", crate::site::program(400));
    site.write("src/other.rs", crate::site::program(401));
    index.refresh().unwrap();
    let direct = ask(&index, "open parser session");
    site.build();
    let built = ask(&site.open(), "open parser session");
    assert_eq!(direct.hits, built.hits);
}

#[test]
fn a_touched_file_with_the_same_content_is_no_change() {
    let site = Site::new().file("a.rs", "fn alpha() {}");
    site.build();
    let file = fs::File::options().append(true).open(site.repo().join("a.rs")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(1000)).unwrap();
    assert_eq!(site.open().refresh().unwrap().modified_files, 0);
}

#[test]
fn ignore_rules_changed_since_count() {
    let site =
        Site::new().file("a.rs", "fn alpha() {}").file("b.rs", "fn beta() {}").file(".gitignore", "x\n");
    site.build();
    let index = site.open();
    site.write(".gitignore", "b.rs\n");
    let freshness = index.refresh().unwrap();
    assert_eq!(freshness.deleted_files, 1);
    assert_eq!(ask(&index, "beta").total, 0);
}

#[test]
fn an_open_index_takes_over_a_new_generation() {
    let site = Site::new().file("a.rs", "fn alpha() {}");
    site.build();
    let index = site.open();
    site.write("b.rs", "fn beta() {}");
    site.build();
    assert_eq!(ask(&index, "beta").total, 0);
    index.refresh().unwrap();
    assert_eq!(ask(&index, "beta").freshness.generation, 2);
    assert_eq!(ask(&index, "beta").total, 1);
}

#[test]
fn the_revision_is_recorded_and_the_branch_filters() {
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let site = Site::new()
        .file("a.rs", "fn alpha() {}")
        .file(".git/HEAD", "ref: refs/heads/main\n")
        .file(".git/refs/heads/main", commit);
    site.build_with(&BuildOptions { now_ms: 1234, ..BuildOptions::default() });
    let index = site.open();
    let freshness = index.status().freshness;
    assert_eq!(freshness.built_at_ms, 1234);
    assert_eq!(freshness.revision.as_ref().unwrap().commit.as_deref(), Some(commit));
    let mut options = mainstay_index::Options::default();
    for (branch, expected) in [("main", 1), ("other", 0)] {
        options.filters.branch = Some(branch.to_owned());
        assert_eq!(crate::site::ask_with(&index, "alpha", &options).total, expected);
    }
}
