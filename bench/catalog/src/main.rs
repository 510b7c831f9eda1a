//! Measures the catalog toolset through its tools: time and CPU per call at a given number of entries.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mainstay_catalog::{CatalogConfig, tools};
use mainstay_contract::{Body, Call, Tool};
use serde_json::{Value, json};

fn main() {
    let mut args = std::env::args().skip(1);
    let counts: Vec<usize> = match args.next() {
        Some(list) => list.split(',').map(|count| count.parse().unwrap()).collect(),
        None => vec![10_000, 100_000],
    };
    let data = args.next().unwrap_or_else(|| "bench/.data/catalog".into());
    for count in counts {
        let dir = Path::new(&data).join(count.to_string());
        generate(&dir, count);
        measure(&dir, count);
        fs::remove_dir_all(&dir).unwrap();
    }
}

/// Writes entries with a body of 1 KB, complete as the catalog itself writes them.
fn generate(dir: &Path, count: usize) {
    let _ = fs::remove_dir_all(dir);
    fs::create_dir_all(dir).unwrap();
    let words =
        ["deploy", "review", "token", "branch", "secret", "owner", "release", "format", "test", "index"];
    for n in 0..count {
        let mut body = format!("Instruction number {n}.\n");
        let mut state = n as u64 * 0x9E37_79B9_7F4A_7C15 + 1;
        while body.len() < 1016 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            body.push_str(words[(state >> 33) as usize % words.len()]);
            body.push(if state >> 60 == 0 { '\n' } else { ' ' });
        }
        body.push_str(if n == count / 2 { "needle-in-hay" } else { "end" });
        let id = format!("entry-{n:06}");
        let entry = json!({
            "id": id, "title": format!("Entry {n}"), "body": body, "priority": n % 100 + 1, "audience": "all",
            "requirement": "optional", "categories": [words[n % words.len()], "bench"],
            "sourceHash": mainstay_catalog::sha256_hex(&body), "schemaVersion": "1",
            "createdAt": "2026-01-01T00:00:00.000Z", "updatedAt": "2026-01-01T00:00:00.000Z", "riskScore": 50,
            "version": "1.0.0", "status": "approved", "owner": "bench", "priorityTier": "P3",
            "classification": "internal", "lastReviewedAt": "2026-01-01T00:00:00.000Z",
            "nextReviewDue": "2026-04-01T00:00:00.000Z",
            "changeLog": [{"version": "1.0.0", "changedAt": "2026-01-01T00:00:00.000Z", "summary": "initial import"}],
            "semanticSummary": format!("Instruction number {n}.")
        });
        fs::write(dir.join(format!("{id}.json")), serde_json::to_string_pretty(&entry).unwrap()).unwrap();
    }
}

