//! A JSON-RPC client on the pipes of a server process.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::site::{PATIENCE, wait_until};

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Lines,
    ContentLength,
}

pub struct Client {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    framing: Framing,
    messages: Receiver<Value>,
    /// How long an answer may take.
    pub patience: Duration,
}

impl Client {
    /// Starts a server, or something that starts one on the same pipes.
    pub fn start(mut command: Command, framing: Framing) -> Client {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut stdout, framing) {
                if send.send(message).is_err() {
                    break;
                }
            }
        });
        Client { stdin: child.stdin.take(), child, framing, messages, patience: PATIENCE * 10 }
    }

    pub fn send(&mut self, message: &Value) {
        self.send_text(&message.to_string());
    }

    /// Sends a message as it is written.
    pub fn send_text(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        match self.framing {
            Framing::Lines => writeln!(stdin, "{text}").unwrap(),
            Framing::ContentLength => {
                write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
            }
        }
        stdin.flush().unwrap();
    }

    /// The next message from the server.
    pub fn receive(&mut self) -> Value {
        self.messages.recv_timeout(self.patience).unwrap()
    }

    /// The answer to a request; notifications that come before it are passed over.
    pub fn answer(&mut self, id: &Value) -> Value {
        loop {
            let message = self.receive();
            if message.get("id") == Some(id) {
                return message;
            }
            assert!(message.get("method").is_some(), "an answer to nothing: {message}");
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": "test", "method": method, "params": params }));
        self.answer(&json!("test"))
    }

    pub fn initialize(&mut self) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" }
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    /// Closes the server's input and waits for its end.
    pub fn close(mut self) -> ExitStatus {
        drop(self.stdin.take());
        self.wait()
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the server to end", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        status.unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed must not leave its server; one that has ended already cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `None` at the end of output.
fn read(input: &mut impl BufRead, framing: Framing) -> Option<Value> {
    let mut line = String::new();
    if input.read_line(&mut line).ok()? == 0 {
        return None;
    }
    if framing == Framing::Lines {
        return Some(serde_json::from_str(&line).unwrap());
    }
    let mut length = None;
    while !line.trim().is_empty() {
        if let Some((_, value)) =
            line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().ok();
        }
        line.clear();
        input.read_line(&mut line).ok()?;
    }
    let mut body = vec![0; length.unwrap()];
    input.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}
