//! What a caller may reach: the tools his token allows, and the repositories he may name in the arguments of a call.

use std::path::{Component, Path, PathBuf};

use mainstay_contract::{Caller, ErrorCode, Fault, FaultResult, ToolDef};
use serde_json::Value;

use crate::access::Origin;

/// The arguments that name a repository, in every tool that has them.
const REPO_ARGS: [&str; 2] = ["repoPath", "repo"];

/// Refuses a tool that the caller's token does not allow.
pub fn check_grant(def: &ToolDef, caller: &Caller) -> FaultResult<()> {
    let Some(grant) = &caller.grant else { return Ok(()) };
    let Some(scope) = grant.lacks(def) else { return Ok(()) };
    let rule = Origin::Token { name: grant.token.clone() };
    Err(Fault::new(ErrorCode::Forbidden, format!("{} needs the scope {scope}", def.id))
        .detail("tool", def.id.as_str())
        .detail("reason", "insufficient_scope")
        .detail("scope", scope.to_string())
        .detail("rule", rule.to_string())
        .hint(format!("{rule} does not have it; use one that does")))
}

/// Refuses a repository outside the caller's roots; links are resolved first.
///
/// A tool checks what it opens as well: this check makes the refusal the same for all of them.
pub fn check_roots(def: &ToolDef, args: &Value, caller: &Caller) -> FaultResult<()> {
    let Some(roots) = &caller.roots else { return Ok(()) };
    let properties = def.input.get("properties");
    for name in REPO_ARGS {
        let declared = properties.is_some_and(|properties| properties.get(name).is_some());
        if let (true, Some(path)) = (declared, args.get(name).and_then(Value::as_str)) {
            let resolved = resolve(Path::new(path));
            if !roots.iter().any(|root| resolved.starts_with(resolve(root))) {
                return Err(Fault::new(ErrorCode::Forbidden, "the repository is not among the allowed ones")
                    .detail("argument", name)
                    .hint("start the server with --allowed-repo-roots to allow it"));
            }
        }
    }
    Ok(())
}

/// The real path; a part that does not exist is kept as written, without `..`.
fn resolve(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut plain = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        // A link is followed before a later `..` is applied to it.
        if let Ok(real) = std::fs::canonicalize(&plain) {
            plain = real;
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mainstay_contract::Toolset;
    use serde_json::json;

    use super::*;

    fn check(root: &Path, repo: &Path) -> bool {
        let def = ToolDef::new("index_status", Toolset::Search)
            .input(json!({"type": "object", "properties": {"repoPath": {"type": "string"}}}));
        let caller = Caller { roots: Some(Arc::from(vec![root.to_path_buf()])), ..Caller::default() };
        check_roots(&def, &json!({"repoPath": repo}), &caller).is_ok()
    }

    #[test]
    fn only_what_resolves_below_a_root_is_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::create_dir_all(inside.join("repo")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        assert!(check(&inside, &inside));
        assert!(check(&inside, &inside.join("repo")));
        assert!(check(&inside, &inside.join("missing")));
        assert!(!check(&inside, &outside));
        assert!(!check(&inside, Path::new("/")));
        assert!(!check(&inside, &inside.join("../out")));
        assert!(!check(&inside, &inside.join("missing/../../out")));
        assert!(!check(&inside, &dir.path().join("in-other")));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_counts_as_its_target() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::create_dir_all(outside.join("deep")).unwrap();
        std::os::unix::fs::symlink(outside.join("deep"), inside.join("link")).unwrap();
        assert!(!check(&inside, &inside.join("link")));
        assert!(!check(&inside, &inside.join("link/..")));
    }
}
