//! Plan and apply: for every tool that writes, a preview changes nothing, and a plan whose target has changed stops.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::examples::{OPEN, prepare};
use crate::http::HttpServer;
use crate::site::Site;
use crate::surfaces::{Answer, Mcp, Shell, Surface, over_all};

const ADD: &str = "instructions_add";

/// A program of which nobody knows what it leaves behind.
const NOTES: &str = "name: notes
description: Notes
command: env
tools:
- name: notes_keep
  description: Keep a note
  command: touch
  effect: write
  args:
  - {name: file, positional: true, required: true, description: Its file}
";

/// Servers that may do everything, with the programs of [`ready`].
fn flags() -> Vec<&'static str> {
    OPEN.iter().copied().chain(["--features", "usage", "--programs", "notes.yaml"]).collect()
}

fn with(more: &[&'static str]) -> Vec<&'static str> {
    flags().into_iter().chain(more.iter().copied()).collect()
}

/// The arguments of an example in a definition.
fn example(definitions: &[Value], tool: &str) -> Value {
    let tool = definitions.iter().find(|one| one["name"] == tool).unwrap();
    tool["examples"][0]["args"].clone()
}

/// A call of every tool that writes, in an order in which each finds something to change.
fn cases(definitions: &[Value]) -> Vec<(&'static str, Value)> {
    let record = example(definitions, "triage_context_pack")["recordId"].clone();
    let entry = |id: &str, body: &str| json!({ "entry": { "id": id, "body": body }, "lax": true });
    let nowhere = "http://127.0.0.1:9/x";
    let pin = "0".repeat(64);
    let button = json!({ "externalSystem": "material", "externalComponent": "Button", "oodsTraits": ["Clickable"], "apply": true });
    vec![
        ("build_index", json!({ "sqlite": true })),
        ("build_sqlite_index", json!({})),
        ("compact_sqlite_index", json!({})),
        ("bootstrap", json!({ "withSqlite": true })),
        ("triage_ingest", example(definitions, "triage_ingest")),
        ("triage_decision", example(definitions, "triage_decision")),
        ("triage_context_pack", json!({ "recordId": record, "outPath": "pack.json" })),
        ("download_models", json!({ "model": "m", "url": nowhere, "sha256": pin })),
        ("download_dictionaries", json!({ "lang": "en", "url": nowhere, "sha256": pin })),
        ("download_extensions", json!({ "url": nowhere, "sha256": pin })),
        (ADD, entry("house-style", "Say what a change does.")),
        (
            "instructions_import",
            json!({ "entries": [{ "id": "old", "title": "Old", "body": "Same.", "priority": 9, "audience": "all", "requirement": "optional", "categories": [] }], "mode": "skip" }),
        ),
        ("instructions_importFiles", json!({ "path": ".", "apply": true })),
        ("instructions_governanceUpdate", json!({ "id": "house-style", "owner": "ada" })),
        ("instructions_restore", json!({ "id": "house-style" })),
        ("instructions_repair", json!({})),
        ("instructions_reload", json!({})),
        ("usage_track", json!({ "id": "house-style" })),
        ("usage_trackBatch", json!({ "ids": ["house-style", "old", "old"] })),
        ("usage_flush", json!({})),
        ("instructions_groom", json!({ "mode": { "mergeDuplicates": true } })),
        ("instructions_remove", json!({ "ids": ["house-style"] })),
        ("instructions_dispatch", json!({ "action": "remove", "ids": ["old"] })),
        ("tokens_build", json!({ "brand": "A", "theme": "dark", "apply": true })),
        (
            "brand_apply",
            json!({ "brand": "A", "strategy": "alias", "apply": true, "delta": { "typography": { "body": { "fontSize": 14 } } } }),
        ),
        ("map_create", button.clone()),
        ("map_update", button),
        ("map_delete", json!({ "externalSystem": "material", "externalComponent": "Button", "apply": true })),
        ("purity_audit", json!({ "apply": true })),
        ("diag_snapshot", json!({ "apply": true })),
        (
            "billing_reviewKit",
            json!({ "object": "Subscription", "fixtures": ["stripe", "chargebee"], "apply": true }),
        ),
        ("billing_switchFixtures", json!({ "provider": "chargebee", "apply": true })),
        ("release_verify", json!({ "packages": ["@oods/tokens"], "apply": true })),
        ("release_tag", json!({ "tag": "v0.2.0-internal.20260228", "apply": true })),
        ("a11y_scan", json!({ "apply": true })),
        ("reviewKit_create", json!({ "apply": true, "pictures": false })),
        ("vrt_run", json!({ "only": ["Button"], "brands": ["A"], "themes": ["light"], "apply": true })),
        ("notes_keep", json!({ "file": "kept.txt" })),
        ("cache_gc", json!({ "maxBytes": 0 })),
        ("build_index", json!({})),
        ("clean_artifacts", json!({})),
    ]
}

/// A site with something to change for every case.
fn ready() -> Site {
    let site = Site::new();
    prepare(&site);
    for words in [["user.name", "Ada"], ["user.email", "ada@example.org"]] {
        assert!(site.program("git").arg("config").args(words).status().unwrap().success());
    }
    site.write("AGENTS.md", "# Agents\n\n## Style\n\nWrite short sentences.\n");
    // A recorded hash that does not fit its body, for the repair; another entry of the same body, for the grooming.
    let stale = json!({ "id": "stale", "title": "Stale", "body": "Same.", "priority": 5, "audience": "all", "requirement": "optional", "categories": [], "sourceHash": "0".repeat(64) });
    site.write("instructions/stale.json", &stale.to_string());
    site.write("notes.yaml", NOTES);
    site
}

/// What is said about a plan.
trait OfPlan {
    fn drifted(&self, target: &str);
    fn applied(&self, tool: &str);
}

impl OfPlan for Answer {
    fn drifted(&self, target: &str) {
        let (code, details) =
            self.failure.as_ref().unwrap_or_else(|| panic!("{target}: went ahead: {}", self.whole));
        assert_eq!(code, "PLAN_DRIFTED", "{target}: {}", self.whole);
        let difference = &details["differences"][0];
        assert!(difference["expected"] != difference["found"], "{}", self.whole);
        assert!(difference["target"].is_string() && difference["what"].is_string(), "{}", self.whole);
    }

    fn applied(&self, tool: &str) {
        assert!(self.failure.is_none() && self.plan["applied"] == true, "{tool}: {}", self.whole);
    }
}

/// Every file and folder of the site but git's own and the plans themselves.
fn tree(site: &Site) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![site.repo(), site.home()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.ends_with(".git") || path.ends_with(".local") {
                continue;
            }
            if path.is_dir() {
                folders.push(path.clone());
                found.insert(path, Vec::new());
            } else {
                let bytes = fs::read(&path).unwrap_or_default();
                found.insert(path, bytes);
            }
        }
    }
    found
}

