//! A long tool that is cancelled at any of its steps leaves what was there before, and nothing else.

use std::path::Path;

use mainstay_contract::ErrorCode;
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
