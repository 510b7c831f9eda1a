//! Every argument of `search` changes the answer, or is refused.

use mainstay_contract::ErrorCode;
use serde_json::{Value, json};

use crate::site::Site;

const FILES: &[(&str, &str)] = &[
    ("src/session.rs", "/// Closes a session.\npub fn close_session(id: u32) {}\n\npub struct Session;\n"),
    ("src/session.py", "def close_session(id):\n    return id\n"),
    ("lib/Session.rs", "pub fn open_session() {}\n"),
    ("docs/guide.md", "# Sessions\n\nHow a session is closed.\n"),
];

fn check(args: Value, expected: &[&str]) {
    let site = Site::indexed(FILES);
    let mut args = args;
    args["query"] = args.get("query").cloned().unwrap_or(json!("session"));
    args["top"] = args.get("top").cloned().unwrap_or(json!(50));
    let mut places = site.places(args.clone());
    places.sort();
    assert_eq!(places, expected, "{args}");
}

#[test]
fn filters_keep_what_they_say() {
    check(
        json!({}),
        &["docs/guide.md:1", "lib/Session.rs:1", "src/session.py:1", "src/session.rs:1", "src/session.rs:4"],
    );
    check(json!({"lang": "python"}), &["src/session.py:1"]);
    check(json!({"lang": "py, md"}), &["docs/guide.md:1", "src/session.py:1"]);
    check(json!({"type": "struct"}), &["src/session.rs:4"]);
    check(json!({"path": "lib/"}), &["lib/Session.rs:1"]);
    check(json!({"file": ["guide", "session.py"]}), &["docs/guide.md:1", "src/session.py:1"]);
    check(json!({"ext": ".py"}), &["src/session.py:1"]);
    check(json!({"path": "Session.rs", "caseFile": true}), &["lib/Session.rs:1"]);
    check(json!({"path": "Session.rs", "case": true, "query": "open_session"}), &["lib/Session.rs:1"]);
    check(json!({"mode": "prose"}), &["docs/guide.md:1"]);
    check(json!({"mode": "code", "query": "closed"}), &["src/session.py:1", "src/session.rs:1"]);
    check(json!({"query": "Session", "caseTokens": true, "mode": "code"}), &["src/session.rs:4"]);
    check(json!({"branch": "no-such-branch"}), &[]);
    check(json!({"lang": "python", "type": "struct"}), &[]);
}

#[test]
fn top_and_cursor_page_through_one_mode() {
    let site = Site::indexed(FILES);
    let page = |cursor: Value| {
        let mut args = json!({"query": "session", "mode": "code", "top": 2});
        if cursor.is_string() {
            args["cursor"] = cursor;
        }
        site.call("search", args).unwrap()["search"].clone()
    };
    let first = page(Value::Null);
    assert_eq!((first["code"].as_array().unwrap().len(), &first["total"]["code"]), (2, &json!(4)));
    let second = page(first["cursor"].clone());
    assert_eq!(second["code"].as_array().unwrap().len(), 2);
    assert!(second.get("cursor").is_none());
    let fault = site.call("search", json!({"query": "session", "cursor": first["cursor"]})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "a cursor without a mode");
}

#[test]
fn compact_is_small_and_full_says_more() {
    let site = Site::indexed(FILES);
    let hit = |output: &str| {
        site.call("search", json!({"query": "close_session", "output": output, "lang": "rust"})).unwrap()["search"].clone()
    };
    let compact = hit("compact");
    assert_eq!(compact["code"][0]["snippet"]["text"], "pub fn close_session(id: u32) {}");
    assert_eq!(compact["code"][0]["snippet"]["matches"], json!([[7, 20]]));
    assert!(compact["code"][0].get("lang").is_none() && compact.get("bundles").is_none());
    let full = hit("full");
    assert_eq!(
        (&full["code"][0]["lang"], &full["code"][0]["doc"]),
        (&json!("rust"), &json!("/// Closes a session."))
    );
    assert_eq!(full["bundles"]["groups"][0]["file"], "src/session.rs");
}

#[test]
fn explain_and_stats_come_on_request() {
    let site = Site::indexed(FILES);
    let plain = site.call("search", json!({"query": "session"})).unwrap();
    assert!(
        plain["search"].get("stats").is_none() && plain["search"]["code"][0].get("scoreBreakdown").is_none()
    );
    let asked = site.call("search", json!({"query": "session", "explain": true, "stats": true})).unwrap();
    assert!(!asked["search"]["code"][0]["scoreBreakdown"]["contributions"].as_array().unwrap().is_empty());
    assert!(asked["search"]["stats"]["elapsedMs"].as_f64().unwrap() > 0.0);
}

