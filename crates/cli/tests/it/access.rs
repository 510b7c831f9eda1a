//! Tokens and their scopes, as an operator makes them and a caller meets them.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::http::HttpServer;
use crate::site::Site;

/// A token, made with the command.
fn make(site: &Site, name: &str, scope: &str) -> String {
    let ran = site.run(["token", "add", name, "--scope", scope, "--token-file", "tokens.json", "--json"]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
    ran.json()["result"]["token"].as_str().unwrap().to_owned()
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

#[test]
fn a_token_is_shown_once_listed_and_revoked() {
    let site = Site::new();
    let flags = ["--token-file", "tokens.json"];
    let words = ["token", "add", "ci", "--scope", "read,catalog:write", "--expires", "never"];
    let ran = site.run(words.into_iter().chain(flags));
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let token = ran.stdout.trim();
    assert!(token.starts_with("mst_") && token.len() == 68, "only the token is on stdout: {token}");
    let file = site.repo().join("tokens.json");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!std::fs::read_to_string(&file).unwrap().contains(&token[4..]));
    let listed = site.run(["token", "list", "--json"].into_iter().chain(flags));
    assert!(!listed.stdout.contains("sha256") && !listed.stdout.contains(&token[4..]));
    let row = &listed.json()["result"]["tokens"][0];
    assert_eq!(
        (&row["name"], &row["scopes"], &row["state"]),
        (&json!("ci"), &json!(["read", "catalog:write"]), &json!("good"))
    );
    for (args, exit) in [
        (&["add", "ci"][..], 2),
        (&["add", "a b"], 2),
        (&["add", "x", "--scope", "root"], 2),
        (&["add", "x", "--expires", "yesterday"], 2),
        (&["revoke", "nobody"], 3),
        (&["revoke", "ci"], 0),
        (&["revoke", "ci"], 3),
    ] {
        let ran = site.run(["token"].into_iter().chain(args.iter().copied()).chain(flags));
        assert_eq!(ran.exit, exit, "{args:?}: {}", ran.stderr);
    }
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let open = site.run(["serve", "--port", "0"].into_iter().chain(flags));
    assert_eq!(open.exit, 2);
    assert!(
        open.stderr.contains("can be read by other users") && open.stderr.contains("chmod 600"),
        "{}",
        open.stderr
    );
}

#[test]
fn callers_are_named_in_the_audit_log_and_refused_by_their_scopes() {
    let site = Site::new().file("src/lib.rs", "pub fn answer() -> u32 { 42 }\n");
    let (reader, writer) = (make(&site, "reader", "read"), make(&site, "writer", "catalog:write"));
    let flags = ["--token-file", "tokens.json", "--audit", "log", "--enable-mutation"];
    let server = HttpServer::start(&site, &flags);
    let post = |tool: &str, token: &str, args: &Value| {
        server.post(&format!("/tools/{tool}"), &[("Authorization", &format!("Bearer {token}"))], args)
    };
    let entry = json!({ "entry": { "id": "one", "body": "Be kind." }, "lax": true });
    assert_eq!(code(&post("instructions/add", &reader, &entry)), "FORBIDDEN");
    assert_eq!(code(&post("index_status", &writer, &json!({}))), "FORBIDDEN");
    assert_eq!(post("instructions/add", &writer, &entry)["ok"], true);
    assert_eq!(post("index_status", &reader, &json!({}))["ok"], true);
    assert_eq!(code(&server.post("/tools/index_status", &[], &json!({}))), "UNAUTHORIZED");
    server.stop();
    let rows = site.run(["audit", "export", "--json", "--audit", "log"]).json();
    let rows = rows["result"]["rows"].as_array().unwrap();
    let seen: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str();
            let (who, what) = (text("caller").or(text("from")), text("tool").or(text("request")));
            (who.unwrap(), what.unwrap(), text("decision").unwrap())
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("reader", "instructions/add", "denied"),
            ("writer", "index_status", "denied"),
            ("writer", "instructions/add", "allowed"),
            ("reader", "index_status", "allowed"),
            ("127.0.0.1", "POST /tools/index_status", "denied"),
        ]
    );
    assert_eq!(rows[0]["rule"], "the token reader");
    let log = std::fs::read_to_string(site.repo().join("log/audit.jsonl")).unwrap();
    assert!(!log.contains(&reader) && !log.contains(&writer));
    let explained = |name: &str| {
        let words = ["tools", "explain", "instructions/add", "--as", name, "--enable-mutation"];
        site.run(words.into_iter().chain(["--token-file", "tokens.json", "--json"])).json()["result"].clone()
    };
    assert_eq!(explained("writer")["standing"], "listed");
    let denied = explained("reader");
    assert_eq!((&denied["standing"], &denied["origin"]["name"]), (&json!("denied"), &json!("reader")));
    assert_eq!(denied["reason"], "the tool needs the scope catalog:write");
}

#[test]
fn only_the_named_toolsets_may_write() {
    let site = Site::new();
    let written = |flags: &[&str]| {
        let words = ["tools", "list", "--json", "--toolset", "all"].into_iter().chain(flags.iter().copied());
        let listed = site.run(words).json();
        let tools = listed["result"]["tools"].as_array().unwrap();
        let mut sets: Vec<String> = tools
            .iter()
            .filter(|tool| tool["effect"] != "read")
            .map(|tool| tool["toolset"].as_str().unwrap().to_owned())
            .collect();
        sets.sort();
        sets.dedup();
        sets
    };
    assert_eq!(written(&[]), ["catalog", "foundry", "search"]);
    assert_eq!(written(&["--allow-write", "catalog,foundry"]), ["catalog", "foundry"]);
    assert_eq!(written(&["--allow-write", "search"]), ["search"]);
    assert!(written(&["--allow-write", "none"]).is_empty());
    assert!(written(&["--allow-write", "search", "--read-only"]).is_empty());
    site.write("mainstay.toml", "\nallow-write = [\"catalog\"]\n");
    let explained = site.run(["tools", "explain", "build_index", "--json"]).json();
    let result = &explained["result"];
    assert_eq!((&result["standing"], &result["origin"]["line"]), (&json!("absent"), &json!(2)), "{result}");
    let called = site.run(["call", "build_index", "--json"]);
    assert_eq!((called.exit, code(&called.json())), (2, "UNKNOWN_TOOL"));
    assert_eq!(site.run(["tools", "list", "--allow-write", "nothing"]).exit, 2);
}
