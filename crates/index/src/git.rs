//! The commit and branch a folder has checked out, read from `.git` without starting a process.

use std::fs;
use std::path::{Path, PathBuf};

/// What was checked out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Revision {
    pub commit: Option<String>,
    /// `None` on a detached head.
    pub branch: Option<String>,
}

/// Reads the revision of the repository that `folder` is the root of; `None` where there is none.
pub(crate) fn revision(folder: &Path) -> Option<Revision> {
    let git = git_folder(folder)?;
    let head = read(&git.join("HEAD"))?;
    let Some(reference) = head.strip_prefix("ref: ") else {
        return Some(Revision { commit: is_commit(&head).then_some(head), branch: None });
    };
    let common = common(&git);
    let loose = [&git, &common].iter().find_map(|folder| read(&folder.join(reference)));
    let commit = loose.or_else(|| packed(&common, reference)).filter(|commit| is_commit(commit));
    let branch = reference.strip_prefix("refs/heads/").map(str::to_owned);
    Some(Revision { commit, branch })
}

/// Where the rules lie that git keeps for itself about the files of `folder`; `None` where its `.git` leads nowhere.
pub(crate) fn exclude_file(folder: &Path) -> Option<PathBuf> {
    Some(common(&git_folder(folder)?).join("info/exclude"))
}

/// A linked worktree keeps its HEAD apart and shares the rest.
fn common(git: &Path) -> PathBuf {
    read(&git.join("commondir")).map_or_else(|| git.to_owned(), |path| git.join(path))
}

fn git_folder(folder: &Path) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git);
    }
    let pointer = read(&dot_git)?;
    Some(folder.join(pointer.strip_prefix("gitdir: ")?))
}

fn packed(git: &Path, reference: &str) -> Option<String> {
    let refs = fs::read_to_string(git.join("packed-refs")).ok()?;
    let line = refs.lines().find(|line| line.split_once(' ').is_some_and(|(_, name)| name == reference))?;
    line.split(' ').next().map(str::to_owned)
}

fn read(path: &Path) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    Some(text.trim().to_owned())
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
