//! One daemon behind many clients: what they share, what they do not, and what happens when somebody dies.

use std::os::unix::net::UnixListener;
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::site::{MAINSTAY, Site, wait_until};

/// A running daemon of a site, found by whoever has its runtime directory.
pub struct Daemon<'a> {
    site: &'a Site,
    pub process: Client,
}

impl<'a> Daemon<'a> {
    pub fn start(site: &'a Site, flags: &[&str]) -> Daemon<'a> {
        // Its own folder, home and variables are not those of its clients.
        let mut command = joining(site, &[&["daemon", "--json"], flags].concat());
        command.current_dir("/").env("HOME", "/nonexistent").env("MAINSTAY_REPO", "/nonexistent");
        let mut process = Client::start(command, Framing::Lines);
        assert_eq!(process.receive()["event"], "listening");
        Daemon { site, process }
    }

    pub fn status(&self) -> Value {
        let ran = self.site.ran(&mut joining(self.site, &["daemon", "status", "--json"]));
        assert_eq!(ran.exit, 0, "{ran:?}");
        ran.json()["result"]["daemons"][0]["status"].clone()
    }

    pub fn clients(&self) -> usize {
        self.status()["sessions"]["now"].as_array().unwrap().len()
    }

    fn signal(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.process.child), signal).unwrap();
    }

    fn kill(mut self) {
        self.signal(Signal::KILL);
        self.process.wait();
    }
}

/// A command that looks for daemons in a place of the site.
pub fn joining(site: &Site, words: &[&str]) -> Command {
    let mut command = site.mainstay(words.iter().copied());
    command.env("MAINSTAY_RUNTIME_DIR", runtime_dir(site));
    command
}

fn runtime_dir(site: &Site) -> std::path::PathBuf {
    site.home().join("run")
}

fn client(site: &Site, flags: &[&str]) -> Client {
    let mut client = Client::start(joining(site, &[&["mcp"], flags].concat()), Framing::Lines);
    client.initialize();
    client
}

fn call(client: &mut Client, tool: &str, args: Value) -> Value {
    client.request("tools/call", json!({ "name": tool, "arguments": args }))["result"].clone()
}

const PROGRAMS: &str = r#"
name: here
command: sh
env_allow: [NOISE]
effect: write
tools:
- {name: here_where, description: Say where, command: [-c, "pwd; echo $NOISE"]}
- {name: here_wait, description: Wait, command: [-c, "echo began > began; sleep 100"]}
"#;

fn site() -> Site {
    let site = Site::new()
        .file("src/lib.rs", "pub fn parse_config() {}\n")
        .file("deep/here.yaml", PROGRAMS)
        .file("here.yaml", PROGRAMS);
    assert_eq!(site.run(["index", "build"]).exit, 0);
    site
}

#[test]
fn five_clients_share_one_index_and_leave_nothing() {
    let site = site();
    let daemon = Daemon::start(&site, &[]);
    let mut alone = client(&site, &["--no-daemon"]);
    let mut expected = call(&mut alone, "search", json!({ "query": "parse_config" }));
    assert_eq!(expected["isError"], false, "{expected}");
    let mut clients: Vec<Client> = (0..5)
        .map(|number: u32| {
            let mut command = joining(&site, &["mcp"]);
            command.env("NOISE", number.to_string());
            let mut client = Client::start(command, Framing::Lines);
            client.initialize();
            client
        })
        .collect();
    for client in &mut clients {
        let mut found = call(client, "search", json!({ "query": "parse_config" }));
        for answer in [&mut found, &mut expected] {
            let result = &mut answer["structuredContent"];
            result["_meta"] = Value::Null;
            result["result"]["stats"]["elapsedMs"] = Value::Null;
            let text = result.to_string();
            answer["content"] = Value::Null;
            assert!(text.contains("parse_config"), "{text}");
        }
        assert_eq!(without_times(&found), without_times(&expected));
    }
    let status = daemon.status();
    assert_eq!(status["sessions"]["now"].as_array().unwrap().len(), 5, "{status}");
    assert_eq!(status["indexes"], json!({ "open": 1, "openedEver": 1 }), "{status}");
    for client in clients {
        assert!(client.close().success());
    }
    wait_until("the sessions to end", || daemon.clients() == 0);
    assert_eq!(daemon.status()["sessions"]["ever"], 5);
}

