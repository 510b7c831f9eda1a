//! The catalog toolset through the real process on stdio: direct methods, MCP, flags, and two servers on one directory.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A working directory with a catalog.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place { root: tempfile::tempdir().unwrap() }
    }

    fn dir(&self) -> PathBuf {
        self.root.path().join("instructions")
    }

    fn command(&self, args: &[&str], env: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mainstay"));
        command
            .args(args)
            .current_dir(self.root.path())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.root.path())
            .envs(env.iter().copied());
        command
    }

    fn serve(&self, env: &[(&str, &str)]) -> Client {
        let mut child = self
            .command(&["mcp", "--toolsets", "catalog"], env)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Client { stdin: child.stdin.take(), stdout, child, next: 0 }
    }

    fn open(&self) -> Client {
        self.serve(&[("MCP_ENABLE_MUTATION", "1"), ("INDEX_FEATURES", "usage")])
    }
}

struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn receive(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "the server ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line}"))
    }

    /// Sends a request and returns the whole answer.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.stdin.as_mut().unwrap(), "{request}").unwrap();
        loop {
            let message = self.receive();
            if message["id"] == self.next {
                return message;
            }
        }
    }

    /// Calls a method directly and returns its bare result.
    fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.request(method, params.clone());
        assert!(answer["error"].is_null(), "{method} {params}: {answer}");
        answer["result"].clone()
    }

    /// Calls the same over MCP and returns the result inside the envelope.
    fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.call("tools/call", json!({ "name": name, "arguments": arguments }));
        assert_eq!(answer["isError"], false, "{name}: {answer}");
        answer["structuredContent"]["result"].clone()
    }

    fn initialize(&mut self) -> Value {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        self.call("initialize", params)
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Closing the input ends the server; one that does not end must not outlive its test.
        drop(self.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn entry(id: &str, body: &str) -> Value {
    json!({"id": id, "title": id, "body": body, "priority": 50, "audience": "all", "requirement": "optional", "categories": ["x"]})
}

#[test]
fn every_method_answers_directly_and_over_mcp() {
    let place = Place::new();
    let mut client = place.open();
    client.initialize();
    let added = client.call("instructions/add", json!({"entry": entry("a", "one")}));
    assert_eq!((&added["created"], &added["id"]), (&json!(true), &json!("a")));
    let imported = client.call(
        "instructions/import",
        json!({"entries": [entry("b", "two"), entry("c", "three")], "mode": "skip"}),
    );
    assert_eq!(imported["imported"], 2);
    let hash = imported["hash"].clone();
    for (method, params) in [
        ("instructions/list", json!({"category": "X"})),
        ("instructions/listScoped", json!({"userId": "ann"})),
        ("instructions/get", json!({"id": "a"})),
        ("instructions/search", json!({"q": "TWO"})),
        ("instructions/diff", json!({"clientHash": hash})),
        ("instructions/export", json!({"ids": ["a"], "metaOnly": true})),
        ("instructions/governanceHash", json!({})),
        ("instructions/query", json!({"text": "one"})),
        ("instructions/history", json!({"id": "a"})),
        ("instructions/exportMarkdown", json!({})),
        ("integrity/verify", json!({})),
        ("gates/evaluate", json!({})),
        ("prompt/review", json!({"prompt": "use the api key"})),
        ("usage/hotset", json!({"limit": 3})),
        ("feature/status", json!({})),
        ("instructions/repair", json!({})),
        ("usage/flush", json!({})),
        ("instructions/reload", json!({})),
        ("instructions/groom", json!({"mode": {"dryRun": true}})),
    ] {
        let direct = client.call(method, params.clone());
        assert!(direct.is_object(), "{method}");
        assert_eq!(client.tool(method, params.clone()), direct, "{method} by id");
        assert_eq!(client.tool(&method.replace('/', "_"), params), direct, "{method} by wire name");
    }
    assert_eq!(client.call("usage/track", json!({"id": "a"}))["usageCount"], 1);
    assert_eq!(client.tool("usage_track", json!({"id": "a"}))["usageCount"], 2);
    assert_eq!(client.call("health/check", json!({}))["status"], "ok");
    let metrics = client.call("metrics/snapshot", json!({}));
    assert!(
        metrics["methods"].as_array().unwrap().iter().any(|method| method["method"] == "instructions/get")
    );
    let registry = client.call("meta/tools", json!({}));
    assert_eq!(registry["dynamic"]["mutationEnabled"], true);
    let removed = client.call("instructions/remove", json!({"ids": ["a", "zz"]}));
    assert_eq!((&removed["removed"], &removed["missing"]), (&json!(1), &json!(["zz"])));
    assert_eq!(client.call("instructions/restore", json!({"id": "a"}))["restored"], json!(["a"]));
    let dispatched = client.call("instructions/dispatch", json!({"action": "get", "id": "a"}));
    assert_eq!(dispatched, client.call("instructions/get", json!({"id": "a"})));
}

#[test]
fn without_mutation_writes_are_refused_with_the_sentence_and_nothing_is_written() {
    let place = Place::new();
    let mut client = place.serve(&[("INDEX_FEATURES", "usage")]);
    client.initialize();
    for (method, params) in [
        ("instructions/add", json!({"entry": entry("a", "x")})),
        ("instructions/import", json!({"entries": [entry("a", "x")]})),
        ("instructions/remove", json!({"ids": ["a"]})),
        ("instructions/groom", json!({})),
        ("instructions/reload", json!({})),
        ("usage/flush", json!({})),
        ("instructions/dispatch", json!({"action": "add", "entry": entry("a", "x")})),
    ] {
        let error = client.request(method, params)["error"].clone();
        assert_eq!(error["message"], "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.", "{method}");
        assert_eq!((&error["code"], &error["data"]["method"]), (&json!(-32603), &json!(method)));
        assert_eq!(
            (&error["data"]["message"], &error["data"]["reason"]),
            (&error["message"], &json!("mutation_disabled"))
        );
    }
    assert_eq!(client.call("instructions/repair", json!({})), json!({"repaired": 0, "updated": []}));
    assert_eq!(client.call("instructions/list", json!({}))["count"], 0);
    assert!(!place.dir().exists());
}

#[test]
fn bad_arguments_name_every_violation_on_both_paths() {
    let place = Place::new();
    let mut client = place.open();
    client.initialize();
    let direct = client.request("instructions/get", json!({"wrong": 1}))["error"].clone();
    assert_eq!((&direct["code"], &direct["data"]["method"]), (&json!(-32602), &json!("instructions/get")));
    assert_eq!(direct["data"]["errors"].as_array().unwrap().len(), 2, "{direct}");
    let called = client.request("tools/call", json!({"name": "instructions/get", "arguments": {"wrong": 1}}));
    assert_eq!(called["error"]["code"], -32602);
    for params in [json!({"limit": 0}), json!({"limit": 101}), json!({"limit": "x"})] {
        assert_eq!(client.request("usage/hotset", params)["error"]["code"], -32602);
    }
    assert_eq!(
        client.request("instructions/import", json!({"entries": [], "mode": "skip"}))["error"]["code"],
        -32602
    );
    assert_eq!(
        client.request("instructions/import", json!({"entries": [entry("a", "x")], "mode": "other"}))["error"]
            ["code"],
        -32602
    );
    let unknown = client.request("instructions/lst", json!({}))["error"].clone();
    assert_eq!(unknown["code"], -32601);
    assert!(unknown.to_string().contains("instructions/list"), "{unknown}");
}

#[test]
fn two_servers_see_each_other_and_counts_survive_a_kill() {
    let place = Place::new();
    let (mut one, mut two) = (place.open(), place.open());
    one.initialize();
    two.initialize();
    for n in 0..20 {
        let id = format!("e{n}");
        let added = one.call("instructions/add", json!({"entry": entry(&id, "x")}));
        let got = two.call("instructions/get", json!({ "id": id }));
        assert_eq!((&got["item"]["id"], &got["hash"]), (&json!(id), &added["hash"]));
        one.call("usage/track", json!({"id": "e0"}));
        two.call("usage/track", json!({"id": "e0"}));
    }
    two.call("usage/flush", json!({}));
    two.kill();
    assert_eq!(one.call("instructions/get", json!({"id": "e0"}))["item"]["usageCount"], 40);
    one.call("instructions/reload", json!({}));
    drop(one);
    let mut three = place.open();
    three.initialize();
    assert_eq!(three.call("usage/hotset", json!({}))["items"][0]["usageCount"], 40);
}

#[test]
fn hashes_are_the_same_after_a_restart_and_follow_the_newline_flag() {
    let place = Place::new();
    let governance = |env: &[(&str, &str)]| {
        let mut client = place.serve(env);
        client.initialize();
        client.call("instructions/governanceHash", json!({}))["governanceHash"].clone()
    };
    let mut client = place.open();
    client.initialize();
    client.call("instructions/add", json!({"entry": entry("a", "x")}));
    let hash = client.call("instructions/governanceHash", json!({}))["governanceHash"].clone();
    drop(client);
    assert_eq!(governance(&[]), hash);
    assert_ne!(governance(&[("GOV_HASH_TRAILING_NEWLINE", "1")]), hash);
    let dir = place.dir();
    std::fs::rename(&dir, place.root.path().join("elsewhere")).unwrap();
    assert_eq!(governance(&[("INSTRUCTIONS_DIR", "elsewhere")]), hash);
}

#[test]
fn the_command_line_reaches_the_same_tools() {
    let place = Place::new();
    let run = |args: &[&str]| {
        let output = place.command(args, &[("MCP_ENABLE_MUTATION", "1")]).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let add = json!({"entry": {"id": "a", "body": "x"}, "lax": true}).to_string();
    assert_eq!(run(&["call", "instructions/add", "--args", &add, "--json"])["result"]["created"], true);
    assert_eq!(run(&["call", "instructions/list", "--json"])["result"]["count"], 1);
}
