//! Repositories and machines as they should not be: huge lines, many files, full disks, crashing parsers.

use crate::site::{Site, ask, paths, program};
use mainstay_index::{BuildOptions, Index, IndexError, Options, Query, SkipReason, outline};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

const SITE: &str = "MAINSTAY_TEST_HOSTILE_SITE";

/// Not a test of its own: a builder in a process of its own, for the tests below.
#[test]
fn builder_process() {
    let Some(site) = env::var_os(SITE) else { return };
    let site = Path::new(&site);
    let options = BuildOptions { threads: Some(1), ..BuildOptions::default() };
    match Index::build(&site.join("repo"), &site.join("store"), &options, &mut |_| {}, &|| false) {
        Ok(_) => fs::write(site.join("outcome"), "built").unwrap(),
        Err(error) => fs::write(site.join("outcome"), format!("{error:?}")).unwrap(),
    }
}

fn start(site: &Site) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "hostile::builder_process"])
        .env(SITE, site.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn store_files(site: &Site, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(site.store()).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(prefix)).collect()
}

#[test]
fn a_line_of_half_a_gigabyte_is_skipped_and_a_long_one_is_searched() {
    let site = Site::new().file("a.rs", "fn needle() {}");
    fs::File::create(site.repo().join("huge.js")).unwrap().set_len(500 << 20).unwrap();
    site.write("long.js", format!("{};needle_in_a_long_line();", "var a=1;".repeat(300_000)));
    let report = site.build();
    assert_eq!(report.skipped.counts[&SkipReason::Oversized], 1);
    let answer = ask(&site.open(), "\"needle_in_a_long_line\"");
    assert_eq!(paths(&answer), ["long.js"]);
    let snippet = format!("{:?}", answer.hits[0].snippet);
    assert!(snippet.len() < 4_000, "{}", snippet.len());
}

#[test]
fn tens_of_thousands_of_tiny_files_are_one_build_and_one_look() {
    let site = Site::new();
    for number in 0..20_000 {
        site.write(&format!("d{}/f{number}.txt", number / 200), format!("tiny{number} text\n"));
    }
    let report = site.build();
    assert_eq!((report.files, report.segments), (20_000, 1));
    let index = site.open();
    assert_eq!(paths(&ask(&index, "tiny777")), ["d3/f777.txt"]);
    site.write("d3/f777.txt", "other words");
    assert_eq!(index.refresh().unwrap().modified_files, 1);
    assert_eq!(ask(&index, "tiny777").total, 0);
    assert_eq!(site.build().analysed_files, 1);
}

/// `trap` makes the write fail instead of ending the process, as a full disk does.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_index_and_says_what_is_wrong() {
    let site = Site::new().file("a.rs", "fn old_needle() {}");
    site.build();
    for number in 0..400 {
        site.write(&format!("src/file{number}.rs"), program(number));
    }
    let before = store_files(&site, "");
    let status = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" --exact hostile::builder_process"])
        .arg(env::current_exe().unwrap())
        .env(SITE, site.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let outcome = fs::read_to_string(site.folder().join("outcome")).unwrap();
    assert!(outcome.starts_with("Full"), "{outcome}");
    let index = site.open();
    index.verify().unwrap();
    assert_eq!(ask(&index, "old_needle").hits[0].path, "a.rs");
    assert_eq!(store_files(&site, "").len(), before.len(), "nothing half written stays");
    assert_eq!(site.build().files, 401);
}

/// A death is a death: to the next build a parser that crashes looks like one that is killed.
#[test]
fn a_file_that_ends_the_program_twice_is_not_parsed_again() {
    let site = Site::new();
    let slow = (0..9_000).map(program).collect::<String>();
    site.write("a_slow.rs", &slow);
    site.write("b.rs", "fn other_needle() {}");
    for death in 0..2 {
        let left = store_files(&site, "parsing-");
        let mut builder = start(&site);
        let started = Instant::now();
        let is_parsing = || {
            store_files(&site, "parsing-")
                .iter()
                .filter(|notes| !left.contains(notes))
                .any(|notes| fs::read(notes).is_ok_and(|notes| notes.iter().any(|byte| *byte != 0)))
        };
        while !is_parsing() {
            assert!(started.elapsed() < Duration::from_secs(120), "death {death}: nothing is being parsed");
            thread::sleep(Duration::from_millis(1));
        }
        builder.kill().unwrap();
        builder.wait().unwrap();
    }
    let report = site.build();
    assert_eq!(report.skipped.counts[&SkipReason::ParserCrash], 1);
    assert_eq!(report.skipped.examples[&SkipReason::ParserCrash], ["a_slow.rs"]);
    let index = site.open();
    assert_eq!(paths(&ask(&index, "\"open_signal_8997(\"")), ["a_slow.rs"], "its words are searched");
    assert_eq!(ask(&index, "other_needle").hits[0].name, "other_needle", "the rest has its structure");
    assert_eq!(site.build().skipped.counts[&SkipReason::ParserCrash], 1, "later builds say so too");
    // Asked to do everything again, the program tries again.
    let report = site.build_with(&BuildOptions { full: true, ..BuildOptions::default() });
    assert!(!report.skipped.counts.contains_key(&SkipReason::ParserCrash));
    assert_eq!(ask(&site.open(), "open_signal_8997").hits[0].name, "open_signal_8997");
}

