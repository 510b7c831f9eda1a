//! What the index knows of every chunk of a tree, one line a fact: `facts TREE EXTENSION…`. `bench/facts` compares it with
//! what other tools see.
//!
//! `FILE CHUNK FIRST LAST FACT VALUE`, separated by tabs; chunks are numbered, and each has one line without a fact.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((tree, extensions)) = args.split_first() else {
        eprintln!("usage: facts TREE EXTENSION…");
        std::process::exit(2);
    };
    let mut files = Vec::new();
    collect(Path::new(tree), extensions, &mut files);
    files.sort();
    for path in files {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let file = path.strip_prefix(tree).unwrap_or(&path).display();
        let chunks = mainstay_index::facts(&path.to_string_lossy(), &text);
        for (number, (chunk, facts)) in chunks.iter().enumerate() {
            let (first, last) = chunk.lines;
            // What is said of a part is said of the whole it continues.
            let whole = chunks[..number].iter().rposition(|(one, _)| {
                !one.is_part
                    && one.name == chunk.name
                    && one.kind == chunk.kind
                    && one.span.start <= chunk.span.start
            });
            let at = whole.filter(|_| chunk.is_part).unwrap_or(number);
            println!("{file}\t{at}\t{first}\t{last}\t\t");
            for (fact, value) in facts {
                let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
                println!("{file}\t{at}\t{first}\t{last}\t{}\t{value}", fact.name());
            }
        }
    }
}

fn collect(folder: &Path, extensions: &[String], out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        let fits = |end: &std::ffi::OsStr| extensions.iter().any(|one| end == one.as_str());
        if kind.is_dir() && !path.ends_with(".git") {
            collect(&path, extensions, out);
        } else if kind.is_file() && path.extension().is_some_and(fits) {
            out.push(path);
        }
    }
}
