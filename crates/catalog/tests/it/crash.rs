//! Writers killed at any moment: what was acknowledged is there, and no file is torn.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use mainstay_catalog::{AddOptions, Added, Author, Catalog, CatalogConfig, GroomMode, ImportMode};
use serde_json::{Value, json};

use crate::site::{Site, entry, entry_with};

/// Rounds of two writers each. `CATALOG_CRASH_RUNS` asks for more.
const RUNS: u64 = 300;

/// A small generator with a seed, so that a failing round can be repeated.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// The writer, run as a process of its own: changes at random and notes each before and after.
#[test]
fn writer_process() {
    let Ok(dir) = std::env::var("CATALOG_CRASH_DIR") else { return };
    let worker = std::env::var("CATALOG_CRASH_WORKER").unwrap();
    let mut dice = Dice(std::env::var("CATALOG_CRASH_SEED").unwrap().parse().unwrap());
    let dir = Path::new(&dir);
    let mut notes = OpenOptions::new().append(true).open(dir.join(format!("notes-{worker}"))).unwrap();
    // The library under the tools: a process starts faster without their definitions.
    let catalog = Catalog::new(CatalogConfig::new(dir.join("instructions")));
    let mut note = |kind: &str, states: &BTreeMap<String, Option<String>>| {
        let line = json!({ "kind": kind, "states": states }).to_string() + "\n";
        notes.write_all(line.as_bytes()).unwrap();
    };
    for step in 0u64.. {
        let id = |n: u64| format!("{worker}-{n}");
        let body = format!("body {} {step}", dice.0);
        let pick = dice.roll(20);
        let mut states: BTreeMap<String, Option<String>> = BTreeMap::new();
        match dice.roll(6) {
            0 | 1 => {
                states.insert(id(pick), Some(body.clone()));
                note("begin", &states);
                add(&catalog, entry(&id(pick), &body));
            }
            2 => {
                let entries: Vec<Value> = (0..5).map(|n| entry(&id(pick + n), &body)).collect();
                states.extend((0..5).map(|n| (id(pick + n), Some(body.clone()))));
                note("begin", &states);
                let result = catalog.import(entries, ImportMode::Overwrite, &author()).unwrap();
                assert_eq!(result.errors, []);
            }
            3 => {
                states.insert(id(pick), None);
                note("begin", &states);
                assert_eq!(catalog.remove(&[id(pick)], false, &author()).unwrap().errors, []);
            }
            4 => {
                // Deprecated entries belong to whoever grooms first, so they live under ids nobody checks.
                let gone = format!("{worker}-gone-{pick}");
                add(
                    &catalog,
                    entry_with(&gone, json!({"requirement": "deprecated", "deprecatedBy": "shared"})),
                );
                note("begin", &states);
                let mode = GroomMode { remove_deprecated: true, ..GroomMode::default() };
                catalog.groom(mode, false, &author()).unwrap();
            }
            _ => {
                states.insert("shared".into(), Some("track".into()));
                note("begin", &states);
                assert!(catalog.track("shared", Timestamp::now(), true).unwrap().is_some());
                if pick == 0 {
                    catalog.flush_usage().unwrap();
                }
            }
        }
        note("done", &states);
    }
}

fn author() -> Author {
    Author::at(Timestamp::now())
}

fn add(catalog: &Catalog, entry: Value) {
    let Value::Object(entry) = entry else { unreachable!() };
    let options = AddOptions { overwrite: true, lax: false };
    let added = catalog.add(entry, options, &author()).unwrap();
    assert!(matches!(added, Added::Done { skipped: false, .. }), "{added:?}");
}

/// What the notes of one writer promise.
#[derive(Default)]
struct Promises {
    /// What each entry must hold; more than one value while a change was under way.
    states: BTreeMap<String, Vec<Option<String>>>,
    tracked: u64,
    maybe_tracked: u64,
    lines: usize,
}

impl Promises {
    fn take_in(&mut self, text: &str) {
        let mut pending: Option<Value> = None;
        for line in text.lines() {
            // The last line may be cut short by the kill; it then says nothing.
            let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
            self.lines += 1;
            match value["kind"] == "done" {
                true => {
                    self.apply(&value, true);
                    pending = None;
                }
                false => pending = Some(value),
            }
        }
        if let Some(value) = pending {
            self.apply(&value, false);
        }
    }

