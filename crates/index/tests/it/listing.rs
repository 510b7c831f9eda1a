//! A build that need not walk finds what a walk would find.

use crate::site::{Site, ask};
use mainstay_index::{BuildOptions, Index};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Makes everything below a folder an hour old, so that times tell.
fn age(path: &Path) {
    if path.is_dir() && !path.is_symlink() {
        fs::read_dir(path).unwrap().for_each(|entry| age(&entry.unwrap().path()));
    }
    if !path.is_symlink() {
        File::open(path).unwrap().set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
}

fn site() -> Site {
    let site = Site::new()
        .file("src/a.rs", "fn alpha() {}")
        .file("src/b.rs", "fn beta() {}")
        .file("src/deep/c.py", "def gamma():\n    pass\n")
        .file(".gitignore", "*.log\n")
        .file("notes.log", "an ignored delta\n")
        .file("own/.gitignore", "*\n")
        .file("own/seen.txt", "an ignored epsilon\n")
        .file(".git/info/exclude", "*.tmp\n")
        .file("draft.tmp", "an ignored zeta\n");
    site.write("picture.bin", [0, 1, 2, 0, 255, 254]);
    site.write("large.txt", "eta ".repeat(500));
    fs::write(site.folder().join(".gitignore"), "nothing\n").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("src/a.rs", site.repo().join("link.rs")).unwrap();
    site
}

const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

/// Whatever changes after a build, the next build knows what one from nothing would know.
fn check(what: &str, change: impl FnOnce(&Site)) {
    let site = site();
    age(site.folder());
    let options = BuildOptions { max_file_bytes: 1_000, ..BuildOptions::default() };
    site.build_with(&options);
    // The second one is the first that can do without a walk.
    assert_eq!(site.build_with(&options).analysed_files, 0, "{what}");
    change(&site);
    let again = site.build_with(&options);
    let fresh = site.folder().join("fresh");
    let report = Index::build(&site.repo(), &fresh, &options, &mut |_| {}, &|| false).unwrap();
    assert_eq!((again.files, again.chunks), (report.files, report.chunks), "{what}");
    assert_eq!((again.source_bytes, again.skipped), (report.source_bytes, report.skipped), "{what}");
    let (index, other) = (site.open(), Index::open(&site.repo(), &fresh).unwrap());
    for word in WORDS {
        assert_eq!(ask(&index, word).hits, ask(&other, word).hits, "{what}: {word}");
    }
}

#[test]
fn a_build_without_a_walk_finds_what_a_walk_finds() {
    check("nothing", |_| {});
    check("a text", |site| site.write("src/a.rs", "fn theta() {}"));
    check("a new file", |site| site.write("src/deep/d.rs", "fn theta() {}"));
    check("a new folder", |site| site.write("src/new/d.rs", "fn theta() {}"));
    check("a file less", |site| site.remove("src/b.rs"));
    check("a binary that is text now", |site| site.write("picture.bin", "theta"));
    check("a text that is binary now", |site| site.write("src/b.rs", [0, 1, 2, 3]));
    check("a large file that is small now", |site| site.write("large.txt", "theta"));
    check("a small file that is large now", |site| site.write("src/a.rs", "theta ".repeat(500)));
    check("a rule", |site| site.write(".gitignore", "b.rs\n"));
    check("a rule that ignores its own file", |site| site.write("own/.gitignore", "# nothing\n"));
    check("a rule of git", |site| site.write(".git/info/exclude", "b.rs\n"));
    check("a rule above", |site| fs::write(site.folder().join(".gitignore"), "b.rs\n").unwrap());
}

#[test]
fn a_look_sees_rules_that_lie_outside_the_files() {
    for (path, rule) in [("own/.gitignore", "# nothing\n"), (".git/info/exclude", "b.rs\n")] {
        let site = site();
        age(site.folder());
        site.build();
        let index = site.open();
        index.refresh().unwrap();
        site.write(path, rule);
        let freshness = index.refresh().unwrap();
        assert!(freshness.added_files + freshness.deleted_files > 0, "{path}: {freshness:?}");
    }
}

#[test]
fn a_look_in_a_linked_worktree_sees_the_rules_of_its_repository() {
    let site = Site::new();
    site.write("a.rs", "fn alpha() {}");
    site.write("b.rs", "fn beta() {}");
    let git = site.folder().join("other/.git");
    fs::create_dir_all(git.join("worktrees/linked")).unwrap();
    fs::create_dir_all(git.join("info")).unwrap();
    fs::write(git.join("worktrees/linked/commondir"), "../..\n").unwrap();
    site.write(".git", format!("gitdir: {}\n", git.join("worktrees/linked").display()));
    age(site.folder());
    site.build();
    let index = site.open();
    assert_eq!(index.refresh().unwrap().deleted_files, 0);
    fs::write(git.join("info/exclude"), "b.rs\n").unwrap();
    assert_eq!(index.refresh().unwrap().deleted_files, 1);
}

#[test]
fn a_small_change_makes_a_small_segment() {
    let site = Site::new();
    for number in 0..40 {
        site.write(&format!("src/file{number}.rs"), crate::site::program(number));
    }
    site.build();
    let before = site.open().status().index_bytes;
    site.write("src/new.rs", "fn brand_new() {}");
    site.build();
    let grown = site.open().status().index_bytes - before;
    assert!(grown < 8_000, "{grown} bytes for one line");
}
