//! Seals, and whether a log still carries the ones it was written with.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::store::{CURRENT, Head, ORIGIN};

/// A row as it stands in a file.
pub struct Sealed {
    pub seq: u64,
    pub prev: String,
    pub hash: String,
    /// The line, with its end.
    pub line: String,
}

fn hash_of(row: &str) -> String {
    Sha256::digest(row).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds the hash of a row as its last member. The row names the hash before it, so the hash covers everything so far.
pub fn seal(row: &str) -> Sealed {
    let hash = hash_of(row);
    let open = row.strip_suffix('}').expect("a row is a JSON object");
    let line = format!("{open},\"hash\":\"{hash}\"}}\n");
    Sealed::read(line.as_bytes()).expect("a sealed row reads back")
}

impl Sealed {
    /// Reads a line; `None` when it is no row or its hash does not fit its text.
    pub fn read(line: &[u8]) -> Option<Sealed> {
        #[derive(Deserialize)]
        struct Marks {
            seq: u64,
            prev: String,
        }
        let line = std::str::from_utf8(line).ok()?;
        let (open, hash) = line.trim_end_matches('\n').strip_suffix("\"}")?.rsplit_once(",\"hash\":\"")?;
        let row = format!("{open}}}");
        let marks: Marks = serde_json::from_str(&row).ok()?;
        (hash_of(&row) == hash).then(|| Sealed {
            seq: marks.seq,
            prev: marks.prev,
            hash: hash.to_owned(),
            line: line.to_owned(),
        })
    }
}

/// The files of a log, oldest first.
fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut older: Vec<PathBuf> = Vec::new();
    for item in fs::read_dir(dir)? {
        let path = item?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("audit-") && name.ends_with(".jsonl") {
            older.push(path);
        }
    }
    older.sort();
    let current = dir.join(CURRENT);
    if current.exists() {
        older.push(current);
    }
    Ok(older)
}

/// Every row that can be read, oldest first.
pub fn rows(dir: &Path) -> io::Result<Vec<Value>> {
    let mut rows = Vec::new();
    for file in files(dir)? {
        let text = fs::read(file)?;
        rows.extend(text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()));
    }
    Ok(rows)
}

/// As much of one file as is read for the newest rows.
const TAIL_BYTES: u64 = 2 * 1024 * 1024;

/// The newest rows, newest first: at most `count`, and no more than fit into the ends of the files.
pub fn newest(dir: &Path, count: usize) -> io::Result<Vec<Value>> {
    let mut newest = Vec::new();
    for path in files(dir)?.iter().rev() {
        if newest.len() >= count {
            break;
        }
        let mut file = fs::File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(TAIL_BYTES);
        file.seek(SeekFrom::Start(from))?;
        let mut tail = Vec::new();
        file.take(TAIL_BYTES).read_to_end(&mut tail)?;
        // The first line of a tail is half a row, which does not parse.
        let rows =
            tail.split(|byte| *byte == b'\n').rev().filter_map(|line| serde_json::from_slice(line).ok());
        newest.extend(rows.take(count - newest.len()));
    }
    Ok(newest)
}

/// What verification found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditReport {
    pub ok: bool,
    pub files: usize,
    pub rows: u64,
    /// Hash of the newest row: kept elsewhere, it proves that the log was not made anew.
    pub head: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<BrokenRow>,
}

/// The first place where a log is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenRow {
    pub file: String,
    pub line: usize,
    pub what: String,
}

/// Checks every row against its seal, its neighbours and the head.
pub fn verify(dir: &Path) -> io::Result<AuditReport> {
    let files = files(dir)?;
    let mut report =
        AuditReport { ok: true, files: files.len(), rows: 0, head: ORIGIN.to_owned(), broken: None };
    let broken =
        |file: &str, line, what: &str| BrokenRow { file: file.to_owned(), line, what: what.to_owned() };
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(path)?;
        for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            let what = match Sealed::read(line) {
                None => "was changed, or is not a row",
                Some(row) if row.seq != report.rows + 1 || row.prev != report.head => {
                    "does not follow the row before it"
                }
                Some(row) => {
                    report.rows = row.seq;
                    report.head = row.hash;
                    continue;
                }
            };
            report.broken = Some(broken(&name, at + 1, what));
            return Ok(AuditReport { ok: false, ..report });
        }
    }
    let problem = match Head::read(dir) {
        Ok(Some(head)) if (head.seq, &head.hash) == (report.rows, &report.head) => None,
        Ok(None) if report.rows == 0 => None,
        Ok(Some(head)) if head.seq > report.rows => Some("the newest rows are missing"),
        _ => Some("does not name the newest row"),
    };
    report.broken = problem.map(|what| broken(super::store::HEAD, 1, what));
    report.ok = report.broken.is_none();
    Ok(report)
}
