//! The text of the two records of a run: a transcript of the call and an index of its files.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::artifacts::{BUNDLE, TRANSCRIPT, Written, iso_of};
use crate::json::{canonical, pretty, sha256_hex};
use crate::redact::Redactor;

/// One run of a writing tool.
pub struct Run<'a> {
    pub tool: &'a str,
    /// Directory of the run, relative to the root.
    pub directory: String,
    pub input: &'a Value,
    pub apply: bool,
    pub role: Option<&'a str>,
    pub user: &'a str,
    pub hostname: &'a str,
    pub started: Timestamp,
    pub ended: Timestamp,
}

/// A file of the run with what people should know about it.
#[derive(Debug, Clone)]
pub struct Artifact {
    pub written: Written,
    pub name: String,
    pub purpose: String,
}

/// The two records, as text.
pub struct Records {
    pub transcript: String,
    pub bundle: String,
}

impl Records {
    /// Name and text of each, in the order in which they are written.
    pub fn files(&self) -> [(&'static str, &str); 2] {
        [(TRANSCRIPT, &self.transcript), (BUNDLE, &self.bundle)]
    }
}

/// Makes the records of a run. `changed` are files outside its folder: the transcript names them, the index does not,
/// because it lists what the folder holds.
pub fn records(redactor: &Redactor, run: &Run, artifacts: &[Artifact], changed: &[Written]) -> Records {
    let (payload, redactions) = redactor.payload(run.input);
    let command = if run.apply { "apply" } else { "plan" };
    let mut files: Vec<Value> = artifacts
        .iter()
        .map(|artifact| &artifact.written)
        .chain(changed)
        .map(|written| json!({ "path": written.path, "sha256": written.sha256, "role": "output" }))
        .collect();
    files.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    let started = iso_of(run.started);
    let signed = json!({
        "schemaVersion": "1.0", "tool": run.tool, "command": command, "source": "mcp-server",
        "user": run.user, "startTime": started, "artifacts": files,
    });
    let transcript = json!({
        "schemaVersion": "1.0",
        "source": "mcp-server",
        "command": command,
        "tool": run.tool,
        "args": { "payload": payload, "apply": run.apply, "options": { "approve": false, "role": run.role } },
        "user": run.user,
        "hostname": run.hostname,
        "startTime": started,
        "endTime": iso_of(run.ended),
        "exitCode": 0,
        "artifacts": files,
        "redactions": redactions.iter().map(|found| json!({ "field": found.field, "reason": found.reason })).collect::<Vec<_>>(),
        "signature": { "algo": "sha256", "hash": sha256_hex(canonical(&signed).as_bytes()) },
    });
    let transcript = pretty(&transcript);
    let inside =
        |path: &str| path.strip_prefix(&run.directory).unwrap_or(path).trim_start_matches('/').to_owned();
    let mut index: Vec<Value> = artifacts
        .iter()
        .map(|artifact| {
            json!({
                "path": inside(&artifact.written.path), "sha256": artifact.written.sha256, "sizeBytes": artifact.written.size,
                "name": artifact.name, "purpose": artifact.purpose, "role": "output",
            })
        })
        .collect();
    index.push(json!({
        "path": TRANSCRIPT, "sha256": sha256_hex(transcript.as_bytes()), "sizeBytes": transcript.len(),
        "name": TRANSCRIPT, "purpose": "Transcript of the call", "role": "transcript",
    }));
    index.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    let bundle = json!({ "schemaVersion": "1.0", "generatedAt": iso_of(run.ended), "files": index });
    Records { transcript, bundle: pretty(&bundle) }
}