/// Changes a target and returns what undoes it; nothing where it cannot be undone.
fn spoil(site: &Site, surface: &mut dyn Surface, target: &Value) -> Option<Box<dyn FnOnce()>> {
    let name = target["target"].as_str().unwrap();
    if name.starts_with("usage") {
        let used = surface.call(site, "usage_track", &json!({ "id": "house-style" }), &[]);
        assert!(used.failure.is_none(), "{}", used.whole);
        return None;
    }
    if let Some(tag) = name.strip_prefix("tag ") {
        let git = |words: &[&str]| site.program("git").args(words).status().unwrap().success();
        assert!(git(&["tag", tag]));
        let mut undo = site.program("git");
        undo.args(["tag", "-d", tag]);
        return Some(Box::new(move || assert!(undo.output().unwrap().status.success())));
    }
    if name == "catalog" {
        let path = site.repo().join("instructions/between.json");
        fs::write(&path, r#"{"id":"between","title":"B","body":"Between.","priority":5,"audience":"all","requirement":"optional","categories":[]}"#).unwrap();
        return Some(Box::new(move || fs::remove_file(path).unwrap()));
    }
    let repo = site.repo();
    let path =
        [repo.join("instructions"), repo.clone()].iter().map(|dir| dir.join(name)).find(|path| path.exists());
    let path = path.unwrap_or_else(|| {
        match target["before"].is_null()
            && !name.contains('/')
            && name.ends_with(".json")
            && name != "pack.json"
        {
            true => repo.join("instructions").join(name),
            false => repo.join(name),
        }
    });
    if path.is_dir() {
        let inside = path.join("spoilt");
        fs::write(&inside, "spoilt").unwrap();
        return Some(Box::new(move || fs::remove_file(inside).unwrap()));
    }
    if !path.exists() {
        // The folders that are missing go again with the file.
        let mut first = path.clone();
        while !first.parent().unwrap().exists() {
            first = first.parent().unwrap().to_owned();
        }
        let is_file = path.extension().is_some();
        let file = if is_file { path.clone() } else { path.join("spoilt") };
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, "spoilt").unwrap();
        return Some(Box::new(move || match first.is_dir() {
            true => fs::remove_dir_all(first).unwrap(),
            false => fs::remove_file(first).unwrap(),
        }));
    }
    let (bytes, modified) = (fs::read(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
    let is_binary = std::str::from_utf8(&bytes).is_err();
    let set =
        |path: &Path, time| fs::File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
    match is_binary {
        true => set(&path, modified + Duration::from_secs(5)),
        false => fs::write(&path, [bytes.as_slice(), b"\n"].concat()).unwrap(),
    }
    Some(Box::new(move || {
        if !is_binary {
            fs::write(&path, bytes).unwrap();
        }
        set(&path, modified);
    }))
}

/// Shows a call, spoils its first target, is refused, mends it, and goes through.
fn check(site: &Site, surface: &mut dyn Surface, tool: &str, args: &Value) {
    let before = tree(site);
    let shown = surface.call(site, tool, args, &[("plan", "true")]);
    assert!(shown.failure.is_none(), "{tool}: {}", shown.whole);
    assert_eq!(
        changed(&before, &tree(site)),
        Vec::<PathBuf>::new(),
        "the preview of {tool} changed something"
    );
    let id =
        shown.plan["id"].as_str().unwrap_or_else(|| panic!("{tool} has no plan: {}", shown.whole)).to_owned();
    let first = shown.plan["targets"]
        .as_array()
        .and_then(|targets| targets.iter().find(|one| !one["target"].as_str().unwrap().starts_with("/bin")));
    let first = first.unwrap_or_else(|| panic!("{tool} would change nothing: {}", shown.whole));
    let undo = spoil(site, surface, first);
    let spoilt = tree(site);
    surface.call(site, tool, args, &[("apply", &id)]).drifted(tool);
    assert_eq!(
        changed(&spoilt, &tree(site)),
        Vec::<PathBuf>::new(),
        "{tool} was refused and changed something"
    );
    let Some(undo) = undo else { return };
    undo();
    if tool.starts_with("download") {
        return;
    }
    surface.call(site, tool, args, &[("apply", &id)]).applied(tool);
    let again = surface.call(site, tool, args, &[("apply", &id)]);
    let code =
        again.failure.map(|(code, _)| code).unwrap_or_else(|| panic!("{tool}: the plan was applied twice"));
    // A tool that answers with text says in words why it failed.
    assert!(code == "PLAN_MISSING" || code == "?", "{tool}: {code}");
}

fn changed(before: &BTreeMap<PathBuf, Vec<u8>>, after: &BTreeMap<PathBuf, Vec<u8>>) -> Vec<PathBuf> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let new = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path);
    gone.chain(new).cloned().collect()
}

