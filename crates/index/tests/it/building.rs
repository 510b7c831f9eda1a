//! Builds: what is indexed, what is skipped, what a second build costs, what an interrupted one leaves.

use crate::site::{Site, ask, paths, program};
use mainstay_index::{BuildOptions, Index, IndexError, SkipReason};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

fn many(count: usize) -> Site {
    let site = Site::new();
    for number in 0..count {
        site.write(&format!("src/part{}/file{number}.rs", number % 7), program(number));
    }
    site
}

/// Everything an answer says, for comparing two indexes.
fn answers(index: &Index) -> String {
    let queries = [
        "session",
        "open parser",
        "how is the cache of a router opened",
        "\"value + 12\"",
        "/open_\\w+_3/",
        "KeeperFrame9",
        "ledger OR socket -token",
    ];
    queries
        .map(|query| {
            let answer = ask(index, query);
            format!(
                "{query} {} {:?}\n",
                answer.total,
                answer
                    .hits
                    .iter()
                    .map(|hit| (&hit.id, &hit.path, hit.lines, hit.score, &hit.snippet))
                    .collect::<Vec<_>>()
            )
        })
        .concat()
}

#[test]
fn ignored_files_stay_out_and_no_folder_is_skipped_for_its_name() {
    let site = Site::new()
        .file(".gitignore", "/out\n*.log\n")
        .file(".mainstayignore", "secret\n")
        .file("out/a.rs", "fn needle() {}")
        .file("x.log", "needle")
        .file("secret/b.rs", "fn needle() {}")
        .file("tools/build/target/dist/c.rs", "fn needle() {}")
        .file(".github/workflows/d.yml", "needle: 1")
        .file(".git/e.rs", "fn needle() {}");
    let answer = site.ask("\"needle\"");
    let mut found = paths(&answer);
    found.sort_unstable();
    assert_eq!(found, [".github/workflows/d.yml", "tools/build/target/dist/c.rs"]);
}

#[test]
fn skipped_files_are_counted_by_reason() {
    let site = Site::new().file("a.rs", "fn a() {}");
    site.write("b.bin", b"\x00\x01\x02\x00binary");
    site.write("big.txt", "x".repeat(3000));
    #[cfg(unix)]
    std::os::unix::fs::symlink("..", site.repo().join("loop")).unwrap();
    let report = site.build_with(&BuildOptions { max_file_bytes: 2000, ..BuildOptions::default() });
    assert_eq!(report.files, 1);
    assert_eq!(report.skipped.counts[&SkipReason::Binary], 1);
    assert_eq!(report.skipped.counts[&SkipReason::Oversized], 1);
    #[cfg(unix)]
    assert_eq!(report.skipped.counts[&SkipReason::Link], 1);
    assert_eq!(report.skipped.examples[&SkipReason::Oversized], ["big.txt"]);
    assert_eq!(site.open().status().skipped, report.skipped);
}

