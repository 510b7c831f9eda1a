//! The audit log and recordings, over every surface.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

const SECRET: &str = "hunter2-but-longer";

fn planted() -> Value {
    json!({ "entry": { "id": "one", "body": "Be kind.", "apiKey": SECRET }, "lax": true })
}

#[test]
fn every_surface_leaves_a_row_and_no_secret() {
    let site = Site::new();
    let log = site.repo().join("../audit");
    let flags = ["--audit", log.to_str().unwrap()];
    let call = ["call", "health/check", "--json"].into_iter().chain(flags);
    assert_eq!(site.run(call).exit, 0);
    let refused = ["call", "instructions/add", "--args", &planted().to_string(), "--json"].map(str::to_owned);
    let refused = site.run(refused.iter().map(String::as_str).chain(flags));
    assert_ne!(refused.exit, 0);
    let mut client = Client::start(site.mainstay(["mcp"].into_iter().chain(flags)), Framing::Lines);
    client.initialize();
    client.request(
        "tools/call",
        json!({"name": "instructions_list", "arguments": {"surprise": 1, "password": SECRET}}),
    );
    client.request(
        "tools/call",
        json!({"name": "no_such_tool", "arguments": {"token": format!("ghp_{}", "a1".repeat(18))}}),
    );
    client.request("instructions/list", json!({}));
    client.send(&json!({"id": "line", "tool": "catalog.list", "input": {"pageSize": 1}}));
    client.answer(&json!("line"));
    assert!(client.close().success());
    let server = HttpServer::start(&site, &flags);
    server.post("/tools/tokens.build", &[], &json!({"brand": "A"}));
    server.stop();

    let ran = site.run(["audit", "export", "--json"].into_iter().chain(flags));
    let rows = ran.json()["result"]["rows"].as_array().unwrap().clone();
    let seen: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| ["tool", "decision", "outcome"].map(|key| row[key].as_str().unwrap()).into())
        .collect();
    assert_eq!(
        seen,
        [
            ("health/check", "allowed", "ok"),
            ("instructions/add", "denied", "FORBIDDEN"),
            ("instructions/list", "invalid", "INVALID_REQUEST"),
            ("no_such_tool", "unknown", "UNKNOWN_TOOL"),
            ("instructions/list", "allowed", "ok"),
            ("catalog.list", "allowed", "ok"),
            ("tokens.build", "allowed", "ok"),
        ]
    );
    let surfaces: Vec<&str> = rows.iter().map(|row| row["surface"].as_str().unwrap()).collect();
    assert_eq!((surfaces[0], surfaces[6]), ("shell", "http"), "{surfaces:?}");
    assert!(rows[0]["tokens"].as_u64().unwrap() > 10 && rows[0]["bytes"].as_u64().unwrap() > 50);
    assert!(rows[1]["rule"].is_string(), "{}", rows[1]);
    let text = fs::read_to_string(log.join("audit.jsonl")).unwrap();
    assert!(!text.contains(SECRET) && !text.contains("ghp_"), "{text}");
    assert_eq!(rows[1]["args"]["entry"]["apiKey"], "***");
    assert_eq!(rows[2]["args"]["password"], "***");
}

#[test]
fn an_edited_row_breaks_verification() {
    let site = Site::new();
    let log = site.repo().join("../audit");
    let flags = ["--audit", log.to_str().unwrap()];
    for _ in 0..3 {
        site.run(["call", "health/check"].into_iter().chain(flags));
    }
    let verified = site.run(["audit", "verify", "--json"].into_iter().chain(flags));
    assert_eq!((verified.exit, &verified.json()["result"]["rows"]), (0, &json!(3)));
    let file = log.join("audit.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("\"allowed\"", "\"denied\"", 1)).unwrap();
    let verified = site.run(["audit", "verify"].into_iter().chain(flags));
    assert_eq!(
        (verified.exit, verified.stdout.as_str()),
        (1, "Broken at audit.jsonl:1: was changed, or is not a row\n")
    );
}

#[test]
fn a_recording_replays_with_no_difference_but_time_and_a_changed_field_is_reported_once() {
    let site = Site::new().file("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    let tape = site.repo().join("../calls.jsonl");
    let before = site.save();
    let mut client =
        Client::start(site.mainstay(["mcp", "--record", tape.to_str().unwrap()]), Framing::Lines);
    client.initialize();
    for (tool, args) in [
        ("build_index", json!({})),
        ("search", json!({"query": "answer"})),
        ("health_check", json!({})),
        ("catalog_list", json!({"pageSize": 2})),
        ("catalog_list", json!({"pageSize": 1})),
        ("climax_search", json!({"query": "index"})),
        ("no_such_tool", json!({})),
        ("repl_validate", json!({"mode": "full", "schema": {"version": "1", "screens": []}})),
        ("instructions_list", json!({"password": SECRET})),
    ] {
        client.request("tools/call", json!({"name": tool, "arguments": args}));
    }
    assert!(client.close().success());
    assert!(!fs::read_to_string(&tape).unwrap().contains(SECRET));

    let replay = |tape: &std::path::Path| {
        site.restore(&before);
        let against = format!("{} mcp", crate::site::MAINSTAY);
        site.run(["replay", tape.to_str().unwrap(), "--against", &against, "--json"])
    };
    let ran = replay(&tape);
    let result = ran.json()["result"].clone();
    assert_eq!((ran.exit, &result["findings"], &result["leftOut"]), (0, &json!([]), &json!(1)), "{result}");
    assert_eq!(result["calls"], 9);

    // The server recorded with more in its answers than this one gives.
    let changed = site.repo().join("../changed.jsonl");
    let text = fs::read_to_string(&tape).unwrap();
    let lines = text.lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        if row["tool"] == "catalog.list" {
            row["answer"]["result"]["legend"] = json!("old");
        }
        row.to_string()
    });
    fs::write(&changed, lines.collect::<Vec<_>>().join("\n")).unwrap();
    let ran = replay(&changed);
    let findings = ran.json()["result"]["findings"].clone();
    let expected = json!([{
        "grade": "removed", "tool": "catalog.list", "at": "/result/legend", "calls": 2, "seq": 4, "recorded": "old", "now": null
    }]);
    assert_eq!((ran.exit, findings), (1, expected));
}