/// An answer without what differs from run to run.
fn without_times(value: &Value) -> Value {
    const TIMES: [&str; 6] = ["_meta", "elapsedMs", "tookMs", "incidentId", "ts", "timings"];
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(key, _)| !TIMES.contains(&key.as_str()) && !key.ends_with("Ms"))
            .map(|(key, value)| (key.clone(), without_times(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_times).collect(),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner) if inner.is_object() => without_times(&inner),
            _ => value.clone(),
        },
        other => other.clone(),
    }
}

/// Messages of every protocol, and some that are none; each gets one answer.
const MESSAGES: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"x"}}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#,
    "{nope",
    "[]",
    r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":4,"method":"instructions/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":5,"method":"nope"}"#,
    r#"{"id":"b","tool":"catalog.list","input":{}}"#,
    r#"{"tool":"catalog.list","input":{"nope":1}}"#,
    r#"{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"nope"}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"index_status","arguments":{"repoPath":"."}}}"#,
    r#"{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"here_where"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"search","arguments":{"query":"nope","repoPath":"../missing"}}}"#,
];

#[test]
fn a_client_cannot_tell_who_serves_it() {
    let site = site();
    let daemon = Daemon::start(&site, &[]);
    for framing in [Framing::Lines, Framing::ContentLength] {
        let transport = if framing == Framing::Lines { "sdk" } else { "legacy" };
        let answers = |flags: &[&str]| -> Vec<Value> {
            let own = ["mcp", "--programs", "here.yaml", "--transport", transport];
            let mut client = Client::start(joining(&site, &[&own, flags].concat()), framing);
            let mut answers = Vec::new();
            for message in MESSAGES {
                client.send_text(message);
                let answer =
                    std::iter::repeat_with(|| client.receive()).find(|one| one.get("method").is_none());
                answers.push(without_times(&answer.unwrap()));
            }
            assert!(client.close().success());
            answers
        };
        let (shared, alone) = (answers(&[]), answers(&["--no-daemon"]));
        for ((shared, alone), message) in shared.iter().zip(&alone).zip(MESSAGES) {
            assert_eq!(shared, alone, "{message}");
        }
    }
    assert_eq!(daemon.status()["sessions"]["ever"], 2);
}