#[test]
fn other_encodings_are_searched_as_text() {
    let site = Site::new();
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain("fn grüße_needle() {}".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    site.write("wide.rs", utf16);
    site.write("latin.py", b"def caf\xE9_needle():\n    pass\n");
    let answer = site.ask("needle");
    assert_eq!(answer.total, 2);
    assert!(answer.hits.iter().any(|hit| hit.name == "grüße_needle"));
}

#[test]
fn an_incremental_build_answers_exactly_like_a_full_one() {
    let site = many(120);
    site.build();
    for number in 0..12 {
        site.write(&format!("src/part{}/file{number}.rs", number % 7), program(number + 500));
    }
    site.remove("src/part0/file14.rs");
    site.write("src/new.rs", program(900));
    let second = site.build();
    assert_eq!(second.analysed_files, 13, "only new content is worked on");
    let incremental = answers(&site.open());
    site.build_with(&BuildOptions { full: true, ..BuildOptions::default() });
    assert_eq!(incremental, answers(&site.open()));
}

#[test]
fn many_small_builds_are_merged_and_answer_like_a_full_one() {
    let site = many(40);
    site.build();
    for round in 0..15 {
        site.write(&format!("src/part{}/file{round}.rs", round % 7), program(round + 700));
        site.build();
    }
    assert!(site.open().status().segments <= 9, "{}", site.open().status().segments);
    let merged = answers(&site.open());
    site.build_with(&BuildOptions { full: true, ..BuildOptions::default() });
    assert_eq!(merged, answers(&site.open()));
}

#[test]
fn nothing_changed_means_nothing_is_worked_on() {
    let site = many(30);
    let first = site.build();
    assert_eq!(first.analysed_files, 30);
    assert_eq!(site.build().analysed_files, 0);
    // A renamed file is the same content.
    fs::rename(site.repo().join("src/part0/file0.rs"), site.repo().join("moved.rs")).unwrap();
    assert_eq!(site.build().analysed_files, 0);
    assert_eq!(ask(&site.open(), "open_session_0").hits[0].path, "moved.rs");
}

#[test]
fn copies_of_a_file_are_worked_on_once_and_all_found() {
    let site = Site::new().file("a/x.rs", "fn needle() {}").file("b/x.rs", "fn needle() {}");
    assert_eq!(site.build().analysed_files, 1);
    assert_eq!(paths(&ask(&site.open(), "needle")), ["a/x.rs", "b/x.rs"]);
    assert_eq!(paths(&ask(&site.open(), "needle path:b/")), ["b/x.rs"]);
    assert_eq!(paths(&ask(&site.open(), "needle -path:b/")), ["a/x.rs"]);
}

#[test]
fn the_same_answers_on_one_and_on_many_threads() {
    let site = many(150);
    site.build_with(&BuildOptions { threads: Some(1), ..BuildOptions::default() });
    let one = answers(&site.open());
    site.build_with(&BuildOptions { threads: Some(5), full: true, ..BuildOptions::default() });
    assert_eq!(one, answers(&site.open()));
}

#[test]
fn a_cancelled_build_leaves_the_old_index_and_keeps_its_work() {
    let site = many(60);
    site.build();
    let before = answers(&site.open());
    for number in 0..60 {
        site.write(&format!("src/part{}/file{number}.rs", number % 7), program(number + 300));
    }
    let asked = AtomicUsize::new(0);
    let cancelled = || asked.fetch_add(1, Ordering::Relaxed) >= 30;
    let options = BuildOptions { threads: Some(1), ..BuildOptions::default() };
    let outcome = Index::build(&site.repo(), &site.store(), &options, &mut |_| {}, &cancelled);
    assert!(matches!(outcome, Err(IndexError::Cancelled)));
    assert_eq!(site.open().status().freshness.generation, 1);
    assert_eq!(site.open().status().files, 60);
    assert!(!before.is_empty());
    let report = site.build();
    assert_eq!(report.analysed_files, 30, "the first thirty were kept");
}

#[test]
fn a_cancelled_first_build_leaves_no_index() {
    let site = many(3);
    let outcome = Index::build(&site.repo(), &site.store(), &BuildOptions::default(), &mut |_| {}, &|| true);
    assert!(matches!(outcome, Err(IndexError::Cancelled)));
    assert!(matches!(Index::open(&site.repo(), &site.store()), Err(IndexError::NoIndex { .. })));
}

#[test]
fn two_builders_at_once_do_not_meet() {
    let site = many(20);
    let (repo, store) = (site.repo(), site.store());
    let mut second = None;
    let mut progress = |_| {
        if second.is_none() {
            // From another thread: the lock is between builders, wherever they run.
            let (repo, store) = (repo.clone(), store.clone());
            second = Some(
                thread::spawn(move || {
                    Index::build(&repo, &store, &BuildOptions::default(), &mut |_| {}, &|| false)
                })
                .join()
                .unwrap(),
            );
        }
    };
    Index::build(&site.repo(), &site.store(), &BuildOptions::default(), &mut progress, &|| false).unwrap();
    assert!(matches!(second, Some(Err(IndexError::Busy { .. }))));
    assert!(site.open().verify().is_ok());
}

#[test]
fn a_large_repository_is_searchable_by_words_before_its_structure_is_known() {
    let site = many(90);
    let mut seen = None;
    let (repo, store) = (site.repo(), site.store());
    let mut progress = |progress: mainstay_index::Progress| {
        if progress.phase == mainstay_index::Phase::Structural && seen.is_none() {
            let index = Index::open(&repo, &store).unwrap();
            seen = Some((ask(&index, "\"open_signal_7(\"").total, index.status().freshness.lexical_files));
        }
    };
    let options = BuildOptions { lexical_first_bytes: 1000, ..BuildOptions::default() };
    Index::build(&site.repo(), &site.store(), &options, &mut progress, &|| false).unwrap();
    assert_eq!(seen, Some((1, 90)));
    let index = site.open();
    assert_eq!(index.status().freshness.lexical_files, 0);
    assert_eq!(ask(&index, "open_signal_7").hits[0].name, "open_signal_7");
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let site = Site::new();
    let outcome = Index::build(
        &site.repo().join("nowhere"),
        &site.store(),
        &BuildOptions::default(),
        &mut |_| {},
        &|| false,
    );
    assert!(matches!(outcome, Err(IndexError::NotADirectory { .. })));
}

#[test]
fn a_store_inside_the_repository_does_not_index_itself() {
    let site = many(5);
    let store = site.repo().join(".mainstay/index");
    for _ in 0..3 {
        let report =
            Index::build(&site.repo(), &store, &BuildOptions::default(), &mut |_| {}, &|| false).unwrap();
        assert_eq!((report.files, report.skipped.total()), (5, 0));
    }
}

#[test]
fn an_empty_repository_has_an_index_with_no_answers() {
    let site = Site::new();
    assert_eq!(site.ask("anything").total, 0);
}
