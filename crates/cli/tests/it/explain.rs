//! `tools explain`: each filter, exercised alone, is named with its origin, on every surface.

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// One filter and what it does to one tool.
struct Filter {
    flags: &'static [&'static str],
    env: &'static [(&'static str, &'static str)],
    /// The third line of the configuration file; the first two are comments.
    config: &'static str,
    tool: &'static str,
    standing: &'static str,
    /// The origin as data, with `[REPO]` for the folder.
    origin: Value,
    /// A part of the reason.
    reason: &'static str,
}

fn filter(tool: &'static str, standing: &'static str, reason: &'static str, origin: Value) -> Filter {
    Filter { flags: &[], env: &[], config: "", tool, standing, origin, reason }
}

fn flag(name: &str) -> Value {
    json!({ "kind": "flag", "name": name })
}

fn env(name: &str) -> Value {
    json!({ "kind": "env", "name": name })
}

fn file(path: &str, line: usize) -> Value {
    json!({ "kind": "file", "path": format!("[REPO]/{path}"), "line": line })
}

fn filters() -> Vec<Filter> {
    let default = json!({ "kind": "default" });
    vec![
        filter("search", "listed", "the toolset search is active", default.clone()),
        filter("instructions/add", "refused", "mutation is off", default.clone()),
        filter("vrt.run", "absent", "on demand only", default.clone()),
        Filter {
            flags: &["--toolset", "all"],
            ..filter("release.tag", "refused", "the role designer may not call it", default.clone())
        },
        filter("climax_call", "absent", "classic form", default.clone()),
        // The toolset, by each kind of origin.
        Filter {
            flags: &["--toolsets", "search"],
            ..filter("tokens.build", "absent", "the toolset foundry is not active", flag("--toolsets"))
        },
        Filter {
            flags: &["--toolsets", "catalog"],
            ..filter("search", "absent", "the toolset search is not active", flag("--toolsets"))
        },
        Filter {
            env: &[("MAINSTAY_TOOLSETS", "search")],
            ..filter(
                "instructions/list",
                "absent",
                "the toolset catalog is not active",
                env("MAINSTAY_TOOLSETS"),
            )
        },
        Filter {
            config: "toolsets = [\"search\"]",
            ..filter("tokens.build", "absent", "the toolset foundry is not active", file("mainstay.toml", 3))
        },
        // Lists of tools.
        Filter {
            flags: &["--tools", "search"],
            ..filter("index_status", "absent", "not among the tools selected by name", flag("--tools"))
        },
        Filter {
            env: &[("MAINSTAY_EXCLUDE_TOOLS", "search")],
            ..filter("search", "absent", "excluded by name", env("MAINSTAY_EXCLUDE_TOOLS"))
        },
        Filter {
            config: "exclude-tools = [\"search\"]",
            ..filter("search", "absent", "excluded by name", file("mainstay.toml", 3))
        },
        // Switches.
        Filter {
            flags: &["--read-only"],
            ..filter("build_index", "absent", "the server is read-only", flag("--read-only"))
        },
        Filter {
            config: "read-only = true",
            ..filter("tokens.build", "absent", "the server is read-only", file("mainstay.toml", 3))
        },
        Filter {
            env: &[("MCP_ENABLE_MUTATION", "0")],
            ..filter("instructions/add", "refused", "mutation is off", env("MCP_ENABLE_MUTATION"))
        },
        Filter {
            env: &[("MCP_ENABLE_MUTATION", "1")],
            ..filter("instructions/add", "listed", "the toolset catalog is active", default.clone())
        },
        Filter {
            flags: &["--toolset", "all"],
            env: &[("MCP_ROLE", "designer")],
            ..filter("release.tag", "refused", "the role designer may not call it", env("MCP_ROLE"))
        },
        Filter {
            env: &[("MCP_EXTRA_TOOLS", "a11y.scan")],
            ..filter("vrt.run", "absent", "on demand only", env("MCP_EXTRA_TOOLS"))
        },
        Filter {
            flags: &["--discovery"],
            ..filter("search", "hidden", "discovery form", flag("--discovery"))
        },
        Filter {
            flags: &["--require-plans"],
            ..filter("build_index", "listed", "need a plan", flag("--require-plans"))
        },
        // Policies of the operator.
        Filter {
            env: &[("MCP_POLICY_FILE", "policy.json")],
            ..filter(
                "tokens.build",
                "refused",
                "no rule of the policy file allows it",
                file("policy.json", 2),
            )
        },
        Filter {
            env: &[("MCP_POLICY_FILE", "policy.json")],
            ..filter("map.list", "refused", "maintainer may by [REPO]/policy.json:3", default.clone())
        },
        Filter {
            flags: &["--programs", "notes.yaml", "--programs-policy", "allowed.yaml"],
            ..filter("notes_drop", "absent", "no rule of the policy file names it", file("allowed.yaml", 2))
        },
        // Something the machine lacks.
        Filter {
            flags: &["--toolset", "all", "--browser", "no-such-browser"],
            ..filter("vrt.run", "refused", "browser", json!({ "kind": "machine" }))
        },
    ]
}

