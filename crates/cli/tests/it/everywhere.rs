//! One call over MCP on stdio, over HTTP and from the shell: the envelopes of all three.

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// Calls a tool on each surface in turn, with a look at what each left behind.
pub fn everywhere(site: &Site, flags: &[&str], tool: &str, args: &Value, mut after: impl FnMut(&Value)) {
    let mut client = Client::start(site.mainstay(["mcp"].iter().chain(flags).copied()), Framing::Lines);
    client.initialize();
    let answer = client.request("tools/call", json!({ "name": tool, "arguments": args }));
    assert!(client.close().success());
    after(&answer["result"]["structuredContent"]);

    let server = HttpServer::start(site, flags);
    let answer = server.post(&format!("/tools/{tool}"), &[], args);
    server.stop();
    after(&answer);

    let text = args.to_string();
    let words = ["call", tool, "--json", "--args", &text];
    let output = site.mainstay(words.iter().chain(flags).copied()).output().unwrap();
    after(&serde_json::from_slice(&output.stdout).unwrap());
}

/// The code of a failure on every surface.
pub fn refused_everywhere(site: &Site, flags: &[&str], tool: &str, args: &Value, code: &str) {
    everywhere(site, flags, tool, args, |envelope| {
        assert_eq!(
            (&envelope["ok"], &envelope["error"]["code"]),
            (&json!(false), &json!(code)),
            "{envelope}"
        );
    });
}
