//! Entries in the files of clients: what is added, what is left alone, and that it all goes again.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::site::{MAINSTAY, Site};

/// The program as it names itself: by its real path.
fn program() -> String {
    std::fs::canonicalize(MAINSTAY).unwrap().into_os_string().into_string().unwrap()
}
use crate::terminal::at_terminal;

/// A client's file as people have it: comments, other servers, references to secrets, odd spacing.
struct Case {
    client: &'static str,
    /// Below the home directory.
    file: &'static str,
    text: &'static str,
}

const CASES: &[Case] = &[
    Case {
        client: "claude-code",
        file: ".claude.json",
        text: "{\n  \"numStartups\": 41,\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"http\",\n      \
               \"headers\": { \"Authorization\": \"Bearer ${GITHUB_TOKEN}\" }\n    }\n  },\n  \"tips\": {}\n}",
    },
    Case {
        client: "claude-desktop",
        file: ".config/Claude/claude_desktop_config.json",
        text: "{\"mcpServers\":{\"files\":{\"command\":\"npx\",\"env\":{\"KEY\":\"${KEY}\"}}},\"theme\":\"dark\"}",
    },
    Case {
        client: "vscode",
        file: ".config/Code/User/mcp.json",
        text: "{\n\t// asked for once\n\t\"inputs\": [\n\t\t{ \"id\": \"key\", \"type\": \"promptString\", \"password\": true },\n\t],\n\
               \t\"servers\": {\n\t\t\"other\": { \"command\": \"npx\", \"env\": { \"KEY\": \"${input:key}\" } }, // keep me\n\t},\n}\n",
    },
    Case { client: "cursor", file: ".cursor/mcp.json", text: "{\r\n    \"mcpServers\": {}\r\n}\r\n" },
    Case {
        client: "codex",
        file: ".codex/config.toml",
        text: "model = \"o3\"   # mine\n\n[mcp_servers.other]\ncommand = \"npx\"\nenv = { KEY = \"$KEY\" }\n\n\
               [profiles.fast]\nmodel = \"mini\"\n# the end\n",
    },
    Case {
        client: "zed",
        file: ".config/zed/settings.json",
        text: "// Zed\n//\n{\n  \"theme\": \"One Dark\", // mine\n  \"context_servers\": {\n    \"a\": { \"command\": \"a\" } /* last */\n  },\n  \
               \"vim_mode\": true,\n}\n",
    },
];

fn path(site: &Site, case: &Case) -> PathBuf {
    site.home().join(case.file)
}

fn put(site: &Site, case: &Case, text: &str) {
    let path = path(site, case);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(site: &Site, case: &Case) -> String {
    std::fs::read_to_string(path(site, case)).unwrap()
}

fn case(client: &str) -> &'static Case {
    CASES.iter().find(|case| case.client == client).unwrap()
}

#[track_caller]
fn done(site: &Site, args: &[&str]) -> String {
    let ran = site.run(args.iter().copied());
    assert_eq!(ran.exit, 0, "{args:?}: {}", ran.transcript());
    ran.stdout
}

#[test]
fn a_client_is_connected_and_disconnected_byte_for_byte() {
    for case in CASES {
        let site = Site::new();
        put(&site, case, case.text);
        done(&site, &["connect", case.client]);
        assert_eq!(read(&site, case), case.text, "{}: a preview writes nothing", case.client);

        done(&site, &["connect", case.client, "--apply"]);
        let connected = read(&site, case);
        assert!(connected.contains(&program()), "{}: {connected}", case.client);
        // Every line of before is still there, in order; at most a comma was added to one.
        let mut lines = connected.lines();
        for line in case.text.lines().filter(|_| case.text.lines().count() > 3) {
            let is_kept = |now: &str| now == line || now.replacen(',', "", 1) == line.replacen(',', "", 1);
            assert!(lines.any(is_kept), "{}: {line} is not in\n{connected}", case.client);
        }
        assert_eq!(connected.contains('\r'), case.text.contains('\r'), "{}", case.client);

        done(&site, &["connect", case.client, "--apply"]);
        assert_eq!(read(&site, case), connected, "{}: once is enough", case.client);

        done(&site, &["disconnect", case.client, "--apply"]);
        assert_eq!(read(&site, case), case.text, "{}", case.client);
        let left = std::fs::read_dir(path(&site, case).parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "{}: the copy is gone", case.client);
    }
}

