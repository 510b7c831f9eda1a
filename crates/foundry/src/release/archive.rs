//! What is in a packed archive, and how two of them differ.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use crate::json::sha256_hex;

/// An archive that unpacks to more than this is not looked into.
const MAX_UNPACKED_BYTES: u64 = 1024 * 1024 * 1024;
const MAX_ENTRIES: usize = 100_000;
/// Files that are named when two archives differ.
const NAMED: usize = 5;

/// One packed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packed {
    pub sha256: String,
    pub size: u64,
    /// Hash of each file by its path inside the package.
    pub files: BTreeMap<String, String>,
    /// Set where the archive could not be made, and the files were compared instead.
    pub note: Option<String>,
}

impl Packed {
    /// Reads a gzipped tar whose entries stand below one folder, as npm and cargo write them.
    pub fn read(path: &Path) -> io::Result<Packed> {
        let (sha256, size) = hash(&mut File::open(path)?)?;
        let unpacked = GzDecoder::new(File::open(path)?).take(MAX_UNPACKED_BYTES);
        let mut files = BTreeMap::new();
        for entry in tar::Archive::new(unpacked).entries()? {
            let mut entry = entry?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path()?.to_string_lossy().into_owned();
            let inside = path.split_once('/').map_or(path.as_str(), |(_, inside)| inside).to_owned();
            files.insert(inside, hash(&mut entry)?.0);
            if files.len() > MAX_ENTRIES {
                return Err(io::Error::other("the archive has more than 100000 files"));
            }
        }
        Ok(Packed { sha256, size, files, note: None })
    }

    /// Stands for an archive that could not be made: the same files give the same hash.
    pub fn of_files(folder: &Path, names: &[&str], note: String) -> io::Result<Packed> {
        let mut files = BTreeMap::new();
        let (mut size, mut all) = (0, String::new());
        for name in names {
            let bytes = match std::fs::read(folder.join(name)) {
                Ok(bytes) => bytes,
                // The list names files that cargo itself would write.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let hash = sha256_hex(&bytes);
            size += bytes.len() as u64;
            all.push_str(&format!("{hash} {name}\n"));
            files.insert((*name).to_owned(), hash);
        }
        Ok(Packed { sha256: sha256_hex(all.as_bytes()), size, files, note: Some(note) })
    }
}

/// The hash and the size of what a reader gives, without holding it.
fn hash(from: &mut impl Read) -> io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        match from.read(&mut piece)? {
            0 => break,
            read => {
                hasher.update(&piece[..read]);
                size += read as u64;
            }
        }
    }
    Ok((hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect(), size))
}

/// What differs between two archives of one package; nothing when they are the same.
pub fn unlike(first: &Packed, second: &Packed) -> Vec<String> {
    let mut found = Vec::new();
    let missing = |from: &Packed, other: &Packed| -> Vec<String> {
        other.files.keys().filter(|path| !from.files.contains_key(*path)).cloned().collect()
    };
    let mut name = |what: &str, paths: Vec<String>| {
        if !paths.is_empty() {
            let more = if paths.len() > NAMED {
                format!(" and {} more", paths.len() - NAMED)
            } else {
                String::new()
            };
            let shown: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
            found.push(format!("{what}: {}{more}", shown.join(", ")));
        }
    };
    name("only in the first archive", missing(second, first));
    name("only in the second archive", missing(first, second));
    let changed =
        first.files.iter().filter(|(path, hash)| second.files.get(*path).is_some_and(|other| other != *hash));
    name("different in the two archives", changed.map(|(path, _)| path.clone()).collect());
    if found.is_empty() && first.sha256 != second.sha256 {
        found.push(
            "the archives differ, and the files in them are the same: order, times or modes vary".into(),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(hash: &str, files: &[(&str, &str)]) -> Packed {
        let files = files.iter().map(|(path, hash)| ((*path).to_owned(), (*hash).to_owned())).collect();
        Packed { sha256: hash.into(), size: 1, files, note: None }
    }

    #[test]
    fn differences_name_files() {
        let one = packed("1", &[("a", "x"), ("b", "x"), ("c", "x")]);
        assert!(unlike(&one, &one).is_empty());
        let two = packed("2", &[("a", "x"), ("b", "y"), ("d", "x")]);
        assert_eq!(
            unlike(&one, &two),
            [
                "only in the first archive: c",
                "only in the second archive: d",
                "different in the two archives: b"
            ]
        );
        assert!(unlike(&one, &Packed { sha256: "3".into(), ..one.clone() })[0].contains("the same"));
    }
}