#[test]
fn a_dead_daemon_costs_no_call_that_comes_after_it() {
    let site = site();
    let daemon = Daemon::start(&site, &[]);
    let mut idle = client(&site, &[]);
    let mut busy = client(&site, &["--programs", "here.yaml"]);
    assert_eq!(daemon.clients(), 2);
    for (id, tool) in [(7, "here_wait"), (8, "test_nothing")] {
        busy.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } }));
    }
    assert_eq!(busy.answer(&json!(8))["error"]["data"]["code"], "UNKNOWN_TOOL");
    wait_until("the call to run", || site.repo().join("began").exists());
    daemon.kill();
    let lost = busy.answer(&json!(7))["result"].clone();
    assert_eq!(lost["isError"], true, "{lost}");
    assert!(lost["content"][0]["text"].as_str().unwrap().contains("call again"), "{lost}");
    for client in [&mut idle, &mut busy] {
        let found = call(client, "search", json!({ "query": "parse_config" }));
        assert_eq!(found["isError"], false, "{found}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
    for tool in ["here_where", "instructions_list", "catalog_list", "index_status"] {
        let answer = call(&mut busy, tool, json!({}));
        assert_eq!(answer["isError"], false, "{tool}: {answer}");
    }
    // Who the client is was said to the daemon only; a call that reads is made again without a word.
    let daemon = Daemon::start(&site, &[]);
    let mut reader = client(&site, &["--conformance-fixtures"]);
    assert_eq!(daemon.clients(), 1);
    reader.send(&json!({
        "jsonrpc": "2.0", "id": 9, "method": "tools/call",
        "params": { "name": "test_slow", "arguments": { "millis": 1, "script": "echo x >> runs; sleep 1" } },
    }));
    wait_until("the call to run", || site.repo().join("runs").exists());
    daemon.kill();
    assert_eq!(reader.answer(&json!(9))["result"]["structuredContent"]["result"]["finished"], true);
    for client in [idle, busy, reader] {
        assert!(client.close().success());
    }
}

#[test]
fn a_daemon_that_is_stopped_lets_its_clients_go_on() {
    let site = site();
    let mut daemon = Daemon::start(&site, &[]);
    let mut client = client(&site, &[]);
    let ran = site.ran(&mut joining(&site, &["daemon", "stop"]));
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(daemon.process.wait().success());
    let found = call(&mut client, "search", json!({ "query": "parse_config" }));
    assert_eq!(found["isError"], false, "{found}");
    assert!(client.close().success());
    assert_eq!(site.ran(&mut joining(&site, &["daemon", "status"])).exit, 1);
}

#[test]
fn each_client_has_its_own_folder_variables_and_tools() {
    let site = site();
    let daemon = Daemon::start(&site, &[]);
    let run = |folder: &str, noise: &str| {
        let mut command =
            joining(&site, &["mcp", "--programs", "here.yaml", "--toolsets", "programs", "--classic"]);
        command.current_dir(site.repo().join(folder)).env("NOISE", noise);
        let mut client = Client::start(command, Framing::Lines);
        client.initialize();
        let text = call(&mut client, "here_where", json!({}))["content"][0]["text"].clone();
        (client, text.as_str().unwrap().to_owned())
    };
    let (_one, text) = run("deep", "one");
    assert!(text.contains("/repo/deep\none"), "{text}");
    let (_two, text) = run(".", "two");
    assert!(text.contains("/repo\ntwo"), "{text}");
    let mut catalog = client(&site, &["--toolsets", "catalog"]);
    let tools = catalog.request("tools/list", json!({}))["result"]["tools"].clone();
    assert!(tools.as_array().unwrap().iter().all(|tool| tool["name"] != "search"), "{tools}");
    assert_eq!(daemon.clients(), 3);
}

#[test]
fn what_is_about_a_process_of_its_own_does_not_join() {
    let site = site();
    let daemon = Daemon::start(&site, &["--daemon-sessions", "1"]);
    let mut off = joining(&site, &["mcp"]);
    off.env("MAINSTAY_JOIN_DAEMON", "0");
    let record = joining(&site, &["mcp", "--record", "calls.jsonl"]);
    let flag = joining(&site, &["mcp", "--no-daemon"]);
    for command in [off, record, flag] {
        let mut alone = Client::start(command, Framing::Lines);
        alone.initialize();
        assert_eq!(daemon.status()["sessions"]["ever"], 0);
    }
    // A client that finds no room is served all the same.
    let mut first = client(&site, &[]);
    let mut second = client(&site, &[]);
    assert_eq!(daemon.clients(), 1);
    for client in [&mut first, &mut second] {
        assert_eq!(call(client, "index_status", json!({}))["isError"], false);
    }
}

#[test]
fn a_socket_that_was_left_behind_is_no_obstacle() {
    let site = site();
    let daemon = Daemon::start(&site, &[]);
    let second = site.ran(&mut joining(&site, &["daemon"]));
    assert_eq!(second.exit, 3, "{second:?}");
    let socket = std::fs::read_dir(runtime_dir(&site)).unwrap().flatten().map(|entry| entry.path());
    let socket = socket.into_iter().find(|path| path.extension().is_some_and(|end| end == "sock")).unwrap();
    daemon.kill();
    assert!(socket.exists(), "a killed daemon leaves its socket");
    assert!(client(&site, &[]).close().success());
    let doctor = site.ran(&mut joining(&site, &["doctor", "--json"]));
    assert!(doctor.stdout.contains("none runs"), "{doctor:?}");

    // Somebody listens and never answers: the client does not wait for ever.
    std::fs::remove_file(&socket).unwrap();
    let deaf = UnixListener::bind(&socket).unwrap();
    assert!(client(&site, &[]).close().success());
    drop(deaf);

    let daemon = Daemon::start(&site, &[]);
    let joined = client(&site, &[]);
    assert_eq!(daemon.clients(), 1);
    let doctor = site.ran(&mut joining(&site, &["doctor", "--json"]));
    assert!(doctor.stdout.contains("serves 1 client"), "{doctor:?}");
    assert!(joined.close().success());
    let before = daemon.status()["sessions"]["ever"].clone();

    // A folder that others can enter is not trusted.
    std::fs::set_permissions(runtime_dir(&site), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    assert!(client(&site, &[]).close().success());
    assert_eq!(site.ran(&mut joining(&site, &["daemon"])).exit, 3);
    std::fs::set_permissions(runtime_dir(&site), std::os::unix::fs::PermissionsExt::from_mode(0o700))
        .unwrap();
    assert_eq!(daemon.status()["sessions"]["ever"], before);
}

/// A shell that starts a client of the daemon; the pipes are ours and stay open when it dies.
pub fn behind_a_shell(site: &Site) -> Command {
    let mut shell = site.program("sh");
    shell
        .args(["-c", r#"exec 3<&0; "$@" <&3 & wait"#, "sh", MAINSTAY, "mcp", "--conformance-fixtures"])
        .env("MAINSTAY_RUNTIME_DIR", runtime_dir(site));
    shell
}
