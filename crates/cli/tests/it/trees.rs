//! Nothing that a call started survives it, however it ends.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::daemon::{Daemon, behind_a_shell, joining};
use crate::site::{MAINSTAY, Site, wait_until};

/// Each process notes its number. Three generations, one in a session of its own, and one there that ignores SIGTERM.
const TREE: &str = r#"
echo $$ >> "$TREE_PIDS"
case "$1" in
    generation) [ "$2" -gt 1 ] && sh tree.sh generation $(($2 - 1)); sleep 1000 ;;
    deaf) trap '' TERM; while :; do sleep 1000; done ;;
    leaf) sleep 1000 ;;
    *)
        sh tree.sh generation 3 &
        setsid sh tree.sh leaf &
        setsid sh tree.sh deaf &
        wait ;;
esac
"#;

/// The script, three generations, a leaf and a deaf one.
const SIZE: usize = 6;

struct Forest {
    site: Site,
}

impl Forest {
    fn new() -> Forest {
        Forest { site: Site::new().file("tree.sh", TREE).file("pids", "") }
    }

    /// A server whose children carry the path of this forest in their environment.
    fn server(&self, flags: &[&str]) -> Command {
        self.with_tree(
            self.site.mainstay(["mcp", "--conformance-fixtures"].into_iter().chain(flags.iter().copied())),
        )
    }

    fn with_tree(&self, mut command: Command) -> Command {
        command.env("TREE_PIDS", self.site.repo().join("pids"));
        command
    }

    /// Starts a call and waits until its tree has grown.
    fn grow(&self, client: &mut Client) -> Value {
        client.initialize();
        let id = json!(7);
        client.send(&json!({
            "jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": { "name": "test_slow", "arguments": { "millis": 60_000, "script": "sh tree.sh" } },
        }));
        wait_until("the tree to grow", || self.noted().len() == SIZE);
        assert!(self.alive().is_superset(&self.noted()), "the tree is alive");
        id
    }

    fn noted(&self) -> BTreeSet<i32> {
        let text = std::fs::read_to_string(self.site.repo().join("pids")).unwrap();
        // The last line may be half written.
        text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')?.parse().ok()).collect()
    }

    /// The living processes that noted themselves or carry both the mark of a call and this forest's path.
    fn alive(&self) -> BTreeSet<i32> {
        let forest = format!("TREE_PIDS={}", self.site.repo().join("pids").display());
        let is_ours = |pid: i32| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let mut variables = environ.split(|byte| *byte == 0);
            variables.clone().any(|variable| variable == forest.as_bytes())
                && variables.any(|variable| variable.starts_with(b"MAINSTAY_CALL="))
        };
        let noted = self.noted();
        let pids = std::fs::read_dir("/proc").unwrap().flatten();
        pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid| noted.contains(pid) || is_ours(*pid))
            .filter(|pid| is_alive(*pid))
            .collect()
    }

    fn assert_is_gone(&self) {
        wait_until("the tree to end", || self.alive().is_empty());
        assert_eq!(self.noted().len(), SIZE, "nothing grew back");
    }
}

/// There, and not a zombie that nobody collected.
fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn signal(client: &Client, signal: Signal) {
    kill_process(Pid::from_child(&client.child), signal).unwrap();
}

#[test]
fn nothing_survives_a_timeout() {
    let forest = Forest::new();
    let mut client = Client::start(forest.server(&["--tool-timeout-ms", "5000"]), Framing::Lines);
    let id = forest.grow(&mut client);
    let answer = client.answer(&id);
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "TOOL_TIMEOUT", "{answer}");
    forest.assert_is_gone();
    assert!(client.close().success());
}

#[test]
fn nothing_survives_a_cancel_and_nothing_is_answered() {
    let forest = Forest::new();
    let mut client = Client::start(forest.server(&[]), Framing::Lines);
    let id = forest.grow(&mut client);
    client.send(
        &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
    );
    forest.assert_is_gone();
    // `request` fails on any answer that is not its own.
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert!(client.close().success());
}

#[test]
fn nothing_survives_the_end_of_the_client() {
    let forest = Forest::new();
    let mut client = Client::start(forest.server(&[]), Framing::Lines);
    forest.grow(&mut client);
    assert!(client.close().success());
    forest.assert_is_gone();
}

