//! Every language folder with a fixture yields exactly the chunks written down beside it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mainstay-index --test it languages` rewrites the lists; read the difference.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn fixture(folder: &Path) -> Option<PathBuf> {
    let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| {
        path.file_stem().is_some_and(|stem| stem == "fixture")
            && path.extension().is_some_and(|end| end != "chunks")
    })
}

fn listing(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let name = if name == "fixture.dockerfile" { "Dockerfile" } else { name };
    let chunks = mainstay_index::outline(name, &text);
    let mut out = String::new();
    for chunk in &chunks {
        let depth = std::iter::successors(chunk.parent, |parent| chunks[*parent as usize].parent).count();
        let slice = |range: &std::ops::Range<u32>| {
            text[range.start as usize..range.end as usize].split_whitespace().collect::<Vec<_>>().join(" ")
        };
        write!(
            out,
            "{}{}-{} {} {}",
            "  ".repeat(depth),
            chunk.lines.0,
            chunk.lines.1,
            chunk.lang.get().id,
            chunk.kind.name()
        )
        .unwrap();
        for (label, value) in
            [("name", chunk.name.clone()), ("signature", slice(&chunk.signature)), ("doc", slice(&chunk.doc))]
        {
            if !value.is_empty() {
                write!(out, " | {label}: {value}").unwrap();
            }
        }
        out.push_str(if chunk.is_test { " | test\n" } else { "\n" });
    }
    out
}

#[test]
fn every_fixture_yields_its_chunks() {
    let mut wrong = Vec::new();
    for folder in folders() {
        let Some(fixture) = fixture(&folder) else {
            continue;
        };
        let golden = folder.join("fixture.chunks");
        let found = listing(&fixture);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("== {}\n{found}", folder.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_with_a_query_has_a_fixture() {
    let without: Vec<_> = folders()
        .into_iter()
        .filter(|folder| folder.join("chunks.scm").is_file() && fixture(folder).is_none())
        .collect();
    assert!(without.is_empty(), "{without:?}");
}
