//! The kit of a project as it was at a git revision.

use std::fs;
use std::path::Path;

use mainstay_contract::Call;

use crate::exec::Job;
use crate::kit::{Kit, LazyKit, Source};
use crate::{Foundry, FoundryError};

/// Larger kits are mistakes: the built-in one has half a mebibyte.
const MAX_KIT_BYTES: usize = 64 << 20;
const MAX_KIT_FILES: usize = 2_000;

/// A kit to compare with, or why there is none.
pub enum Earlier {
    Kit {
        kit: std::sync::Arc<Kit>,
        revision: String,
    },
    /// Nothing to compare with: the reason.
    None(String),
}

/// Finds the kit at `revision`. Without one HEAD is meant, and then a project without history is no error.
pub fn earlier(foundry: &Foundry, call: &Call, revision: Option<&str>) -> Result<Earlier, FoundryError> {
    let Some(kit) = &foundry.config.kit else {
        return Ok(Earlier::None("the project uses the built-in kit, which has no history here".into()));
    };
    let wanted = revision.unwrap_or("HEAD");
    if wanted.starts_with('-') || wanted.is_empty() || wanted.chars().any(char::is_control) {
        return Err(FoundryError::arguments(format!("{wanted:?} is not a revision")));
    }
    let commit = match commit(foundry, call, kit, wanted) {
        Ok(Some(commit)) => commit,
        Ok(None) if revision.is_none() => {
            return Ok(Earlier::None("the kit is not in a git repository with a commit".into()));
        }
        Ok(None) => {
            return Err(FoundryError::Unknown {
                message: format!("git does not know the revision {wanted:?}"),
                hint: Some("name a commit, branch or tag of the repository the kit is in".into()),
            });
        }
        Err(FoundryError::Missing { message, .. }) if revision.is_none() => {
            return Ok(Earlier::None(message));
        }
        Err(error) => return Err(error),
    };
    let folder = tempfile::tempdir().map_err(|source| FoundryError::Io {
        action: "make",
        path: "a folder for the earlier kit".into(),
        source,
    })?;
    if extract(foundry, call, kit, &commit, folder.path())? == 0 {
        return Ok(Earlier::None(format!("there was no kit at {wanted}")));
    }
    match LazyKit::new(Source::Directory(folder.path().to_owned())).get() {
        Ok(kit) => {
            Ok(Earlier::Kit { kit, revision: format!("{wanted} ({})", &commit[..commit.len().min(10)]) })
        }
        Err(error) => Ok(Earlier::None(format!("the kit at {wanted} cannot be used: {error}"))),
    }
}

fn commit(foundry: &Foundry, call: &Call, kit: &Path, wanted: &str) -> Result<Option<String>, FoundryError> {
    let name = format!("{wanted}^{{commit}}");
    let job = Job::git(kit).args(["rev-parse", "--verify", "--quiet", "--end-of-options", &name]);
    let ran = foundry.exec(call, &job)?;
    Ok(ran.is_success().then(|| ran.text().trim().to_owned()).filter(|commit| !commit.is_empty()))
}

/// Writes the files of the kit at a commit; returns how many.
fn extract(
    foundry: &Foundry,
    call: &Call,
    kit: &Path,
    commit: &str,
    to: &Path,
) -> Result<usize, FoundryError> {
    let list = Job::git(kit).args(["ls-tree", "-r", "-z", commit]).output_bytes(MAX_KIT_BYTES);
    let list = foundry.exec(call, &list)?.success()?;
    let too_large = || FoundryError::refused("the earlier kit is too large", "compare with another revision");
    // Mode, kind and id stand before a tab, the path after it. Links and submodules are no files of a kit.
    let entries: Vec<(String, String)> = list
        .text()
        .split('\0')
        .filter_map(|line| line.split_once('\t'))
        .filter(|(facts, _)| facts.starts_with("100"))
        .filter_map(|(facts, path)| Some((facts.split(' ').nth(2)?.to_owned(), path.to_owned())))
        .collect();
    if list.truncated || entries.len() > MAX_KIT_FILES {
        return Err(too_large());
    }
    let ids: String = entries.iter().map(|(id, _)| format!("{id}\n")).collect();
    let batch = Job::git(kit).args(["cat-file", "--batch"]).stdin(ids).output_bytes(MAX_KIT_BYTES);
    let batch = foundry.exec(call, &batch)?.success()?;
    if batch.truncated {
        return Err(too_large());
    }
    let mut rest = batch.stdout.as_slice();
    for (_, path) in &entries {
        let (blob, after) = blob(rest).ok_or_else(|| batch.failed("printed no object".into()))?;
        rest = after;
        let plain = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if !plain {
            continue;
        }
        let target = to.join(path);
        let write = || {
            fs::create_dir_all(target.parent().unwrap_or(to))?;
            fs::write(&target, blob)
        };
        write().map_err(|source| FoundryError::Io { action: "write", path: path.clone(), source })?;
    }
    Ok(entries.len())
}

/// One object of `cat-file --batch`: a line with its size, the bytes, a newline.
fn blob(output: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = output.iter().position(|byte| *byte == b'\n')?;
    let size: usize = std::str::from_utf8(&output[..end]).ok()?.rsplit(' ').next()?.parse().ok()?;
    let start = end + 1;
    Some((output.get(start..start + size)?, output.get(start + size + 1..)?))
}