#[test]
fn an_index_cut_short_while_open_is_an_error_not_a_crash() {
    for prefix in ["segment-", "generation-"] {
        let site = Site::new();
        for number in 0..40 {
            site.write(&format!("src/file{number}.rs"), program(number));
        }
        site.build();
        let index = site.open();
        assert!(ask(&index, "session").total > 0);
        let file = store_files(&site, prefix).remove(0);
        fs::File::options().write(true).open(file).unwrap().set_len(100).unwrap();
        let outcomes = [
            index.search(&Query::parse("ledger").unwrap(), &Options::default()).map(drop),
            index.refresh().map(drop),
            index.verify(),
        ];
        assert_eq!(index.status().files, 40);
        for outcome in outcomes {
            assert!(
                matches!(&outcome, Err(error @ IndexError::Damaged { .. }) if error.wants_rebuild()),
                "{outcome:?}"
            );
        }
        site.build();
        assert!(ask(&site.open(), "session").total > 0, "a build makes it good");
    }
}

#[test]
fn a_binary_file_rewritten_as_text_in_place_is_found() {
    let site = Site::new().file("a.rs", "fn alpha() {}");
    site.write("data.txt", b"\x00\x01\x02\x00binary");
    assert_eq!(site.build().skipped.counts[&SkipReason::Binary], 1);
    let index = site.open();
    assert_eq!(index.refresh().unwrap().added_files, 0);
    site.write("data.txt", "now there is a needle in it");
    assert_eq!(index.refresh().unwrap().added_files, 1);
    assert_eq!(paths(&ask(&index, "needle")), ["data.txt"]);
    // One that is too large becomes small enough.
    let options = BuildOptions { max_file_bytes: 2_000, ..BuildOptions::default() };
    site.write("big.txt", "x".repeat(3_000));
    site.build_with(&options);
    let index = site.open();
    site.write("big.txt", "small needle");
    assert_eq!(index.refresh().unwrap().added_files, 1);
    assert_eq!(paths(&ask(&index, "\"small needle\"")), ["big.txt"]);
}

/// Extensions of every language that has a grammar.
fn extensions() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    let folders = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let with_grammar = folders.filter(|folder| folder.join("chunks.scm").is_file());
    let mut out: Vec<String> = with_grammar
        .filter_map(|folder| {
            let text = fs::read_to_string(folder.join("language.toml")).unwrap();
            let line = text.lines().find(|line| line.starts_with("extensions"))?.to_owned();
            line.split('"').nth(1).map(str::to_owned)
        })
        .collect();
    out.sort();
    out
}

/// Texts that make a parser nest, guess or fork without end, tried on every grammar.
#[test]
fn no_grammar_hangs_on_a_hostile_text() {
    let extensions = extensions();
    assert!(extensions.len() > 30, "{extensions:?}");
    let texts = [
        "(", "[", "{", "<", "f(", "a<b>(", "if x ", "\"", "'", "`", "/*", "a.", "!", "\\", "#if\n", "- ",
        "\t\n",
    ];
    for extension in &extensions {
        let started = Instant::now();
        for text in texts {
            let text = text.repeat(2_400 / text.len());
            let chunks = outline(&format!("hostile.{extension}"), &text);
            assert!(chunks.iter().all(|chunk| chunk.span.end as usize <= text.len()));
        }
        // An honest bound for a slow machine and an unoptimised build; without fences it is hours.
        assert!(started.elapsed() < Duration::from_secs(240), "{extension}: {:?}", started.elapsed());
    }
}