#[test]
fn a_file_that_was_not_there_goes_again() {
    for case in CASES {
        let site = Site::new();
        done(&site, &["connect", case.client, "--apply"]);
        assert!(read(&site, case).contains("mcp"), "{}", case.client);
        done(&site, &["disconnect", case.client, "--apply"]);
        assert!(!path(&site, case).exists(), "{}", case.client);
    }
}

#[test]
fn what_others_wrote_meanwhile_stays() {
    for case in CASES {
        let site = Site::new();
        put(&site, case, case.text);
        done(&site, &["connect", case.client, "--apply"]);
        let mark = if case.client == "codex" { "# later\n" } else { "// later\n" };
        put(&site, case, &format!("{mark}{}", read(&site, case)));
        done(&site, &["disconnect", case.client, "--apply"]);
        let left = read(&site, case);
        assert!(!left.contains("mainstay"), "{}: {left}", case.client);
        let plain = |text: &str| text.replace([' ', '\t', '\r', '\n', ','], "");
        assert_eq!(plain(&left), plain(&format!("{mark}{}", case.text)), "{}", case.client);
    }
}

#[test]
fn settings_given_as_flags_are_in_the_entry_and_an_update_keeps_the_rest() {
    let site = Site::new();
    let case = case("cursor");
    done(&site, &["connect", "cursor", "--toolsets", "search,catalog", "--read-only", "--apply"]);
    let entry = |site: &Site| {
        let file: Value = serde_json::from_str(&read(site, case)).unwrap();
        file["mcpServers"]["mainstay"].clone()
    };
    assert_eq!(
        entry(&site)["args"],
        json!(["mcp", "--toolsets", "search,catalog", "--read-only", "--repo", "${workspaceFolder}"])
    );
    let with_env =
        read(&site, case).replacen("\"command\"", "\"env\": { \"A\": \"${env:A}\" },\n      \"command\"", 1);
    put(&site, case, &with_env);
    let repo = site.repo();
    done(&site, &["connect", "cursor", "--repo", ".", "--apply"]);
    assert_eq!(entry(&site)["args"], json!(["mcp", "--repo", repo]));
    assert_eq!(entry(&site)["env"], json!({ "A": "${env:A}" }));
    let secret = site.run(["connect", "cursor", "--token", "hush-hush"]);
    assert_eq!(secret.exit, 2);
    assert!(!secret.stderr.contains("hush-hush") && secret.stderr.contains("hint: "), "{}", secret.stderr);
}

#[test]
fn files_that_are_not_ours_to_change_are_left_alone() {
    let site = Site::new();
    let case = case("cursor");
    for (text, said) in [
        ("{ \"mcpServers\": {", "cannot be understood"),
        ("[]", "is not a table of servers"),
        ("{ \"mcpServers\": [] }", "is not a table of servers"),
        (
            "{ \"mcpServers\": { \"mainstay\": { \"command\": \"docker\" } } }",
            "starts docker, which is not Mainstay",
        ),
    ] {
        put(&site, case, text);
        for verb in ["connect", "disconnect"] {
            let ran = site.run([verb, "cursor", "--apply"]);
            if verb == "connect" || said.starts_with("starts") {
                assert_eq!(ran.exit, 2, "{text}: {}", ran.transcript());
                assert!(ran.stderr.contains(said) && ran.stderr.contains("hint: "), "{}", ran.stderr);
            }
            assert_eq!(read(&site, case), text);
        }
    }
    put(&site, case, "{ \"mcpServers\": { \"mainstay\": { \"command\": \"docker\" } } }");
    done(&site, &["connect", "cursor", "--name", "code", "--apply"]);
    assert!(read(&site, case).contains("\"code\"") && read(&site, case).contains("\"docker\""));
}

#[test]
fn links_and_permissions_stay_what_they_are() {
    use std::os::unix::fs::PermissionsExt;
    let site = Site::new();
    let case = case("claude-code");
    let real = site.home().join("dotfiles.json");
    std::fs::write(&real, case.text).unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink(&real, path(&site, case)).unwrap();
    done(&site, &["connect", "claude-code", "--apply"]);
    assert!(path(&site, case).is_symlink());
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(real.clone()), 0o600);
    assert_eq!(mode(site.home().join(".claude.json.before-mainstay")), 0o600);
    done(&site, &["disconnect", "claude-code", "--apply"]);
    assert_eq!(std::fs::read_to_string(&real).unwrap(), case.text);
}

