//! A small HTTP client that shows everything and hides nothing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The envelope, checked for its shape.
    pub fn envelope(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text());
        let envelope = self.json();
        let ok = envelope["ok"].as_bool().unwrap();
        assert_eq!(ok, self.status < 400, "{envelope}");
        let keys: Vec<&String> = envelope.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["ok", if ok { "result" } else { "error" }, "_meta"]);
        envelope
    }

    /// The code of a failed call.
    pub fn code(&self) -> String {
        self.envelope()["error"]["code"].as_str().unwrap().to_owned()
    }

    /// Name and data of each server-sent event; comments are left out.
    pub fn events(&self) -> Vec<(String, Value)> {
        events(self.text())
    }
}

pub fn events(text: &str) -> Vec<(String, Value)> {
    let mut events = Vec::new();
    for block in text.split("\n\n") {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name).map(str::trim));
        if let Some(data) = field("data:").filter(|data| !data.is_empty()) {
            let name = field("event:").unwrap_or("message").to_owned();
            events.push((name, serde_json::from_str(data).unwrap_or(Value::Null)));
        }
    }
    events
}

pub struct Connection(pub BufReader<TcpStream>);

impl Connection {
    pub fn open(address: SocketAddr) -> Connection {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Connection(BufReader::new(stream))
    }

    /// Sends a request with exactly these headers, plus `Host` unless given.
    pub fn send(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&[u8]>) {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let mut push = |name: &str, value: &str| head.push_str(&format!("{name}: {value}\r\n"));
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            push("Host", "127.0.0.1");
        }
        headers.iter().for_each(|(name, value)| push(name, value));
        if let Some(body) = body {
            push("Content-Length", &body.len().to_string());
        }
        head.push_str("\r\n");
        self.write(head.as_bytes());
        self.write(body.unwrap_or_default());
    }

    pub fn write(&mut self, bytes: &[u8]) {
        // An early answer may end the upload; the answer must still be readable.
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// Reads status and headers.
    pub fn head(&mut self) -> Answer {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status =
            line.split(' ').nth(1).unwrap_or_else(|| panic!("no status in {line:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            match line.trim_end().split_once(": ") {
                Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
                None => break,
            }
        }
        Answer { status, headers, body: Vec::new() }
    }

    /// One chunk of a chunked body; empty at the end.
    pub fn chunk(&mut self) -> Vec<u8> {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let size = usize::from_str_radix(line.trim(), 16).unwrap();
        let mut chunk = vec![0; size + 2];
        self.0.read_exact(&mut chunk).unwrap();
        chunk.truncate(size);
        chunk
    }

    pub fn receive(&mut self) -> Answer {
        let mut answer = self.head();
        if answer.status == 100 {
            answer = self.head();
        }
        if answer.header("transfer-encoding") == Some("chunked") {
            loop {
                let chunk = self.chunk();
                if chunk.is_empty() {
                    break;
                }
                answer.body.extend(chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            answer.body = vec![0; length.parse().unwrap()];
            self.0.read_exact(&mut answer.body).unwrap();
        }
        answer
    }
}