#[test]
fn what_is_not_supported_is_refused() {
    let site = Site::indexed(FILES);
    let by_meaning = json!({ "query": "session", "ann": true });
    assert_eq!(site.call("search", by_meaning).unwrap_err().code, ErrorCode::CapabilityMissing);
    let fault = site.call("search", json!({"query": "/(/"})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest);
    let fault = site.call("search", json!({"query": "x", "lang": "klingon"})).unwrap_err();
    assert_eq!((fault.code, &fault.details["field"]), (ErrorCode::InvalidRequest, &json!("lang")));
}

#[test]
fn only_what_is_needed_is_required() {
    let site = Site::new(&[]);
    for (tool, required) in [
        ("search", json!(["query"])),
        ("triage_ingest", json!(["source"])),
        ("triage_decision", json!(["finding", "status"])),
        ("triage_context_pack", json!(["recordId"])),
        ("show_file", json!(["file"])),
        ("bootstrap", Value::Null),
        ("workspace_status", Value::Null),
    ] {
        assert_eq!(site.definition(tool).input["required"], required, "{tool}");
    }
}

/// A table in which *automobile* and *car* point the same way, and nothing else does.
fn table() -> Vec<u8> {
    let words =
        [("automobil", 0), ("car", 0), ("door", 3), ("engin", 1), ("roof", 5), ("seat", 4), ("wheel", 2)];
    let names: Vec<u8> =
        words.iter().flat_map(|(word, _)| [&[word.len() as u8], word.as_bytes()].concat()).collect();
    let mut out = b"MSVEC1\0\0".to_vec();
    for number in [words.len(), 8, names.len()] {
        out.extend((number as u32).to_le_bytes());
    }
    out.extend(names);
    for _ in &words {
        out.extend(0.01f32.to_le_bytes());
    }
    for (_, at) in &words {
        out.extend((0..8).map(|column| if column == *at { 100u8 } else { 0 }));
    }
    out
}

#[test]
fn an_installed_table_finds_what_is_meant() {
    let site = Site::new(&[
        ("src/garage.rs", "/// Parks it.\nfn park() { car(engine, wheel, door, seat, roof); car(); }\n"),
        ("src/other.rs", "fn other() { engine(wheel, door, seat, roof, wheel) }\n"),
    ]);
    let model = site.cache().join("models/own/words");
    std::fs::create_dir_all(&model).unwrap();
    std::fs::write(model.join("vectors.bin"), table()).unwrap();
    let built = site.call("build_index", json!({})).unwrap();
    let ask = |ann: Value| {
        let args = json!({"query": "where is the automobile", "ann": ann, "mode": "code", "stats": true});
        site.call("search", args).unwrap()["search"].clone()
    };
    assert_eq!(ask(json!(false))["code"], json!([]), "{built}");
    assert_eq!(ask(Value::Null)["stats"]["annActive"], json!(false));
    let found = ask(json!(true));
    assert_eq!(found["code"][0]["file"], json!("src/garage.rs"), "{found}");
    assert_eq!(found["stats"]["annActive"], json!(true));
    // Names are found by their letters: vectors are for who asks for them.
    for (query, ann, active) in [("park", json!(null), false), ("park", json!(true), true)] {
        let args = json!({"query": query, "ann": ann, "mode": "code", "stats": true});
        let found = site.call("search", args).unwrap()["search"].clone();
        assert_eq!(found["stats"]["annActive"], json!(active), "{query} {ann}");
        assert_eq!(found["code"][0]["name"], json!("park"));
    }
    // The portable index holds the same vectors, and follows the table.
    let vectors = || site.call("build_sqlite_index", json!({})).unwrap()["vectors"].clone();
    assert_eq!([vectors(), vectors()], [json!(1), json!(1)]);
    std::fs::rename(&model, site.cache().join("gone")).unwrap();
    let without = vectors();
    std::fs::rename(site.cache().join("gone"), &model).unwrap();
    assert_eq!([without, vectors()], [json!(0), json!(1)]);
    std::fs::write(model.join("vectors.bin"), b"MSVEC1\0\0 cut short").unwrap();
    let fault = site.call("search", json!({"query": "automobile", "ann": true})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::CapabilityMissing);
}
