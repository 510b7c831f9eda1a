//! A long tool that is cancelled at any of its steps leaves what was there before, and nothing else.

use std::path::Path;
use std::time::{Duration, Instant};

use mainstay_contract::{Caller, CancelToken, ErrorCode, StopReason};
use serde_json::{Value, json};

use crate::origin::{Origin, Page, sha256};
use crate::site::Site;

/// Every file below a folder that was meant to be temporary.
fn temporary(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if [".sqlite-", ".writing-", ".incoming-", ".tmp"].iter().any(|start| name.starts_with(start))
            || name.ends_with("-journal")
        {
            found.push(name.clone());
        }
        if entry.path().is_dir() {
            found.extend(temporary(&entry.path()));
        }
    }
    found
}

/// Cancels a call after its first step, its second, and so on until it is through; `check` looks at what is left.
fn abort_at_every_step(site: &Site, tool: &str, args: &Value, mut check: impl FnMut()) -> usize {
    for steps in 1.. {
        let outcome = site.call_for_steps(steps, tool, args.clone());
        assert_eq!(temporary(&site.cache()), [""; 0], "{tool} after {steps} steps");
        match outcome {
            Ok(_) => return steps,
            Err(fault) => assert_eq!(fault.code, ErrorCode::Cancelled, "{tool} after {steps} steps: {fault}"),
        }
        check();
    }
    unreachable!("a call has an end")
}

#[test]
fn an_index_that_is_not_finished_is_not_served() {
    let site = Site::new(&[("a.rs", "pub fn alpha() {}\n")]);
    site.call("build_sqlite_index", json!({})).unwrap();
    for number in 0..40 {
        site.write(&format!("src/more_{number}.rs"), format!("pub fn more_{number}() {{}}\n").as_bytes());
    }
    let answers = || {
        for backend in ["native", "sqlite"] {
            let found = site.call("search", json!({"query": "alpha", "backend": backend})).unwrap();
            assert_eq!(found["search"]["code"][0]["file"], "a.rs");
        }
    };
    let mut steps = 0;
    for args in [json!({}), json!({"incremental": false}), json!({"incremental": false, "compact": true})] {
        steps += abort_at_every_step(&site, "build_sqlite_index", &args, answers);
    }
    steps += abort_at_every_step(&site, "compact_sqlite_index", &json!({}), answers);
    steps += abort_at_every_step(&site, "build_index", &json!({"incremental": false}), answers);
    assert!(steps > 50, "{steps} steps were cut short");
}

#[test]
fn a_download_that_is_not_finished_is_not_installed() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let args = |body: &[u8]| {
        origin.put("/words.txt", Page::of(body));
        json!({ "url": format!("en={}", origin.url("/words.txt")), "sha256": sha256(body) })
    };
    site.call("download_dictionaries", args(b"old")).unwrap();
    let new = vec![7; 1 << 20];
    let installed = site.cache().join("dictionaries/en.txt");
    let steps = abort_at_every_step(&site, "download_dictionaries", &args(&new), || {
        assert_eq!(std::fs::read(&installed).unwrap(), b"old");
    });
    assert!(steps > 5, "{steps} steps were cut short");
    assert_eq!(std::fs::read(&installed).unwrap(), new);
}

/// Calls of the test that stops them at random.
const RUNS: u64 = 200;

/// The same moments in every run of the test.
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound.max(1)
    }
}

#[test]
fn a_call_stopped_at_any_moment_leaves_the_old_index_serving() {
    let files: Vec<(String, String)> = (0..6)
        .map(|at| (format!("src/part{at}.rs"), format!("/// Part {at}.\npub fn lasting{at}() {{}}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let site = Site::indexed(&files);
    let finding =
        json!({"source": "manual", "input": {"id": "A", "title": "lasting0", "packageName": "part"}});
    let id = site.call("triage_ingest", finding.clone()).unwrap()["recordIds"][0].clone();
    let tools: [(&str, Value); 5] = [
        ("build_index", json!({"incremental": false})),
        ("bootstrap", json!({"incremental": false})),
        (
            "triage_ingest",
            json!({"source": "manual", "input": {"id": "B", "title": "other"}, "buildIndex": true}),
        ),
        ("triage_context_pack", json!({"recordId": id})),
        ("build_sqlite_index", json!({})),
    ];
    let began = Instant::now();
    site.call("build_index", json!({"incremental": false})).unwrap();
    let usual = began.elapsed().as_micros() as u64;

    let mut random = Seeded(0x5eed);
    let (mut stopped, mut finished) = (0, 0);
    for run in 0..RUNS {
        site.write("src/changing.rs", format!("pub fn changing{run}() {{}}\n").as_bytes());
        let (tool, args) = &tools[random.below(tools.len() as u64) as usize];
        let pause = Duration::from_micros(random.below(usual));
        let cancel = CancelToken::new();
        let outcome = std::thread::scope(|scope| {
            let later = cancel.clone();
            scope.spawn(move || {
                std::thread::sleep(pause);
                later.cancel(StopReason::Cancelled);
            });
            site.call_until(Caller::default(), &cancel, tool, args.clone())
        });
        match outcome {
            Ok(_) => finished += 1,
            Err(fault) => {
                assert_eq!(fault.code, ErrorCode::Cancelled, "{tool} in run {run}: {fault:?}");
                stopped += 1;
            }
        }
        assert_eq!(temporary(&site.cache()), Vec::<String>::new(), "{tool} in run {run}");
        assert_eq!(site.places(json!({"query": "sym:lasting3"})), ["src/part3.rs:1"], "{tool} in run {run}");
    }
    assert!(stopped > 20 && finished > 0, "stopped {stopped}, finished {finished}");
    let records = site.call("search", json!({"query": "lasting0", "mode": "records"})).unwrap();
    assert_eq!(records["search"]["total"]["records"], 1);
    site.call("check_status", json!({"verify": true})).unwrap();
}
