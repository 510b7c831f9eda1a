//! Measures how well files are ranked: `quality-bench run|rg|score …` over `queries.tsv`.
//!
//! A *run* is a table of the files a ranker returns for each query, best first. Ours, the same index with the ranker
//! off, and ripgrep are made here; semble's by `semble_run.py`. `score` compares any number of them.

mod metrics;
mod rg;

use mainstay_index::{BuildOptions, Index, Mode, Options, Query, Ranking, VectorTable};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// One line of `queries.tsv`.
struct Asked {
    repo: String,
    kind: String,
    query: String,
    /// Path and grade: 2 is what was asked for, 1 helps.
    relevant: Vec<(String, u32)>,
}

/// The files of one answer, best first, without repetition.
type Files = Vec<String>;

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let Some((command, rest)) = args.split_first() else {
        usage();
    };
    match (command.as_str(), rest) {
        ("run", [queries, repos, stores, out, how @ ..]) => {
            run(&read_queries(queries), Path::new(repos), Path::new(stores), out, how)
        }
        ("rg", [queries, repos, out]) => {
            let asked = read_queries(queries);
            let runs: Vec<Files> =
                asked.iter().map(|asked| rg::search(&Path::new(repos).join(&asked.repo), &asked.query)).collect();
            write_run(out, &asked, &runs);
        }
        ("score", [queries, repositories, runs @ ..]) if !runs.is_empty() => {
            score(&read_queries(queries), repositories, runs);
        }
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!(
        "usage: quality-bench run QUERIES REPOS STORES OUT [text] [all] [vectors=TABLE]\n       quality-bench rg QUERIES REPOS OUT\n       quality-bench score QUERIES REPOSITORIES RUN…"
    );
    process::exit(2);
}

fn read_queries(path: &str) -> Vec<Asked> {
    let text = fs::read_to_string(path).expect("the queries are readable");
    let parse = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let relevant = fields[3].split(' ').filter_map(|pair| {
            let (path, grade) = pair.rsplit_once('=')?;
            Some((path.to_owned(), grade.parse().ok()?))
        });
        Asked {
            repo: fields[0].to_owned(),
            kind: fields[1].to_owned(),
            query: fields[2].to_owned(),
            relevant: relevant.collect(),
        }
    };
    text.lines().skip(1).map(parse).collect()
}

fn run(asked: &[Asked], repos: &Path, stores: &Path, out: &str, how: &[String]) {
    let has = |word: &str| how.iter().any(|given| given == word);
    let options = Options {
        limit: 100,
        context: 0,
        mode: if has("all") { Mode::All } else { Mode::Code },
        ranking: if has("text") { Ranking::Text } else { Ranking::Full },
        vectors: how.iter().find_map(|given| given.strip_prefix("vectors=")).map(|path| {
            VectorTable::open(Path::new(path)).expect("the table of vectors opens")
        }),
        ..Options::default()
    };
    let mut indexes: HashMap<&str, Index> = HashMap::new();
    let mut runs = Vec::new();
    for asked in asked {
        let index = indexes.entry(&asked.repo).or_insert_with(|| {
            let (repo, store): (PathBuf, PathBuf) = (repos.join(&asked.repo), stores.join(&asked.repo));
            let build = BuildOptions { vectors: options.vectors.clone(), ..BuildOptions::default() };
            let built = Index::build(&repo, &store, &build, &mut |_| {}, &|| false).expect("the index builds");
            println!("{}: {} bytes of index for {} of source", asked.repo, built.index_bytes, built.source_bytes);
            Index::open(&repo, &store).expect("the index opens")
        });
        let query = Query::parse(&asked.query).expect("the query parses");
        let answer = index.search(&query, &options).expect("the index answers");
        let mut files: Files = Vec::new();
        for hit in answer.hits {
            if !files.contains(&hit.path) {
                files.push(hit.path);
            }
        }
        runs.push(files);
    }
    write_run(out, asked, &runs);
}

fn write_run(out: &str, asked: &[Asked], runs: &[Files]) {
    let line = |(asked, files): (&Asked, &Files)| {
        let files: Vec<String> = files.iter().take(50).map(|path| path.replace(' ', "%20")).collect();
        format!("{}\t{}\t{}\n", asked.repo, asked.query, files.join(" "))
    };
    let text: String = asked.iter().zip(runs).map(line).collect();
    fs::write(out, text).expect("the run is writable");
}

fn read_run(path: &str) -> HashMap<(String, String), Files> {
    let text = fs::read_to_string(path).expect("the run is readable");
    let parse = |line: &str| {
        let mut fields = line.split('\t').map(str::to_owned);
        let (repo, query) = (fields.next()?, fields.next()?);
        let files = fields.next().unwrap_or_default();
        let files = files.split(' ').filter(|path| !path.is_empty()).map(|path| path.replace("%20", " ")).collect();
        Some(((repo, query), files))
    };
    text.lines().filter_map(parse).collect()
}

fn score(asked: &[Asked], repositories: &str, runs: &[String]) {
    let halves: HashMap<String, String> = fs::read_to_string(repositories)
        .expect("the repositories are readable")
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            Some((fields.first()?.to_string(), fields.last()?.to_string()))
        })
        .collect();
    let mut first: Option<Vec<f64>> = None;
    println!("{:<22} {:>6} {:>6} {:>6} | {:>6} {:>6} | {:>6} {:>6} {:>6} | against the first", "run", "NDCG", "MRR", "R@10", "tune", "confir", "symbol", "semant", "archit");
    for path in runs {
        let run = read_run(path);
        let none = Files::new();
        let of = |asked: &Asked| run.get(&(asked.repo.clone(), asked.query.clone())).unwrap_or(&none).clone();
        let ndcg: Vec<f64> = asked.iter().map(|asked| metrics::ndcg(&of(asked), &asked.relevant)).collect();
        let mrr: Vec<f64> = asked.iter().map(|asked| metrics::mrr(&of(asked), &asked.relevant)).collect();
        let recall: Vec<f64> = asked.iter().map(|asked| metrics::recall(&of(asked), &asked.relevant)).collect();
        let where_ = |holds: &dyn Fn(&Asked) -> bool| {
            metrics::mean(asked.iter().zip(&ndcg).filter(|(asked, _)| holds(asked)).map(|(_, value)| *value))
        };
        let half = |name: &str| where_(&|asked| halves.get(&asked.repo).is_some_and(|half| half == name));
        let kind = |name: &str| where_(&|asked| asked.kind == name);
        let name = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let versus = match &first {
            Some(first) => {
                let differences: Vec<(&str, f64)> = asked.iter().zip(ndcg.iter().zip(first)).map(|(asked, (new, old))| (asked.repo.as_str(), new - old)).collect();
                let (mean, low, high) = metrics::bootstrap_by_group(&differences);
                format!("{mean:+.3} [{low:+.3}, {high:+.3}]")
            }
            None => String::new(),
        };
        println!(
            "{name:<22} {:.4} {:.4} {:.4} | {:.4} {:.4} | {:.4} {:.4} {:.4} | {versus}",
            metrics::mean(ndcg.iter().copied()),
            metrics::mean(mrr),
            metrics::mean(recall),
            half("tune"),
            half("confirm"),
            kind("symbol"),
            kind("semantic"),
            kind("architecture"),
        );
        first.get_or_insert(ndcg);
    }
}
