//! Small manners: one envelope everywhere, answers cut to what is wanted, progress for people only.

use serde_json::json;

use crate::client::{Client, Framing};
use crate::site::Site;
use crate::terminal::at_terminal;

const TREE: &str = r#"{"version":"2026.02","screens":[{"id":"home","component":"Stack","children":[]}]}"#;

/// Every command that answers once, with arguments that work in a small repository, and its exit status.
const COMMANDS: &[(&str, i32)] = &[
    ("init", 0),
    ("connect cursor", 0),
    ("disconnect cursor", 0),
    ("doctor", 0),
    ("daemon status", 1),
    ("daemon stop", 3),
    ("search parse_config", 0),
    ("search no_such_word_anywhere", 1),
    ("index build", 0),
    ("index status", 0),
    ("index verify", 1),
    ("show src/lib.rs:1", 0),
    ("refs parse_config", 0),
    ("map", 0),
    ("impact", 3),
    ("call index_status", 0),
    ("tools list", 0),
    ("tools show search", 0),
    ("tools explain search", 0),
    ("tools cost", 0),
    ("contract snapshot out", 0),
    ("contract docs out", 0),
    ("contract lock", 0),
    ("contract check", 0),
    ("contract diff mainstay.lock.json mainstay.lock.json", 0),
    ("call index_status --audit log", 0),
    ("audit tail --audit log", 0),
    ("audit verify --audit log", 0),
    ("token add ci --token-file tokens.json", 0),
    ("token list --token-file tokens.json", 0),
    ("token revoke ci --token-file tokens.json", 0),
    ("replay tree.json", 2),
    ("programs validate git", 0),
    ("programs list", 0),
    ("programs list git", 0),
    ("programs import ls", 0),
    ("climax validate git", 0),
    ("climax list", 0),
    ("catalog list", 1),
    ("catalog get nope", 1),
    ("catalog search nope", 1),
    ("catalog export", 0),
    ("catalog import .", 0),
    ("catalog history nope", 0),
    ("catalog restore nope --apply", 1),
    ("catalog gate", 0),
    ("catalog verify", 0),
    ("catalog review words", 1),
    ("catalog health", 0),
    ("foundry kit check", 0),
    ("foundry audit", 0),
    ("foundry scaffold react web", 0),
    ("foundry preview tree.json", 0),
    ("config show", 0),
    ("config schema", 0),
    ("completions bash", 0),
    ("man pages", 0),
    ("nope", 2),
    ("serch x", 2),
    ("index biuld", 2),
    ("search x --langs rust", 2),
];

/// Commands that serve until they are stopped, or print rows as they come.
const STREAMS: &[&str] =
    &["audit export", "mcp", "daemon", "serve", "programs run", "climax", "climax run", "dashboard"];

fn site() -> Site {
    Site::new().file("src/lib.rs", "pub fn parse_config() {}\n").file("tree.json", TREE)
}

#[test]
fn with_json_every_command_prints_one_envelope_and_nothing_else() {
    let site = site();
    for (command, exit) in COMMANDS {
        let ran = site.run(command.split(' ').chain(["--json"]));
        assert_eq!((ran.exit, ran.stderr.as_str()), (*exit, ""), "{command}: {}", ran.stdout);
        assert_eq!(ran.stdout.lines().count(), 1, "{command}: {}", ran.stdout);
        let envelope = ran.json();
        assert_eq!(envelope["ok"], *exit < 2, "{command}: {envelope}");
        assert!(envelope["_meta"]["schemaVersion"].is_string(), "{command}: {envelope}");
    }
}

#[test]
fn no_command_is_forgotten() {
    let page = std::fs::read_to_string(crate::site::workspace().join("docs/reference/commands.md")).unwrap();
    for command in page.lines().filter_map(|line| line.strip_prefix("## `mainstay ")?.strip_suffix('`')) {
        let is_checked = COMMANDS.iter().any(|(checked, _)| checked.starts_with(command));
        assert!(is_checked || STREAMS.contains(&command), "{command} is in no table of this file");
    }
}

#[test]
fn a_mistyped_command_flag_or_value_is_answered_with_the_nearest() {
    let site = site();
    for (args, near) in [
        ("serch x", "search"),
        ("index biuld", "build"),
        ("search x --langs rust", "--lang"),
        ("connect curser", "cursor"),
        ("call serach", "search"),
        ("tools explain serach", "search"),
        ("tools list --toolsets serch", "search"),
        ("tools list --form clasic", "classic"),
    ] {
        let ran = site.run(args.split(' '));
        assert_eq!(ran.exit, 2, "{args}");
        assert!(ran.stderr.contains(near), "{args}: {}", ran.stderr);
    }
}

#[test]
fn an_error_always_names_a_next_step() {
    let site = site();
    for args in [
        "call search",
        "call search --query x --top many",
        "show nope.rs",
        "show src/lib.rs:x-y",
        "tools show nope",
        "contract check",
        "contract diff a b",
        "catalog restore x",
        "foundry preview nope.json",
        "foundry scaffold react . --apply",
        "programs list nope.yaml",
        "serve --host nowhere",
        "serve --host 0.0.0.0",
        "search /(/",
        "tools list --config nope.toml",
    ] {
        let ran = site.run(args.split(' '));
        assert!(ran.exit >= 2, "{args}: {}", ran.transcript());
        let lines: Vec<&str> = ran.stderr.lines().collect();
        assert!(lines[0].starts_with("error: "), "{args}: {}", ran.stderr);
        let has_step = lines.iter().any(|line| line.starts_with("hint: ") || line.contains("--help"));
        assert!(has_step, "{args}: {}", ran.stderr);
    }
}

