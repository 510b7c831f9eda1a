//! The same question over MCP, over HTTP and on the command line.

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// A way to ask `search`: the payload, or the code of a failure.
pub trait Surface {
    fn name(&self) -> &'static str;
    fn ask(&mut self, args: &Value) -> Result<Value, String>;
}

fn payload(envelope: &Value) -> Result<Value, String> {
    match envelope["ok"] == true {
        true => Ok(envelope["result"]["search"].clone()),
        false => Err(envelope["error"]["code"].as_str().unwrap_or_else(|| panic!("{envelope}")).to_owned()),
    }
}

pub struct Mcp(Client);

impl Mcp {
    pub fn start(site: &Site) -> Mcp {
        let mut client = Client::start(site.mainstay(["mcp", "--toolsets", "search"]), Framing::Lines);
        client.initialize();
        Mcp(client)
    }
}

impl Surface for Mcp {
    fn name(&self) -> &'static str {
        "MCP"
    }

    fn ask(&mut self, args: &Value) -> Result<Value, String> {
        let answer = self.0.request("tools/call", json!({ "name": "search", "arguments": args }));
        match answer.get("error") {
            Some(error) => Err(error["data"]["code"].as_str().unwrap().to_owned()),
            None => payload(&answer["result"]["structuredContent"]),
        }
    }
}

pub struct Http(HttpServer);

impl Http {
    pub fn start(site: &Site) -> Http {
        let home = site.home();
        let flags = ["--toolsets", "search", "--allowed-repo-roots", home.to_str().unwrap()];
        Http(HttpServer::start(site, &flags))
    }
}

impl Surface for Http {
    fn name(&self) -> &'static str {
        "HTTP"
    }

    fn ask(&mut self, args: &Value) -> Result<Value, String> {
        payload(&self.0.post("/search", &[], args))
    }
}

pub struct Shell<'a>(pub &'a Site);

impl Surface for Shell<'_> {
    fn name(&self) -> &'static str {
        "command line"
    }

    fn ask(&mut self, args: &Value) -> Result<Value, String> {
        let flags = flags(args);
        let ran = self.0.run(["search", "--json"].into_iter().chain(flags.iter().map(String::as_str)));
        // What the parser of the command line refuses has no envelope, but the same exit code.
        if ran.exit == 2 && ran.stdout.is_empty() {
            return Err("INVALID_REQUEST".into());
        }
        payload(&ran.json())
    }
}

/// The flags of the contract for some arguments.
fn flags(args: &Value) -> Vec<String> {
    let mut out = Vec::new();
    for (key, value) in args.as_object().unwrap() {
        let flag = match key.as_str() {
            "query" => {
                out.push(value.as_str().unwrap().to_owned());
                continue;
            }
            "branchesMin" => "branches".to_owned(),
            "loopsMin" => "loops".to_owned(),
            "breaksMin" => "breaks".to_owned(),
            "continuesMin" => "continues".to_owned(),
            "churnMin" => "churn".to_owned(),
            "repoPath" => "repo".to_owned(),
            other => kebab(other),
        };
        match value {
            Value::Bool(true) => out.push(format!("--{flag}")),
            Value::Array(list) => {
                out.extend(list.iter().map(|one| format!("--{flag}={}", plain(one))));
            }
            one => out.push(format!("--{flag}={}", plain(one))),
        }
    }
    out
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn kebab(key: &str) -> String {
    let spell = |letter: char| match letter.is_ascii_uppercase() {
        true => format!("-{}", letter.to_ascii_lowercase()),
        false => letter.to_string(),
    };
    key.chars().map(spell).collect()
}
