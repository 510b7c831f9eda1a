//! The search toolset on a git repository, the same story over MCP, over HTTP and on the command line.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// A way to call tools: a result, or the code and message of a failure.
trait Caller {
    fn call(&mut self, tool: &str, args: Value) -> Result<Value, (String, String)>;
}

fn outcome(envelope: &Value) -> Result<Value, (String, String)> {
    let text = |key: &str| envelope["error"][key].as_str().unwrap_or_else(|| panic!("{envelope}")).to_owned();
    match envelope["ok"] == true {
        true => Ok(envelope["result"].clone()),
        false => Err((text("code"), text("message"))),
    }
}

impl Caller for Client {
    fn call(&mut self, tool: &str, args: Value) -> Result<Value, (String, String)> {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": args }));
        if let Some(error) = answer.get("error") {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            return Err((text(&error["data"]["code"]), text(&error["message"])));
        }
        outcome(&answer["result"]["structuredContent"])
    }
}

impl Caller for HttpServer {
    fn call(&mut self, tool: &str, args: Value) -> Result<Value, (String, String)> {
        outcome(&self.post(&format!("/tools/{tool}"), &[], &args))
    }
}

struct Shell<'a>(&'a Site);

impl Caller for Shell<'_> {
    fn call(&mut self, tool: &str, args: Value) -> Result<Value, (String, String)> {
        let args = args.to_string();
        let output = self.0.mainstay(["call", tool, "--json", "--args", &args]).output().unwrap();
        let envelope = serde_json::from_slice(&output.stdout).unwrap();
        let outcome = outcome(&envelope);
        assert_eq!(output.status.success(), outcome.is_ok(), "{envelope}");
        outcome
    }
}

/// A shop with a dependency, a test, an owner and a history.
fn shop() -> Site {
    let site = Site::new()
        .file("package.json", "{\n  \"dependencies\": {\n    \"lodash\": \"^4.17.15\"\n  }\n}\n")
        .file("src/render.js", "import _ from 'lodash';\n\nexport function renderPage(data) {\n  return _.template(data.text)(data);\n}\n")
        .file("src/server.js", "import { renderPage } from './render';\n\nexport function handleRequest(req) {\n  return renderPage(req.body);\n}\n")
        .file("test/render.test.js", "import { renderPage } from '../src/render';\n\ntest('page', () => {\n  renderPage({});\n});\n")
        .file("CODEOWNERS", "/src/ @shop\n")
        .file("alerts.json", ALERTS)
        .file("mainstay-workspace.json", "{\"repos\": [\".\"]}\n");
    for words in [
        &["init", "--quiet", "--initial-branch", "main"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=Ann",
            "-c",
            "user.email=ann@example.test",
            "commit",
            "--quiet",
            "--message",
            "a shop",
        ],
    ] {
        assert!(git(&site).args(words).status().unwrap().success(), "git {words:?}");
    }
    site
}

fn git(site: &Site) -> Command {
    site.program("git")
}

const ALERTS: &str = r#"[
  {
    "number": 7,
    "dependency": { "package": { "ecosystem": "npm", "name": "lodash" }, "manifest_path": "package.json" },
    "security_advisory": { "ghsa_id": "GHSA-35jh-r3h4-6jhm", "cve_id": "CVE-2021-23337", "summary": "Command injection", "severity": "high" }
  },
  { "number": 8 }
]"#;

