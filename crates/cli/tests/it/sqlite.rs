//! The SQLite index from outside: built, searched and compacted on every surface.

use serde_json::json;

use crate::everywhere::{everywhere, refused_everywhere};
use crate::site::Site;

fn site() -> Site {
    Site::new()
        .file("src/lib.rs", "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n")
        .file("README.md", "# Sums\n\nHow two numbers are added.\n")
}

#[test]
fn a_database_is_built_searched_and_compacted_on_every_surface() {
    let site = site();
    refused_everywhere(&site, &[], "search", &json!({ "query": "add", "backend": "sqlite" }), "NO_INDEX");
    refused_everywhere(&site, &[], "compact_sqlite_index", &json!({}), "NO_INDEX");
    let args = json!({ "incremental": false, "verify": true });
    everywhere(&site, &[], "build_sqlite_index", &args, |envelope| {
        let result = &envelope["result"];
        assert_eq!((&result["files"], &result["verified"]), (&json!(2), &json!(true)), "{envelope}");
    });
    let args = json!({ "query": "add", "backend": "sqlite", "stats": true });
    everywhere(&site, &[], "search", &args, |envelope| {
        let search = &envelope["result"]["search"];
        assert_eq!(
            (&search["backend"], &search["code"][0]["name"]),
            (&json!("sqlite"), &json!("add")),
            "{envelope}"
        );
    });
    everywhere(&site, &[], "compact_sqlite_index", &json!({}), |envelope| {
        let result = &envelope["result"];
        assert!(result["afterBytes"].as_u64() <= result["beforeBytes"].as_u64(), "{envelope}");
    });
    everywhere(&site, &[], "build_index", &json!({ "sqlite": true }), |envelope| {
        assert_eq!(envelope["result"]["sqlite"]["incremental"], true, "{envelope}");
    });
}

#[test]
fn the_path_of_a_database_is_checked_on_every_surface() {
    let site = site();
    let args = json!({ "out": "README.md" });
    refused_everywhere(&site, &[], "build_sqlite_index", &args, "INVALID_REQUEST");
    assert!(site.repo().join("README.md").metadata().unwrap().len() < 100);
    refused_everywhere(&site, &[], "build_sqlite_index", &json!({ "out": "../x.sqlite" }), "INVALID_REQUEST");
    let server = crate::http::HttpServer::start(&site, &[]);
    let outside = site.repo().parent().unwrap().join("outside.sqlite");
    let answer = server.post("/tools/build_sqlite_index", &[], &json!({ "out": outside }));
    server.stop();
    assert_eq!(answer["error"]["code"], "FORBIDDEN", "{answer}");
    assert!(!outside.exists());
}
