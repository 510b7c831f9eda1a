//! Containers, with a stand-in for `docker` that records its words, and the kernel's sandbox.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::site::{FIXTURE, Site};

/// A `docker` first on `PATH` that does what `script` says.
fn with_docker(site: Site, script: &str) -> Site {
    let bin = site.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let docker = site.write("bin/docker", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&docker, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", bin.display());
    site.var("PATH", path)
}

fn program() -> Value {
    json!({ "name": "p", "command": "prog base", "env": { "CONF": "secret", "PATH": "/inside" }, "working_dir": "/conf", "tools": [
        { "name": "run", "description": "d", "command": "sub", "timeout": 1, "args": [
            { "name": "text", "stdin": true }, { "name": "dir", "cwd": true }, { "name": "word", "positional": true }] }] })
}

fn policy() -> Value {
    json!({ "default": "enabled", "executor": { "type": "docker", "image": "img:1", "volumes": ["${VAULT}:/data", "/a:/b"],
        "network": "none" } })
}

#[test]
fn the_original_words_with_what_it_forgot() {
    let argv = format!("exec {FIXTURE} argv \"$@\"");
    let site = with_docker(Site::new().climax(), &argv)
        .config("p.yaml", program())
        .policy(policy())
        .var("VAULT", "v");
    let tail = ["img:1", "prog", "base", "sub"];
    let head = [
        "run",
        "--rm",
        "-v",
        "v:/data",
        "-v",
        "/a:/b",
        "--network",
        "none",
        "-w",
        "/conf",
        "-e",
        "CONF",
        "-e",
        "PATH=/inside",
    ];
    assert_eq!(site.words("run", json!({})), [&head[..], &tail[..]].concat());
    let words = site.words("run", json!({ "text": "x", "dir": "/chosen", "word": "a; b" }));
    assert_eq!(words[2], "-i");
    assert_eq!(words[words.iter().position(|word| word == "-w").unwrap() + 1], "/chosen");
    assert_eq!(words.last().unwrap(), "a; b");
}

#[test]
fn a_container_that_is_ended_is_removed() {
    let script = "if [ \"$1\" = rm ]; then echo \"$@\" > \"$SITE_LOG\"; exit; fi; echo \"$CONF\"; sleep 600";
    let site = with_docker(Site::new(), script);
    let log = site.path("removed");
    let mut program = program();
    program["env_allow"] = json!(["SITE_*"]);
    let site = site.config("p.yaml", program).policy(policy()).var("SITE_LOG", &log);
    let answer = site.call("run", json!({}));
    assert!(answer.text.starts_with("secret") && answer.structured["timedOut"] == true, "{}", answer.text);
    let removed = std::fs::read_to_string(log).unwrap();
    assert!(removed.starts_with("rm -f mainstay-"), "{removed}");
    site.assert_no_survivor();
}

fn sandboxed(write: &[&str], network: bool) -> Site {
    let script = |script: &str| json!(["-c", script]);
    Site::new()
        .config("s.yaml", json!({ "name": "s", "command": "sh", "tools": [
            { "name": "write", "description": "d", "command": script("echo hello > \"$1\" && cat \"$1\""),
              "args": [{ "name": "zero", "positional": true }, { "name": "file", "positional": true }] },
            { "name": "connect", "description": "d", "command": "-c", "args": [{ "name": "script", "positional": true }] },
            { "name": "read", "description": "d", "command": script("cat /etc/passwd >/dev/null && echo fine") } ] }))
        .config("m.yaml", json!({ "name": "m", "command": "no-such-program-here", "tools": [{ "name": "missing", "description": "d" }] }))
        .policy(json!({ "default": "enabled", "executor": { "type": "sandbox", "write": write, "network": network } }))
}

#[test]
fn the_kernel_refuses_writing_outside() {
    if !mainstay_programs::has_sandbox() {
        let answer = sandboxed(&[], false).call("read", json!({}));
        assert!(answer.text.starts_with("CAPABILITY_MISSING: the sandbox needs Landlock"), "{}", answer.text);
        return;
    }
    let inside = tempfile::tempdir().unwrap();
    let site = sandboxed(&[inside.path().to_str().unwrap()], false);
    let write = |path: &std::path::Path| {
        site.call("write", json!({ "zero": "sh", "file": path.display().to_string() }))
    };
    let allowed = inside.path().join("file");
    assert_eq!(write(&allowed).text, "hello");
    let refused = site.path("file");
    let answer = write(&refused);
    assert!(answer.is_error && answer.text.contains("ermission denied"), "{}", answer.text);
    assert!(!refused.exists());
    assert_eq!(site.call("read", json!({})).text, "fine");
    assert_eq!(
        site.call("missing", json!({})).text,
        "[stderr]\nCommand not found: no-such-program-here\n\n[exit code: -1]"
    );
    site.assert_no_survivor();
}

#[test]
fn the_kernel_refuses_the_network() {
    if !mainstay_programs::has_sandbox() {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected'");
    let connect = |network: bool| sandboxed(&[], network).call("connect", json!({ "script": script }));
    assert_eq!(connect(true).text, "connected");
    let refused = connect(false);
    // Kernels before Landlock 4 cannot refuse it; they are told apart by whether they did.
    assert!(refused.text.contains("ermission denied") || refused.text == "connected", "{}", refused.text);
}
