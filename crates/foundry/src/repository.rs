//! What git says about the project.

use std::path::Path;

use mainstay_contract::Call;
use serde::Serialize;

use crate::exec::{Job, Ran};
use crate::json::near;
use crate::{Foundry, FoundryError};

/// More commits than this are not read for one changelog.
pub const MAX_COMMITS: usize = 5_000;

/// The state of the working tree.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Head {
    /// Full name of the commit; absent before the first one.
    pub commit: Option<String>,
    /// Branch; absent when a commit is checked out directly.
    pub branch: Option<String>,
    /// Files changed, added or removed, our own artifacts not counted.
    pub changed_files: usize,
}

/// One commit as a changelog needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub hash: String,
    pub subject: String,
    pub body: String,
}

/// git in the root of the project, within one call.
pub struct Repository<'a> {
    foundry: &'a Foundry,
    call: &'a Call,
}

impl<'a> Repository<'a> {
    pub fn new(foundry: &'a Foundry, call: &'a Call) -> Repository<'a> {
        Repository { foundry, call }
    }

    fn root(&self) -> &Path {
        &self.foundry.config.root
    }

    pub fn run<S: AsRef<std::ffi::OsStr>>(
        &self,
        args: impl IntoIterator<Item = S>,
    ) -> Result<Ran, FoundryError> {
        self.foundry.exec(self.call, &Job::git(self.root()).args(args).output_bytes(8 << 20))
    }

    /// Whether the project is in a repository at all.
    pub fn exists(&self) -> Result<bool, FoundryError> {
        let ran = self.run(["rev-parse", "--is-inside-work-tree"])?;
        // A repository of another owner is one all the same.
        if ran.stderr.contains("dubious ownership") {
            return Err(ran.failed("does not trust the owner of the repository".into()));
        }
        Ok(ran.is_success() && ran.text().trim() == "true")
    }

    /// Fails when there is no repository.
    pub fn require(&self) -> Result<(), FoundryError> {
        match self.exists()? {
            true => Ok(()),
            false => Err(FoundryError::refused(
                "the project is no git repository",
                "run the tool in a repository, or name one with --repo",
            )),
        }
    }

    pub fn head(&self) -> Result<Head, FoundryError> {
        let line = |ran: Ran| {
            let text = ran.text().trim().to_owned();
            (ran.is_success() && !text.is_empty()).then_some(text)
        };
        let commit = line(self.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?);
        let branch = line(self.run(["symbolic-ref", "--quiet", "--short", "HEAD"])?);
        // What we write ourselves does not make a tree dirty.
        let ours = format!(":(exclude,literal){}", self.foundry.rules.artifacts_base);
        let status = self.run(["status", "--porcelain", "-z", "--", ":(top)", ours.as_str()])?.success()?;
        let changed_files = changed(&status.stdout);
        Ok(Head { commit, branch, changed_files })
    }

    /// The commit a tag names.
    pub fn tag_commit(&self, tag: &str) -> Result<Option<String>, FoundryError> {
        let name = format!("refs/tags/{tag}^{{commit}}");
        let ran = self.run(["rev-parse", "--verify", "--quiet", "--end-of-options", &name])?;
        Ok(ran.is_success().then(|| ran.text().trim().to_owned()))
    }

    /// Whether a tag exists, whatever it names.
    pub fn has_tag(&self, tag: &str) -> Result<bool, FoundryError> {
        let name = format!("refs/tags/{tag}");
        Ok(self.run(["show-ref", "--verify", "--quiet", "--", &name])?.is_success())
    }

    /// The newest `v…` tag before the head.
    pub fn last_release(&self) -> Result<Option<String>, FoundryError> {
        let ran = self.run(["describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD"])?;
        Ok(ran.is_success().then(|| ran.text().trim().to_owned()).filter(|tag| !tag.is_empty()))
    }

    /// Where a changelog begins: the tag asked for, or the last release.
    pub fn start_of_changelog(&self, from: Option<&str>) -> Result<Option<String>, FoundryError> {
        let Some(from) = from else { return self.last_release() };
        if from.is_empty() || from.starts_with('-') || self.tag_commit(from)?.is_none() {
            let tags = self.run(["tag", "--list"])?.text();
            let near = near(from, tags.lines(), 3);
            let hint = if near.is_empty() {
                "list them with `git tag`".into()
            } else {
                format!("did you mean {}", near.join(", "))
            };
            return Err(FoundryError::Unknown {
                message: format!("there is no tag {from:?}"),
                hint: Some(hint),
            });
        }
        Ok(Some(from.to_owned()))
    }

    /// Commits after a tag, newest first; all of them without one.
    pub fn commits_since(&self, tag: Option<&str>) -> Result<Vec<Commit>, FoundryError> {
        let range = tag.map_or_else(|| "HEAD".to_owned(), |tag| format!("refs/tags/{tag}..HEAD"));
        let limit = format!("--max-count={MAX_COMMITS}");
        let log =
            self.run(["log", "--no-color", "--no-merges", &limit, "--format=%H%x1f%s%x1f%b%x1e", &range])?;
        let log = log.success()?;
        if log.truncated {
            return Err(log.failed("wrote more than 8 MiB of history".into()));
        }
        Ok(commits(&log.text()))
    }
}

/// Entries of `git status -z`; a rename has its old name as an entry of its own.
fn changed(status: &[u8]) -> usize {
    let mut entries = status.split(|byte| *byte == 0).filter(|entry| !entry.is_empty());
    let mut count = 0;
    while let Some(entry) = entries.next() {
        count += 1;
        if matches!(entry.first(), Some(b'R' | b'C')) {
            entries.next();
        }
    }
    count
}

fn commits(log: &str) -> Vec<Commit> {
    log.split('\u{1e}')
        .filter_map(|entry| {
            let mut parts = entry.trim_start_matches('\n').splitn(3, '\u{1f}');
            let (hash, subject, body) = (parts.next()?, parts.next()?, parts.next()?);
            Some(Commit { hash: hash.to_owned(), subject: subject.to_owned(), body: body.trim().to_owned() })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rename_is_one_change() {
        assert_eq!(changed(b" M a\0R  new\0old\0?? x y\0"), 3);
        assert_eq!(changed(b""), 0);
    }

    #[test]
    fn bodies_keep_their_lines() {
        let found = commits("aa\u{1f}feat: x\u{1f}one\ntwo\n\u{1e}\nbb\u{1f}y\u{1f}\u{1e}\n");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].body.as_str(), found[1].subject.as_str()), ("one\ntwo", "y"));
    }
}
