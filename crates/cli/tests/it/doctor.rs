//! The doctor: what it finds on machines in different states, and that it changes none of them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::site::{Ran, Site, wait_until};

fn rows(ran: &Ran) -> Vec<Value> {
    ran.json()["result"]["rows"].as_array().unwrap().clone()
}

fn row(ran: &Ran, id: &str) -> Value {
    rows(ran).into_iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("no row {id}: {}", ran.stdout))
}

#[test]
fn a_sound_machine_is_ready_and_stays_as_it_is() {
    let site = Site::new().file("src/lib.rs", "pub fn parse_config() {}\n");
    std::fs::create_dir(site.home().join(".cursor")).unwrap();
    let before = site.run(["doctor", "--json"]);
    assert_eq!((before.exit, before.stderr.as_str()), (0, ""), "{}", before.stdout);
    assert_eq!(before.json()["result"]["ready"], true);
    let ids: Vec<String> = rows(&before).iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(
        ids,
        [
            "program",
            "configuration",
            "toolsets",
            "cache",
            "index",
            "git",
            "browser",
            "processes",
            "port",
            "daemon",
            "server",
            "client",
            "strays"
        ]
    );
    assert_eq!(before.json()["result"]["verdict"], "Ready; to make it better, run `mainstay connect`.");
    let left: Vec<_> = walk(&site.home());
    assert!(left.is_empty(), "the doctor wrote {left:?}");

    assert_eq!(site.run(["connect", "--apply"]).exit, 0);
    assert_eq!(site.run(["search", "parse_config"]).exit, 0);
    let after = site.run(["doctor"]);
    assert_eq!(after.exit, 0);
    assert!(after.stdout.ends_with("\nReady.\n"), "{}", after.stdout);
    assert!(after.stdout.contains("Cursor: connected in"), "{}", after.stdout);
    assert!(after.stdout.contains("[REPO]: 1 file, "), "{}", after.stdout);
    // A row of text for every row of JSON, and nothing else but the verdict.
    let json = rows(&site.run(["doctor", "--json"]));
    let lines: Vec<&str> =
        after.stdout.lines().filter(|line| !line.starts_with(' ') && !line.is_empty()).collect();
    assert_eq!(lines.len(), json.len() + 1, "{}", after.stdout);
}

#[test]
fn a_newer_version_is_told_only_when_an_address_is_set() {
    let site = Site::new();
    assert!(rows(&site.run(["doctor", "--json"])).iter().all(|row| row["id"] != "update"));
    let ask = |body: &'static str| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/server.json", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while line != "\r\n" {
                line.clear();
                request.read_line(&mut line).unwrap();
            }
            let length = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
                .unwrap();
        });
        let ran = site.run(["doctor", "--json", "--update-url", &url]);
        server.join().unwrap();
        assert_eq!(ran.exit, 0, "{}", ran.stdout);
        row(&ran, "update")
    };
    let newer = ask(r#"{"name":"mainstay","version":"999.1.0"}"#);
    assert_eq!((&newer["state"], &newer["facts"]["newest"]), (&"note".into(), &"999.1.0".into()), "{newer}");
    assert_eq!(ask(r#"{"version":"0.0.1"}"#)["state"], "ok");
    let unknown = ask("<html>");
    assert!(unknown["detail"].as_str().unwrap().contains("not known"), "{unknown}");
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(walk(&entry.path())),
            false => files.push(entry.path()),
        }
    }
    files
}

#[test]
fn what_is_broken_is_named_with_the_one_thing_to_do() {
    let site = Site::new();
    site.write("mainstay.toml", "read-olny = true\n");
    let ran = site.run(["doctor"]);
    assert_eq!(ran.exit, 1);
    assert!(
        ran.stdout.contains("[REPO]/mainstay.toml:1: unknown key read-olny; did you mean read-only?"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.trim_end().lines().last().unwrap().starts_with("Not ready: "), "{}", ran.stdout);

    site.write("mainstay.toml", "");
    let file = site.home().join(".cursor/mcp.json");
    std::fs::create_dir(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "{ \"mcpServers\": { \"mainstay\": { \"command\": \"/gone/mainstay\" } } }")
        .unwrap();
    let ran = site.run(["doctor", "--json"]);
    let client = row(&ran, "client");
    assert_eq!((ran.exit, client["state"].as_str()), (1, Some("problem")), "{client}");
    assert_eq!(ran.json()["result"]["verdict"], "Not ready: run `mainstay connect cursor --apply`.");

    let blocked = site.repo().join("file");
    std::fs::write(&blocked, "").unwrap();
    let ran = site.run(["doctor", "--json", "--tools", "none"]);
    assert_eq!(row(&ran, "toolsets")["state"], "problem", "{}", ran.stdout);
}

#[test]
fn a_port_in_use_and_a_missing_git_are_seen() {
    let site = Site::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = site.ran(site.mainstay(["doctor", "--json", "--port", &port]).env("PATH", "/nowhere"));
    assert_eq!(row(&ran, "port")["state"], "note", "{}", ran.stdout);
    assert_eq!(row(&ran, "git")["state"], "warning", "{}", ran.stdout);
    assert_eq!(row(&ran, "server")["state"], "ok", "{}", ran.stdout);
}

#[test]
fn a_program_that_outlived_its_call_is_listed() {
    let site = Site::new();
    let mut stray = site.program("sleep");
    let mut stray = stray.arg("600").env("MAINSTAY_CALL", "a-call-of-this-test").spawn().unwrap();
    let pid = stray.id();
    wait_until("the process has its environment", || {
        std::fs::read(format!("/proc/{pid}/environ")).is_ok_and(|env| !env.is_empty())
    });
    let ran = site.run(["doctor", "--json"]);
    stray.kill().unwrap();
    stray.wait().unwrap();
    let found = row(&ran, "strays");
    assert!(found["facts"]["strays"].as_array().unwrap().iter().any(|one| one["pid"] == pid), "{found}");
    assert!(found["next"].as_str().unwrap().contains(&pid.to_string()), "{found}");
}