#[test]
fn every_tool_that_writes_has_a_plan_and_a_case_here() {
    let definitions = Site::new().definitions();
    let cases: Vec<&str> = cases(&definitions).iter().map(|(tool, _)| *tool).collect();
    for tool in definitions {
        let (wire, kind) = (tool["wireName"].as_str().unwrap(), tool["plan"]["kind"].as_str());
        match (tool["effect"].as_str().unwrap(), kind) {
            ("read", None) => {}
            ("read", kind) => panic!("{wire} reads and has a plan: {kind:?}"),
            (_, None | Some("nothing")) => panic!("{wire} writes and has no plan"),
            (_, Some("bound")) => {
                assert!(tool["plan"]["unknown"].as_str().is_some_and(|why| why.len() > 20), "{wire}")
            }
            _ => {}
        }
        let is_covered = cases.contains(&wire) || wire == "climax_call";
        assert!(tool["effect"] == "read" || is_covered, "{wire} has no case in this test");
    }
}

#[test]
fn every_tool_that_writes_stops_at_a_target_that_has_changed() {
    let site = ready();
    let mut server = Mcp::start(&site, &flags());
    for (tool, args) in cases(&site.definitions()) {
        check(&site, &mut server, tool, &args);
    }
    // What was agreed to is what is there, to the byte.
    let args = json!({ "entry": { "id": "exact", "body": "Exactly." }, "lax": true });
    let shown = server.call(&site, ADD, &args, &[("plan", "true")]);
    server.call(&site, ADD, &args, &[("apply", shown.plan["id"].as_str().unwrap())]).applied(ADD);
    let bytes = fs::read(site.repo().join("instructions/exact.json")).unwrap();
    assert_eq!(shown.plan["targets"][0]["after"], mainstay_catalog::sha256_hex(&bytes));
    assert!(server.0.close().success());
}

#[test]
fn every_tool_that_writes_stops_over_http_too() {
    let site = ready();
    let mut server = HttpServer::start(&site, &flags());
    for (tool, args) in cases(&site.definitions()) {
        check(&site, &mut server, tool, &args);
    }
    server.stop();
}

#[test]
fn every_tool_that_writes_stops_in_a_shell_too() {
    let site = ready();
    for (tool, args) in cases(&site.definitions()) {
        check(&site, &mut Shell::with(&flags()), tool, &args);
    }
}

