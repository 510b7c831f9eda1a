//! Reads `git log --numstat` as it comes.

use std::collections::HashSet;
use std::path::Path;

use mainstay_contract::Call;

use super::{FileHistory, History, PATIENCE, VERSION};
use crate::SearchError;
use crate::git::Git;

/// One commit starts with this byte, its fields are separated by the other.
const COMMIT: char = '\x1e';
const FIELD: char = '\x1f';
/// Longer paths are no files of ours.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// Brings a history up to `head`: only new commits are read where the old head is an ancestor of the new one.
pub(super) fn update(
    call: &Call,
    git: &Git,
    repo: &Path,
    known: Option<&History>,
    head: &str,
    naming: &str,
) -> Result<History, SearchError> {
    let mut base = None;
    // Who is meant by a name is said of all commits at once.
    if let Some(known) = known.filter(|known| known.naming == naming) {
        let words = ["merge-base", "--is-ancestor", &known.head, head];
        if git.run(call, repo, &words)?.is_ok() {
            base = Some(known);
        }
    }
    let range = base.map_or_else(|| head.to_owned(), |known| format!("{}..{head}", known.head));
    let format = format!("--format={COMMIT}%H{FIELD}%aN{FIELD}%aE{FIELD}%ct");
    let words = [
        "log",
        "--use-mailmap",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--numstat",
        "-z",
        "--relative",
        &format,
        &range,
        "--",
        ".",
    ];
    let mut fold = Fold { boundary: boundary(call, git, repo)?, ..Fold::default() };
    let mut rest: Vec<u8> = Vec::new();
    let finished = git.stream(call, repo, &words, PATIENCE, &mut |bytes| {
        rest.extend_from_slice(bytes);
        let mut start = 0;
        while let Some(end) = rest[start..].iter().position(|byte| *byte == 0) {
            fold.token(&String::from_utf8_lossy(&rest[start..start + end]));
            start += end + 1;
        }
        rest.drain(..start);
        if rest.len() > MAX_TOKEN_BYTES {
            rest.clear();
        }
    })?;
    let whole = finished.map_err(|reason| SearchError::NoHistory { reason })?;
    fold.token(&String::from_utf8_lossy(&rest));
    let mut history = History {
        version: VERSION,
        head: head.to_owned(),
        naming: naming.to_owned(),
        complete: whole && fold.boundary.is_empty() && base.is_none_or(|known| known.complete),
        files: base.map(|known| known.files.clone()).unwrap_or_default(),
    };
    for (path, new) in fold.files {
        let entry = history.files.entry(path).or_default();
        let (churn, commit_mark) = (entry.churn + new.churn, entry.commit_mark.wrapping_add(new.commit_mark));
        *entry = FileHistory { churn, commit_mark, ..new };
    }
    Ok(history)
}

/// The commits where a shallow clone was cut off: they seem to add every file.
fn boundary(call: &Call, git: &Git, repo: &Path) -> Result<HashSet<String>, SearchError> {
    let Ok(place) = git.run(call, repo, &["rev-parse", "--git-path", "shallow"])? else {
        return Ok(HashSet::new());
    };
    let text = std::fs::read_to_string(repo.join(place.trim())).unwrap_or_default();
    Ok(text.lines().map(str::to_owned).collect())
}

/// Sums up commits, newest first.
#[derive(Default)]
struct Fold {
    files: std::collections::BTreeMap<String, FileHistory>,
    boundary: HashSet<String>,
    author: String,
    time: i64,
    /// The beginning of the commit's id.
    commit: u64,
    is_boundary: bool,
}

impl Fold {
    fn token(&mut self, token: &str) {
        let token = token.trim_start_matches('\n');
        if let Some(head) = token.strip_prefix(COMMIT) {
            let mut fields = head.split(FIELD);
            let mut next = || fields.next().unwrap_or_default();
            let (commit, name, address, time) = (next(), next(), next(), next());
            self.is_boundary = self.boundary.contains(commit);
            self.commit =
                commit.get(..16).and_then(|id| u64::from_str_radix(id, 16).ok()).unwrap_or_default();
            self.author = format!("{name} <{address}>");
            self.time = time.trim().parse().unwrap_or_default();
            return;
        }
        let mut parts = token.splitn(3, '\t');
        let (Some(added), Some(deleted), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            return;
        };
        if self.is_boundary || path.is_empty() {
            return;
        }
        // Binary files have no lines.
        let lines = |text: &str| text.parse::<u64>().unwrap_or_default();
        let churn = lines(added) + lines(deleted);
        match self.files.get_mut(path) {
            Some(file) => {
                file.churn += churn;
                file.commit_mark = file.commit_mark.wrapping_add(self.commit);
            }
            None => {
                let (author, time, commit_mark) = (self.author.clone(), self.time, self.commit);
                let file = FileHistory { author, time, churn, commit_mark };
                self.files.insert(path.to_owned(), file);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_commit_names_the_author_and_all_count() {
        let mut fold = Fold { boundary: HashSet::from(["c3".to_owned()]), ..Fold::default() };
        for token in [
            "\x1ec1\x1fAnn\x1fann@x\x1f300",
            "\n3\t1\ta.rs",
            "-\t-\tb.png",
            "\x1ec2\x1fBob\x1fbob@x\x1f200",
            "\n10\t0\ta.rs",
            "\x1ec3\x1fOld\x1fold@x\x1f100",
            "\n99\t0\ta.rs",
            "99\t0\tc.rs",
            "",
        ] {
            fold.token(token);
        }
        let a = &fold.files["a.rs"];
        assert_eq!((a.author.as_str(), a.time, a.churn), ("Ann <ann@x>", 300, 14));
        assert_eq!(fold.files["b.png"].churn, 0);
        assert!(!fold.files.contains_key("c.rs"), "what a cut-off commit says is not known");
    }
}
