//! What says who is meant by the name of a commit: mail maps, and the commits blame is told to pass over.

use std::path::{Path, PathBuf};

use mainstay_contract::Call;
use sha2::{Digest, Sha256};

use crate::SearchError;
use crate::git::Git;
use crate::hex::hex;

/// Longer files are no lists of names.
const MAX_BYTES: u64 = 4 << 20;

/// A digest of everything that has a say, so that what was read before it changed is read again.
pub(super) fn digest(call: &Call, git: &Git, repo: &Path) -> Result<String, SearchError> {
    let settings = git.settings(call, repo)?.map_err(|reason| SearchError::NoHistory { reason })?;
    let top = repo.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(repo);
    let mut digest = Sha256::new();
    let mut add = |bytes: &[u8]| {
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    };
    add(&text(&top.join(".mailmap")));
    for (name, value) in &settings {
        if !(name.starts_with("mailmap.") || name.starts_with("blame.")) {
            continue;
        }
        add(name.as_bytes());
        add(value.as_bytes());
        match name.as_str() {
            "mailmap.file" | "blame.ignorerevsfile" => add(&text(&place(git, top, value))),
            "mailmap.blob" => {
                let blob = git.run(call, repo, &["rev-parse", "--verify", "--end-of-options", value])?;
                add(blob.unwrap_or_default().as_bytes());
            }
            _ => {}
        }
    }
    Ok(hex(&digest.finalize()[..16]))
}

/// Where git looks for a file of its settings.
fn place(git: &Git, top: &Path, value: &str) -> PathBuf {
    match (value.strip_prefix("~/"), git.home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => top.join(value),
    }
}

fn text(path: &Path) -> Vec<u8> {
    let is_list = path.metadata().is_ok_and(|file| file.is_file() && file.len() <= MAX_BYTES);
    is_list.then(|| std::fs::read(path).ok()).flatten().unwrap_or_default()
}
