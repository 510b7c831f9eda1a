//! What is installed, with the hash of every file: `manifest.json` in the folder of a kind.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use mainstay_contract::Call;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DownloadError;
use super::fetch::{Validators, hash_file};

const NAME: &str = "manifest.json";

/// One installed thing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Installed {
    pub name: String,
    /// What it was fetched from, in order.
    pub sources: Vec<FetchedFrom>,
    pub files: Vec<InstalledFile>,
    pub installed_at: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchedFrom {
    pub url: String,
    /// Of the bytes that were fetched.
    pub sha256: String,
    /// Whether that hash was given beforehand.
    pub pinned: bool,
    #[serde(flatten)]
    pub validators: Validators,
}

/// A file on disk, as it was when it was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstalledFile {
    /// Where it is: relative to the folder of the manifest when it is inside.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its hash.
    pub sha256: String,
}

/// How a file differs from what was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Gone,
    Changed,
}

impl Installed {
    /// Hashes every file again and returns those that are not as they were.
    pub fn changes(&self, call: &Call, dir: &Path) -> Result<Vec<(PathBuf, Change)>, DownloadError> {
        let mut changes = Vec::new();
        for file in &self.files {
            let path = dir.join(&file.path);
            if !path.is_file() {
                changes.push((path, Change::Gone));
            } else if hash_file(call, &path)? != (file.bytes, file.sha256.clone()) {
                changes.push((path, Change::Changed));
            }
        }
        Ok(changes)
    }
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    installed: Vec<Installed>,
}

/// The list of one folder.
pub struct Manifest {
    dir: PathBuf,
    stored: Stored,
}

impl Manifest {
    /// Reads the list; a folder without one has nothing installed, and a damaged list is as good as none.
    pub fn read(dir: &Path) -> Manifest {
        let stored: Option<Stored> =
            std::fs::read(dir.join(NAME)).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let stored = stored.filter(|stored| stored.version == 1).unwrap_or_default();
        Manifest { dir: dir.to_owned(), stored }
    }

    pub fn all(&self) -> &[Installed] {
        &self.stored.installed
    }

    pub fn find(&self, name: &str) -> Option<&Installed> {
        self.stored.installed.iter().find(|one| one.name == name)
    }

    /// Adds or replaces one entry; other processes' entries stay.
    pub fn put(dir: &Path, entry: Installed) -> Result<(), DownloadError> {
        let lock_path = dir.join(".manifest.lock");
        let lock = File::create(&lock_path).map_err(DownloadError::io(&lock_path))?;
        lock.lock().map_err(DownloadError::io(&lock_path))?;
        let mut manifest = Manifest::read(dir);
        manifest.stored.version = 1;
        manifest.stored.installed.retain(|one| one.name != entry.name);
        manifest.stored.installed.push(entry);
        manifest.stored.installed.sort_by(|a, b| a.name.cmp(&b.name));
        manifest.write()
    }

    fn write(&self) -> Result<(), DownloadError> {
        let target = self.dir.join(NAME);
        let text = serde_json::to_vec_pretty(&self.stored).expect("strings and numbers are JSON");
        let mut file = tempfile::NamedTempFile::new_in(&self.dir).map_err(DownloadError::io(&self.dir))?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(DownloadError::io(&target))?;
        file.persist(&target).map_err(|error| DownloadError::io(&target)(error.error))?;
        sync_dir(&self.dir)
    }
}

/// Makes a rename last.
pub fn sync_dir(dir: &Path) -> Result<(), DownloadError> {
    if cfg!(unix) {
        File::open(dir).and_then(|dir| dir.sync_all()).map_err(DownloadError::io(dir))?;
    }
    Ok(())
}
