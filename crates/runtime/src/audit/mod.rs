//! The audit log: every call as one line of JSON, each line sealed with the hash of the one before it.
//!
//! ```text
//! audit.jsonl               the newest rows
//! audit-<first row>.jsonl   older ones, in files of bounded size
//! head                      number and hash of the newest row, so that a dropped tail is noticed too
//! lock                      held while a row is added; several processes may share a log
//! ```
//!
//! A request that a surface refuses before it becomes a call has a row too; of very many in a minute only the number.
//!
//! Changing, dropping, adding or reordering a row breaks verification from that row on. Whoever can write the directory
//! can still make a whole new chain: keep the hash that `verify` prints elsewhere to rule that out.

mod flood;
mod row;
mod store;
mod verify;

use std::io;
use std::path::Path;
use std::sync::Arc;

pub use verify::{AuditReport, BrokenRow, newest, rows, verify};

use crate::audit::flood::Flood;
use crate::audit::row::Row;
use crate::audit::store::Store;
use crate::journal::{Asked, Ending, Journal, Refused};

/// A log that is open for writing.
pub struct AuditLog {
    store: Arc<Store>,
    flood: Flood,
}

impl AuditLog {
    /// Opens the log in a directory, which is made when it is missing.
    pub fn open(dir: &Path) -> io::Result<AuditLog> {
        Ok(AuditLog { store: Arc::new(Store::open(dir, store::MAX_FILE_BYTES)?), flood: Flood::default() })
    }
}

impl Journal for AuditLog {
    fn begin(&self, asked: &Asked<'_>) -> Ending {
        let (begun, store) = (Row::begun(asked), Arc::clone(&self.store));
        Box::new(move |outcome| add(&store, &begun.ended(outcome)))
    }

    fn refused(&self, refused: &Refused<'_>) {
        if let Some(omitted) = self.flood.admit(refused.at) {
            add(&self.store, &Row::refused(refused, omitted));
        }
    }
}

fn add(store: &Store, row: &Row) {
    // A full disk must not take the tools down with it; the server log says what is missing.
    if let Err(error) = store.append(|seq, prev| row.text(seq, prev)) {
        tracing::error!(%error, tool = row.tool, "a call could not be written to the audit log");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn log(dir: &Path, rows: usize, max: u64) {
        let store = Store::open(dir, max).unwrap();
        for n in 0..rows {
            let row = |seq: u64, prev: &str| format!(r#"{{"seq":{seq},"n":{n},"prev":"{prev}"}}"#);
            store.append(row).unwrap();
        }
    }

    fn problem(dir: &Path) -> String {
        verify(dir)
            .unwrap()
            .broken
            .map(|broken| format!("{}:{} {}", broken.file, broken.line, broken.what))
            .unwrap_or_default()
    }

    #[test]
    fn a_log_survives_restarts_and_rotation() {
        let dir = tempfile::tempdir().unwrap();
        for _ in 0..3 {
            log(dir.path(), 10, 600);
        }
        let report = verify(dir.path()).unwrap();
        assert_eq!((report.rows, report.broken), (30, None));
        assert!(report.files > 3, "{} files", report.files);
        assert_eq!(rows(dir.path()).unwrap().len(), 30);
        let seqs: Vec<u64> =
            newest(dir.path(), 12).unwrap().iter().filter_map(|row| row["seq"].as_u64()).collect();
        assert_eq!(seqs, (19..=30).rev().collect::<Vec<_>>());
    }

    #[test]
    fn every_kind_of_tampering_is_found() {
        type Change = fn(&mut Vec<String>);
        let change: [(&str, Change); 5] = [
            ("edit", |lines| lines[1] = lines[1].replace("\"n\":1", "\"n\":7")),
            ("drop in the middle", |lines| drop(lines.remove(1))),
            ("drop the last", |lines| drop(lines.pop())),
            ("swap", |lines| lines.swap(1, 2)),
            ("add", |lines| lines.push(lines[3].clone())),
        ];
        for (what, change) in change {
            let dir = tempfile::tempdir().unwrap();
            log(dir.path(), 4, 1 << 20);
            assert_eq!(problem(dir.path()), "");
            let file = dir.path().join("audit.jsonl");
            let mut lines: Vec<String> =
                fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
            change(&mut lines);
            fs::write(&file, lines.join("\n") + "\n").unwrap();
            assert_ne!(problem(dir.path()), "", "{what}");
            // Rows that follow do not hide it.
            log(dir.path(), 2, 1 << 20);
            assert_ne!(problem(dir.path()), "", "{what}, then written on");
        }
    }

    #[test]
    fn a_row_cut_short_by_a_crash_is_left_out_and_the_log_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        log(dir.path(), 2, 1 << 20);
        let file = dir.path().join("audit.jsonl");
        let mut text = fs::read_to_string(&file).unwrap();
        text.push_str("{\"seq\":3,\"n\":");
        fs::write(&file, text).unwrap();
        log(dir.path(), 1, 1 << 20);
        assert_eq!((problem(dir.path()).as_str(), rows(dir.path()).unwrap().len()), ("", 3));
    }

    #[test]
    fn a_row_whose_head_was_not_written_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        log(dir.path(), 1, 1 << 20);
        let head = fs::read(dir.path().join("head")).unwrap();
        log(dir.path(), 1, 1 << 20);
        fs::write(dir.path().join("head"), head).unwrap();
        log(dir.path(), 1, 1 << 20);
        assert_eq!((problem(dir.path()).as_str(), rows(dir.path()).unwrap().len()), ("", 3));
    }

    #[test]
    fn writers_in_several_threads_share_one_chain() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| log(dir.path(), 25, 4_000));
            }
        });
        let report = verify(dir.path()).unwrap();
        assert_eq!((report.rows, report.broken), (100, None));
    }
}
