//! Where downloads are kept, and where a caller may have them put instead.

use std::path::{Component, Path, PathBuf};

use mainstay_contract::{Call, ErrorCode, Fault, FaultResult};

use super::Limits;

/// What is downloaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Models,
    Dictionaries,
    Extensions,
}

impl Kind {
    pub fn folder(self) -> &'static str {
        match self {
            Kind::Models => "models",
            Kind::Dictionaries => "dictionaries",
            Kind::Extensions => "extensions",
        }
    }

    /// Largest file fetched; what an archive may unpack to is twice that.
    pub fn max_bytes(self) -> u64 {
        match self {
            Kind::Models => 2 << 30,
            Kind::Dictionaries => 64 << 20,
            Kind::Extensions => 64 << 20,
        }
    }

    pub fn limits(self) -> Limits {
        Limits::new(self.max_bytes() * 2)
    }
}

/// The folder of a kind in the cache.
pub fn kind_dir(cache_dir: &Path, kind: Kind) -> PathBuf {
    cache_dir.join(kind.folder())
}

/// A folder or file a caller names: relative to the repository, and for callers with roots inside them or the cache.
pub fn choose_dir(call: &Call, repo: &Path, cache_dir: &Path, named: &str) -> FaultResult<PathBuf> {
    if named.is_empty() || named.len() > 4096 || named.contains('\0') {
        return Err(Fault::invalid("the path is empty, too long or holds a NUL byte"));
    }
    let path = repo.join(named);
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(Fault::invalid(format!("{named} holds ..")));
    }
    let Some(roots) = &call.caller().roots else { return Ok(path) };
    let existing = path.ancestors().find(|dir| dir.exists()).unwrap_or(&path);
    let real = existing.canonicalize().unwrap_or_else(|_| existing.to_owned());
    let mut allowed = roots.iter().map(PathBuf::as_path).chain([cache_dir]);
    match allowed.any(|root| real.starts_with(root.canonicalize().as_deref().unwrap_or(root))) {
        true => Ok(path),
        false => Err(Fault::new(ErrorCode::Forbidden, "this folder is not among the allowed ones")
            .hint("leave the path out to use the cache")),
    }
}

/// A name as one path component: `owner/name` becomes `owner--name`.
pub fn safe_name(name: &str) -> FaultResult<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let parts: Vec<&str> = name.split('/').collect();
    let is_good = |part: &&str| !part.is_empty() && !part.starts_with('.') && part.chars().all(is_plain);
    match name.len() <= 120 && parts.len() <= 3 && parts.iter().all(is_good) {
        true => Ok(parts.join("--")),
        false => Err(Fault::invalid(format!(
            "{} is not a name of letters, digits, - _ .",
            name.chars().take(120).collect::<String>()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_component() {
        assert_eq!(safe_name("org/model-v1.2").unwrap(), "org--model-v1.2");
        for bad in ["", "..", "../x", "a//b", ".hidden", "a b", "a\\b", "/abs", "x/../y"] {
            assert!(safe_name(bad).is_err(), "{bad}");
        }
    }
}
