//! Mines training pairs from source trees: `vector-mine OUT TREE…`, one tree per repository.
//!
//! A pair is what somebody may ask and the code that answers: the first lines of a doc comment and the definition
//! below it, or the words of a name and its body. Words are those of the index, so that the table is looked up by the
//! same splitter. `OUT/words.tsv` gets every word with its number of texts and trees, `OUT/pairs.bin` the pairs as
//! little-endian `u32`: tree, kind, words on the left, words on the right, then the numbers of the words.

use mainstay_index::chunk::Chunk;
use mainstay_index::{for_each_word, outline};
use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::{env, fs};

const LEFT_WORDS: usize = 24;
const RIGHT_WORDS: usize = 48;
/// One file must not outweigh the others.
const PAIRS_PER_FILE: usize = 40;

#[derive(Default)]
struct Words {
    numbers: HashMap<String, u32>,
    texts: Vec<u32>,
    trees: Vec<u32>,
    last_tree: Vec<u32>,
}

impl Words {
    /// The distinct words of a text, in the order of their first use.
    fn of(&mut self, text: &str, limit: usize, tree: u32) -> Vec<u32> {
        let mut out: Vec<u32> = Vec::new();
        for_each_word(text, |word| {
            if out.len() >= limit || word.len() > 24 || word.bytes().all(|byte| byte.is_ascii_digit()) {
                return;
            }
            let number = match self.numbers.get(word) {
                Some(number) => *number,
                None => {
                    let number = self.texts.len() as u32;
                    self.numbers.insert(word.to_owned(), number);
                    self.texts.push(0);
                    self.trees.push(0);
                    self.last_tree.push(u32::MAX);
                    number
                }
            };
            if !out.contains(&number) {
                out.push(number);
            }
        });
        for number in &out {
            let at = *number as usize;
            self.texts[at] += 1;
            if self.last_tree[at] != tree {
                self.last_tree[at] = tree;
                self.trees[at] += 1;
            }
        }
        out
    }
}

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [out, trees @ ..] = &args[..] else {
        eprintln!("usage: vector-mine OUT TREE…");
        std::process::exit(2);
    };
    fs::create_dir_all(out).expect("the folder can be made");
    let file = fs::File::create(Path::new(out).join("pairs.bin")).expect("the pairs can be written");
    let mut pairs = BufWriter::new(file);
    let mut words = Words::default();
    for (number, tree) in trees.iter().enumerate() {
        let count = mine(Path::new(tree), number as u32, &mut words, &mut pairs);
        println!("{tree}: {count} pairs, {} words so far", words.texts.len());
    }
    pairs.flush().expect("the pairs can be written");
    let mut table: Vec<(&String, &u32)> = words.numbers.iter().collect();
    table.sort_unstable_by_key(|(_, number)| **number);
    let lines: String = table
        .into_iter()
        .map(|(word, number)| format!("{word}\t{}\t{}\n", words.texts[*number as usize], words.trees[*number as usize]))
        .collect();
    fs::write(Path::new(out).join("words.tsv"), lines).expect("the words can be written");
}

fn mine(tree: &Path, number: u32, words: &mut Words, out: &mut impl Write) -> usize {
    let mut paths: Vec<_> = ignore::WalkBuilder::new(tree)
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(|entry| entry.into_path())
        .collect();
    paths.sort_unstable();
    let mut count = 0;
    for path in paths {
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let name = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().into_owned();
        let chunks = outline(&name, &text);
        let mut taken = 0;
        for chunk in &chunks {
            if taken >= PAIRS_PER_FILE || chunk.is_test {
                continue;
            }
            let Some((kind, left, right)) = pair(&name, &text, chunk) else {
                continue;
            };
            let left = words.of(&left, LEFT_WORDS, number);
            let right = words.of(&right, RIGHT_WORDS, number);
            if left.len() < if kind == 0 { 4 } else { 2 } || right.len() < 6 {
                continue;
            }
            let head = [number, kind, left.len() as u32, right.len() as u32];
            for value in head.iter().chain(&left).chain(&right) {
                out.write_all(&value.to_le_bytes()).expect("the pairs can be written");
            }
            taken += 1;
            count += 1;
        }
    }
    count
}

/// Kind 0 is documentation and its code, kind 1 a name and its body.
fn pair(path: &str, text: &str, chunk: &Chunk) -> Option<(u32, String, String)> {
    let span = chunk.span.start as usize..chunk.span.end as usize;
    let body = text.get(span.clone())?;
    if body.len() < 80 {
        return None;
    }
    let doc = text.get(chunk.doc.start as usize..chunk.doc.end as usize).unwrap_or_default();
    if doc.len() > 30 {
        // The code as the index sees it, path and all, but without the words of the question.
        let code = match (chunk.doc.start as usize, chunk.doc.end as usize) {
            (start, end) if start >= span.start && end <= span.end => {
                format!("{path} {} {}", &text[span.start..start], &text[end..span.end])
            }
            _ => format!("{path} {body}"),
        };
        return Some((0, first_sentences(doc), code));
    }
    if chunk.name.is_empty() || !chunk.kind.is_definition() {
        return None;
    }
    let folder = path.rsplit('/').nth(1).unwrap_or_default();
    Some((1, chunk.name.clone(), format!("{folder} {}", body.replace(chunk.name.as_str(), " "))))
}

/// What a doc comment is about stands at its start.
fn first_sentences(doc: &str) -> String {
    let end = doc.char_indices().filter(|(_, letter)| *letter == '.').map(|(at, _)| at).nth(1).unwrap_or(doc.len());
    doc[..end.min(doc.floor_char_boundary(400))].to_owned()
}
