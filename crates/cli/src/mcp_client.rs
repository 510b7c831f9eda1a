//! A client of a server on stdio, as small as replaying and looking need.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use mainstay_contract::{Fault, FaultResult};
use serde_json::{Value, json};

/// As much of what a server says on stderr as is kept.
const MAX_COMPLAINT_BYTES: u64 = 16 * 1024;

/// A server that was started for this and ends with it.
pub struct Client {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    /// When all of it must be over.
    deadline: Option<Instant>,
    next: u64,
}

impl Client {
    /// Starts a server; whoever waits for its answers waits no longer than `patience` in all.
    pub fn start(command: &mut Command, patience: Option<Duration>) -> FaultResult<Client> {
        let program = command.get_program().to_string_lossy().into_owned();
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Fault::invalid(format!("could not start {program}: {error}")))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let input = input.expect("stdin was asked for as a pipe");
        let output = BufReader::new(output.expect("stdout was asked for as a pipe"));
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Client { child, input, lines, deadline: patience.map(|time| Instant::now() + time), next: 0 })
    }

    /// Shakes hands and returns what the server says about itself.
    pub fn initialize(&mut self, name: &str) -> FaultResult<Value> {
        let hello = json!({
            "protocolVersion": mainstay_contract::PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": { "name": name, "version": mainstay_contract::TOOLING_VERSION },
        });
        let answer = self.request("initialize", hello)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(answer["result"].clone())
    }

    /// The answer to a request; whatever comes before it is passed over.
    pub fn request(&mut self, method: &str, params: Value) -> FaultResult<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = match self.deadline {
                None => self.lines.recv().ok(),
                Some(end) => self.lines.recv_timeout(end.saturating_duration_since(Instant::now())).ok(),
            };
            let Some(line) = line else { return Err(gone("it gave no answer")) };
            match serde_json::from_str::<Value>(&line) {
                Ok(answer) if answer["id"] == id && answer.get("method").is_none() => return Ok(answer),
                _ => continue,
            }
        }
    }

    fn send(&mut self, message: &Value) -> FaultResult<()> {
        let sent = writeln!(self.input, "{message}").and_then(|()| self.input.flush());
        sent.map_err(|error| gone(&error.to_string()))
    }

    /// Ends the server and returns what it said on stderr, where that was asked for as a pipe.
    pub fn complaint(mut self) -> String {
        self.end();
        let mut text = Vec::new();
        if let Some(stderr) = self.child.stderr.take() {
            // What cannot be read is no complaint.
            let _ = stderr.take(MAX_COMPLAINT_BYTES).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn end(&mut self) {
        // It would end with its stdin; nobody waits for what it still does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.end();
    }
}

fn gone(why: &str) -> Fault {
    Fault::invalid(format!("the server went away: {why}")).hint("start the command by itself to see why")
}
