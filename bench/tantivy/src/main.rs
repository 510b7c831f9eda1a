//! What tantivy does with the same files: `tantivy-bench TREE STORE WORD…`.
//!
//! Files are cut into blocks of fifty lines. Prints the cost of a build, of a change of one file in a hundred, and the
//! score of the best hit before the change, after it, and after a full build of the changed tree.

use std::path::Path;
use std::time::Instant;
use std::{env, fs};
use tantivy::collector::TopDocs;
use tantivy::query::TermQuery;
use tantivy::schema::{Field, IndexRecordOption, STORED, STRING, Schema, TEXT};
use tantivy::{Index, IndexWriter, TantivyDocument, Term};

fn main() -> tantivy::Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [tree, store, words @ ..] = &args[..] else {
        eprintln!("usage: tantivy-bench TREE STORE WORD…");
        std::process::exit(2);
    };
    let files: Vec<(String, String)> = ignore::WalkBuilder::new(tree)
        .sort_by_file_path(|left, right| left.cmp(right))
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| Some((entry.path().to_str()?.to_owned(), fs::read_to_string(entry.path()).ok()?)))
        .collect();
    let mut schema = Schema::builder();
    let path = schema.add_text_field("path", STRING | STORED);
    let body = schema.add_text_field("body", TEXT);
    let schema = schema.build();
    // The change: every hundredth file is emptied.
    let changed: Vec<usize> = (0..files.len()).step_by(100).collect();

    let first = Path::new(store).join("first");
    let index = create(&first, &schema)?;
    let all: Vec<usize> = (0..files.len()).collect();
    timed("build", || add(&index, path, body, &files, &all))?;
    print_scores("after the build", &index, body, words)?;
    timed("change of 1 %", || {
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 50_000_000)?;
        changed.iter().for_each(|file| {
            writer.delete_term(Term::from_field_text(path, &files[*file].0));
        });
        writer.commit().map(drop)
    })?;
    print_scores("after the change", &index, body, words)?;

    let kept: Vec<usize> = all.into_iter().filter(|file| !changed.contains(file)).collect();
    let full = create(&Path::new(store).join("full"), &schema)?;
    timed("full build of the changed tree", || add(&full, path, body, &files, &kept))?;
    print_scores("after a full build of the changed tree", &full, body, words)?;
    let bytes: u64 = fs::read_dir(&first)?.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum();
    let source: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!("size: {:.1} MB of {:.1} MB source", bytes as f64 / 1e6, source as f64 / 1e6);
    Ok(())
}

fn create(folder: &Path, schema: &Schema) -> tantivy::Result<Index> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    Index::create_in_dir(folder, schema.clone())
}

fn add(index: &Index, path: Field, body: Field, files: &[(String, String)], numbers: &[usize]) -> tantivy::Result<()> {
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 100_000_000)?;
    for number in numbers {
        let (name, text) = &files[*number];
        let lines: Vec<&str> = text.lines().collect();
        for block in lines.chunks(50) {
            let mut document = TantivyDocument::default();
            document.add_text(path, name);
            document.add_text(body, block.join("\n"));
            writer.add_document(document)?;
        }
    }
    writer.commit()?;
    writer.wait_merging_threads()
}

fn timed(what: &str, work: impl FnOnce() -> tantivy::Result<()>) -> tantivy::Result<()> {
    let cpu = || {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        [11, 12].iter().filter_map(|at| fields.get(*at)?.parse::<f64>().ok()).sum::<f64>() / 100.0
    };
    let before = cpu();
    work()?;
    println!("{what}: {:.2} CPU-s", cpu() - before);
    Ok(())
}

fn print_scores(when: &str, index: &Index, body: Field, words: &[String]) -> tantivy::Result<()> {
    let start = Instant::now();
    let searcher = index.reader()?.searcher();
    let open = start.elapsed();
    for word in words {
        let query = TermQuery::new(Term::from_field_text(body, word), IndexRecordOption::WithFreqs);
        let start = Instant::now();
        let top = searcher.search(&query, &TopDocs::with_limit(10).order_by_score())?;
        let score = top.first().map_or(0.0, |(score, _)| *score);
        println!("  {when}: {word} best score {score:.6}, {:.2} ms, opened in {:.2} ms", start.elapsed().as_secs_f64() * 1e3, open.as_secs_f64() * 1e3);
    }
    Ok(())
}
