//! Looking at the process table: who descends from whom, and who carries our marker.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt;

use rustix::process::Pid;

use crate::command::CALL_MARKER;

/// The name a supervisor gives itself, so that it can be told from a server. The kernel keeps 15 bytes.
pub(crate) const SUPERVISOR_NAME: &str = "mainstay-super";

/// One line of the process table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: Pid,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) name: String,
    pub(crate) is_zombie: bool,
}

/// Reads the process table, in the order of pids and while it changes. Empty where there is no `/proc`.
fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| parse_stat(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

/// Parses `pid (name) state ppid pgrp …`; the name may itself contain blanks and parentheses.
fn parse_stat(stat: &[u8]) -> Option<Process> {
    let stat = String::from_utf8_lossy(stat);
    let (before, after) = stat.rsplit_once(')')?;
    let (pid, name) = before.split_once(" (")?;
    let mut fields = after.split_ascii_whitespace();
    let state = fields.next()?;
    Some(Process {
        pid: Pid::from_raw(pid.parse().ok()?)?,
        parent: fields.next()?.parse().ok()?,
        group: fields.next()?.parse().ok()?,
        name: name.to_owned(),
        is_zombie: matches!(state, "Z" | "X" | "x"),
    })
}

/// Calls `found` for all living descendants of `root`, each as soon as it is seen.
///
/// A process that forks and exits all the time is gone when the table has been read to its end, so there is no list to
/// be worked through later. One pass may still miss a process that is being born: repeat until nothing is left.
pub(crate) fn visit_descendants(root: Pid, mut found: impl FnMut(&Process)) {
    let mut family = HashSet::from([root.as_raw_nonzero().get()]);
    let mut visit = |process: &Process| {
        let belongs = family.contains(&process.parent);
        if belongs {
            family.insert(process.pid.as_raw_nonzero().get());
            if !process.is_zombie {
                found(process);
            }
        }
        belongs
    };
    // Parents come first, except for the few whose child's number is lower because numbers began anew.
    let mut others: Vec<Process> = processes().filter(|process| !visit(process)).collect();
    loop {
        let before = others.len();
        others.retain(|process| !visit(process));
        if others.len() == before {
            return;
        }
    }
}

/// A living process that was started by a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    pub pid: u32,
    /// The id of the call, from [`CALL_MARKER`].
    pub call: String,
    pub name: String,
    /// Whether a supervisor still looks after it; if none does, it escaped.
    pub is_supervised: bool,
}

/// Lists the living processes of one call, or of all calls, that we are allowed to look at.
pub fn list_strays(call: Option<&str>) -> Vec<Stray> {
    let table: HashMap<i32, Process> =
        processes().map(|process| (process.pid.as_raw_nonzero().get(), process)).collect();
    let marked = table.values().filter(|process| !process.is_zombie).filter_map(|process| {
        let marker = marker_of(process.pid)?;
        call.is_none_or(|call| call == marker).then(|| Stray {
            pid: process.pid.as_raw_nonzero().get().unsigned_abs(),
            call: marker,
            name: process.name.clone(),
            is_supervised: is_supervised(process, &table),
        })
    });
    let mut strays: Vec<Stray> = marked.collect();
    strays.sort_by_key(|stray| stray.pid);
    strays
}

fn marker_of(pid: Pid) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(CALL_MARKER.as_bytes())?.strip_prefix(b"=")?;
        Some(std::ffi::OsStr::from_bytes(value).to_string_lossy().into_owned())
    })
}

fn is_supervised(process: &Process, table: &HashMap<i32, Process>) -> bool {
    let ancestors = std::iter::successors(table.get(&process.parent), |process| table.get(&process.parent));
    ancestors.take(table.len()).any(|ancestor| ancestor.name == SUPERVISOR_NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_blanks_is_parsed() {
        let process = parse_stat(b"42 (a) b (c) S 7 40 40 0 -1").unwrap();
        assert_eq!((process.parent, process.group, process.name.as_str()), (7, 40, "a) b (c"));
        assert!(!process.is_zombie);
        assert!(parse_stat(b"42 (a) Z 7 40").unwrap().is_zombie);
        for broken in [&b""[..], b"42", b"42 (a", b"42 (a) S", b"x (a) S 1 1", b"0 (a) S 1 1"] {
            assert_eq!(parse_stat(broken), None);
        }
    }
}
