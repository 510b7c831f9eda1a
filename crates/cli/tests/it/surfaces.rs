//! One call, whatever the surface: MCP on stdio, HTTP, the shell.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// What goes beside the arguments: its key in MCP, its header, its flag.
const META: [(&str, &str, &str); 5] = [
    ("maxTokens", "mainstay-max-tokens", "--answer-tokens"),
    ("detail", "mainstay-detail", "--answer-detail"),
    ("cursor", "mainstay-cursor", "--answer-cursor"),
    ("plan", "mainstay-plan", "--plan"),
    ("apply", "mainstay-apply", "--apply-plan"),
];

/// One answer: the result, what is said beside it, and the code and details of a failure.
pub struct Answer {
    pub result: Value,
    pub page: Value,
    pub plan: Value,
    pub failure: Option<(String, Value)>,
    pub whole: String,
}

impl Answer {
    /// Of an envelope, or of a result without one.
    fn of_mcp(answer: &Value) -> Answer {
        let result = &answer["result"];
        match result.get("structuredContent").filter(|content| content.get("ok").is_some()) {
            Some(envelope) => Answer::of(envelope),
            None => {
                let error = &result["_meta"]["mainstay/error"];
                let failed = result["isError"] == true || answer.get("error").is_some();
                let text = &result["content"][0]["text"];
                Answer {
                    result: result.get("structuredContent").unwrap_or(text).clone(),
                    page: result["_meta"]["mainstay/page"].clone(),
                    plan: result["_meta"]["mainstay/plan"].clone(),
                    failure: failed.then(|| {
                        (error["code"].as_str().unwrap_or("?").to_owned(), error["details"].clone())
                    }),
                    whole: answer.to_string(),
                }
            }
        }
    }

    fn of(envelope: &Value) -> Answer {
        let (error, result) = (&envelope["error"], &envelope["result"]);
        let failure = error["code"].as_str().map(|code| (code.to_owned(), error["details"].clone()));
        // A tool that answers with content, or with text, has no result of its own.
        let part = ["structuredContent", "text"].into_iter().find_map(|key| result.get(key));
        Answer {
            result: part.filter(|_| result["isError"].is_boolean()).unwrap_or(result).clone(),
            page: envelope["_meta"]["page"].clone(),
            plan: envelope["_meta"]["plan"].clone(),
            failure,
            whole: envelope.to_string(),
        }
    }
}

/// A way to call a tool; `meta` is what is sent beside the arguments.
pub trait Surface {
    fn call(&mut self, site: &Site, tool: &str, args: &Value, meta: &[(&str, &str)]) -> Answer;
}

pub struct Mcp(pub Client);

impl Mcp {
    pub fn start(site: &Site, flags: &[&str]) -> Mcp {
        let words = ["mcp"].into_iter().chain(flags.iter().copied());
        let mut client = Client::start(site.mainstay(words), Framing::Lines);
        client.patience = Duration::from_secs(600);
        client.initialize();
        Mcp(client)
    }
}

impl Surface for Mcp {
    fn call(&mut self, _: &Site, tool: &str, args: &Value, meta: &[(&str, &str)]) -> Answer {
        let value = |key: &str, text: &str| match key {
            "plan" => json!(text == "true"),
            "maxTokens" => json!(text.parse::<u64>().unwrap()),
            _ => json!(text),
        };
        let meta: Value =
            meta.iter().map(|(key, text)| (format!("mainstay/{key}"), value(key, text))).collect();
        let asked = json!({ "name": tool, "arguments": args, "_meta": meta });
        Answer::of_mcp(&self.0.request("tools/call", asked))
    }
}

impl Surface for HttpServer {
    fn call(&mut self, _: &Site, tool: &str, args: &Value, meta: &[(&str, &str)]) -> Answer {
        let header = |key: &str| META.iter().find(|(known, ..)| *known == key).unwrap().1;
        let headers: Vec<(&str, &str)> = meta.iter().map(|(key, text)| (header(key), *text)).collect();
        Answer::of(&self.post(&format!("/tools/{tool}"), &headers, args))
    }
}

/// A process for each call.
pub struct Shell(pub Vec<String>);

impl Shell {
    pub fn with(flags: &[&str]) -> Shell {
        Shell(flags.iter().map(|flag| (*flag).to_owned()).collect())
    }
}

impl Surface for Shell {
    fn call(&mut self, site: &Site, tool: &str, args: &Value, meta: &[(&str, &str)]) -> Answer {
        let args = args.to_string();
        let mut words = vec!["call", tool, "--json", "--args", &args];
        words.extend(self.0.iter().map(String::as_str));
        for (key, text) in meta {
            words.push(META.iter().find(|(known, ..)| known == key).unwrap().2);
            words.extend((*key != "plan").then_some(*text));
        }
        let output = site.mainstay(words).output().unwrap();
        let envelope = serde_json::from_slice(&output.stdout);
        Answer::of(&envelope.unwrap_or_else(|error| panic!("{tool}: {error}: {output:?}")))
    }
}

/// Runs a test over each surface in turn.
pub fn over_all(site: &Site, flags: &[&str], mut test: impl FnMut(&'static str, &mut dyn Surface)) {
    let mut mcp = Mcp::start(site, flags);
    test("mcp", &mut mcp);
    assert!(mcp.0.close().success());
    let mut http = HttpServer::start(site, flags);
    test("http", &mut http);
    http.stop();
    test("shell", &mut Shell::with(flags));
}
