//! Every language folder with a fixture yields exactly the chunks written down beside it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mainstay-index --test it languages` rewrites the lists; read the difference.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
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

/// Texts nobody wrote: fixtures cut, doubled and interleaved at random places.
fn mangled(texts: &[String]) -> impl Strategy<Value = (usize, String)> {
    let texts = texts.to_vec();
    let piece = (0..texts.len(), any::<u16>(), any::<u16>());
    (0..texts.len(), prop::collection::vec(piece, 1..6)).prop_map(move |(language, pieces)| {
        let cut = |(text, from, length): (usize, u16, u16)| {
            let text = &texts[text];
            let from = text.floor_char_boundary(from as usize % (text.len() + 1));
            let to = text.floor_char_boundary((from + length as usize % 400).min(text.len()));
            text[from..to].to_owned()
        };
        (language, pieces.into_iter().map(cut).collect())
    })
}

#[test]
fn no_text_breaks_a_chunker() {
    let fixtures: Vec<PathBuf> = folders().iter().filter_map(|folder| fixture(folder)).collect();
    let texts: Vec<String> = fixtures.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&mangled(&texts), |(language, text)| {
        let name = fixtures[language].file_name().unwrap().to_str().unwrap();
        let chunks = mainstay_index::outline(name, &text);
        let inside =
            |range: &std::ops::Range<u32>| text.get(range.start as usize..range.end as usize).is_some();
        for (at, chunk) in chunks.iter().enumerate() {
            prop_assert!(inside(&chunk.span) && inside(&chunk.signature) && inside(&chunk.doc));
            prop_assert!(chunk.lines.0 <= chunk.lines.1 && !chunk.span.is_empty());
            prop_assert!(chunk.parent.is_none_or(|parent| (parent as usize) < at));
            prop_assert!(at == 0 || chunks[at - 1].span.start <= chunk.span.start);
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn deep_nesting_and_endless_lines_are_cut_like_any_text() {
    for name in ["a.js", "a.py", "a.rs", "a.json", "a.c", "a.hs", "a.md", "a.html", "a.css", "a.yaml"] {
        for unit in ["(", "[", "{", "a(", "<b>", "> ", "- ", "\"", "x=", "#", "`", "/*", "if x:\n "] {
            let text = unit.repeat(3_000);
            let chunks = mainstay_index::outline(name, &text);
            assert!(chunks.iter().all(|chunk| chunk.span.end as usize <= text.len()), "{name} {unit}");
        }
    }
}
