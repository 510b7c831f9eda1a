//! Who may know whom: the map of ARCHITECTURE.md, kept true.

use std::collections::{BTreeMap, BTreeSet};

use crate::site::workspace;

/// What each crate may use of the workspace. Toolsets never know each other, and only `server` speaks protocols.
const MAY_USE: &[(&str, &[&str])] = &[
    ("contract", &[]),
    ("process", &[]),
    ("index", &[]),
    ("documents", &[]),
    ("fuzz", &[]),
    ("runtime", &["contract"]),
    ("search", &["contract", "index", "process"]),
    ("programs", &["contract", "process"]),
    ("catalog", &["contract", "process"]),
    ("foundry", &["contract", "process"]),
    ("server", &["contract", "runtime"]),
    (
        "cli",
        &[
            "contract",
            "runtime",
            "process",
            "server",
            "search",
            "documents",
            "programs",
            "catalog",
            "foundry",
        ],
    ),
];

/// Packages that belong to one crate, because only it may know the subject.
const RESERVED: &[(&str, &[&str])] = &[
    (
        "server",
        &[
            "rmcp",
            "axum",
            "tower",
            "tower-http",
            "tokio",
            "tokio-util",
            "hyper",
            "hyper-util",
            "http-body-util",
        ],
    ),
    (
        "cli",
        &[
            "clap",
            "clap_complete",
            "clap_mangen",
            "indicatif",
            "comfy-table",
            "anstream",
            "anstyle",
            "tracing-subscriber",
        ],
    ),
    ("index", &["tantivy"]),
    ("documents", &["pdf-extract", "quick-xml"]),
];

/// The names below `[dependencies]` (and its target-specific forms) of each crate.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(workspace().join("crates")).unwrap() {
        let dir = entry.unwrap();
        let text = std::fs::read_to_string(dir.path().join("Cargo.toml")).unwrap();
        let mut names = BTreeSet::new();
        let mut is_inside = false;
        for line in text.lines() {
            if line.starts_with('[') {
                is_inside = line.ends_with("dependencies]") && !line.contains("dev-");
            } else if let Some(end) =
                line.find(['.', ' ', '=']).filter(|_| is_inside && !line.starts_with('#'))
            {
                names.insert(line[..end].to_owned());
            }
        }
        all.insert(dir.file_name().into_string().unwrap(), names);
    }
    all
}

#[test]
fn every_crate_knows_only_what_it_may() {
    let all = dependencies();
    let table: BTreeSet<&str> = MAY_USE.iter().map(|(name, _)| *name).collect();
    assert_eq!(all.keys().map(String::as_str).collect::<BTreeSet<_>>(), table, "the crates of the workspace");
    for (name, may_use) in MAY_USE {
        for used in all[*name].iter().filter_map(|used| used.strip_prefix("mainstay-")) {
            assert!(may_use.contains(&used), "{name} must not know {used}");
        }
    }
}

#[test]
fn a_subject_has_one_home() {
    for (name, used) in dependencies() {
        for (home, packages) in RESERVED {
            for package in *packages {
                assert!(
                    name == *home || !used.contains(*package),
                    "{package} belongs to {home}, not to {name}"
                );
            }
        }
    }
}
