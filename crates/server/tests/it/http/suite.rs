//! The official conformance suite, against the fixtures and without them.
//!
//! It needs Node 22 or newer and the suite, both from npm: `.deps/npm/node_modules` of the
//! repository, or the folder named by `MAINSTAY_TEST_NPM`.

use std::path::{Path, PathBuf};
use std::process::Command;

use mainstay_server::HttpConfig;

use super::server::Server;

const SUITE: &str = "@modelcontextprotocol/conformance";

/// Scenarios that any server must pass, without fixtures.
const ANY_SERVER: [(&str, &[&str]); 2] = [
    (
        "2025-11-25",
        &[
            "server-initialize",
            "ping",
            "tools-list",
            "server-session-lifecycle",
            "server-sse-multiple-streams",
            "resources-list",
            "prompts-list",
            "completion-complete",
            "dns-rebinding-protection",
        ],
    ),
    (
        "2026-07-28",
        &[
            "tools-list",
            "caching",
            "http-header-validation",
            "sep-2164-resource-not-found",
            "resources-list",
            "prompts-list",
            "completion-complete",
            "dns-rebinding-protection",
            "server-sse-multiple-streams",
        ],
    ),
];

fn modules() -> PathBuf {
    let named = std::env::var_os("MAINSTAY_TEST_NPM").map(PathBuf::from);
    let modules =
        named.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.deps/npm/node_modules"));
    assert!(
        modules.join(SUITE).is_dir(),
        "the conformance suite is not in {}: run the set-up script of the tests, or set MAINSTAY_TEST_NPM",
        modules.display()
    );
    modules
}

fn node(modules: &Path) -> PathBuf {
    let own = modules.join(".bin/node");
    let node = if own.is_file() { own } else { PathBuf::from("node") };
    let output = Command::new(&node).arg("--version").output();
    let version =
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    assert!(major.is_some_and(|major: u32| major >= 22), "Node 22 or newer is needed, found {version:?}");
    node
}

/// Runs the suite and returns its report.
fn run(server: &Server, args: &[&str]) -> (bool, String) {
    let modules = modules();
    let script = modules.join(SUITE).join("dist/index.js");
    let url = format!("http://{}/mcp", server.address);
    let output = Command::new(node(&modules))
        .arg(script)
        .args(["server", "--url", &url])
        .args(args)
        .current_dir(std::env::temp_dir())
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&text).into_owned())
}

fn check_requirements(revision: &str) {
    let server = Server::build(HttpConfig::default(), Default::default(), true);
    let (passed, report) = run(&server, &["--requirements", revision]);
    let summary = report.split("=== SUMMARY ===").nth(1).unwrap_or(&report);
    assert!(passed && !summary.contains('✗'), "{summary}");
    assert!(summary.contains(", 0 failed"), "the report has no summary: {report}");
}

#[test]
fn every_scenario_of_2025_11_25_passes() {
    check_requirements("2025-11-25");
}

#[test]
fn every_scenario_of_2026_07_28_passes() {
    check_requirements("2026-07-28");
}

#[test]
fn what_any_server_must_do_works_without_fixtures() {
    let server = Server::start();
    for (revision, scenarios) in ANY_SERVER {
        for scenario in scenarios {
            let (passed, report) = run(&server, &["--scenario", scenario, "--spec-version", revision]);
            assert!(passed, "{scenario} of {revision}: {report}");
        }
    }
}