#[test]
fn a_result_can_be_cut_to_some_fields() {
    let site = site();
    assert_eq!(site.run(["index", "build"]).exit, 0);
    let ran = site.run([
        "call",
        "search",
        "--query",
        "parse_config",
        "--fields",
        "search.code.file,repo",
        "--json",
    ]);
    let result = &ran.json()["result"];
    assert_eq!(result, &json!({ "search": { "code": [{ "file": "src/lib.rs" }] }, "repo": "[REPO]" }));
    let wrong = site.run(["call", "index_status", "--fields", "repoPth"]);
    assert_eq!(
        wrong.transcript(),
        "exit: 2\n--- stderr\nerror: the result has no field repoPth\nhint: did you mean repoPath?\n"
    );
}

#[test]
fn a_large_answer_can_go_to_a_file() {
    let site = site();
    let ran = site.run(["call", "index_status", "--save", "out/status.json", "--json"]);
    assert_eq!(ran.exit, 0, "{}", ran.transcript());
    let text = std::fs::read_to_string(site.repo().join("out/status.json")).unwrap();
    assert_eq!(ran.json()["result"]["bytes"], text.len());
    let saved: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(saved["ok"], true);
    let ran = site.run(["call", "index_status", "--save", "plain.json"]);
    assert!(ran.stdout.starts_with("Wrote [REPO]/plain.json ("), "{}", ran.stdout);
}

#[test]
fn progress_and_colour_are_for_terminals() {
    let site = site();
    let slow = "call test_slow --conformance-fixtures --millis 1500";
    let piped = site.run(slow.split(' '));
    assert_eq!((piped.exit, piped.stderr.as_str()), (0, ""));
    let shown = at_terminal(&site, slow, "");
    assert_eq!(shown.exit, 0, "{}", shown.text);
    assert!(shown.text.contains("step "), "{:?}", shown.text);

    let coloured = |prefix: &str| {
        let mut command = site.program("script");
        let line = format!("{prefix} '{}' tools explain search", crate::site::MAINSTAY);
        command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env("TERM", "xterm");
        site.ran(&mut command).stdout.contains('\u{1b}')
    };
    assert!(coloured("env"));
    assert!(!coloured("env NO_COLOR=1"));
}

#[test]
fn figures_are_in_human_units_and_exact_in_json() {
    let site = site();
    let built = site.run(["index", "build"]);
    assert!(built.stdout.starts_with("Indexed 2 chunks from 2 files in "), "{}", built.stdout);
    let status = site.run(["index", "status"]);
    assert!(status.stdout.contains("since then  nothing changed"), "{}", status.stdout);
    assert!(status.stdout.contains(" KiB") || status.stdout.contains(" B"), "{}", status.stdout);
    let exact = site.run(["index", "status", "--json"]).json();
    assert!(exact["result"]["index"]["indexBytes"].is_u64(), "{exact}");
}

#[test]
fn an_empty_answer_names_the_nearest_query_that_matches() {
    let site = site();
    assert_eq!(site.run(["index", "build"]).exit, 0);
    for (args, note) in [
        ("parse_confg", Some("no match; `parse_config` would match")),
        ("'\"pub fn parse config\"'", Some("no match; `pub fn parse config` would match")),
        ("parse_config --lang python", Some("no match with these filters; 1 match is left out by them")),
        ("zzzzzz", None),
    ] {
        let command = format!("'{}' search {args}", crate::site::MAINSTAY);
        let ran = site.ran(site.program("sh").args(["-c", &command]));
        let shown = note.map(|note| format!("No match\n{note}\n")).unwrap_or_else(|| "No match\n".into());
        assert_eq!((ran.exit, ran.stdout), (1, shown), "{args}: {}", ran.stderr);
        let ran = site.ran(site.program("sh").args(["-c", &format!("{command} --json")]));
        assert_eq!(
            ran.json()["result"]["search"]["notes"].as_array().map_or(0, Vec::len),
            usize::from(note.is_some())
        );
    }
}

#[test]
fn a_client_is_told_how_to_use_the_server_and_what_each_tool_may_do() {
    let site = Site::new();
    let mut command = site.mainstay(["mcp", "--toolset", "all", "--enable-mutation"]);
    command.env("MCP_ROLE", "maintainer");
    let mut client = Client::start(command, Framing::Lines);
    let greeting = client.initialize();
    let instructions = greeting["result"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("error.details.hint"), "{greeting}");
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let hinted = |name: &str| {
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("no {name}"));
        let hint =
            |key: &str| tool["annotations"][key].as_bool().unwrap_or_else(|| panic!("{name} has no {key}"));
        (hint("readOnlyHint"), hint("destructiveHint"), hint("openWorldHint"))
    };
    assert!(tools.len() > 70 && tools.iter().all(|tool| tool["annotations"]["readOnlyHint"].is_boolean()));
    assert_eq!(hinted("search"), (true, false, false));
    assert_eq!(hinted("clean_artifacts"), (false, true, false));
    assert_eq!(hinted("download_models"), (false, false, true));
}
