//! Damaged queries and damaged indexes: every one is an answer or an error, and nothing panics.

use std::fs;

use mainstay_fuzz::{Target, run};
use mainstay_index::{Index, Options, Query};

use crate::site::Site;

#[test]
fn any_query_is_read_or_refused() {
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
            drop(format!("{query:?}"));
        }
    });
}

#[test]
fn any_damage_to_an_index_is_noticed_or_harmless() {
    let site = Site::new();
    for number in 0..3 {
        site.write(
            &format!("src/file{number}.rs"),
            format!("/// Opens {number}.\npub fn open_{number}() -> u32 {{ {number} }}\n"),
        );
    }
    site.write("README.md", "# Example\n\nHow a session is opened.\n");
    site.build();
    let files: Vec<_> = fs::read_dir(site.store())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    let good: Vec<Vec<u8>> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    let corpus: Vec<&[u8]> = good.iter().map(Vec::as_slice).collect();
    let mut turn = 0;
    run(&Target { name: "index", corpus: &corpus, words: &["\0\0\0\0", "\u{7f}", "\u{1}\0\0\0"] }, |input| {
        let file = turn % files.len();
        turn += 1;
        fs::write(&files[file], input).unwrap();
        if let Ok(index) = Index::open(&site.repo(), &site.store()) {
            index.status();
            // What cannot be read is an error; only a panic is a mistake.
            let _ = index.refresh();
            for query in ["open", "\"session is\"", "/open_\\d/"] {
                let _ = index.search(&Query::parse(query).unwrap(), &Options::default());
            }
            let _ = index.verify();
        }
        fs::write(&files[file], &good[file]).unwrap();
    });
}
