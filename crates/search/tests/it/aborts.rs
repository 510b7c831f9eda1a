//! A call that is told to stop, whenever that is, leaves what was there and nothing of its own.

use std::path::Path;
use std::time::{Duration, Instant};

use mainstay_contract::{Caller, CancelToken, ErrorCode, StopReason};
use serde_json::{Value, json};

use crate::site::Site;

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

/// Files below a folder that a finished or stopped call may not leave.
fn temporary(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                todo.push(entry.path());
            } else if name.starts_with(".writing-") || name.starts_with(".tmp") {
                found.push(entry.path().display().to_string());
            }
        }
    }
    found
}

#[test]
fn a_stopped_call_leaves_the_old_index_serving_and_no_temporary_file() {
    let files: Vec<(String, String)> = (0..6)
        .map(|at| (format!("src/part{at}.rs"), format!("/// Part {at}.\npub fn lasting{at}() {{}}\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let site = Site::indexed(&files);
    let finding =
        json!({"source": "manual", "input": {"id": "A", "title": "lasting0", "packageName": "part"}});
    let id = site.call("triage_ingest", finding.clone()).unwrap()["recordIds"][0].clone();
    let tools: [(&str, Value); 4] = [
        ("build_index", json!({"incremental": false})),
        ("bootstrap", json!({"incremental": false})),
        (
            "triage_ingest",
            json!({"source": "manual", "input": {"id": "B", "title": "other"}, "buildIndex": true}),
        ),
        ("triage_context_pack", json!({"recordId": id})),
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
        assert_eq!(temporary(&site.outside()), Vec::<String>::new(), "{tool} in run {run}");
        assert_eq!(site.places(json!({"query": "sym:lasting3"})), ["src/part3.rs:1"], "{tool} in run {run}");
    }
    assert!(stopped > 20 && finished > 0, "stopped {stopped}, finished {finished}");
    let records = site.call("search", json!({"query": "lasting0", "mode": "records"})).unwrap();
    assert_eq!(records["search"]["total"]["records"], 1);
    site.call("check_status", json!({"verify": true})).unwrap();
}
