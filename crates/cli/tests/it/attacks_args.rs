//! Attacks in arguments: ways out of the repository, links that change, words that would be options or commands.

use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::examples::{OPEN, prepare};
use crate::http::HttpServer;
use crate::read_only::tree;
use crate::site::Site;

const SECRET: &str = "TOP-SECRET-OUTSIDE";
const CANARY: &str = "canary-was-made";

/// A repository with a neighbour that nobody may read or change, and links to it.
fn site() -> Site {
    let site = Site::new();
    prepare(&site);
    let outside = site.repo().join("../outside");
    std::fs::create_dir_all(outside.join("instructions")).unwrap();
    std::fs::write(outside.join("secret.txt"), format!("fn {} () {{}} // {SECRET}\n", "hidden")).unwrap();
    let entry = json!({ "id": "secret", "title": SECRET, "body": SECRET, "priority": 1, "audience": "all" });
    std::fs::write(outside.join("instructions/secret.json"), entry.to_string()).unwrap();
    std::fs::write(outside.join("package.json"), json!({ "name": SECRET, "version": "1.0.0" }).to_string())
        .unwrap();
    symlink(&outside, site.repo().join("link")).unwrap();
    symlink(outside.join("secret.txt"), site.repo().join("leak.rs")).unwrap();
    std::fs::create_dir_all(site.repo().join("instructions")).unwrap();
    symlink(outside.join("instructions/secret.json"), site.repo().join("instructions/secret.json")).unwrap();
    site
}

fn ways_out(site: &Site) -> Vec<String> {
    let outside = site.repo().parent().unwrap().join("outside");
    let outside = outside.to_str().unwrap();
    [
        "../outside/secret.txt",
        "src/../../outside/secret.txt",
        "link/secret.txt",
        "leak.rs",
        "../outside",
        "link",
        "..\\outside\\secret.txt",
        "%2e%2e/outside/secret.txt",
        "/etc/passwd",
        "\u{0}../outside",
    ]
    .iter()
    .map(|word| (*word).to_owned())
    .chain([outside.to_owned(), format!("{outside}/secret.txt"), format!("file://{outside}/secret.txt")])
    .collect()
}

fn words() -> Vec<String> {
    ["--output=", "-o", "$(touch ", ";touch ", "--upload-pack=touch "]
        .iter()
        .map(|word| match word.starts_with("$(") {
            true => format!("{word}{CANARY})"),
            false => format!("{word}{CANARY}"),
        })
        .collect()
}

/// Whether an argument takes a text, or a list of them.
fn takes_text(schema: &Value) -> Option<bool> {
    let text = schema.to_string();
    match (schema.get("enum").is_none() && text.contains("\"string\""), text.contains("\"array\"")) {
        (false, _) => None,
        (true, is_list) => Some(is_list),
    }
}

fn is_path_like(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "path",
        "file",
        "dir",
        "root",
        "repo",
        "output",
        "folder",
        "source",
        "target",
        "input",
        "base",
        "workspace",
        "out",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// Tools that start a browser, npm or a download: their own crates attack them.
const SLOW: [&str; 9] = [
    "vrt.run",
    "a11y.scan",
    "release.verify",
    "release.tag",
    "reviewKit.create",
    "download_models",
    "download_dictionaries",
    "download_extensions",
    "bootstrap",
];

#[test]
fn no_argument_leads_out_of_the_repository_or_into_a_command() {
    let site = site();
    let root = site.repo().parent().unwrap().to_path_buf();
    let before = tree(&root.join("outside"));
    let server = HttpServer::start(&site, OPEN);
    server.post("/tools/build_index", &[], &json!({}));
    let (ways, words) = (ways_out(&site), words());
    let mut calls = 0;
    for tool in site.definitions() {
        let id = tool["name"].as_str().unwrap();
        if SLOW.contains(&id) || tool["toolset"] == "programs" {
            continue;
        }
        let example = tool["examples"][0]["args"].clone();
        for (name, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
            let Some(is_list) = takes_text(schema) else { continue };
            let values = words.iter().chain(ways.iter().filter(|_| is_path_like(name)));
            for value in values {
                let mut args = example.clone();
                args[name] = if is_list { json!([value]) } else { json!(value) };
                let answer = server.post(&format!("/tools/{id}"), &[], &args).to_string();
                assert!(!answer.contains(SECRET), "{id} with {name}={value:?} tells: {answer}");
                assert!(!answer.contains("root:x:0"), "{id} with {name}={value:?} tells: {answer}");
                calls += 1;
            }
        }
    }
    let found = server.post("/search", &[], &json!({ "query": SECRET })).to_string();
    assert!(!found.contains("leak.rs\"") && !found.contains("secret.txt"), "a link was indexed: {found}");
    let listed = server.post("/tools/instructions/list", &[], &json!({})).to_string();
    assert!(!listed.contains(SECRET), "a link in the catalog was followed: {listed}");
    server.stop();
    assert!(calls > 300, "only {calls} calls");
    assert_eq!(tree(&root.join("outside")), before, "something outside was changed");
    let made = tree(&root).into_keys().find(|path| path.ends_with(CANARY));
    assert_eq!(made, None, "a word became a command or an option");
}

#[test]
fn a_link_that_changes_under_the_reader_tells_nothing() {
    let site = site();
    let server = HttpServer::start(&site, &[]);
    let (swap, secret) = (site.repo().join("swap.rs"), site.repo().join("../outside/secret.txt"));
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let (path, staged) = (swap.clone(), site.repo().join("../staged"));
    std::fs::write(&swap, "fn harmless() {}\n").unwrap();
    let swapper = std::thread::spawn(move || {
        while !told.load(Ordering::Relaxed) {
            std::fs::write(&staged, "fn harmless() {}\n").unwrap();
            std::fs::rename(&staged, &path).unwrap();
            symlink(&secret, &staged).unwrap();
            std::fs::rename(&staged, &path).unwrap();
        }
    });
    for _ in 0..150 {
        let shown = server.post("/tools/show_file", &[], &json!({ "file": "swap.rs" })).to_string();
        assert!(!shown.contains(SECRET), "{shown}");
    }
    stop.store(true, Ordering::Relaxed);
    swapper.join().unwrap();
    server.stop();
}

#[test]
fn a_folder_that_became_a_link_is_not_written_through() {
    let site = site();
    let outside = site.repo().join("../outside");
    let before = tree(&outside);
    for folder in ["artifacts", "usage", "data"] {
        symlink(&outside, site.repo().join(folder)).unwrap();
    }
    let server = HttpServer::start(&site, OPEN);
    for (tool, args) in [
        ("tokens.build", json!({ "brand": "A", "apply": true })),
        ("diag.snapshot", json!({ "apply": true })),
        (
            "map.create",
            json!({ "apply": true, "externalSystem": "x", "externalComponent": "Y", "oodsTraits": [] }),
        ),
        (
            "instructions/add",
            json!({ "entry": { "id": "secret", "body": "changed" }, "lax": true, "overwrite": true }),
        ),
        ("instructions/remove", json!({ "ids": ["secret"] })),
        ("usage/flush", json!({})),
    ] {
        server.post(&format!("/tools/{tool}"), &[], &args);
    }
    server.stop();
    assert_eq!(tree(&outside), before, "something was written through a link");
}