fn measure(dir: &Path, count: usize) {
    println!("\n{count} entries\n{:<34} {:>12} {:>12} {:>10}", "", "wall", "cpu", "runs");
    let mut defined = Vec::new();
    report("define the tools", 1, || {
        defined = tools(CatalogConfig { features: vec!["usage".into()], ..CatalogConfig::new(dir) });
    });
    let tools = defined;
    let call = |id: &str, args: Value| -> usize {
        let tool = tools.iter().find(|tool| tool.def.id == id).unwrap();
        run(tool, args)
    };
    report("first list (load and answer)", 1, || {
        assert!(call("instructions/list", json!({})) > count * 1000)
    });
    println!("{:<34} {:>9} MB", "RSS after the first list", rss_mb());
    let hash = hash_of(&tools);
    report("list, everything", 5, || assert!(call("instructions/list", json!({})) > count * 1000));
    report("list, a page of 50", 200, || assert!(call("instructions/list", json!({"limit": 50})) > 1000));
    let mut n = 0;
    report("get", 20_000, || {
        n = (n + 7919) % count;
        assert!(call("instructions/get", json!({"id": format!("entry-{n:06}")})) > 1000);
    });
    report("diff, up to date", 20_000, || {
        assert!(call("instructions/diff", json!({ "clientHash": hash })) < 200);
    });
    report("search, one hit", 100, || assert!(call("instructions/search", json!({"q": "NEEDLE-in"})) > 1000));
    report("search, no hit", 100, || {
        assert!(call("instructions/search", json!({"q": "zebra crossing"})) < 200)
    });
    report("query, ranked text", 20, || {
        assert!(call("instructions/query", json!({"text": "needle deploy", "limit": 10})) > 100);
    });
    report("governanceHash, first", 1, || {
        assert!(call("instructions/governanceHash", json!({})) > count * 100)
    });
    report("governanceHash, again", 20, || {
        assert!(call("instructions/governanceHash", json!({})) > count * 100)
    });
    report("usage/track", 2_000, || {
        n = (n + 7919) % count;
        assert!(call("usage/track", json!({"id": format!("entry-{n:06}")})) > 10);
    });
    let body = "x".repeat(1024);
    let mut added = 0;
    report("add, at random places, with fsync", 200, || {
        added += 1;
        let id = format!("entry-{:06}-{added}", (added * 7919) % count);
        assert!(call("instructions/add", json!({"entry": {"id": id, "body": body}, "lax": true})) > 50);
    });
    // The answer of `add` carries the catalog hash, and SHA-256 must run over every item behind the new one.
    let behind = format!("|entry-000000:{hash}").repeat(count / 2);
    report("  of it: the hash, on average", 200, || {
        assert_eq!(mainstay_catalog::sha256_hex(&behind).len(), 64)
    });
    report("add then get", 200, || {
        added += 1;
        let id = format!("entry-{:06}-{added}", (added * 7919) % count);
        call("instructions/add", json!({"entry": {"id": id, "body": body}, "lax": true}));
        assert!(call("instructions/get", json!({ "id": id })) > 1000);
    });
    println!("{:<34} {:>9} MB", "RSS at the end", rss_mb());
}

/// Runs one call and returns the size of its answer.
fn run(tool: &Tool, args: Value) -> usize {
    let call = Call::detached(Arc::clone(&tool.def));
    match (tool.run)(&call, args) {
        Ok(Body::Json(raw)) => raw.get().len(),
        other => panic!("{}: {other:?}", tool.def.id),
    }
}

fn hash_of(tools: &[Tool]) -> String {
    let tool = tools.iter().find(|tool| tool.def.id == "instructions/list").unwrap();
    let call = Call::detached(Arc::clone(&tool.def));
    let Ok(Body::Json(raw)) = (tool.run)(&call, json!({"limit": 1})) else { panic!("no list") };
    serde_json::from_str::<Value>(raw.get()).unwrap()["hash"].as_str().unwrap().to_owned()
}

fn report(what: &str, runs: u32, mut work: impl FnMut()) {
    let (cpu, wall) = (cpu_ns(), Instant::now());
    for _ in 0..runs {
        work();
    }
    let (wall, cpu) = (wall.elapsed().as_nanos() as f64, (cpu_ns() - cpu) as f64);
    let each = |total: f64| match total / f64::from(runs) / 1e3 {
        micros if micros < 1000.0 => format!("{micros:.1} µs"),
        micros => format!("{:.2} ms", micros / 1e3),
    };
    println!("{what:<34} {:>12} {:>12} {runs:>10}", each(wall), each(cpu));
}

/// CPU time of the process so far, threads that ended included.
fn cpu_ns() -> u64 {
    let text = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let main: u64 = text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0);
    // schedstat covers the main thread exactly; loader threads end before a call returns and show only here, in ticks.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> =
        stat.rsplit(')').next().unwrap_or_default().split(' ').filter_map(|n| n.parse().ok()).collect();
    let ticks = fields.get(10).zip(fields.get(11)).map_or(0, |(user, system)| user + system);
    main.max(ticks * 10_000_000)
}

fn rss_mb() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).unwrap_or(0) / 1024
}
