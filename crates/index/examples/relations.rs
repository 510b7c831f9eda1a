//! What the index makes of names across files: `relations TREE EXTENSION…`. `bench/facts` compares it with what other tools
//! resolve.
//!
//! `import FILE TEXT TARGET` for every import that leads to a file, `call FILE FIRST LAST TARGET NAME` for every definition and
//! what it calls for certain, `ref` for the functions and types it refers to in any way, separated by tabs; each definition
//! has one line without a target.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use mainstay_index::relations::{Certainty, Reference};
use mainstay_index::{BuildOptions, Index};
use std::path::Path;

/// Kinds of definitions other tools have under the same name.
const REFERRED: [&str; 6] = ["function", "method", "class", "interface", "type", "enum"];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((tree, extensions)) = args.split_first() else {
        eprintln!("usage: relations TREE EXTENSION…");
        std::process::exit(2);
    };
    let (tree, store) = (Path::new(tree), tempfile::tempdir().unwrap());
    Index::build(tree, store.path(), &BuildOptions::default(), &mut |_| {}, &|| false).unwrap();
    let relations = Index::open(tree, store.path()).unwrap().relations().unwrap();
    let mut files = relations.files();
    files.sort_unstable();
    for file in files
        .into_iter()
        .filter(|file| extensions.iter().any(|end| file.rsplit_once('.').is_some_and(|(_, own)| own == end)))
    {
        for (text, targets) in relations.imports_of(file) {
            targets.iter().for_each(|target| println!("import\t{file}\t{text}\t{target}"));
        }
        for id in relations.of_file(file) {
            let (first, last) = relations.symbol(id).lines;
            println!("call\t{file}\t{first}\t{last}\t\t");
            for link in relations.references_from(id) {
                if link.certainty != Certainty::Resolved {
                    continue;
                }
                let (target, name) = (relations.symbol(link.other), relations.name(link.other));
                let place = format!("{file}\t{first}\t{last}\t{}\t{name}", target.path);
                if link.reference == Reference::Call {
                    println!("call\t{place}");
                }
                if REFERRED.contains(&target.kind.name()) {
                    println!("ref\t{place}");
                }
            }
        }
    }
}