/// Everything the toolset does for a repository, from nothing to a decision, and what it refuses.
fn story(site: &Site, caller: &mut dyn Caller) {
    let fails = |outcome: Result<Value, (String, String)>, code: &str| {
        assert_eq!(outcome.unwrap_err().0, code);
    };
    // From nothing to searchable.
    fails(caller.call("search", json!({"query": "renderPage"})), "NO_INDEX");
    assert_eq!(caller.call("check_status", json!({})).unwrap()["ok"], false);
    let ready = caller.call("bootstrap", json!({})).unwrap();
    assert_eq!(ready["searchable"], true, "{ready}");
    let status = caller.call("index_status", json!({})).unwrap();
    assert_eq!((&status["indexed"], &status["git"]["branch"]), (&json!(true), &json!("main")));
    assert_eq!(caller.call("build_index", json!({})).unwrap()["analysedFiles"], 0);
    assert_eq!(caller.call("index_build", json!({})).unwrap()["analysedFiles"], 0);
    assert!(caller.call("config_status", json!({})).unwrap().is_object());
    let found = caller.call("search", json!({"query": "sym:renderPage"})).unwrap();
    assert_eq!(found["search"]["code"][0]["file"], "src/render.js");

    // One file, with what it belongs to.
    let shown = caller.call("show_file", json!({"file": "src/render.js", "startLine": 4})).unwrap();
    assert_eq!((&shown["symbol"]["name"], &shown["git"]["author"]), (&json!("renderPage"), &json!("Ann")));
    assert_eq!((&shown["git"]["subject"], &shown["git"]["modified"]), (&json!("a shop"), &json!(false)));
    site.write("CODEOWNERS", "/src/ @shop @more\n");
    assert_eq!(caller.call("show_file", json!({"file": "CODEOWNERS"})).unwrap()["git"]["modified"], true);
    fails(caller.call("show_file", json!({"file": "../home"})), "FORBIDDEN");
    fails(caller.call("show_file", json!({"file": "none"})), "NOT_FOUND");
    fails(caller.call("show_file", json!({"file": 7})), "INVALID_REQUEST");

    // What belongs together, and what a change touches.
    let args = json!({"symbol": "renderPage", "certainty": "resolved"});
    let refs = caller.call("symbol_references", args).unwrap();
    assert_eq!(refs["definitions"][0]["file"], "src/render.js");
    let first = &refs["callers"][0];
    assert_eq!(
        (&first["name"], &first["file"], &first["line"]),
        (&json!("handleRequest"), &json!("src/server.js"), &json!(4))
    );
    assert_eq!(refs["callers"][1]["file"], "test/render.test.js");
    fails(caller.call("symbol_references", json!({"symbol": "renderPage", "limit": 0})), "INVALID_REQUEST");
    fails(
        caller.call("symbol_references", json!({"symbol": "renderPage", "cursor": "x"})),
        "INVALID_REQUEST",
    );
    let map = caller.call("repo_map", json!({"tokens": 200})).unwrap();
    assert!(
        map["map"].as_str().unwrap().contains("src/render.js\n     3 export function renderPage(data)\n"),
        "{map}"
    );
    let render = std::fs::read_to_string(site.repo().join("src/render.js")).unwrap();
    site.write("src/render.js", &render.replace("data.text", "data.body"));
    let impact = caller.call("impact", json!({})).unwrap();
    assert_eq!(impact["files"][1]["file"], "src/render.js", "{impact}");
    assert_eq!(impact["touched"][0]["name"], "renderPage", "{impact}");
    assert!(
        impact["callers"].as_array().unwrap().iter().any(|row| row["name"] == "handleRequest"),
        "{impact}"
    );
    assert_eq!(impact["tests"][0]["file"], "test/render.test.js", "{impact}");
    assert_eq!(impact["owners"]["git"][0]["name"], "Ann", "{impact}");
    site.write("src/render.js", &render);
    let found = caller.call("search", json!({"query": "\"data.text\""})).unwrap();
    assert!(!found["search"]["code"].as_array().unwrap().is_empty(), "the file is as it was: {found}");
    fails(caller.call("impact", json!({"range": "nowhere..HEAD"})), "CAPABILITY_MISSING");
    fails(caller.call("impact", json!({"range": "--output=x"})), "INVALID_REQUEST");

    // A finding, what the code says about it, and a decision.
    let read =
        caller.call("triage_ingest", json!({"source": "dependabot", "inputPath": "alerts.json"})).unwrap();
    assert_eq!((&read["written"], &read["errors"]), (&json!(1), &json!(1)));
    assert_eq!(read["errorDetails"][0]["position"], "/1");
    fails(
        caller.call("triage_ingest", json!({"source": "sarif", "inputPath": "alerts.json"})),
        "INVALID_REQUEST",
    );
    fails(
        caller.call("triage_ingest", json!({"source": "rumours", "inputPath": "alerts.json"})),
        "INVALID_REQUEST",
    );
    fails(caller.call("triage_ingest", json!({"source": "generic", "inputPath": "none.json"})), "NOT_FOUND");
    let id = read["recordIds"][0].clone();
    let pack = caller.call("triage_context_pack", json!({"recordId": id})).unwrap()["pack"].clone();
    let evidence = &pack["repoEvidence"];
    assert_eq!(evidence["dependencies"][0]["version"], "^4.17.15");
    assert_eq!(evidence["callSites"][0]["reachedFrom"][0]["symbol"], "handleRequest");
    assert_eq!(evidence["tests"][0]["file"], "test/render.test.js");
    assert_eq!(pack["owners"]["codeowners"][0]["owners"][0], "@shop");
    assert_eq!(
        (&pack["owners"]["git"][0]["name"], &pack["owners"]["git"][0]["commits"]),
        (&json!("Ann"), &json!(1))
    );
    fails(caller.call("triage_context_pack", json!({"recordId": "none"})), "NOT_FOUND");
    fails(caller.call("triage_decision", json!({"finding": id, "status": "accept"})), "INVALID_REQUEST");
    let decided = json!({"finding": id, "status": "not_affected", "justification": "templates are ours", "reviewer": "ann"});
    assert_eq!(caller.call("triage_decision", decided).unwrap()["current"]["status"], "not_affected");
    let records =
        |meta: &str| json!({"query": "lodash", "mode": "records", "meta": ["recordType=finding", meta]});
    let found = caller.call("search", records("status=not_affected")).unwrap();
    assert_eq!(found["search"]["records"][0]["record"]["cve"], "CVE-2021-23337");
    assert_eq!(caller.call("search", records("status=open")).unwrap()["search"]["total"]["records"], 0);

    // Several repositories, here one.
    let workspace = caller.call("workspace_status", json!({})).unwrap();
    assert_eq!((&workspace["ok"], &workspace["repos"][0]["findings"]), (&json!(true), &json!(1)));
    fails(caller.call("workspace_status", json!({"workspacePath": "alerts.json"})), "INVALID_REQUEST");
    let args = json!({"query": "sym:handleRequest", "workspacePath": "mainstay-workspace.json"});
    assert_eq!(caller.call("search", args).unwrap()["search"]["code"][0]["repo"], "repo");

    // The index as one file.
    let database = caller.call("build_sqlite_index", json!({"verify": true})).unwrap();
    assert_eq!(database["verified"], true);
    assert!(caller.call("compact_sqlite_index", json!({"dryRun": true})).is_ok());
    let found = caller.call("search", json!({"query": "sym:renderPage", "backend": "sqlite"})).unwrap();
    assert_eq!(
        (&found["search"]["backend"], &found["search"]["code"][0]["file"]),
        (&json!("sqlite"), &json!("src/render.js"))
    );
    assert!(caller.call("verify_extensions", json!({})).is_ok(), "a negative answer is an answer");

    // What is kept, and a plan that deletes what it says.
    assert_eq!(caller.call("report_artifacts", json!({})).unwrap()["records"]["decisions"], 1);
    assert_eq!(caller.call("cache_gc", json!({"dryRun": true})).unwrap()["removed"], json!([]));
    let plan = caller.call("clean_artifacts", json!({"dryRun": true})).unwrap();
    fails(caller.call("clean_artifacts", json!({"planId": "another"})), "INVALID_REQUEST");
    assert_eq!(caller.call("index_status", json!({})).unwrap()["indexed"], true);
    let done = caller.call("clean_artifacts", json!({"planId": plan["planId"]})).unwrap();
    assert_eq!(done["removed"], plan["removed"]);
    assert_eq!(caller.call("index_status", json!({})).unwrap()["indexed"], false);
    assert_eq!(
        caller.call("search", records("status")).unwrap()["search"]["total"]["records"],
        1,
        "records stay"
    );
}

#[test]
fn over_mcp() {
    let site = shop();
    let mut client = Client::start(site.mainstay(["mcp", "--toolsets", "search"]), Framing::Lines);
    client.initialize();
    story(&site, &mut client);
    assert!(client.close().success());
}

#[test]
fn over_http() {
    let site = shop();
    let mut server = HttpServer::start(&site, &["--toolsets", "search"]);
    story(&site, &mut server);
    server.stop();
}

#[test]
fn on_the_command_line() {
    let site = shop();
    story(&site, &mut Shell(&site));
}

#[test]
fn records_are_shown_to_people() {
    let site = shop();
    let read = site.run([
        "call",
        "triage_ingest",
        "--args",
        r#"{"source": "dependabot", "inputPath": "alerts.json"}"#,
    ]);
    assert_eq!(read.exit, 0, "{}", read.stderr);
    let found = site.run(["search", "injection", "--mode", "records"]);
    assert_eq!(found.exit, 0, "{}", found.stderr);
    assert!(found.stdout.contains("high open finding GHSA-35jh-r3h4-6jhm lodash"), "{}", found.stdout);
    assert_eq!(site.run(["search", "nothing-of-the-kind", "--mode", "records"]).exit, 1);
}
