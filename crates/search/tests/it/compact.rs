//! The compact answer is small enough for an agent: five hits in fewer than 600 tokens.

use crate::site::Site;
use serde_json::json;
use std::fs;
use std::path::Path;

/// This toolset's own sources, as a repository.
fn own_sources() -> Site {
    fn copy(site: &Site, folder: &Path, name: &str) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = format!("{name}/{}", entry.file_name().unwrap().to_str().unwrap());
            if entry.is_dir() {
                copy(site, &entry, &name);
            } else {
                site.write(&name, &fs::read(&entry).unwrap());
            }
        }
    }
    let site = Site::new(&[]);
    copy(&site, &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "crates/search/src");
    site.call("build_index", json!({})).unwrap();
    site
}

#[test]
fn five_compact_hits_are_fewer_than_600_tokens() {
    let site = own_sources();
    let tokenizer = bpe_openai::o200k_base();
    for query in [
        "how is an index opened",
        "where are archives unpacked and checked",
        "what removes old caches",
        "SearchError",
        "parse severity",
        "\"fn run(\"",
        "/fn \\w+_\\w+/",
        "triage record written to the ledger",
    ] {
        let answer = site.call("search", json!({"query": query, "mode": "code"})).unwrap();
        let hits = answer["search"]["code"].as_array().unwrap();
        assert_eq!(hits.len(), 5, "{query}");
        let text = serde_json::to_string(hits).unwrap();
        let tokens = tokenizer.count(&text);
        assert!(tokens < 600, "{query}: {tokens} tokens\n{text}");
    }
}
