//! Measures the search engine on a tree of source: `search-bench parse|build|lexical|query|latency|cold TREE STORE …`.
//!
//! Every line says CPU seconds of this process, which hold on a busy machine better than wall time. `compare.py` runs
//! it beside other tools and makes the table.

mod filters;

use mainstay_index::chunk::parse_only;
use mainstay_index::{BuildOptions, Index, Options, Phase, Query, VectorTable};
use rayon::prelude::*;
use std::path::Path;
use std::time::Instant;
use std::{env, fs};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [command, tree, store, rest @ ..] = &args[..] else {
        eprintln!("usage: search-bench parse|build|lexical|query|filters|latency|cold TREE STORE [QUERY…]");
        std::process::exit(2);
    };
    let (tree, store) = (Path::new(tree), Path::new(store));
    match command.as_str() {
        "parse" => parse(tree),
        "build" => build(tree, store, false),
        "lexical" => build(tree, store, true),
        "query" => queries(tree, store, rest),
        "latency" => latency(tree, store, rest),
        "verify" => verify(tree, store, rest),
        "filters" => filters::run(tree, store, rest, usage),
        "cold" => cold(tree, store, rest),
        other => eprintln!("no command {other}"),
    }
}

/// User and system seconds of this process, and the most memory it held, in MiB.
fn usage() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0) / 100.0;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    (ticks(11) + ticks(12), peak.unwrap_or(0.0) / 1024.0)
}

/// Bare parsing of the files that have a grammar, on all cores as a build does it.
fn parse(tree: &Path) {
    let files: Vec<(String, String)> = ignore::WalkBuilder::new(tree)
        .hidden(false)
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| Some((entry.path().to_str()?.to_owned(), fs::read_to_string(entry.path()).ok()?)))
        .collect();
    let (before, _) = usage();
    let small: Vec<&(String, String)> = files.iter().filter(|(_, text)| text.len() < 2 << 20).collect();
    let (parsed, bytes) = small
        .par_iter()
        .with_max_len(1)
        .filter(|(path, text)| parse_only(path, text))
        .map(|(_, text)| (1u64, text.len() as u64))
        .reduce(|| (0, 0), |left, right| (left.0 + right.0, left.1 + right.1));
    let cpu = usage().0 - before;
    let all: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!("parse: {parsed} files {:.1} MB of {:.1} in {cpu:.2} CPU-s = {:.2} MB/s", bytes as f64 / 1e6, all as f64 / 1e6, bytes as f64 / 1e6 / cpu);
}

/// Every query of a file, one a line: each is asked once to warm up, then five times, and its least CPU time counts.
fn latency(tree: &Path, store: &Path, files: &[String]) {
    let index = Index::open(tree, store).expect("the index opens");
    for file in files {
        let text = fs::read_to_string(file).expect("the queries are readable");
        let mut times: Vec<(f64, &str)> = Vec::new();
        for line in text.lines() {
            let Ok(query) = Query::parse(line) else { continue };
            let ask = || {
                let start = cpu_time::ProcessTime::now();
                let _ = index.search(&query, &Options::default());
                start.elapsed().as_secs_f64() * 1e3
            };
            ask();
            times.push(((0..5).map(|_| ask()).fold(f64::MAX, f64::min), line));
        }
        times.sort_by(|left, right| left.0.total_cmp(&right.0));
        let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
        let all: f64 = times.iter().map(|(time, _)| time).sum();
        println!(
            "latency: {} queries, {all:.1} CPU-ms together, p50 {:.2} CPU-ms, p99 {:.2} CPU-ms, most {:.2} CPU-ms ({})",
            times.len(), at(0.5).0, at(0.99).0, at(1.0).0, at(1.0).1
        );
    }
}

