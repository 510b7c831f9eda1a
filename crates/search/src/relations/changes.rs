//! What a change touches: files and lines of the new side of a unified diff.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use mainstay_contract::Call;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Search, SearchError};

const PATIENCE: Duration = Duration::from_secs(20);
pub const MAX_DIFF_BYTES: usize = 8 << 20;
/// Files of a change that are looked at.
pub const MAX_FILES: usize = 2_000;

/// A file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// Path relative to the repository.
    pub file: String,
    /// Lines that were added.
    pub added: u32,
    /// Lines that were deleted.
    pub deleted: u32,
    /// Whether the file is gone.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub removed: bool,
    /// Lines of the new file that were touched.
    #[serde(skip)]
    pub lines: Vec<(u32, u32)>,
}

/// Reads a unified diff, with or without lines of context.
pub fn parse(diff: &str) -> Vec<ChangedFile> {
    let mut files: BTreeMap<String, ChangedFile> = BTreeMap::new();
    let (mut old, mut current): (String, Option<String>) = (String::new(), None);
    let (mut line, mut left_old, mut left_new) = (0u32, 0u32, 0u32);
    for text in diff.lines() {
        if left_old == 0 && left_new == 0 {
            if let Some(path) = text.strip_prefix("--- ") {
                old = path_of(path);
            } else if let Some(path) = text.strip_prefix("+++ ") {
                let new = path_of(path);
                let removed = new.is_empty();
                let file = if removed { old.clone() } else { new };
                current = (!file.is_empty()).then(|| file.clone());
                if let Some(file) = &current {
                    files.entry(file.clone()).or_insert_with(|| ChangedFile {
                        file: file.clone(),
                        added: 0,
                        deleted: 0,
                        removed,
                        lines: Vec::new(),
                    });
                }
            } else if let Some((before, after)) = hunk(text) {
                (left_old, left_new, line) = (before.1, after.1, after.0);
                // Lines that only went away touch the one they stood behind.
                if after.1 == 0
                    && let Some(file) = current.as_ref().and_then(|file| files.get_mut(file))
                {
                    touch(&mut file.lines, after.0.max(1));
                }
            }
            continue;
        }
        let Some(file) = current.as_ref().and_then(|file| files.get_mut(file)) else { continue };
        match text.bytes().next() {
            Some(b'+') => {
                file.added += 1;
                touch(&mut file.lines, line);
                (line, left_new) = (line + 1, left_new.saturating_sub(1));
            }
            Some(b'-') => {
                file.deleted += 1;
                touch(&mut file.lines, line.max(1));
                left_old = left_old.saturating_sub(1);
            }
            Some(b'\\') => {}
            _ => {
                line += 1;
                (left_old, left_new) = (left_old.saturating_sub(1), left_new.saturating_sub(1));
            }
        }
    }
    files.into_values().take(MAX_FILES).collect()
}

fn touch(lines: &mut Vec<(u32, u32)>, line: u32) {
    match lines.last_mut() {
        Some(last) if last.1 + 1 >= line && last.0 <= line => last.1 = last.1.max(line),
        _ => lines.push((line, line)),
    }
}

/// `b/src/a.rs` as a path; nothing for `/dev/null`.
fn path_of(text: &str) -> String {
    let text = text.split('\t').next().unwrap_or(text).trim().trim_matches('"');
    if text == "/dev/null" {
        return String::new();
    }
    let stripped = ["a/", "b/", "i/", "w/", "c/", "o/"].iter().find_map(|prefix| text.strip_prefix(prefix));
    stripped.unwrap_or(text).to_owned()
}

/// First line and number of lines of both sides: `@@ -1,2 +3,4 @@`.
fn hunk(text: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut words = text.strip_prefix("@@ ")?.split(' ');
    let mut side = |sign: char| {
        let range = words.next()?.strip_prefix(sign)?;
        let (start, count) = range.split_once(',').unwrap_or((range, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((side('-')?, side('+')?))
}

/// The changes git knows: of a range of commits, or of the working tree with files it does not know yet.
pub fn from_git(
    call: &Call,
    search: &Search,
    repo: &Path,
    range: Option<&str>,
) -> Result<Vec<ChangedFile>, SearchError> {
    let mut words = vec!["diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U0", "-M", "--relative"];
    words.push(range.unwrap_or("HEAD"));
    words.push("--");
    let mut files = parse(&output(call, search, repo, &words)?);
    if range.is_none() {
        let new = output(call, search, repo, &["ls-files", "--others", "--exclude-standard", "-z"])?;
        let known: Vec<&str> = new.split('\0').filter(|path| !path.is_empty()).collect();
        files.extend(known.into_iter().take(MAX_FILES).map(|path| ChangedFile {
            file: path.to_owned(),
            added: 0,
            deleted: 0,
            removed: false,
            lines: vec![(1, u32::MAX)],
        }));
    }
    Ok(files)
}

fn output(call: &Call, search: &Search, repo: &Path, words: &[&str]) -> Result<String, SearchError> {
    let mut bytes = Vec::new();
    let ended = search.git.stream(call, repo, words, PATIENCE, &mut |some| {
        let room = MAX_DIFF_BYTES.saturating_sub(bytes.len());
        bytes.extend_from_slice(&some[..some.len().min(room)]);
    })?;
    match ended {
        Ok(true) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(false) => Err(SearchError::NoChanges { reason: "git took too long".into() }),
        Err(reason) => Err(SearchError::NoChanges { reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_new_side_are_touched() {
        let diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,4 @@\n one\n+new\n two\n-three\n+3\n\
                    @@ -9,1 +10,0 @@\n-gone\n--- a/old.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n\
                    --- /dev/null\n+++ b/fresh.py\n@@ -0,0 +1,2 @@\n+a\n+b\n";
        let files = parse(diff);
        let shown: Vec<_> =
            files.iter().map(|file| (file.file.as_str(), file.added, file.deleted, file.removed)).collect();
        assert_eq!(shown, [("fresh.py", 2, 0, false), ("old.py", 0, 1, true), ("x.py", 2, 2, false)]);
        assert_eq!(files[2].lines, [(2, 2), (4, 4), (10, 10)]);
        assert_eq!(files[0].lines, [(1, 2)]);
    }

    #[test]
    fn nonsense_is_no_change() {
        for diff in ["", "+++ \n@@ x", "@@ -1 +1 @@\n+a", "+++ b/x\n@@ -99999999999 +1 @@\n"] {
            assert!(parse(diff).iter().all(|file| file.lines.is_empty()), "{diff}");
        }
    }
}
