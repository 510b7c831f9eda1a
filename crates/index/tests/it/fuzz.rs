//! Damaged queries, damaged indexes and damaged sources: every one is an answer or an error, and nothing panics.

use std::fs;
use std::path::{Path, PathBuf};

use mainstay_fuzz::{Target, run};
use mainstay_index::{Index, Options, Query, facts, signed};

use crate::site::Site;

#[test]
fn any_query_is_read_or_refused() {
    let site = small_site();
    let index = Index::open(&site.repo(), &site.store()).unwrap();
    let target = Target {
        name: "query",
        corpus: &[
            b"parse AND (open OR close) -test path:src/*.rs lang:rust sym:open_session \"exact words\" /re+x/",
            b"how is a cancelled request cleaned up?",
            b"call:open(a, _) NOT file:x.rs kind:function after:2026-01-01",
        ],
        words: &["AND", " OR ", "NOT ", "(", ")", "\"", "/", "-", "!", ":", "path:", "lang:", "sym:", "*", "[", "\\", "{1,99}", "(?", "\u{301}"],
    };
    run(&target, |input| {
        if let Ok(query) = Query::parse(&String::from_utf8_lossy(input)) {
            // What cannot be answered is an error; only a panic is a mistake.
            let _ = index.search(&query, &Options { explain: true, ..Options::default() });
        }
    });
}

#[test]
fn any_damage_to_an_index_is_noticed_or_harmless() {
    let site = small_site();
    let files = files_of(&site, 0);
    let good: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    let corpus: Vec<&[u8]> = good.iter().map(Vec::as_slice).collect();
    let mut turn = 0;
    run(&Target { name: "index", corpus: &corpus, words: &["\0\0\0\0", "\u{7f}", "\u{1}\0\0\0"] }, |input| {
        let file = turn % files.len();
        // Every other time the damage has a checksum that fits, so that it gets past the first look.
        let bytes =
            if (turn / files.len()).is_multiple_of(2) { input.to_vec() } else { signed(input.to_vec()) };
        turn += 1;
        fs::write(&files[file], bytes).unwrap();
        use_it(&site);
        fs::write(&files[file], &good[file]).unwrap();
    });
}

#[test]
fn flipped_bytes_under_a_good_checksum_are_noticed_or_harmless() {
    let site = small_site();
    let segments = files_of(&site, 200);
    let good: Vec<Vec<u8>> = segments.iter().map(|path| fs::read(path).unwrap()).collect();
    let mut turn = 0;
    // The input is not the file but where and how it is damaged: a file keeps its length and most of its sense.
    run(
        &Target {
            name: "flips",
            corpus: &[b"where and how", b"0123456789abcdef"],
            words: &["\u{7f}", "\0", "\u{1}"],
        },
        |input| {
            let file = turn % segments.len();
            turn += 1;
            let mut bad = good[file].clone();
            for place in input.chunks_exact(4).take(6) {
                let at = usize::from(u16::from_le_bytes([place[0], place[1]])) * 97 + usize::from(place[2]);
                let len = bad.len();
                bad[at % len] = place[3];
            }
            fs::write(&segments[file], signed(bad)).unwrap();
            use_it(&site);
            fs::write(&segments[file], &good[file]).unwrap();
        },
    );
}

#[test]
fn any_source_is_cut_into_chunks_of_itself() {
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("languages");
    let mut corpus = Vec::new();
    for folder in fs::read_dir(languages).unwrap() {
        for file in fs::read_dir(folder.unwrap().path()).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let source = name.starts_with("fixture.") && !name.ends_with(".chunks");
            if let (true, Ok(text)) = (source, fs::read_to_string(&path)) {
                corpus.push(format!("{name}\n{text}").into_bytes());
            }
        }
    }
    corpus.sort();
    let corpus: Vec<&[u8]> = corpus.iter().map(Vec::as_slice).collect();
    let words = [
        "(", "{", "[", "\"", "'", "/*", "<", "`", "#", "\\", "\n", "\t", "end", "```", "\u{2028}", "\u{540d}",
    ];
    run(&Target { name: "chunkers", corpus: &corpus, words: &words }, |input| {
        let input = &String::from_utf8_lossy(&input[..input.len().min(16_000)]);
        let (name, text) = input.split_once('\n').unwrap_or(("fixture.rs", input));
        for (chunk, _) in facts(name, text) {
            let (start, end) = (chunk.span.start as usize, chunk.span.end as usize);
            assert!(text.get(start..end).is_some(), "{name}: {chunk:?}");
        }
    });
}

/// A repository of a few files, with its index.
fn small_site() -> Site {
    let site = Site::new();
    for number in 0..3 {
        site.write(
            &format!("src/file{number}.rs"),
            format!("/// Opens {number}.\npub fn open_{number}() -> u32 {{ {number} }}\n"),
        );
    }
    site.write("README.md", "# Example\n\nHow a session is opened.\n");
    site.build();
    site
}

/// The files of an index that are larger than so many bytes.
fn files_of(site: &Site, bytes: u64) -> Vec<PathBuf> {
    let paths = fs::read_dir(site.store()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.metadata().is_ok_and(|file| file.is_file() && file.len() > bytes)).collect();
    files.sort();
    files
}

/// Opens the index and asks it whatever can be asked; what cannot be read is an error, only a panic is a mistake.
fn use_it(site: &Site) {
    let Ok(index) = Index::open(&site.repo(), &site.store()) else { return };
    index.status();
    let _ = index.refresh();
    for query in [
        "open",
        "how is a session opened",
        "\"session is\"",
        "/open_\\d/",
        "sym:open_1",
        "-open",
        "path:src open",
    ] {
        let _ = index.search(&Query::parse(query).unwrap(), &Options { explain: true, ..Options::default() });
    }
    let _ = index.verify();
}
