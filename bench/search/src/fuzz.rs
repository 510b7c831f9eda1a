//! `search-bench fuzz query|reader|chunkers SECONDS TREE`: what the tests try for a moment, for as long as asked.
//!
//! A panic or a crash ends the process; what was tried last is in `fuzz-last` in the current folder.

use mainstay_index::{BuildOptions, Index, Options, Query, facts, signed};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

/// A number that looks random and follows from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[self.roll(values.len())]
    }
}

pub fn run(what: &str, seconds: u64, tree: &Path) {
    let seed = env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x2545_F491_4F6C_DD1D);
    let mut dice = Dice(seed);
    let start = cpu_time::ProcessTime::now();
    let limit = Duration::from_secs(seconds);
    let sources = sources(tree);
    let mut rounds = 0u64;
    match what {
        "query" => {
            let site = site(&sources);
            let index = Index::open(&site.join("repo"), &site.join("store")).expect("the index opens");
            while start.elapsed() < limit {
                let text = query(&mut dice, &sources);
                let _ = fs::write("fuzz-last", &text);
                if let Ok(query) = Query::parse(&text) {
                    let _ = index.search(&query, &Options { explain: true, ..Options::default() });
                }
                rounds += 1;
            }
            let _ = fs::remove_dir_all(site);
        }
        "reader" => {
            let site = site(&sources);
            let files: Vec<PathBuf> = fs::read_dir(site.join("store"))
                .expect("the store is there")
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.file_name().is_some_and(|name| name != "build.lock" && name != "current"))
                .collect();
            while start.elapsed() < limit {
                let file = dice.pick(&files).clone();
                let good = fs::read(&file).expect("index files are readable");
                let mut bad = good.clone();
                for _ in 0..1 + dice.roll(6) {
                    let within = if dice.roll(2) == 0 { bad.len().min(4_000) } else { bad.len() };
                    let at = 40 + dice.roll(within - 40);
                    bad[at] = [0, 1, 0x7F, 0x80, 0xFF, dice.roll(256) as u8][dice.roll(6)];
                }
                let bad = signed(bad);
                let _ = fs::write("fuzz-last", &bad);
                fs::write(&file, bad).expect("index files are writable");
                use_it(&site);
                fs::write(&file, good).expect("index files are writable");
                rounds += 1;
            }
            let _ = fs::remove_dir_all(site);
        }
        "chunkers" => {
            while start.elapsed() < limit {
                let (name, text) = mutated(&mut dice, &sources);
                let _ = fs::write("fuzz-last", format!("{name}\n{text}"));
                for (chunk, _) in facts(&name, &text) {
                    let inside = chunk.span.start <= chunk.span.end && chunk.span.end as usize <= text.len();
                    assert!(inside && text.is_char_boundary(chunk.span.start as usize), "{name}: {chunk:?}");
                }
                rounds += 1;
            }
        }
        other => eprintln!("no target {other}"),
    }
    println!("fuzz {what}: {rounds} rounds in {:.0} CPU-s, seed {seed}, no panic", start.elapsed().as_secs_f64());
}

/// Small sources of as many kinds as there are.
fn sources(tree: &Path) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = ignore::WalkBuilder::new(tree)
        .sort_by_file_path(|left, right| left.cmp(right))
        .hidden(false)
        .build()
        .flatten()
        .filter(|entry| entry.metadata().is_ok_and(|file| file.is_file() && file.len() > 20 && file.len() < 12_000))
        .filter_map(|entry| {
            let name = entry.path().file_name()?.to_str()?.to_owned();
            Some((name, fs::read_to_string(entry.path()).ok()?))
        })
        .collect();
    let mut seen = std::collections::HashMap::<String, usize>::new();
    out.retain(|(name, _)| {
        let count = seen.entry(name.rsplit('.').next().unwrap_or_default().to_owned()).or_default();
        *count += 1;
        *count <= 40
    });
    assert!(!out.is_empty(), "the tree has no small text files");
    out
}

/// An index of some of the sources.
fn site(sources: &[(String, String)]) -> PathBuf {
    let site = env::temp_dir().join(format!("search-fuzz-{}", std::process::id()));
    fs::create_dir_all(site.join("repo")).expect("the temporary folder is writable");
    for (number, (name, text)) in sources.iter().enumerate().filter(|(number, _)| number % 4 == 0).take(60) {
        fs::write(site.join("repo").join(format!("{number}-{name}")), text).expect("it is writable");
    }
    Index::build(&site.join("repo"), &site.join("store"), &BuildOptions::default(), &mut |_| {}, &|| false).expect("it builds");
    site
}

fn use_it(site: &Path) {
    let Ok(index) = Index::open(&site.join("repo"), &site.join("store")) else { return };
    index.status();
    for query in ["return value", "how is the file opened", "\"the\"", "/[a-z]+_[a-z]+/", "sym:main", "-name", "path:a test"] {
        let query = Query::parse(query).expect("the query parses");
        let _ = index.search(&query, &Options { explain: true, ..Options::default() });
    }
    let _ = index.verify();
}

fn query(dice: &mut Dice, sources: &[(String, String)]) -> String {
    const PIECES: &[&str] = &[
        "\"", "'", "(", ")", " AND ", " OR ", " NOT ", "-", "!", "/", "\\", "[", "]", "{", "}", "*", "+", "?", "|", "^", "$", ".",
        "path:", "file:", "lang:", "sym:", "kind:", "ext:", "case:", "(?i)", "\\w+", "{1000}", "{9999,}", "é", "名前", "\u{0}", "\t",
        "how does", "where is", "a", "parse_query", "HTTPServer", " ", "::", "->", "=>", "#", "@",
    ];
    let mut out = String::new();
    for _ in 0..dice.roll(14) {
        if dice.roll(3) == 0 {
            let (_, text) = dice.pick(sources);
            let start = text.floor_char_boundary(dice.roll(text.len()));
            let end = text.floor_char_boundary((start + dice.roll(24)).min(text.len()));
            out.push_str(&text[start..end]);
        } else {
            out.push_str(PIECES[dice.roll(PIECES.len())]);
        }
    }
    out
}

/// A source with pieces cut out, doubled, moved in from others, and strange characters put in.
fn mutated(dice: &mut Dice, sources: &[(String, String)]) -> (String, String) {
    let (name, text) = dice.pick(sources).clone();
    let (mut name, mut text) = (name, text);
    for _ in 0..1 + dice.roll(5) {
        let start = text.floor_char_boundary(dice.roll(text.len()));
        let end = text.floor_char_boundary((start + dice.roll(300)).min(text.len()));
        match dice.roll(7) {
            0 => text.replace_range(start..end, ""),
            1 => {
                let piece = text[start..end].repeat(1 + dice.roll(8));
                text.insert_str(start, &piece);
            }
            2 => {
                let (_, other) = dice.pick(sources);
                let from = other.floor_char_boundary(dice.roll(other.len()));
                let to = other.floor_char_boundary((from + dice.roll(400)).min(other.len()));
                text.insert_str(start, &other[from..to]);
            }
            3 => text.insert_str(start, &["(", "{", "[", "\"", "'", "/*", "<", "`", "#", "\\"][dice.roll(10)].repeat(1 + dice.roll(60))),
            4 => text.insert_str(start, ["é", "\u{0}", "\u{FEFF}", "\r\n", "\u{2028}", "名", "🦀", "\t"][dice.roll(8)]),
            5 => text.truncate(start),
            // Another language's eyes.
            _ => name = dice.pick(sources).0.clone(),
        }
    }
    text.truncate(text.floor_char_boundary(40_000));
    (name, text)
}
