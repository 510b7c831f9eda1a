//! Which repository a call is about.

use std::path::{Path, PathBuf};

use mainstay_contract::{Call, ErrorCode, Fault, FaultResult};

use crate::SearchConfig;

/// The longest path accepted from a caller.
const MAX_PATH_BYTES: usize = 4096;

/// Resolves the repository a call names, or the server's own, and checks that the caller may see it.
pub fn resolve(call: &Call, config: &SearchConfig, named: Option<&str>) -> FaultResult<PathBuf> {
    let path = match named {
        Some(text) => config.work_dir.join(checked(text)?),
        None => config.repo.clone(),
    };
    let resolved = opened(call, &path, named.map(Path::new).unwrap_or(&path))?;
    call.about_repo(resolved.display().to_string());
    Ok(resolved)
}

/// A directory with links resolved, if the caller may see it.
pub fn allowed(call: &Call, path: &Path) -> FaultResult<PathBuf> {
    opened(call, path, path)
}

/// `named` is the path as the caller wrote it.
fn opened(call: &Call, path: &Path, named: &Path) -> FaultResult<PathBuf> {
    let shown: String = named.display().to_string().chars().take(200).collect();
    // Outside the allowed roots an existing directory must look like a missing one.
    let resolved = path.canonicalize();
    if let Some(roots) = &call.caller().roots
        && !resolved.as_ref().is_ok_and(|path| is_below(path, roots))
    {
        return Err(Fault::new(ErrorCode::Forbidden, "this repository is not among the allowed ones")
            .hint("start the server with --allowed-repo-roots"));
    }
    let resolved = resolved.map_err(|error| {
        Fault::new(ErrorCode::NotFound, format!("cannot open the repository {shown}: {error}"))
            .hint("pass the path of an existing directory as repoPath")
    })?;
    if !resolved.is_dir() {
        return Err(Fault::new(ErrorCode::NotFound, format!("{shown} is not a directory")));
    }
    Ok(resolved)
}

/// A file a call names, relative to its repository, which the caller may read.
pub fn readable(call: &Call, repo: &Path, named: &str) -> FaultResult<PathBuf> {
    let path = checked(named)?;
    let shown: String = named.chars().take(200).collect();
    let path = repo.join(path);
    let resolved = path.canonicalize();
    // A missing file is told from a forbidden one by its folder.
    let folder = || path.parent().and_then(|folder| folder.canonicalize().ok());
    let place = resolved.as_ref().ok().cloned().or_else(folder);
    if let Some(roots) = &call.caller().roots
        && !place.is_some_and(|place| is_below(&place, roots))
    {
        return Err(Fault::new(ErrorCode::Forbidden, "this file is not below an allowed root")
            .hint("start the server with --allowed-repo-roots"));
    }
    match resolved {
        Ok(path) if path.is_file() => Ok(path),
        Ok(_) => Err(Fault::new(ErrorCode::NotFound, format!("{shown} is not a file"))),
        Err(error) => Err(Fault::new(ErrorCode::NotFound, format!("cannot open {shown}: {error}"))),
    }
}

fn is_below(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| root.canonicalize().is_ok_and(|root| path.starts_with(root)))
}

fn checked(text: &str) -> FaultResult<PathBuf> {
    if text.is_empty() || text.contains('\0') || text.len() > MAX_PATH_BYTES {
        return Err(Fault::invalid("a path is empty, too long or holds a NUL byte"));
    }
    Ok(PathBuf::from(text))
}
