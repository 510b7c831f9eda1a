//! Whoever can write a repository swaps files for links while it is indexed or searched: nothing from outside is read.
#![cfg(unix)]

use crate::site::{Site, ask};
use mainstay_index::{BuildOptions, BuildReport, Index, Phase, SkipReason};
use std::fs::{self, File};
use std::os::unix::fs::symlink;

/// Builds, and changes the repository after files were listed and before they are read.
fn build_and_swap(site: &Site, swap: impl FnOnce()) -> BuildReport {
    let mut swap = Some(swap);
    let mut progress = |progress: mainstay_index::Progress| {
        if progress.phase == Phase::Structural
            && let Some(swap) = swap.take()
        {
            swap();
        }
    };
    let options = BuildOptions::default();
    Index::build(&site.repo(), &site.store(), &options, &mut progress, &|| false).unwrap()
}

fn site() -> Site {
    let site = Site::new().file("deep/a.rs", "fn inside() {}").file("b.rs", "fn beside() {}");
    fs::create_dir(site.folder().join("outside")).unwrap();
    fs::write(site.folder().join("outside/a.rs"), "fn secret() {}").unwrap();
    site
}

fn check(what: &str, swap: impl FnOnce(&Site)) {
    let site = site();
    let report = build_and_swap(&site, || swap(&site));
    assert_eq!(report.skipped.counts.get(&SkipReason::Unreadable), Some(&1), "{what}");
    let index = site.open();
    assert_eq!((ask(&index, "secret").total, ask(&index, "beside").total), (0, 1), "{what}");
}

#[test]
fn what_is_swapped_in_after_the_walk_is_not_indexed() {
    check("a file", |site| {
        site.remove("deep/a.rs");
        symlink(site.folder().join("outside/a.rs"), site.repo().join("deep/a.rs")).unwrap();
    });
    check("a folder", |site| {
        fs::remove_dir_all(site.repo().join("deep")).unwrap();
        symlink(site.folder().join("outside"), site.repo().join("deep")).unwrap();
    });
    check("a pipe", |site| {
        site.remove("deep/a.rs");
        let made = std::process::Command::new("mkfifo").arg(site.repo().join("deep/a.rs")).status();
        assert!(made.unwrap().success());
    });
}

#[test]
fn what_is_swapped_in_before_a_search_is_not_shown() {
    let site = site();
    site.build();
    let index = site.open();
    let inside = site.repo().join("deep/a.rs");
    // A file from outside that cannot be told by its size and time.
    let time = inside.metadata().unwrap().modified().unwrap();
    let outside = File::options().append(true).open(site.folder().join("outside/a.rs")).unwrap();
    outside.set_modified(time).unwrap();
    site.remove("deep/a.rs");
    symlink(site.folder().join("outside/a.rs"), &inside).unwrap();
    for query in ["inside", "\"inside\"", "secret", "/fn \\w+/"] {
        let shown = format!("{:?}", ask(&index, query).hits);
        assert!(!shown.contains("secret"), "{query}: {shown}");
    }
}