#[test]
fn a_plan_that_waited_too_long_is_refused_on_every_surface() {
    let site = ready();
    let log = site.repo().join("../audit");
    let flags: Vec<&str> =
        flags().into_iter().chain(["--plan-lifetime-s", "0", "--audit", log.to_str().unwrap()]).collect();
    let mut ids = Vec::new();
    over_all(&site, &flags, |surface, server| {
        let args = json!({ "entry": { "id": surface, "body": "Too late." }, "lax": true });
        let shown = server.call(&site, ADD, &args, &[("plan", "true")]);
        let id = shown.plan["id"].as_str().unwrap().to_owned();
        let refused = server.call(&site, ADD, &args, &[("apply", &id)]);
        let code = refused.failure.as_ref().map(|(code, _)| code.as_str());
        assert_eq!(code, Some("PLAN_EXPIRED"), "{surface}: {}", refused.whole);
        assert!(!site.repo().join(format!("instructions/{surface}.json")).exists());
        ids.push(id);
    });
    // Both steps of each plan stand in the audit log, with its id.
    let rows = site.run(["audit", "export", "--json", "--audit", log.to_str().unwrap()]).json();
    let steps: Vec<(&str, &str, &str)> = rows["result"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |value: &'static str| row.pointer(value).and_then(Value::as_str).unwrap_or("-");
            (text("/plan/id"), text("/plan/step"), text("/outcome"))
        })
        .collect();
    let expected: Vec<(&str, &str, &str)> = ids
        .iter()
        .flat_map(|id| [(id.as_str(), "preview", "ok"), (id.as_str(), "apply", "PLAN_EXPIRED")])
        .collect();
    assert_eq!(steps, expected);
}

#[test]
fn a_shell_says_in_words_what_a_plan_is_about() {
    let site = ready();
    let args = json!({ "entry": { "id": "words", "body": "Words." }, "lax": true }).to_string();
    let words = |more: &[&str]| -> Vec<String> {
        let all = ["call", ADD, "--args", &args].into_iter().chain(flags()).chain(more.iter().copied());
        all.map(str::to_owned).collect()
    };
    let run = |words: Vec<String>| site.run(words.iter().map(String::as_str));
    let shown = run(words(&["--plan"]));
    assert!(shown.stdout.contains("create   words.json  - -> "), "{}", shown.stdout);
    let id = shown.stderr.split("--apply-plan ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    site.write("instructions/words.json", "{}");
    let refused = run(words(&["--apply-plan", &id]));
    assert_eq!(refused.exit, 3, "{}", refused.stderr);
    assert!(refused.stderr.contains("the plan no longer fits"), "{}", refused.stderr);
    let missing = run(words(&["--apply-plan", "plan-00000000000000000000000000000000", "--json"]));
    assert_eq!((missing.exit, &missing.json()["error"]["code"]), (3, &json!("PLAN_MISSING")));
}

#[test]
fn discovery_plans_the_tool_it_calls() {
    let site = ready();
    let mut server = Mcp::start(&site, &with(&["--discovery"]));
    let args = json!({ "tool_name": "instructions/add", "args": { "entry": { "id": "found", "body": "F." }, "lax": true } });
    check(&site, &mut server, "climax_call", &args);
    let shown = server.call(
        &site,
        "climax_call",
        &json!({ "tool_name": "notes_keep", "args": { "file": "x" } }),
        &[("plan", "true")],
    );
    assert_eq!(shown.plan["tool"], "notes_keep", "{}", shown.whole);
    let needless = server.call(
        &site,
        "climax_call",
        &json!({ "tool_name": "config_status", "args": {} }),
        &[("plan", "true")],
    );
    assert!(needless.failure.is_some(), "{}", needless.whole);
    assert!(server.0.close().success());
}

#[test]
fn an_operator_can_demand_plans() {
    let site = ready();
    let args = json!({ "entry": { "id": "planned", "body": "P." }, "lax": true });
    let mut server = Mcp::start(&site, &with(&["--require-plans"]));
    let direct = server.call(&site, ADD, &args, &[]);
    assert_eq!(direct.failure.unwrap().0, "PLAN_REQUIRED");
    let shown = server.call(&site, ADD, &args, &[("plan", "true")]);
    server.call(&site, ADD, &args, &[("apply", shown.plan["id"].as_str().unwrap())]).applied(ADD);
    let read = server.call(&site, "instructions_list", &json!({}), &[]);
    assert!(read.failure.is_none(), "{}", read.whole);
    assert!(server.0.close().success());

    let words: Vec<&str> = ["call", "map.create", "--json"].into_iter().chain(flags()).collect();
    let mut command = site.mainstay(words);
    let ran =
        site.ran(command.env("MAINSTAY_REQUIRE_PLANS", "1").args([
            "--args",
            r#"{"externalSystem":"m","externalComponent":"B","oodsTraits":["Clickable"]}"#,
        ]));
    assert_eq!((ran.exit, &ran.json()["error"]["code"]), (3, &json!("PLAN_REQUIRED")), "{ran:?}");
    assert!(ran.stdout.contains("MAINSTAY_REQUIRE_PLANS"), "{ran:?}");
}
