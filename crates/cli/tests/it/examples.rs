//! The examples in the definitions work, and what they answer is what the definitions publish.

use mainstay_runtime::Validator;
use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::site::Site;

/// Everything on: every tool may be called.
pub const OPEN: &[&str] = &["--toolset", "all", "--enable-mutation", "--role", "maintainer"];

/// One call that a definition promises to work.
pub struct Example {
    pub tool: Value,
    pub args: Value,
    /// What the server needs to list the tool.
    pub flags: Vec<&'static str>,
}

impl Example {
    pub fn id(&self) -> &str {
        self.tool["name"].as_str().unwrap()
    }

    pub fn toolset(&self) -> &str {
        self.tool["toolset"].as_str().unwrap()
    }
}

/// Fills a site with what examples may refer to.
pub fn prepare(site: &Site) {
    site.write("README.md", "# Example\n\nA small repository.\n");
    site.write("src/lib.rs", "/// Adds two numbers.\npub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n");
    site.write("packages/tokens/package.json", r#"{ "name": "@oods/tokens", "version": "1.0.0" }"#);
    for words in [
        "init --quiet --initial-branch=main",
        "add .",
        "-c user.name=Ada -c user.email=ada@example.org commit --quiet --message=feat:begin",
    ] {
        assert!(site.program("git").args(words.split(' ')).status().unwrap().success(), "git {words}");
    }
}

/// Every example, in an order in which each finds what it needs: what writes comes first, what destroys last.
/// Tools that need a network are the tests of their own crates.
pub fn all(site: &Site) -> Vec<Example> {
    let listed = site.run(["tools", "list", "--json"].into_iter().chain(OPEN.iter().copied())).json();
    let is_classic =
        |id: &Value| listed["result"]["tools"].as_array().unwrap().iter().any(|tool| tool["id"] == *id);
    let mut examples = Vec::new();
    for effect in ["write", "read", "destructive"] {
        for tool in site.definitions().into_iter().filter(|tool| tool["effect"] == effect) {
            for example in tool["examples"].as_array().unwrap() {
                let mut flags = OPEN.to_vec();
                if !is_classic(&tool["name"]) {
                    flags.push("--discovery");
                }
                examples.push(Example { tool: tool.clone(), args: example["args"].clone(), flags });
            }
        }
    }
    examples
}

#[test]
fn every_example_works_and_its_answer_matches_the_published_schema() {
    let site = Site::new();
    prepare(&site);
    for example in all(&site) {
        let id = example.id();
        let mut client = Client::start(
            site.mainstay(["mcp"].into_iter().chain(example.flags.iter().copied())),
            Framing::Lines,
        );
        client.initialize();
        let listing = client.request("tools/list", json!({}));
        let tools = listing["result"]["tools"].as_array().unwrap();
        let listed = tools.iter().find(|tool| tool["name"] == example.tool["wireName"]).unwrap();
        let answer = client.request("tools/call", json!({ "name": id, "arguments": example.args }));
        let result = &answer["result"];
        assert_eq!(result["isError"], false, "{id}: {answer}");
        if let Some(schema) = listed.get("outputSchema") {
            let violations = Validator::compile(schema).violations(&result["structuredContent"]);
            assert!(violations.is_empty(), "{id}: {violations:?} in {result}");
        }
        assert!(client.close().success());
    }
}

#[test]
fn every_tool_says_what_it_does_and_has_an_example() {
    for tool in Site::new().definitions() {
        let id = &tool["name"];
        for key in ["title", "description"] {
            assert!(tool[key].as_str().is_some_and(|text| !text.trim().is_empty()), "{id} has no {key}");
        }
        assert!(!tool["examples"].as_array().unwrap().is_empty(), "{id} has no example");
    }
}

#[test]
fn every_argument_is_described() {
    for tool in Site::new().definitions() {
        for (name, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            let is_described = schema["description"].as_str().is_some_and(|text| !text.trim().is_empty());
            assert!(is_described, "the argument {name} of {} has no description", tool["name"]);
        }
    }
}
