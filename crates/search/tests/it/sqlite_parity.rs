//! The SQLite file answers like the native index: the same hits in the same order with the same scores.

use std::path::Path;

use serde_json::{Value, json};

use crate::site::Site;

/// Words, names, questions, exact text, expressions, operators: what people type.
const QUERIES: &[&str] = &[
    "index",
    "segment",
    "postings",
    "CancelToken",
    "parse_query",
    "resolve",
    "tokens",
    "fold_name",
    "trigram bucket",
    "snippet lines",
    "cache directory",
    "search error",
    "build report",
    "freshness of the index",
    "how is a query parsed",
    "where are segments merged",
    "what happens when a build is cancelled",
    "how are two folders of one name told apart",
    "which files are skipped",
    "why is a hit demoted",
    "what is checked out",
    "\"pub fn tool\"",
    "\"Result<(), IndexError>\"",
    "\"fn run(call: &Call\"",
    "\"is damaged\"",
    "\"no such text anywhere\"",
    "\"#[derive(Debug)]\"",
    "/fn [a-z]+_index/",
    "/impl From<\\w+> for Fault/",
    "/TODO|FIXME/",
    "/^use std::/",
    "/(?i)cancelled/",
    "sym:Index",
    "sym:Search",
    "sym:tool",
    "sym:refresh",
    "index OR segment",
    "trigram OR postings OR bucket",
    "build AND cancelled",
    "build NOT test",
    "search NOT index",
    "index AND NOT build",
    "(token OR word) AND split",
    "\"pub struct\" AND Report",
    "\"pub fn\" NOT tool",
    "/fn \\w+/ AND refresh",
    "sym:open OR sym:build",
    "NOT test",
    "getUserName",
    "HTTPServer",
    "readme",
    "Cargo.toml",
    "engine.rs",
    "tests for the parser",
    "documentation of settings",
    "é",
    "漢字",
    "x",
    "the",
    "mod",
    "unwrap_or_else",
    "zzzznothing",
];

/// Arguments that narrow or change an answer.
fn variations() -> Vec<Value> {
    vec![
        json!({}),
        json!({"mode": "code", "top": 50}),
        json!({"mode": "prose"}),
        json!({"lang": "rust", "type": "function"}),
        json!({"type": "struct, enum"}),
        json!({"path": "crates/index/**", "top": 20}),
        json!({"ext": "md"}),
        json!({"file": "/tools/"}),
        json!({"caseTokens": true, "param": "call"}),
        json!({"output": "full", "context": 3, "explain": true}),
    ]
}

fn copy(from: &Path, site: &Site, prefix: &str) {
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{prefix}/{name}");
        if entry.path().is_dir() {
            copy(&entry.path(), site, &path);
        } else if [".rs", ".md", ".toml"].iter().any(|ending| name.ends_with(ending)) {
            site.write(path.trim_start_matches('/'), &std::fs::read(entry.path()).unwrap());
        }
    }
}

/// The hits of an answer, without how long it took and which backend gave it.
fn answer(site: &Site, backend: &str, query: &str, more: &Value) -> Result<Value, String> {
    let mut args = more.clone();
    args["query"] = json!(query);
    args["backend"] = json!(backend);
    let found = site.call("search", args).map_err(|fault| format!("{fault:?}"))?;
    let mut payload = found["search"].clone();
    assert_eq!(payload["backend"], backend);
    payload["backend"] = Value::Null;
    Ok(payload)
}

fn check_parity(site: &Site) -> usize {
    let mut hits = 0;
    let variations = variations();
    for (number, query) in QUERIES.iter().enumerate() {
        // Every query plain and with two of the others, every variation with a dozen queries.
        for more in [0, 1 + number % 9, 1 + (number + 4) % 9].map(|at| &variations[at]) {
            let native = answer(site, "native", query, more);
            let sqlite = answer(site, "sqlite", query, more);
            assert_eq!(native, sqlite, "{query} with {more}");
            let count = |mode: &str| native.as_ref().map_or(0, |found| found[mode].as_array().unwrap().len());
            hits += count("code") + count("prose");
        }
    }
    hits
}

#[test]
fn both_backends_answer_alike_before_and_after_changes() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let site = Site::new(&[]);
    for part in ["crates/index", "crates/search", "crates/contract", "docs/guides"] {
        copy(&workspace.join(part), &site, part);
    }
    let built = site.call("build_sqlite_index", json!({"verify": true})).unwrap();
    assert!(built["files"].as_u64().unwrap() > 100, "{built}");
    assert!(check_parity(&site) > 1_000);
    // Changed, added and deleted files are searched directly on both sides; an update then writes only those.
    site.write("crates/index/src/new.rs", b"/// Trigram postings of a segment.\npub fn fresh_index() {}\n");
    site.write("crates/contract/src/call.rs", b"pub struct CancelToken;\n");
    std::fs::remove_file(site.repo().join("crates/index/src/token.rs")).unwrap();
    for query in ["fresh_index", "CancelToken", "fold_name", "index", "trigram"] {
        let (native, sqlite) = ("native", "sqlite");
        assert_eq!(
            answer(&site, native, query, &json!({})),
            answer(&site, sqlite, query, &json!({})),
            "{query} over changed files"
        );
    }
    let updated = site.call("build_sqlite_index", json!({"verify": true})).unwrap();
    assert_eq!(
        (&updated["incremental"], &updated["writtenContents"], &updated["removedContents"]),
        (&json!(true), &json!(2), &json!(2)),
        "{updated}"
    );
    for query in ["fresh_index", "CancelToken", "fold_name", "index", "trigram"] {
        assert_eq!(
            answer(&site, "native", query, &json!({"top": 50})),
            answer(&site, "sqlite", query, &json!({"top": 50})),
            "{query} after the update"
        );
    }
}