#[test]
fn without_names_the_clients_in_use_are_meant_and_secrets_are_not_shown() {
    let site = Site::new();
    let none = site.run(["connect", "--apply"]);
    assert_eq!((none.exit, none.stdout.as_str()), (1, ""));
    assert!(none.stderr.starts_with("No client found"), "{}", none.stderr);
    put(
        &site,
        case("zed"),
        "{\n  \"context_servers\": {\n    \"a\": { \"env\": { \"API_KEY\": \"hush-hush\" } }\n  }\n}\n",
    );
    put(&site, case("codex"), "");
    let ran = site.run(["connect", "--json"]);
    let result = &ran.json()["result"];
    let names: Vec<&str> =
        result["clients"].as_array().unwrap().iter().map(|row| row["client"].as_str().unwrap()).collect();
    assert_eq!((names, &result["applied"]), (vec!["codex", "zed"], &json!(false)));
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    assert!(!ran.stdout.contains("hush-hush") && ran.stdout.contains("***"), "{}", ran.stdout);
}

#[test]
fn a_block_to_paste_works_where_it_is_pasted() {
    let site = Site::new();
    for client in ["claude-code", "claude-desktop", "vscode", "cursor", "zed", "mcp-json"] {
        let block: Value = serde_json::from_str(&done(&site, &["connect", "--print", client])).unwrap();
        let servers = block.as_object().unwrap().values().next().unwrap();
        assert_eq!(servers["mainstay"]["command"], program(), "{client}");
    }
    let json = site.run(["connect", "--print", "vscode", "--json"]).json();
    assert!(
        json["result"]["link"].as_str().unwrap().starts_with("vscode:mcp/install?%7B%22name%22"),
        "{json}"
    );
    let toml: toml_edit::DocumentMut = done(&site, &["connect", "--print", "codex"]).parse().unwrap();
    assert_eq!(toml["mcp_servers"]["mainstay"]["command"].as_str(), Some(program().as_str()));
}

#[test]
fn a_client_that_follows_the_entry_reaches_a_server() {
    let site = Site::new();
    done(&site, &["connect", "claude-desktop", "--toolsets", "search", "--apply"]);
    let file: Value = serde_json::from_str(&read(&site, case("claude-desktop"))).unwrap();
    let entry = &file["mcpServers"]["mainstay"];
    let mut command: Command = site.program(entry["command"].as_str().unwrap());
    command.args(entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap())).current_dir("/");
    let mut client = Client::start(command, Framing::Lines);
    client.initialize();
    let answer = client.request("tools/call", json!({ "name": "index_status", "arguments": {} }));
    assert_eq!(answer["result"]["structuredContent"]["result"]["repoPath"], json!(site.repo()), "{answer}");
    assert!(client.close().success());
}

#[test]
fn a_project_file_names_the_program_as_everybody_has_it() {
    let site = Site::new();
    done(&site, &["connect", "vscode", "claude-code", "--project", "--apply"]);
    for (file, key) in [(".vscode/mcp.json", "servers"), (".mcp.json", "mcpServers")] {
        let text = std::fs::read_to_string(site.repo().join(file)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value[key]["mainstay"]["command"], "mainstay", "{file}");
    }
    let ran = site.run(["connect", "claude-desktop", "--project"]);
    assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""));
}

#[test]
fn at_a_terminal_it_asks_before_it_writes() {
    let site = Site::new();
    put(&site, case("cursor"), "{}");
    let refused = at_terminal(&site, "connect", "n\n");
    assert!(
        refused.text.contains("Write this?") && refused.text.contains("Nothing was written"),
        "{}",
        refused.text
    );
    assert_eq!(read(&site, case("cursor")), "{}");
    let agreed = at_terminal(&site, "connect", "y\n");
    assert_eq!(agreed.exit, 0, "{}", agreed.text);
    assert!(read(&site, case("cursor")).contains("mainstay"));
}