    fn apply(&mut self, value: &Value, is_done: bool) {
        for (id, state) in value["states"].as_object().unwrap() {
            if id == "shared" {
                match is_done {
                    true => self.tracked += 1,
                    false => self.maybe_tracked += 1,
                }
                continue;
            }
            let state = state.as_str().map(str::to_owned);
            let states = self.states.entry(id.clone()).or_insert_with(|| vec![None]);
            if is_done {
                states.clear();
            }
            states.push(state);
        }
    }
}

fn spawn(site: &Site, worker: &str, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::writer_process", "--nocapture"])
        .env("CATALOG_CRASH_DIR", site.root.path())
        .env("CATALOG_CRASH_WORKER", worker)
        .env("CATALOG_CRASH_SEED", seed.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_writers_lose_nothing_they_acknowledged() {
    let runs = std::env::var("CATALOG_CRASH_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    let site = Site::new();
    site.add("shared", "both count this one");
    let mut promises: BTreeMap<&str, Promises> = BTreeMap::new();
    let mut tracked_before = 0;
    for run in 0..runs {
        let mut dice = Dice(run * 0x9E37_79B9 + 12345);
        dice.roll(2);
        for worker in ["w0", "w1"] {
            File::create(site.root.path().join(format!("notes-{worker}"))).unwrap();
        }
        let mut children = ["w0", "w1"].map(|worker| spawn(&site, worker, dice.roll(u64::MAX - 1) + 1));
        // Let them get to a random amount of work, then a random moment further.
        let enough = 100 + dice.roll(1_500);
        let end = Instant::now() + Duration::from_secs(60);
        let written = || -> u64 {
            let len = |worker: &str| {
                std::fs::metadata(site.root.path().join(format!("notes-{worker}"))).unwrap().len()
            };
            len("w0") + len("w1")
        };
        while written() < enough {
            assert!(Instant::now() < end, "run {run}: the writers do not get on");
            for child in &mut children {
                assert!(child.try_wait().unwrap().is_none(), "run {run}: a writer ended by itself");
            }
            std::thread::yield_now();
        }
        let pause = Instant::now() + Duration::from_micros(dice.roll(1500));
        while Instant::now() < pause {
            std::hint::spin_loop();
        }
        let first = usize::from(dice.roll(2) == 0);
        for at in [first, 1 - first] {
            children[at].kill().unwrap();
            children[at].wait().unwrap();
        }
        tracked_before = check(&site, &mut promises, tracked_before, run);
    }
    let lines: usize = promises.values().map(|promises| promises.lines).sum();
    assert!(lines as u64 > runs, "the writers did next to nothing: {lines} notes");
}

/// Compares the catalog with the notes; returns the number of uses counted so far.
fn check(site: &Site, promises: &mut BTreeMap<&'static str, Promises>, tracked_before: u64, run: u64) -> u64 {
    let server = site.second();
    let health = server.call("health/check", json!({}));
    assert_eq!(health["catalog"]["skipped"], 0, "run {run}: a torn file: {health}");
    assert_eq!(server.call("integrity/verify", json!({}))["issueCount"], 0, "run {run}");
    let (mut tracked, mut maybe) = (0, 0);
    for worker in ["w0", "w1"] {
        let promise = promises.entry(worker).or_default();
        (promise.tracked, promise.maybe_tracked) = (0, 0);
        promise.take_in(&std::fs::read_to_string(site.root.path().join(format!("notes-{worker}"))).unwrap());
        tracked += promise.tracked;
        maybe += promise.maybe_tracked;
        for (id, states) in &mut promise.states {
            let now = server.get(id)["body"].as_str().map(str::to_owned);
            assert!(states.contains(&now), "run {run}: {id} is {now:?}, promised {states:?}");
            // What is there now is what counts from here on.
            *states = vec![now];
        }
    }
    let count = server.get("shared")["usageCount"].as_u64().unwrap_or(0);
    let least = tracked_before + tracked;
    assert!((least..=least + maybe).contains(&count), "run {run}: {count} uses, {least} acknowledged");
    let leftovers = std::fs::read_dir(site.dir()).unwrap().flatten();
    let leftovers = leftovers.filter(|item| item.file_name().to_string_lossy().ends_with(".tmp")).count();
    assert!(leftovers as u64 <= 2 * (run + 1), "run {run}: {leftovers} temporary files");
    count
}
