//! Where the index of a repository lives.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::hex::hex;

/// The directory of a repository's index.
pub fn index_dir(cache_dir: &Path, repo: &Path) -> PathBuf {
    cache_dir.join("repos").join(repo_dir_name(repo))
}

/// The name of a repository's folders: after its own folder for people, after the path's hash so that
/// two folders of one name never share it.
pub fn repo_dir_name(repo: &Path) -> String {
    let digest = Sha256::digest(repo.as_os_str().as_encoded_bytes());
    let hash = hex(&digest[..8]);
    let name: String = repo.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String =
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.".contains(*c)).take(40).collect();
    format!("{name}-{hash}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_folders_of_one_name_have_two_indexes() {
        let cache = Path::new("cache");
        let (a, b) = (index_dir(cache, Path::new("/a/app")), index_dir(cache, Path::new("/b/app")));
        assert_ne!(a, b);
        assert!(a.file_name().unwrap().to_str().unwrap().starts_with("app-"));
    }
}
