//! Search by meaning: a table of word vectors, vectors kept beside the index, made again where they are missing.

use crate::site::Site;
use mainstay_index::{Answer, BuildOptions, Index, Options, Query, VectorTable};
use std::fs;
use std::path::PathBuf;

/// *Automobile* and *car* point the same way, everything else elsewhere.
fn table() -> VectorTable {
    let words =
        [("automobil", 0), ("car", 0), ("door", 3), ("engin", 1), ("roof", 5), ("seat", 4), ("wheel", 2)];
    let names: Vec<u8> =
        words.iter().flat_map(|(word, _)| [&[word.len() as u8], word.as_bytes()].concat()).collect();
    let mut bytes = b"MSVEC1\0\0".to_vec();
    for number in [words.len(), 8, names.len()] {
        bytes.extend((number as u32).to_le_bytes());
    }
    bytes.extend(names);
    words.iter().for_each(|_| bytes.extend(0.01f32.to_le_bytes()));
    for (_, at) in words {
        bytes.extend((0..8).map(|column| if column == at { 100u8 } else { 0 }));
    }
    VectorTable::parse(bytes).unwrap()
}

const GARAGE: &str = "fn park() { car(engine, wheel, door, seat, roof); car(); }\n";
const OTHER: &str = "fn other() { engine(wheel, door, seat, roof, wheel, lamp, bolt) }\n";

fn site() -> Site {
    Site::new().file("src/garage.rs", GARAGE).file("src/other.rs", OTHER)
}

fn build(site: &Site) {
    site.build_with(&BuildOptions { vectors: Some(table()), ..BuildOptions::default() });
}

fn ask(index: &Index, vectors: Option<VectorTable>) -> Answer {
    let options = Options { vectors, explain: true, ..Options::default() };
    index.search(&Query::parse("where is the automobile").unwrap(), &options).unwrap()
}

fn sidecars(site: &Site) -> Vec<PathBuf> {
    let entries = fs::read_dir(site.store()).unwrap().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("vectors-")).collect()
}

#[test]
fn a_word_the_code_does_not_use_finds_it() {
    let site = site();
    build(&site);
    assert_eq!(sidecars(&site).len(), 1);
    let index = site.open();
    assert!(ask(&index, None).hits.is_empty());
    let answer = ask(&index, Some(table()));
    assert_eq!(answer.hits[0].path, "src/garage.rs");
    assert!(answer.hits[0].explain.iter().any(|part| part.what == "nearness of meaning"));
}

#[test]
fn missing_and_damaged_vectors_are_made_again() {
    let site = site();
    build(&site);
    let expected = ask(&site.open(), Some(table())).hits;
    let kept = sidecars(&site).remove(0);
    let good = fs::read(&kept).unwrap();
    fs::write(&kept, &good[..good.len() / 2]).unwrap();
    assert_eq!(ask(&site.open(), Some(table())).hits, expected);
    fs::remove_file(&kept).unwrap();
    assert_eq!(ask(&site.open(), Some(table())).hits, expected);
    build(&site);
    assert_eq!(fs::read(&kept).unwrap(), good);
}

#[test]
fn changed_files_are_found_by_meaning_and_old_vectors_go() {
    let site = site();
    build(&site);
    let index = site.open();
    site.write("src/other.rs", GARAGE.replace("park", "stop"));
    index.refresh().unwrap();
    assert_eq!(ask(&index, Some(table())).hits.len(), 2);
    for text in ["fn a() {}\n", "fn b() {}\n", "fn c() {}\n"] {
        site.write("src/other.rs", text);
        site.write("src/garage.rs", format!("{GARAGE}{text}"));
        build(&site);
    }
    let segments = fs::read_dir(site.store()).unwrap().flatten();
    let segments =
        segments.filter(|entry| entry.file_name().to_str().unwrap().starts_with("segment-")).count();
    assert!(sidecars(&site).len() <= segments, "{:?}", sidecars(&site));
}