const NOTES: &str = "name: notes\ndescription: Notes\ncommand: env\ntools:\n- name: notes_keep\n  description: Keep\n  command: touch\n- name: notes_drop\n  description: Drop\n  command: rm\n";

fn site(filter: &Filter) -> Site {
    let site = Site::new();
    site.write(
        "policy.json",
        "{\n  \"rules\": [\n    { \"tool\": \"map.list\", \"allow\": [\"maintainer\"] }\n  ]\n}\n",
    );
    site.write("notes.yaml", NOTES);
    site.write("allowed.yaml", "# what may run\ntools:\n  notes_keep: {}\n");
    if !filter.config.is_empty() {
        site.write("mainstay.toml", &format!("# settings\n\n{}\n", filter.config));
    }
    site
}

fn check(filter: &Filter, site: &Site, surface: &str, explained: &Value) {
    let text = explained.to_string().replace(site.repo().to_str().unwrap(), "[REPO]");
    let explained: Value = serde_json::from_str(&text).unwrap();
    let about = format!("{surface}, {:?} {:?} {:?}: {explained}", filter.flags, filter.env, filter.config);
    assert_eq!(explained["tool"], filter.tool, "{about}");
    assert_eq!(explained["standing"], filter.standing, "{about}");
    assert_eq!(explained["origin"], filter.origin, "{about}");
    assert!(explained["reason"].as_str().unwrap().contains(filter.reason), "{about}");
}

#[test]
fn each_filter_alone_is_named_with_its_origin_on_every_surface() {
    for filter in filters() {
        let site = site(&filter);
        let words = |first: &[&'static str]| -> Vec<&'static str> {
            first.iter().chain(filter.flags).copied().collect()
        };
        let with_env = |mut command: std::process::Command| {
            command.envs(filter.env.iter().copied());
            command
        };
        let ran =
            with_env(site.mainstay(words(&["tools", "explain", filter.tool, "--json"]))).output().unwrap();
        let envelope: Value =
            serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        check(&filter, &site, "shell", &envelope["result"]);

        let mut client = Client::start(with_env(site.mainstay(words(&["mcp"]))), Framing::Lines);
        client.initialize();
        let answer = client.request("mainstay/explain", json!({ "name": filter.tool }));
        check(&filter, &site, "mcp", &answer["result"]);
        assert!(client.close().success());

        let server = HttpServer::start_with(&site, filter.flags, filter.env);
        let answer = server.get(&format!("/explain/{}", filter.tool), &[]);
        check(&filter, &site, "http", &answer["result"]);
        server.stop();
    }
}

#[test]
fn a_header_that_leaves_out_a_tool_is_named() {
    let site = Site::new();
    let server = HttpServer::start(&site, &[]);
    for (header, value, tool, reason) in [
        ("X-MCP-Toolsets", "catalog", "search", "the request names other toolsets"),
        ("X-MCP-Tools", "index_status", "search", "the request names other tools"),
        ("X-MCP-Exclude-Tools", "search", "search", "the request excludes it by name"),
        ("X-MCP-Readonly", "true", "build_index", "the request is read-only and it can write"),
    ] {
        let origin = json!({ "kind": "header", "name": header.to_lowercase() });
        let explained = &server.get(&format!("/explain/{tool}"), &[(header, value)])["result"];
        assert_eq!(
            (&explained["standing"], &explained["origin"]),
            (&json!("refused"), &origin),
            "{explained}"
        );
        assert_eq!(explained["reason"], reason);

        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let asked = json!({ "jsonrpc": "2.0", "id": 1, "method": "mainstay/explain", "params": { "name": tool, "_meta": meta } });
        let headers =
            [(header, value), ("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "mainstay/explain")];
        let answer = server.post("/mcp", &headers, &asked);
        assert_eq!(answer["result"]["origin"], origin, "{answer}");
    }
    let unknown = server.get("/explain/serch", &[]);
    assert_eq!(unknown["error"]["code"], "UNKNOWN_TOOL");
    assert!(unknown["error"]["details"]["nearest"].to_string().contains("search"), "{unknown}");
    server.stop();
}
