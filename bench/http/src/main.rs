//! Many clients search over HTTP at once; a plain ripgrep loop over the same files runs beside it, afterwards.
//!
//! `http-bench MAINSTAY REPO [SECONDS] [CLIENTS]`; Linux only, memory comes from `/proc`.

mod client;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Outcome, search};

/// Words, names, exact text, an expression and questions; ripgrep gets the second of each pair.
const QUERIES: &[(&str, &str)] = &[
    ("iterator", "iterator"),
    ("parse", "parse"),
    ("HashMap", "HashMap"),
    ("error handling", "error"),
    ("\\\"pub fn new\\\"", "pub fn new"),
    ("/fn [a-z]+_with_capacity/", "with_capacity"),
    ("how is a buffer grown", "buffer"),
    ("where are connections closed", "connection"),
    ("serialize OR deserialize", "serialize"),
    ("thread pool", "thread pool"),
];
/// How long a client waits that was told the queue is full.
const BACK_OFF: Duration = Duration::from_millis(20);

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (Some(mainstay), Some(repo)) = (args.first(), args.get(1)) else {
        eprintln!("usage: http-bench MAINSTAY REPO [SECONDS] [CLIENTS]");
        std::process::exit(2);
    };
    let repo = Path::new(repo).canonicalize().expect("the repository exists");
    let number =
        |at: usize, otherwise: u64| args.get(at).map_or(otherwise, |text| text.parse().expect("a number"));
    let (seconds, clients) = (number(2, 60), number(3, 200));
    let cache = std::env::temp_dir().join(format!("http-bench-{}", std::process::id()));
    let server = Server::start(mainstay, &repo, &cache);
    let began = Instant::now();
    let built = client::post(&server.address, "/tools/build_index", "{}").expect("the index is built");
    assert_eq!(built.0, 200, "{}", built.1);
    println!(
        "repository {} MB, index built in {:.1} s",
        bytes_of(&repo) / 1_000_000,
        began.elapsed().as_secs_f64()
    );
    for (query, _) in QUERIES {
        let first = client::post(&server.address, "/search", &format!("{{\"query\":\"{query}\"}}"))
            .expect("an answer");
        assert_eq!(first.0, 200, "{query}: {}", first.1);
    }
    let load = load(&server, Duration::from_secs(seconds), clients);
    load.print(seconds, clients);
    drop(server);
    let _ = std::fs::remove_dir_all(&cache);
    ripgrep(&repo, Duration::from_secs((seconds / 4).max(2)));
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(mainstay: &str, repo: &Path, cache: &Path) -> Server {
        let mut child = Command::new(mainstay)
            .args(["serve", "--json", "--port", "0", "--config", "/dev/null", "--repo"])
            .arg(repo)
            .arg("--cache-dir")
            .arg(cache)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout is a pipe"))
            .read_line(&mut line)
            .expect("it says where");
        let address = line.split("\"address\":\"").nth(1).and_then(|rest| rest.split('"').next());
        Server { address: address.expect("the line names the address").to_owned(), child }
    }

    fn memory_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Default)]
struct Load {
    micros: Vec<u64>,
    failures: BTreeMap<String, u64>,
    memory_kib: Vec<u64>,
}

/// All clients at once, each with a connection of its own and the next query as soon as the last is answered.
fn load(server: &Server, time: Duration, clients: u64) -> Load {
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..clients)
        .map(|number| {
            let (stop, address) = (Arc::clone(&stop), server.address.clone());
            let work = move || {
                let mut own = Load::default();
                let mut stream = None;
                let mut at = number as usize;
                while !stop.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    match search(&mut stream, &address, QUERIES[at % QUERIES.len()].0) {
                        Outcome::Answered => own.micros.push(began.elapsed().as_micros() as u64),
                        Outcome::Refused(code) => {
                            *own.failures.entry(code).or_default() += 1;
                            std::thread::sleep(BACK_OFF);
                        }
                    }
                    at += 1;
                }
                own
            };
            std::thread::Builder::new().stack_size(256 << 10).spawn(work).expect("a thread")
        })
        .collect();
    let began = Instant::now();
    let mut memory_kib = Vec::new();
    while began.elapsed() < time {
        memory_kib.push(server.memory_kib());
        std::thread::sleep(Duration::from_secs(1));
    }
    stop.store(true, Ordering::Relaxed);
    let mut all = Load { memory_kib, ..Load::default() };
    for thread in threads {
        let own = thread.join().expect("a client ends");
        all.micros.extend(own.micros);
        for (code, count) in own.failures {
            *all.failures.entry(code).or_default() += count;
        }
    }
    all
}

impl Load {
    fn print(mut self, seconds: u64, clients: u64) {
        let (p50, p99) = percentiles(&mut self.micros);
        println!(
            "{clients} clients, {seconds} s: {} answers, {:.0} a second",
            self.micros.len(),
            self.micros.len() as f64 / seconds as f64
        );
        println!(
            "latency p50 {:.1} ms, p99 {:.1} ms, p99/p50 {:.1}",
            p50 / 1e3,
            p99 / 1e3,
            p99 / p50.max(1.0)
        );
        println!("errors by code: {:?}", self.failures);
        let step = (self.memory_kib.len() / 10).max(1);
        let shown: Vec<u64> = self.memory_kib.iter().step_by(step).map(|kib| kib / 1024).collect();
        println!("memory over time, MiB: {shown:?}");
    }
}

fn percentiles(micros: &mut [u64]) -> (f64, f64) {
    micros.sort_unstable();
    let at =
        |share: f64| micros.get((micros.len() as f64 * share) as usize).copied().unwrap_or_default() as f64;
    (at(0.5), at(0.99))
}

/// One ripgrep after the other, as a script would.
fn ripgrep(repo: &Path, time: Duration) {
    let began = Instant::now();
    let mut micros = Vec::new();
    for (_, word) in QUERIES.iter().cycle() {
        if began.elapsed() >= time {
            break;
        }
        let one = Instant::now();
        let done = Command::new("rg")
            .args(["--count", "--fixed-strings", word])
            .arg(repo)
            .stdout(Stdio::null())
            .status();
        if done.is_err() {
            println!("ripgrep is not installed");
            return;
        }
        micros.push(one.elapsed().as_micros() as u64);
    }
    let count = micros.len();
    let (p50, p99) = percentiles(&mut micros);
    let rate = count as f64 / began.elapsed().as_secs_f64();
    println!("ripgrep, one at a time: {rate:.1} a second, p50 {:.1} ms, p99 {:.1} ms", p50 / 1e3, p99 / 1e3);
}

fn bytes_of(folder: &Path) -> u64 {
    let mut waiting: Vec<PathBuf> = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => waiting.push(entry.path()),
                Ok(kind) if kind.is_file() => bytes += entry.metadata().map_or(0, |meta| meta.len()),
                _ => {}
            }
        }
    }
    bytes
}
