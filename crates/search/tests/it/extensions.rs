//! Extensions are installed with a hash, and checking one answers, whatever is found.

use mainstay_contract::ErrorCode;
use serde_json::{Value, json};

use crate::origin::{Origin, Page, sha256};
use crate::site::Site;

/// The start of a library for Linux, with the name of a function SQLite would enter it by.
fn library() -> Vec<u8> {
    let mut bytes = b"\x7fELF".to_vec();
    bytes.resize(18, 0);
    bytes.extend([0x3e, 0]);
    bytes.extend(b"\0sqlite3_vec_init\0");
    bytes
}

fn linux(mut args: Value) -> Value {
    args["platform"] = json!("linux");
    args["arch"] = json!("x64");
    args
}

/// Whether each check passed, by name.
fn checks(report: &Value) -> Vec<(String, bool)> {
    let checks = report["checks"].as_array().unwrap().iter();
    checks.map(|check| (check["name"].as_str().unwrap().to_owned(), check["ok"] == true)).collect()
}

#[test]
fn a_missing_extension_is_an_answer() {
    let report = Site::new(&[]).call("verify_extensions", json!({})).unwrap();
    assert_eq!((&report["ok"], &report["exists"]), (&json!(false), &json!(false)));
    assert_eq!(report["load"]["attempted"], false);
    let quiet = Site::new(&[]).call("verify_extensions", json!({ "load": false })).unwrap();
    assert!(quiet.get("load").is_none());
}

#[test]
fn an_installed_extension_is_checked_against_its_hash() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let library = library();
    origin.put("/vec0.so", Page::of(library.clone()));
    let args = linux(json!({ "url": origin.url("/vec0.so"), "sha256": sha256(&library) }));
    let done = site.call("download_extensions", args).unwrap();
    let path = done["extensionPath"].as_str().unwrap();
    assert!(path.ends_with("extensions/sqlite-vec/linux-x86_64/vec0.so"), "{path}");
    let report = site.call("verify_extensions", linux(json!({}))).unwrap();
    assert_eq!(report["ok"], true, "{report}");
    let elsewhere = json!({ "path": path, "platform": "linux", "arch": "arm64" });
    let report = site.call("verify_extensions", elsewhere).unwrap();
    assert_eq!((&report["ok"], &report["checks"][2]["ok"]), (&json!(false), &json!(false)), "{report}");
    std::fs::write(path, b"\x7fELF").unwrap();
    let report = site.call("verify_extensions", linux(json!({}))).unwrap();
    let expected = [("exists", true), ("hash", false), ("format", false), ("entryPoint", false)];
    assert_eq!(checks(&report), expected.map(|(name, ok)| (name.to_owned(), ok)));
}

#[test]
fn a_library_is_taken_out_of_its_archive() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, body) in [("LICENSE", b"free".to_vec()), ("lib/vec0.so", library())] {
        use std::io::Write;
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&body).unwrap();
    }
    let archive = archive.finish().unwrap().into_inner();
    origin.put("/vec.zip", Page::of(archive.clone()));
    let args = json!({ "url": origin.url("/vec.zip"), "sha256": sha256(&archive), "out": "lib/mine.so" });
    let done = site.call("download_extensions", linux(args)).unwrap();
    assert_eq!(done["downloaded"], 1);
    assert_eq!(std::fs::read(site.repo().join("lib/mine.so")).unwrap(), library());
    assert!(!site.repo().join("lib/LICENSE").exists());
}

#[test]
fn native_code_without_a_hash_is_refused() {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/vec0.so", Page::of(library()));
    let fault =
        site.call("download_extensions", linux(json!({ "url": origin.url("/vec0.so") }))).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest);
    assert!(origin.seen().is_empty());
    for args in [json!({ "platform": "plan9" }), json!({ "arch": "z80" }), json!({ "provider": "../x" })] {
        let fault = site.call("download_extensions", args.clone()).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{args}");
    }
    let fault = site.call("download_extensions", json!({ "provider": "unheard-of" })).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotFound);
    assert!(fault.hint.unwrap().contains("put the library at"));
}
