//! A client of a server on stdio, as small as replaying needs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use mainstay_contract::{Fault, FaultResult};
use serde_json::{Value, json};

/// A server that was started for this and ends with it.
pub struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    /// Starts a server and shakes hands.
    pub fn start(words: &[String]) -> FaultResult<Client> {
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| Fault::invalid(format!("could not start {}: {error}", words[0])))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let input = input.expect("stdin was asked for as a pipe");
        let output = BufReader::new(output.expect("stdout was asked for as a pipe"));
        let mut client = Client { child, input, output, next: 0 };
        client.request(
            "initialize",
            json!({
                "protocolVersion": mainstay_contract::PROTOCOL_VERSION, "capabilities": {},
                "clientInfo": { "name": "mainstay replay", "version": mainstay_contract::TOOLING_VERSION }
            }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Calls a tool and returns its answer in the form recordings have.
    pub fn call(&mut self, tool: &str, args: &Value) -> FaultResult<Value> {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": args }))?;
        if let Some(error) = answer.get("error") {
            let code = error.pointer("/data/code").unwrap_or(&error["code"]);
            return Ok(json!({ "error": { "code": code, "message": error["message"] } }));
        }
        let result = &answer["result"];
        let is_error = result["isError"] == true;
        match result.get("structuredContent") {
            Some(envelope) if envelope["ok"] == true => Ok(json!({ "result": envelope["result"] })),
            Some(envelope) if envelope["ok"] == false => {
                let error = &envelope["error"];
                Ok(json!({ "error": { "code": error["code"], "message": error["message"] } }))
            }
            Some(bare) => Ok(json!({ "result": bare })),
            None => match result.pointer("/content/0/text") {
                Some(text) => Ok(json!({ "text": text, "isError": is_error })),
                None => Ok(json!({ "content": true, "isError": is_error })),
            },
        }
    }

    fn send(&mut self, message: &Value) -> FaultResult<()> {
        writeln!(self.input, "{message}").and_then(|()| self.input.flush()).map_err(|error| gone(&error))
    }

    fn request(&mut self, method: &str, params: Value) -> FaultResult<Value> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line).map_err(|error| gone(&error))?;
            if read == 0 {
                return Err(gone(&std::io::Error::from(std::io::ErrorKind::UnexpectedEof)));
            }
            // Notifications come between answers.
            match serde_json::from_str::<Value>(&line) {
                Ok(answer) if answer["id"] == id && answer.get("method").is_none() => return Ok(answer),
                _ => continue,
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It would end with its stdin; nobody waits for what it still does.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn gone(error: &std::io::Error) -> Fault {
    Fault::invalid(format!("the server went away: {error}")).hint("start the command by itself to see why")
}
