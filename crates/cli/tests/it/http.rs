//! One HTTP request to a server process.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::Value;

use crate::client::{Client, Framing};
use crate::site::{PATIENCE, Site};

/// A `mainstay serve` on a free port.
pub struct HttpServer {
    process: Client,
    address: String,
}

impl HttpServer {
    pub fn start(site: &Site, flags: &[&str]) -> HttpServer {
        HttpServer::start_with(site, flags, &[])
    }

    /// With variables in its environment.
    pub fn start_with(site: &Site, flags: &[&str], env: &[(&str, &str)]) -> HttpServer {
        let words = ["serve", "--json", "--port", "0"].into_iter().chain(flags.iter().copied());
        let mut command = site.mainstay(words);
        command.envs(env.iter().copied());
        let mut process = Client::start(command, Framing::Lines);
        let address = process.receive()["address"].as_str().unwrap().to_owned();
        HttpServer { process, address }
    }

    /// Sends JSON and returns the JSON that comes back, as a body or as the last event of a stream.
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Value {
        self.send("POST", path, headers, &body.to_string())
    }

    pub fn get(&self, path: &str, headers: &[(&str, &str)]) -> Value {
        self.send("GET", path, headers, "")
    }

    /// The body of a page.
    pub fn page(&self, path: &str) -> String {
        self.exchange("GET", path, &[], "").1
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Value {
        let (head, body) = self.exchange(method, path, headers, body);
        let json = match head.contains("content-type: text/event-stream") {
            true => body.lines().rev().find_map(|line| line.strip_prefix("data:")).unwrap(),
            false => body.as_str(),
        };
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {head}\n{body}"))
    }

    /// The head in lower case, and the body.
    fn exchange(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> (String, String) {
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE * 10)).unwrap();
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let (head, body) = split(&answer, b"\r\n\r\n");
        let head = String::from_utf8_lossy(head).to_lowercase();
        let body = if head.contains("transfer-encoding: chunked") { unchunked(body) } else { body.to_vec() };
        (head, String::from_utf8(body).unwrap())
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn stop(mut self) {
        rustix::process::kill_process(
            rustix::process::Pid::from_child(&self.process.child),
            rustix::process::Signal::TERM,
        )
        .unwrap();
        assert!(self.process.wait().success());
    }
}

fn split<'a>(bytes: &'a [u8], at: &[u8]) -> (&'a [u8], &'a [u8]) {
    let found = bytes.windows(at.len()).position(|window| window == at).unwrap();
    (&bytes[..found], &bytes[found + at.len()..])
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let (size, rest) = split(bytes, b"\r\n");
        let size = usize::from_str_radix(std::str::from_utf8(size).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend_from_slice(&rest[..size]);
        bytes = &rest[size + 2..];
    }
}
