//! Drives our server and the peer in one run, round by round, and prints ratios.
//!
//! `drive OUR_BINARY PEER_BINARY [ROUNDS]`

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const WINDOW: usize = 64;
const PIPELINED: usize = 50_000;
const SEQUENTIAL: usize = 2_000;
const SOAK: usize = 100_000;

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
    next: usize,
    start: Duration,
}

impl Server {
    fn start(command: &[String]) -> Server {
        let began = Instant::now();
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::with_capacity(1 << 16, child.stdout.take().expect("piped"));
        let mut server = Server { child, input, output, line: String::new(), next: 0, start: Duration::ZERO };
        server.send(r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#);
        server.receive();
        server.start = began.elapsed();
        server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        server
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(line.as_bytes()).and_then(|()| self.input.write_all(b"\n")).expect("the server reads");
    }

    fn receive(&mut self) {
        self.line.clear();
        let read = self.output.read_line(&mut self.line).expect("the server answers");
        assert!(read > 0 && self.line.contains("\"result\""), "{}", self.line);
    }

    fn request(&mut self) -> String {
        self.next += 1;
        format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"tools/call\",\"params\":{{\"name\":\"test_echo\",\"arguments\":{{\"message\":\"hello\"}}}}}}\n",
            self.next
        )
    }

    /// Calls a second with a window of requests under way.
    fn pipelined(&mut self, calls: usize) -> f64 {
        let began = Instant::now();
        let (mut sent, mut received) = (0, 0);
        let mut batch = String::new();
        while received < calls {
            batch.clear();
            while sent < calls && sent - received < WINDOW {
                batch.push_str(&self.request());
                sent += 1;
            }
            self.input.write_all(batch.as_bytes()).expect("the server reads");
            // Half a window between writes keeps both sides busy.
            let until = if sent == calls { calls } else { received + WINDOW / 2 };
            while received < until {
                self.receive();
                received += 1;
            }
        }
        calls as f64 / began.elapsed().as_secs_f64()
    }

    /// Median and 99th percentile of one call at a time, in microseconds.
    fn sequential(&mut self, calls: usize) -> (f64, f64) {
        let mut times: Vec<f64> = (0..calls)
            .map(|_| {
                let request = self.request();
                let began = Instant::now();
                self.input.write_all(request.as_bytes()).expect("the server reads");
                self.receive();
                began.elapsed().as_secs_f64() * 1e6
            })
            .collect();
        times.sort_by(f64::total_cmp);
        (times[calls / 2], times[calls * 99 / 100])
    }

    /// User and system time so far, in microseconds.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("the server lives");
        let fields: Vec<&str> = stat.rsplit(')').next().expect("a stat line").split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>().expect("utime") + fields[12].parse::<f64>().expect("stime");
        ticks * 10_000.0
    }

    fn rss_mib(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("the server lives");
        let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("VmRSS");
        line.split_whitespace().nth(1).expect("a number").parse::<f64>().expect("a number") / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Default)]
struct Figures {
    start_ms: Vec<f64>,
    p50: Vec<f64>,
    p99: Vec<f64>,
    per_second: Vec<f64>,
    cpu_us: Vec<f64>,
    idle_mib: Vec<f64>,
    after_mib: Vec<f64>,
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

fn round(command: &[String], figures: &mut Figures) {
    let mut server = Server::start(command);
    figures.start_ms.push(server.start.as_secs_f64() * 1e3);
    figures.idle_mib.push(server.rss_mib());
    let (p50, p99) = server.sequential(SEQUENTIAL);
    figures.p50.push(p50);
    figures.p99.push(p99);
    server.pipelined(PIPELINED / 10);
    let before = server.cpu();
    figures.per_second.push(server.pipelined(PIPELINED));
    figures.cpu_us.push((server.cpu() - before) / PIPELINED as f64);
    figures.after_mib.push(server.rss_mib());
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let ours: Vec<String> =
        [&args[1], "mcp", "--toolsets", "search", "--conformance-fixtures"].map(|word: &str| word.to_owned()).to_vec();
    // With every toolset, only start and memory: what a client without flags gets.
    let everything: Vec<String> = [args[1].as_str(), "mcp", "--conformance-fixtures"].map(str::to_owned).to_vec();
    let peer = vec![args[2].clone()];
    let rounds: usize = args.get(3).map_or(5, |text| text.parse().expect("a number of rounds"));
    let (mut a, mut b) = (Figures::default(), Figures::default());
    for index in 0..rounds {
        // Interleaved, so that a busy moment of the machine hits both.
        if index % 2 == 0 {
            round(&ours, &mut a);
            round(&peer, &mut b);
        } else {
            round(&peer, &mut b);
            round(&ours, &mut a);
        }
    }
    let whole: Vec<(f64, f64)> = (0..rounds)
        .map(|_| Server::start(&everything))
        .map(|server| (server.start.as_secs_f64() * 1e3, server.rss_mib()))
        .collect();
    let mut soak = Server::start(&ours);
    soak.pipelined(SOAK / 10);
    let before = soak.rss_mib();
    soak.pipelined(SOAK);
    let growth = soak.rss_mib() - before;
    println!("{:<34}{:>12}{:>12}{:>9}", "median of rounds", "mainstay", "rmcp echo", "ratio");
    let row = |name: &str, a: &[f64], b: &[f64]| {
        let (a, b) = (median(a), median(b));
        println!("{name:<34}{a:>12.1}{b:>12.1}{:>9.2}", a / b);
    };
    row("start to initialize, ms", &a.start_ms, &b.start_ms);
    row("one call at a time, p50 us", &a.p50, &b.p50);
    row("one call at a time, p99 us", &a.p99, &b.p99);
    row("pipelined calls a second", &a.per_second, &b.per_second);
    row("server CPU per pipelined call, us", &a.cpu_us, &b.cpu_us);
    row("idle memory, MiB", &a.idle_mib, &b.idle_mib);
    row("memory after the calls, MiB", &a.after_mib, &b.after_mib);
    let (starts, sizes): (Vec<f64>, Vec<f64>) = whole.into_iter().unzip();
    println!("with all four toolsets: start to initialize {:.1} ms, idle {:.1} MiB", median(&starts), median(&sizes));
    println!("growth of mainstay over {SOAK} more calls: {growth:.2} MiB");
}
