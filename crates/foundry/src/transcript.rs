//! What a writing tool leaves behind: a transcript of the call and an index of its files.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::artifacts::{Scope, Written, iso_of};
use crate::error::FoundryError;
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

/// Where the two records stand.
pub struct Records {
    pub transcript_path: String,
    pub bundle_index_path: String,
}

/// Writes `transcript.json` and `bundle.json` into the directory of the run.
pub fn write(
    scope: &Scope,
    redactor: &Redactor,
    run: &Run,
    artifacts: &[Artifact],
) -> Result<Records, FoundryError> {
    let (payload, redactions) = redactor.payload(run.input);
    let command = if run.apply { "apply" } else { "plan" };
    let mut files: Vec<Value> = artifacts
        .iter()
        .map(|artifact| json!({ "path": artifact.written.path, "sha256": artifact.written.sha256, "role": "output" }))
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
    let transcript_path = format!("{}/transcript.json", run.directory);
    let transcript = scope.write(&transcript_path, pretty(&transcript).as_bytes())?;
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
        "path": inside(&transcript.path), "sha256": transcript.sha256, "sizeBytes": transcript.size,
        "name": "transcript.json", "purpose": "Transcript of the call", "role": "transcript",
    }));
    index.sort_by(|a, b| a["path"].as_str().cmp(&b["path"].as_str()));
    let bundle = json!({ "schemaVersion": "1.0", "generatedAt": iso_of(run.ended), "files": index });
    let bundle_index_path = format!("{}/bundle.json", run.directory);
    scope.write(&bundle_index_path, pretty(&bundle).as_bytes())?;
    Ok(Records { transcript_path, bundle_index_path })
}
