//! What is promised of every tool holds in every toolset and over every surface: budgets, cost, freshness, recordings,
//! hashes and the audit log. Explanations, plans, the daemon and the end of processes have files of their own.

use std::fs;

use mainstay_runtime::budget::{Cut, join};
use serde_json::{Value, json};

use crate::budget::strip_times;
use crate::client::{Client, Framing};
use crate::examples::{self, OPEN};
use crate::http::HttpServer;
use crate::site::{MAINSTAY, Site};
use crate::surfaces::{Mcp, Surface, over_all};

const LINES: &str = "name: lines
description: Lines
command: seq
tools:
- {name: lines_count, description: Count, command: [\"1\", \"900\"]}
";
const FLAGS: [&str; 2] = ["--programs", "lines.yaml"];

/// A tool of each toolset that answers at length.
fn one_of_each() -> [(&'static str, Value); 4] {
    [
        ("search", json!({ "query": "lantern" })),
        ("lines_count", json!({})),
        ("instructions_list", json!({})),
        ("catalog_list", json!({ "pageSize": 20 })),
    ]
}

fn site() -> Site {
    let site = Site::new().file("lines.yaml", LINES);
    for number in 0..12 {
        site.write(
            &format!("src/part{number}.rs"),
            &format!("/// Lights a lantern.\npub fn lantern{number}() {{}}\n"),
        );
        let entry = json!({
            "id": format!("rule-{number:02}"), "title": "A rule", "body": "Say what a change does, and why it is made.",
            "priority": 5, "audience": "all", "requirement": "optional", "categories": ["style"],
        });
        site.write(&format!("instructions/rule-{number:02}.json"), &entry.to_string());
    }
    assert_eq!(site.run(["index", "build"]).exit, 0);
    site
}

fn settled(value: &Value) -> Value {
    let mut value = value.clone();
    strip_times(&mut value);
    value
}

#[test]
fn pages_join_to_the_answer_in_every_toolset_and_over_every_surface() {
    let site = site();
    over_all(&site, &FLAGS, |surface, server| {
        for (tool, args) in one_of_each() {
            let full = server.call(&site, tool, &args, &[]);
            assert!(full.failure.is_none() && full.page.is_null(), "{surface} {tool}: {}", full.whole);
            // A third of it, so that a shell need not be started often.
            let room = (full.result.to_string().len() / 9).max(300);
            let text = room.to_string();
            let mut page = server.call(&site, tool, &args, &[("maxTokens", &text)]);
            let (mut whole, mut pages) = (page.result.clone(), 1);
            while let Some(cursor) = page.page["cursor"].as_str().map(str::to_owned) {
                let fits = page.page["over"] == true || page.page["tokens"].as_u64().unwrap() <= room as u64;
                assert!(fits, "{surface} {tool}: {}", page.page);
                page = server.call(&site, tool, &args, &[("maxTokens", &text), ("cursor", &cursor)]);
                assert!(page.failure.is_none(), "{surface} {tool}: {}", page.whole);
                whole = join(whole, page.result.clone(), &Cut::parse(&cursor).unwrap());
                pages += 1;
            }
            assert!((2..40).contains(&pages), "{surface} {tool}: {pages} pages");
            assert_eq!(settled(&whole), settled(&full.result), "{surface} {tool} in {pages} pages");
        }
    });
}

/// Every example in hardly any room: an answer that is none the less whole and valid.
fn squeeze(site: &Site, mut server: impl FnMut(&[&'static str]) -> Box<dyn Surface>) {
    let mut open: Option<(Vec<&'static str>, Box<dyn Surface>)> = None;
    for example in examples::all(site) {
        if open.as_ref().is_none_or(|(flags, _)| *flags != example.flags) {
            drop(open.take());
            open = Some((example.flags.clone(), server(&example.flags)));
        }
        let (_, server) = open.as_mut().unwrap();
        let meta = [("maxTokens", "60"), ("detail", "ids")];
        let answer = server.call(site, example.id(), &example.args, &meta);
        assert!(answer.failure.is_none(), "{}: {}", example.id(), answer.whole);
        let Some(tokens) = answer.page["tokens"].as_u64() else { continue };
        assert!(tokens <= 60 || answer.page["over"] == true, "{}: {}", example.id(), answer.whole);
    }
}

#[test]
fn any_tool_in_any_room_answers_over_mcp() {
    let site = Site::new();
    examples::prepare(&site);
    squeeze(&site, |flags| Box::new(Mcp::start(&site, flags)));
}

#[test]
fn any_tool_in_any_room_answers_over_http() {
    let site = Site::new();
    examples::prepare(&site);
    squeeze(&site, |flags| Box::new(HttpServer::start(&site, flags)));
}

#[test]
fn what_was_edited_is_found_without_a_build_over_every_surface() {
    let site = site();
    over_all(&site, &[], |surface, server| {
        let word = format!("edited_over_{surface}");
        let args = json!({ "query": word });
        let none = server.call(&site, "search", &args, &[]);
        assert_eq!(none.result["search"]["code"], json!([]), "{}", none.whole);
        site.write("src/part0.rs", &format!("pub fn {word}() {{}}\n"));
        let found = server.call(&site, "search", &args, &[]).result["search"].clone();
        assert_eq!(found["code"][0]["name"], word.as_str(), "{surface}: {found}");
        assert_eq!(found["freshness"]["changedFiles"], 1, "{surface}: {found}");
        assert_eq!(found["freshness"]["generation"], none.result["search"]["freshness"]["generation"]);
    });
}

#[test]
fn a_definition_costs_what_every_surface_shows_of_it() {
    let count = |text: &str| bpe_openai::o200k_base().count(text) as u64;
    let site = site();
    let flags: Vec<&str> = OPEN.iter().chain(&FLAGS).copied().collect();
    let cost = |more: &[&str]| {
        let words = ["tools", "cost", "--json"].into_iter().chain(flags.iter().copied());
        site.run(words.chain(more.iter().copied()))
    };
    let told = cost(&[]).json()["result"].clone();
    let rows = told["tools"].as_array().unwrap();
    for toolset in ["search", "programs", "catalog", "foundry"] {
        let sum = &told["toolsets"][toolset];
        let of_set = rows.iter().filter(|row| row["toolset"] == toolset);
        let total: u64 = of_set.map(|row| row["total"].as_u64().unwrap()).sum();
        assert!(total > 0 && sum["total"] == total, "{toolset}: {sum}");
    }
    let words = |tool: &Value| count(tool["description"].as_str().unwrap());
    let schema = |tool: &Value| count(&tool["inputSchema"].to_string());
    let mut client =
        Client::start(site.mainstay(["mcp"].into_iter().chain(flags.iter().copied())), Framing::Lines);
    client.initialize();
    let listed = client.request("tools/list", json!({}))["result"]["tools"].clone();
    assert!(client.close().success());
    let server = HttpServer::start(&site, &flags);
    let over_http = server.get("/tools", &[])["result"]["tools"].clone();
    server.stop();
    let find = |list: &Value, hash: &Value| {
        let mut tools = list.as_array().unwrap().iter();
        tools.find(|tool| tool["_meta"]["contractHash"] == *hash).cloned()
    };
    let lock = site.repo().join("lock.json");
    let words_of_lock = ["contract", "lock", "--file", lock.to_str().unwrap()];
    let locked = site.run(words_of_lock.into_iter().chain(flags.iter().copied()));
    assert_eq!(locked.exit, 0, "{}", locked.stderr);
    let locked = fs::read_to_string(&lock).unwrap();
    for row in rows {
        let is_row = |tool: &&Value| tool["name"] == row["tool"];
        let tool = listed.as_array().unwrap().iter().find(is_row).unwrap_or_else(|| panic!("{row}"));
        let (name, hash) = (row["tool"].as_str().unwrap(), &tool["_meta"]["contractHash"]);
        assert_eq!(row["description"], count(name) + words(tool), "{name}");
        assert_eq!(row["schema"], schema(tool), "{name}");
        // The same definition has the same hash over HTTP and in the lock file, and the same words.
        let same = find(&over_http, hash).unwrap_or_else(|| panic!("{name} is another tool over HTTP"));
        assert_eq!((words(&same), schema(&same)), (words(tool), schema(tool)), "{name}");
        assert!(locked.contains(hash.as_str().unwrap()), "{name} is not locked");
    }
    // A budget of exactly what is there holds; one token less fails for each tool.
    let budget = |less: u64| {
        let line = |row: &Value| format!("{} = {}\n", row["tool"], row["total"].as_u64().unwrap() - less);
        site.write("budget.toml", &format!("[tools]\n{}", rows.iter().map(line).collect::<String>()));
        cost(&["--budget-file", "budget.toml"])
    };
    let held = budget(0);
    assert_eq!(held.exit, 0, "{}", held.stderr);
    let over = budget(1);
    assert_eq!(over.exit, 1);
    assert_eq!(over.json()["result"]["over"].as_array().unwrap().len(), rows.len());
}

const SECRET: &str = "hunter2-but-longer";

#[test]
fn a_planted_secret_is_in_no_row_of_any_toolset_or_surface() {
    let site = site();
    let log = site.repo().join("../audit");
    let flags: Vec<&str> = FLAGS.into_iter().chain(["--audit", log.to_str().unwrap()]).collect();
    let mut expected = Vec::new();
    over_all(&site, &flags, |surface, server| {
        for (tool, mut args) in one_of_each() {
            server.call(&site, tool, &args, &[]);
            args["password"] = SECRET.into();
            server.call(&site, tool, &args, &[]);
            expected.extend([(surface, tool, false), (surface, tool, true)]);
        }
    });
    let rows = site.run(["audit", "export", "--json"].into_iter().chain(flags.iter().copied()));
    let rows = rows.json()["result"]["rows"].clone();
    let wire = |id: &str| id.replace(['/', '.'], "_");
    let seen: Vec<(String, String, bool)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let is_masked = row["args"]["password"] == "***";
            (row["surface"].as_str().unwrap().to_owned(), wire(row["tool"].as_str().unwrap()), is_masked)
        })
        .collect();
    let seen: Vec<(&str, &str, bool)> =
        seen.iter().map(|(surface, tool, masked)| (surface.as_str(), tool.as_str(), *masked)).collect();
    assert_eq!(seen, expected);
    assert!(!fs::read_to_string(log.join("audit.jsonl")).unwrap().contains(SECRET));
    let verified = site.run(["audit", "verify", "--json"].into_iter().chain(flags.iter().copied()));
    assert_eq!((verified.exit, &verified.json()["result"]["rows"]), (0, &json!(expected.len())));
}

#[test]
fn calls_of_every_toolset_recorded_on_any_surface_replay_without_a_difference() {
    let site = site();
    let against = format!("{MAINSTAY} mcp --programs lines.yaml");
    let replay = |tape: &std::path::Path| {
        let ran = site.run(["replay", tape.to_str().unwrap(), "--against", &against, "--json"]);
        (ran.exit, ran.json()["result"].clone())
    };
    // A shell makes one call, so that it has a recording for each.
    for (surface, batches) in [("mcp", 1), ("http", 1), ("shell", 4)] {
        for batch in 0..batches {
            let tape = site.repo().join(format!("../{surface}-{batch}.jsonl"));
            let flags: Vec<&str> = FLAGS.into_iter().chain(["--record", tape.to_str().unwrap()]).collect();
            let calls: Vec<(&str, Value)> = one_of_each().into_iter().skip(batch).take(4 / batches).collect();
            let make = |server: &mut dyn Surface| {
                for (tool, args) in &calls {
                    let answer = server.call(&site, tool, args, &[]);
                    assert!(answer.failure.is_none(), "{surface} {tool}: {}", answer.whole);
                }
            };
            record(&site, surface, &flags, make);
            let (exit, result) = replay(&tape);
            let told = (exit, &result["calls"], &result["findings"]);
            assert_eq!(told, (0, &json!(calls.len()), &json!([])), "{surface}: {result}");
        }
        // A field that was there and is gone is reported once, for whichever toolset.
        let tape = site.repo().join(format!("../{surface}-0.jsonl"));
        let text = fs::read_to_string(&tape).unwrap();
        let lines = text.lines().map(|line| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            match row["answer"]["result"].is_object() {
                true => row["answer"]["result"]["legend"] = json!("old"),
                false if row["answer"].get("text").is_some() => row["answer"]["legend"] = json!("old"),
                false => {}
            }
            row.to_string()
        });
        fs::write(&tape, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let (exit, result) = replay(&tape);
        let findings = result["findings"].as_array().unwrap();
        assert_eq!((exit, findings.len()), (1, 4 / batches), "{surface}: {result}");
        assert!(findings.iter().all(|one| one["grade"] == "removed" && one["calls"] == 1), "{result}");
    }
}

/// Makes calls on a surface by name.
fn record(site: &Site, surface: &str, flags: &[&str], make: impl FnOnce(&mut dyn Surface)) {
    match surface {
        "mcp" => {
            let mut server = Mcp::start(site, flags);
            make(&mut server);
            assert!(server.0.close().success());
        }
        "http" => {
            let mut server = HttpServer::start(site, flags);
            make(&mut server);
            server.stop();
        }
        _ => make(&mut crate::surfaces::Shell::with(flags)),
    }
}