#[test]
fn nothing_survives_sigterm_of_the_server() {
    let forest = Forest::new();
    let mut client = Client::start(forest.server(&[]), Framing::Lines);
    forest.grow(&mut client);
    signal(&client, Signal::TERM);
    assert!(client.wait().success());
    forest.assert_is_gone();
}

#[test]
fn nothing_survives_sigkill_of_the_server() {
    let forest = Forest::new();
    let mut client = Client::start(forest.server(&[]), Framing::Lines);
    forest.grow(&mut client);
    signal(&client, Signal::KILL);
    client.wait();
    forest.assert_is_gone();
}

#[test]
fn nothing_survives_sigkill_of_the_client_although_its_pipes_stay_open() {
    let forest = Forest::new();
    // The shell stands for the client that started the server; the pipes are ours and stay open.
    let mut shell = forest.with_tree(forest.site.program("sh"));
    shell.args(["-c", r#"exec 3<&0; "$@" <&3 & wait"#, "sh", MAINSTAY, "mcp", "--conformance-fixtures"]);
    let mut client = Client::start(shell, Framing::Lines);
    forest.grow(&mut client);
    signal(&client, Signal::KILL);
    client.wait();
    assert!(client.stdin.is_some(), "the server's input is still open");
    forest.assert_is_gone();
}

#[test]
fn nothing_survives_sigkill_of_an_http_server_or_the_end_of_its_client() {
    for is_server in [true, false] {
        let forest = Forest::new();
        let words = ["serve", "--json", "--port", "0", "--conformance-fixtures"];
        let mut server = Client::start(forest.with_tree(forest.site.mainstay(words)), Framing::Lines);
        let address = server.receive()["address"].as_str().unwrap().to_owned();
        let body = json!({ "millis": 60_000, "script": "sh tree.sh" }).to_string();
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        let head = "POST /tools/test_slow HTTP/1.1\r\nContent-Type: application/json\r\n";
        let request = format!("{head}Host: {address}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).unwrap();
        wait_until("the tree to grow", || forest.noted().len() == SIZE);
        match is_server {
            true => {
                signal(&server, Signal::KILL);
                server.wait();
            }
            false => drop(stream),
        }
        forest.assert_is_gone();
    }
}

#[test]
fn nothing_survives_sigterm_of_a_command() {
    let forest = Forest::new();
    let args = json!({ "millis": 60_000, "script": "sh tree.sh" }).to_string();
    let words = ["call", "test_slow", "--conformance-fixtures", "--args", &args];
    let mut command = forest.with_tree(forest.site.mainstay(words));
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the tree to grow", || forest.noted().len() == SIZE);
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    child.wait().unwrap();
    forest.assert_is_gone();
}

#[test]
fn nothing_survives_in_the_daemon_when_its_client_or_the_parent_of_that_is_killed() {
    let forest = Forest::new();
    let daemon = Daemon::start(&forest.site, &[]);
    let own = joining(&forest.site, &["mcp", "--conformance-fixtures"]);
    for command in [own, behind_a_shell(&forest.site)] {
        forest.site.write("pids", "");
        let mut client = Client::start(forest.with_tree(command), Framing::Lines);
        forest.grow(&mut client);
        assert_eq!(daemon.clients(), 1);
        signal(&client, Signal::KILL);
        client.wait();
        assert!(client.stdin.is_some(), "the input is still open");
        forest.assert_is_gone();
        wait_until("the session to end", || daemon.clients() == 0);
    }
}

#[test]
fn nothing_survives_sigkill_of_the_daemon() {
    let forest = Forest::new();
    let mut daemon = Daemon::start(&forest.site, &[]);
    let command =
        joining(&forest.site, &["mcp", "--toolsets", "programs", "--classic", "--programs", "tree.yaml"]);
    forest.site.write(
        "tree.yaml",
        "name: tree\ncommand: sh\nenv_allow: [TREE_PIDS]\ntools:\n- {name: tree_grow, description: Grow, command: tree.sh}\n",
    );
    let mut client = Client::start(forest.with_tree(command), Framing::Lines);
    client.initialize();
    client.send(
        &json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "tree_grow" } }),
    );
    wait_until("the tree to grow", || forest.noted().len() == SIZE);
    signal(&daemon.process, Signal::KILL);
    daemon.process.wait();
    assert_eq!(client.answer(&json!(7))["result"]["isError"], true);
    forest.assert_is_gone();
    assert!(client.close().success());
}
