//! A watched index follows the files without a call to build it.

use std::time::{Duration, Instant};

use mainstay_search::Debounce;
use serde_json::{Value, json};

use crate::site::Site;

/// What a slow machine may need for something that takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

fn status(site: &Site) -> Value {
    site.call("index_status", json!({})).unwrap()
}

fn generation(site: &Site) -> u64 {
    status(site)["index"]["freshness"]["generation"].as_u64().unwrap_or(0)
}

/// Waits for a later generation that says there is nothing newer.
fn wait_for_news(site: &Site, than: u64) -> u64 {
    let until = Instant::now() + PATIENCE;
    loop {
        let status = status(site);
        let fresh = &status["index"]["freshness"];
        let number = fresh["generation"].as_u64().unwrap_or(0);
        let is_whole =
            ["changedFiles", "addedFiles", "deletedFiles"].iter().all(|key| fresh.get(key).is_none());
        if number > than && is_whole {
            return number;
        }
        assert!(Instant::now() < until, "waited too long: {status}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn edits_new_folders_and_deletions_move_the_index() {
    let debounce = Debounce { quiet: Duration::from_millis(20), longest: Duration::from_millis(200) };
    let site = Site::new(&[("src/a.rs", "pub fn alpha() {}\n")]).watched(debounce);
    let first = wait_for_news(&site, 0);
    site.write("src/a.rs", b"pub fn beta() {}\n");
    let second = wait_for_news(&site, first);
    assert_eq!(site.places(json!({"query": "beta"})), ["src/a.rs:1"]);
    site.write("src/deep/er/b.rs", b"pub fn gamma() {}\n");
    let third = wait_for_news(&site, second);
    // The new folders are watched as well.
    site.write("src/deep/er/b.rs", b"pub fn delta() {}\n");
    let fourth = wait_for_news(&site, third);
    std::fs::remove_dir_all(site.repo().join("src/deep")).unwrap();
    wait_for_news(&site, fourth);
    assert_eq!(status(&site)["index"]["files"], 1);
}

#[test]
fn a_file_that_never_rests_does_not_hold_up_the_rest() {
    let debounce = Debounce { quiet: Duration::from_secs(3600), longest: Duration::from_millis(100) };
    let site = Site::new(&[("a.rs", "pub fn alpha() {}\n")]).watched(debounce);
    let first = wait_for_news(&site, 0);
    site.write("a.rs", b"pub fn beta() {}\n");
    wait_for_news(&site, first);
}

#[test]
fn the_database_follows_and_what_is_ignored_stays_out() {
    let debounce = Debounce { quiet: Duration::from_millis(20), longest: Duration::from_millis(200) };
    let files =
        [(".gitignore", "*.log\n"), ("a.rs", "pub fn alpha() {}\n"), (".git/HEAD", "ref: refs/heads/main\n")];
    let site = Site::new(&files);
    site.call("build_sqlite_index", json!({})).unwrap();
    let site = site.watched(debounce);
    let first = generation(&site);
    site.write("build.log", b"noise\n");
    site.write("b.rs", b"pub fn beta() {}\n");
    let second = wait_for_news(&site, first);
    assert_eq!(site.places(json!({"query": "noise"})), [""; 0]);
    let until = Instant::now() + PATIENCE;
    while site.call("search", json!({"query": "beta", "backend": "sqlite"})).unwrap()["search"]["freshness"]["generation"]
        != second
    {
        assert!(Instant::now() < until, "waited too long for the database");
        std::thread::sleep(Duration::from_millis(10));
    }
}
