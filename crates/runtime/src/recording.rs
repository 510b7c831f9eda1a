//! Recordings: calls and their answers as lines of JSON, to be replayed against another server.
//!
//! The first line names the format; every other line is one call. Secrets are masked before anything is written.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use mainstay_contract::{Body, TOOLING_VERSION, redact, timestamp};
use serde_json::{Value, json};

use crate::journal::{Asked, Ending, Journal};
use crate::request::Outcome;

/// Names the format in the first line of a recording.
pub const FORMAT: &str = "mainstay-recording";
/// Grows when a reader of the format must change.
pub const FORMAT_VERSION: u64 = 1;
/// A recording ends before it grows beyond this.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A recording that is being made.
pub struct Recorder(Arc<Mutex<Tape>>);

struct Tape {
    file: File,
    bytes: u64,
    calls: u64,
}

impl Recorder {
    /// Starts a recording in a new file, or in place of an old one.
    pub fn create(path: &Path, now: Timestamp) -> io::Result<Recorder> {
        let mut file = File::create(path)?;
        let first = json!({ "format": FORMAT, "version": FORMAT_VERSION, "at": timestamp(now), "server": TOOLING_VERSION });
        let first = format!("{first}\n");
        file.write_all(first.as_bytes())?;
        Ok(Recorder(Arc::new(Mutex::new(Tape { file, bytes: first.len() as u64, calls: 0 }))))
    }
}

impl Journal for Recorder {
    fn begin(&self, asked: &Asked<'_>) -> Ending {
        let args = redact::mask_arguments(asked.def.map(|def| &*def.input), asked.args);
        let is_masked = args != *asked.args;
        let tool = asked.def.map_or_else(|| asked.tool.to_owned(), |def| def.id.clone());
        let (at, surface, tape) = (timestamp(asked.at), asked.surface, Arc::clone(&self.0));
        Box::new(move |outcome| {
            let answer = answer(outcome);
            let mut tape = tape.lock().unwrap_or_else(PoisonError::into_inner);
            let row = json!({
                "seq": tape.calls + 1, "at": at, "surface": surface, "tool": tool, "args": args, "masked": is_masked,
                "answer": answer, "durationMs": outcome.meta.duration_ms,
            });
            if let Err(error) = tape.add(&format!("{row}\n")) {
                tracing::error!(%error, tool, "a call could not be recorded");
            }
        })
    }
}

impl Tape {
    fn add(&mut self, line: &str) -> io::Result<()> {
        if self.bytes + line.len() as u64 > MAX_BYTES {
            return Err(io::Error::other(format!("a recording holds at most {MAX_BYTES} bytes")));
        }
        self.file.write_all(line.as_bytes())?;
        self.bytes += line.len() as u64;
        self.calls += 1;
        Ok(())
    }
}

/// The answer of a call as every surface carries it, without secrets.
fn answer(outcome: &Outcome) -> Value {
    let output = outcome.tool.as_ref().and_then(|tool| tool.output.as_deref());
    match &outcome.result {
        Ok(Body::Json(raw)) => {
            let result: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            json!({ "result": redact::mask_arguments(output, &result) })
        }
        Ok(Body::Text { text, is_error }) => json!({ "text": redact::mask_text(text), "isError": is_error }),
        Ok(Body::Content { structured: Some(structured), .. }) => {
            json!({ "result": redact::mask_arguments(output, structured) })
        }
        Ok(Body::Content { blocks, is_error, .. }) => {
            match blocks.first().and_then(|one| one["text"].as_str()) {
                Some(text) => json!({ "text": redact::mask_text(text), "isError": is_error }),
                None => json!({ "content": true, "isError": is_error }),
            }
        }
        Ok(_) => json!({ "other": true }),
        Err(failure) => {
            let error = redact::mask_arguments(None, &failure.fault.to_error());
            json!({ "error": { "code": error["code"], "message": error["message"] } })
        }
    }
}