fn build(tree: &Path, store: &Path, lexical: bool) {
    let start = Instant::now();
    let mut phases: Vec<(Phase, f64, u64)> = Vec::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    let options = BuildOptions { full: env::var_os("FULL").is_some(), lexical_first_bytes: if lexical || env::var_os("LEXICAL").is_some() { 0 } else { u64::MAX }, vectors: env::var_os("TABLE").map(|table| VectorTable::open(Path::new(&table)).expect("the table opens")), ..BuildOptions::default() };
    let report = Index::build(
        tree,
        store,
        &options,
        &mut |progress| {
            let cpu = usage().0;
            if phases.last().is_none_or(|(phase, ..)| *phase != progress.phase) {
                phases.push((progress.phase, cpu, progress.bytes_total));
                if lexical && progress.phase == Phase::Structural {
                    stop.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
        },
        &|| stop.load(std::sync::atomic::Ordering::Relaxed),
    );
    let (cpu, peak) = usage();
    for (at, (phase, from, bytes)) in phases.iter().enumerate() {
        let to = phases.get(at + 1).map_or(cpu, |(_, next, _)| *next);
        println!("  {phase:?}: {:.2} CPU-s, {:.1} MB, {:.1} MB/CPU-s", to - from, *bytes as f64 / 1e6, *bytes as f64 / 1e6 / (to - from).max(0.001));
    }
    match report {
        Ok(report) => println!(
            "build: {} files, {:.1} MB, {} chunks, {} analysed, {} segments, index {:.1} MB = {:.2}x, {cpu:.2} CPU-s, {:.2} s wall, peak {peak:.0} MiB, skipped {:?}",
            report.files,
            report.source_bytes as f64 / 1e6,
            report.chunks,
            report.analysed_files,
            report.segments,
            report.index_bytes as f64 / 1e6,
            report.index_bytes as f64 / report.source_bytes.max(1) as f64,
            start.elapsed().as_secs_f64(),
            report.skipped.counts,
        ),
        Err(error) => println!("build: {error}, {cpu:.2} CPU-s, {:.2} s wall, peak {peak:.0} MiB", start.elapsed().as_secs_f64()),
    }
}

fn queries(tree: &Path, store: &Path, queries: &[String]) {
    let index = Index::open(tree, store).expect("the index opens");
    let options = Options { explain: env::var_os("EXPLAIN").is_some(), ..Options::default() };
    for text in queries {
        let query = Query::parse(text).expect("the query parses");
        let answer = index.search(&query, &options).expect("the search answers");
        let mut times: Vec<f64> = (0..50)
            .map(|_| {
                let start = Instant::now();
                let _ = index.search(&query, &options);
                start.elapsed().as_secs_f64() * 1e3
            })
            .collect();
        times.sort_by(f64::total_cmp);
        let (before, rounds) = (usage().0, 200);
        for _ in 0..rounds {
            let _ = index.search(&query, &options);
        }
        let cpu_ms = (usage().0 - before) * 1e3 / f64::from(rounds);
        println!("{text}: {} hits, {cpu_ms:.2} CPU-ms each, wall p50 {:.2} ms, p98 {:.2} ms{}", answer.total, times[25], times[49], if answer.relaxed { ", relaxed" } else { "" });
        for hit in answer.hits.iter().take(6) {
            println!("  {:7.2} {}:{} {} {}", hit.score, hit.path, hit.lines.0, hit.kind.name(), hit.name);
            for part in &hit.explain {
                println!("            {:8.3} {}", part.value, part.what);
            }
        }
    }
}

/// Reads every byte of the index and asks it something; fails where it is damaged or does not answer.
fn verify(tree: &Path, store: &Path, queries: &[String]) {
    let index = Index::open(tree, store).expect("the index opens");
    index.verify().expect("the index is whole");
    for text in queries {
        let answer = index.search(&Query::parse(text).expect("the query parses"), &Options::default());
        assert!(answer.expect("the search answers").total > 0, "nothing found for {text}");
    }
    println!("verify: {} files", index.status().files);
}

/// Open, look for changes, answer once.
fn cold(tree: &Path, store: &Path, queries: &[String]) {
    let step = |what: &str, since: Instant| println!("  {what}: {:.2} ms", since.elapsed().as_secs_f64() * 1e3);
    let start = Instant::now();
    let index = Index::open(tree, store).expect("the index opens");
    step("open", start);
    if env::var_os("NO_REFRESH").is_none() {
        let start = Instant::now();
        index.refresh().expect("the files can be compared");
        step("refresh", start);
    }
    for text in queries {
        let start = Instant::now();
        let answer = index.search(&Query::parse(text).expect("the query parses"), &Options::default()).expect("the search answers");
        step(&format!("{text} ({} hits)", answer.total), start);
    }
    println!("cold: {:.3} CPU-s", usage().0);
}
