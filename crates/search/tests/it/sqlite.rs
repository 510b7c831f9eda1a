//! The SQLite file itself: readable by anyone, updated in place, made smaller, never half written.

use std::path::PathBuf;

use mainstay_contract::{Caller, CancelToken, ErrorCode, StopReason};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::site::Site;

const FILES: &[(&str, &str)] = &[
    ("src/session.rs", "/// Closes a session.\npub fn close_session(id: u32) {}\n\npub struct Session;\n"),
    ("src/copy.rs", "/// Closes a session.\npub fn close_session(id: u32) {}\n\npub struct Session;\n"),
    ("src/other.py", "def open_door(door):\n    return door\n"),
    ("docs/guide.md", "# Sessions\n\nHow a session is closed.\n"),
];

fn path(report: &Value) -> PathBuf {
    report["outPath"].as_str().unwrap().into()
}

fn count(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn any_sqlite_reads_files_chunks_and_words() {
    let site = Site::new(FILES);
    let built = site.call("build_sqlite_index", json!({})).unwrap();
    assert_eq!((&built["files"], &built["incremental"]), (&json!(4), &json!(false)));
    let database = Connection::open(path(&built)).unwrap();
    assert_eq!(count(&database, "SELECT count(*) FROM files"), 4);
    assert_eq!(count(&database, "SELECT count(*) FROM contents"), 3, "copies share their content");
    let sql = "SELECT group_concat(path || ':' || start_line, ' ') FROM (SELECT path, start_line FROM chunks_fts \
               JOIN places ON places.chunk = chunks_fts.rowid WHERE chunks_fts MATCH 'name : session' \
               AND kind = 'function' ORDER BY path)";
    let places: String = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(places, "src/copy.rs:1 src/session.rs:1");
    let columns: (String, String, String) = database
        .query_row(
            "SELECT lang, signature, ext FROM chunks JOIN files USING (content) WHERE name = 'open_door'",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .unwrap();
    assert_eq!(columns, ("python".into(), "def open_door(door):".into(), ".py".into()));
}

#[test]
fn facts_are_rows() {
    let site = Site::new(&[
        ("a.py", "import json\n\nasync def load(path):\n    if path:\n        return json.loads(path)\n"),
        ("b.py", "def save(value):\n    return value\n"),
    ]);
    let built = site.call("build_sqlite_index", json!({})).unwrap();
    let database = Connection::open(path(&built)).unwrap();
    let with = |fact: &str, value: &str| -> Vec<String> {
        let sql =
            "SELECT path FROM facts JOIN places USING (chunk) WHERE fact = ? AND value = ? ORDER BY path";
        let mut rows = database.prepare(sql).unwrap();
        rows.query_map([fact, value], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(with("param", "path"), ["a.py"]);
    assert_eq!(with("param", "value"), ["b.py"]);
    assert_eq!(with("async", "true"), ["a.py"]);
    assert_eq!(with("branchesMin", "1"), ["a.py"]);
}

#[test]
fn full_text_rows_hold_phrases_and_the_terms_that_rank() {
    let site = Site::new(FILES);
    let built = site.call("build_sqlite_index", json!({})).unwrap();
    let database = Connection::open(path(&built)).unwrap();
    let matches = |query: &str| {
        let sql = format!(
            "SELECT count(*) FROM chunks_fts JOIN places ON chunk = rowid WHERE chunks_fts MATCH '{query}'"
        );
        count(&database, &sql)
    };
    assert_eq!(matches("\"a session is closed\""), 1);
    assert_eq!(matches("name : session"), 4, "two functions and two types, each in two files");
    assert_eq!(matches("terms : closesession"), 2, "names are joined as the ranking joins them");
    let found = site.call("search", json!({"query": "closeSession", "mode": "code"})).unwrap();
    assert_eq!(found["search"]["total"]["code"], 2);
}

#[test]
fn an_update_writes_only_what_changed() {
    let site = Site::new(FILES);
    site.call("build_sqlite_index", json!({})).unwrap();
    let same = site.call("build_sqlite_index", json!({})).unwrap();
    assert_eq!(
        (&same["incremental"], &same["writtenContents"], &same["removedContents"]),
        (&json!(true), &json!(0), &json!(0))
    );
    site.write("src/other.py", b"def shut_window(window):\n    return window\n");
    std::fs::remove_file(site.repo().join("docs/guide.md")).unwrap();
    let changed = site.call("build_sqlite_index", json!({"verify": true})).unwrap();
    assert_eq!(
        (&changed["writtenContents"], &changed["removedContents"]),
        (&json!(1), &json!(2)),
        "{changed}"
    );
    let database = Connection::open(path(&changed)).unwrap();
    assert_eq!(count(&database, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'door'"), 0);
    assert_eq!(count(&database, "SELECT count(*) FROM chunks_fts WHERE chunks_fts MATCH 'window'"), 1);
    let whole = site.call("build_sqlite_index", json!({"incremental": false})).unwrap();
    assert_eq!((&whole["incremental"], &whole["chunks"]), (&json!(false), &changed["chunks"]));
}

#[test]
fn compacting_makes_the_file_smaller_and_keeps_the_answers() {
    let site = Site::new(FILES);
    for number in 0..60 {
        let text: String = (0..60).map(|line| format!("pub fn function_{number}_{line}() {{}}\n")).collect();
        site.write(&format!("src/many_{number}.rs"), text.as_bytes());
    }
    site.call("build_sqlite_index", json!({})).unwrap();
    for number in 0..50 {
        std::fs::remove_file(site.repo().join(format!("src/many_{number}.rs"))).unwrap();
    }
    site.call("build_sqlite_index", json!({})).unwrap();
    let answer = || site.places(json!({"query": "function_55_3", "backend": "sqlite"}));
    let before = answer();
    let planned = site.call("compact_sqlite_index", json!({"dryRun": true})).unwrap();
    let bytes = |report: &Value, key: &str| report[key].as_u64().unwrap();
    assert!(bytes(&planned, "afterBytes") < bytes(&planned, "beforeBytes"), "{planned}");
    let done = site.call("compact_sqlite_index", json!({"keepBackup": true})).unwrap();
    assert_eq!(done["beforeBytes"], planned["beforeBytes"], "the dry run changed nothing");
    assert!(bytes(&done, "afterBytes") * 2 < bytes(&done, "beforeBytes"), "{done}");
    assert_eq!(std::fs::metadata(done["path"].as_str().unwrap()).unwrap().len(), bytes(&done, "afterBytes"));
    assert!(std::path::Path::new(done["backup"].as_str().unwrap()).is_file());
    assert_eq!(answer(), before);
    assert_eq!(site.call("build_sqlite_index", json!({"verify": true})).unwrap()["incremental"], true);
}

#[test]
fn auto_says_why_it_chose() {
    let site = Site::indexed(FILES);
    let search = |backend: &str| {
        site.call("search", json!({"query": "session", "backend": backend, "stats": true}))
            .map(|found| found["search"].clone())
    };
    assert_eq!(search("sqlite").unwrap_err().code, ErrorCode::NoIndex);
    site.call("build_sqlite_index", json!({})).unwrap();
    let native = search("auto").unwrap();
    assert_eq!(native["backend"], "native");
    assert!(native["stats"]["backendPolicy"].as_str().unwrap().contains("mapped"));
    let status = site.call("index_status", json!({})).unwrap();
    assert!(status["sqlite"]["bytes"].as_u64().unwrap() > 0);
    // A copy of the file is enough: this is how an index travels.
    let file = PathBuf::from(status["sqlite"]["path"].as_str().unwrap());
    let bytes = std::fs::read(&file).unwrap();
    site.call("clean_artifacts", json!({})).unwrap();
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let sqlite = search("auto").unwrap();
    assert_eq!(sqlite["backend"], "sqlite");
    assert!(sqlite["stats"]["backendPolicy"].as_str().unwrap().contains("cannot be used"));
    assert_eq!((&sqlite["code"], &sqlite["total"]), (&native["code"], &native["total"]));
    assert_eq!(search("native").unwrap_err().code, ErrorCode::NoIndex);
}

#[test]
fn a_damaged_file_is_noticed_and_replaced() {
    let site = Site::new(FILES);
    let file = path(&site.call("build_sqlite_index", json!({})).unwrap());
    let check = || {
        let status = site.call("check_status", json!({"verify": true})).unwrap();
        let checks = status["checks"].as_array().unwrap().clone();
        checks.into_iter().find(|check| check["name"] == "sqlite").unwrap()["ok"].clone()
    };
    assert_eq!(check(), true);
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xff);
    std::fs::write(&file, &bytes).unwrap();
    assert_eq!(check(), false);
    std::fs::write(&file, &bytes[..5000]).unwrap();
    assert_eq!(check(), false);
    let rebuilt = site.call("build_sqlite_index", json!({"incremental": false, "verify": true})).unwrap();
    assert_eq!(rebuilt["verified"], true);
    assert_eq!(check(), true);
}

#[test]
fn what_is_not_ours_is_not_written_over() {
    let site = Site::new(FILES);
    site.write("mine.sqlite", b"not a database at all, but somebody's file");
    let other = Connection::open(site.repo().join("other.sqlite")).unwrap();
    other.execute("CREATE TABLE precious (x)", []).unwrap();
    drop(other);
    for out in ["mine.sqlite", "other.sqlite"] {
        let before = std::fs::read(site.repo().join(out)).unwrap();
        for incremental in [true, false] {
            let args = json!({"out": out, "incremental": incremental});
            let fault = site.call("build_sqlite_index", args).unwrap_err();
            assert_eq!(fault.code, ErrorCode::InvalidRequest, "{out}");
        }
        assert_eq!(std::fs::read(site.repo().join(out)).unwrap(), before);
    }
    assert_eq!(site.call("compact_sqlite_index", json!({})).unwrap_err().code, ErrorCode::NoIndex);
    let elsewhere = site.call("build_sqlite_index", json!({"out": "made/index.db"})).unwrap();
    assert!(site.repo().join("made/index.db").is_file(), "{elsewhere}");
}

#[test]
fn a_cancelled_build_leaves_the_old_file_and_nothing_else() {
    let site = Site::new(FILES);
    let file = path(&site.call("build_sqlite_index", json!({})).unwrap());
    site.write("src/more.rs", b"pub fn more() {}\n");
    site.call("build_index", json!({})).unwrap();
    let before = std::fs::read(&file).unwrap();
    for (tool, args) in [
        ("build_sqlite_index", json!({})),
        ("build_sqlite_index", json!({"incremental": false})),
        ("compact_sqlite_index", json!({})),
    ] {
        let cancel = CancelToken::new();
        cancel.cancel(StopReason::Cancelled);
        let fault = site.call_until(Caller::default(), &cancel, tool, args).unwrap_err();
        assert_eq!(fault.code, ErrorCode::Cancelled, "{tool}");
        assert_eq!(std::fs::read(&file).unwrap(), before, "{tool}");
        let names = std::fs::read_dir(file.parent().unwrap()).unwrap().flatten();
        let left: Vec<String> = names.map(|entry| entry.file_name().into_string().unwrap()).collect();
        assert!(
            left.iter().all(|name| !name.starts_with(".sqlite-") && !name.ends_with("-journal")),
            "{left:?}"
        );
    }
}
