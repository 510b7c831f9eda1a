//! From sources to files in their place: all of it, or nothing.

use std::path::{Path, PathBuf};

use mainstay_contract::{Call, timestamp};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::archive::{self, unpack};
use super::fetch::{Fetched, Got, Validators, Wanted, fetch, hash_file, put_at};
use super::manifest::{FetchedFrom, Installed, InstalledFile, Manifest, sync_dir};
use super::{DownloadError, Kind, Network, Source};

use crate::hex::hex;

/// What an item becomes on disk.
#[derive(Debug, Clone)]
pub enum Shape {
    /// One file at this path; from an archive, the entry of this name or the only one with this ending.
    File { path: PathBuf },
    /// A folder below this one, named after its content.
    Folder { below: PathBuf },
}

/// Something to have.
#[derive(Debug, Clone)]
pub struct Item {
    pub kind: Kind,
    /// Its name in the manifest.
    pub name: String,
    pub sources: Vec<Source>,
    /// The folder with the manifest.
    pub dir: PathBuf,
    pub shape: Shape,
}

/// What to do when it is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Nothing.
    IfMissing,
    /// Ask the server whether there is something newer.
    Update,
    /// Fetch it again.
    Force,
}

/// What became of an item.
#[derive(Debug)]
pub enum Done {
    Installed { entry: Installed, resumed_bytes: u64 },
    AlreadyThere { entry: Installed },
    NotModified { entry: Installed },
}

/// Brings an item, unless it is there and whole.
pub fn install(
    call: &Call,
    network: &Network,
    cache_dir: &Path,
    item: &Item,
    how: How,
) -> Result<Done, DownloadError> {
    let known = Manifest::read(&item.dir).find(&item.name).cloned();
    let known = match known {
        Some(entry) if is_at(&entry, item) && entry.changes(call, &item.dir)?.is_empty() => Some(entry),
        _ => None,
    };
    if let Some(entry) = known.as_ref().filter(|entry| is_current(entry, item, how)) {
        return Ok(Done::AlreadyThere { entry: entry.clone() });
    }
    let ask = known.as_ref().filter(|_| how == How::Update);
    let downloads = cache_dir.join("downloads");
    let mut got = Vec::new();
    for (index, source) in item.sources.iter().enumerate() {
        // A set of several files is taken as a whole, so that it never mixes two releases.
        let asked = ask.filter(|_| item.sources.len() == 1).and_then(|entry| entry.sources.get(index));
        match fetch_one(call, network, &downloads, item, source, asked.map(|from| &from.validators))? {
            Fetched::NotModified => {
                let entry = known.expect("a conditional request needs something known");
                return Ok(Done::NotModified { entry });
            }
            Fetched::New(one) => got.push(*one),
        }
    }
    call.progress("install", format!("installing {}", item.name));
    let resumed_bytes = got.iter().map(|one| one.resumed_bytes).sum();
    let entry = put_in_place(call, item, &got)?;
    got.into_iter().for_each(Got::discard);
    Ok(Done::Installed { entry, resumed_bytes })
}

/// Whether an entry's files are where this item puts them.
fn is_at(entry: &Installed, item: &Item) -> bool {
    match &item.shape {
        Shape::File { path } => entry.files.iter().all(|file| item.dir.join(&file.path) == *path),
        Shape::Folder { below } => {
            entry.files.iter().all(|file| item.dir.join(&file.path).starts_with(below))
        }
    }
}

/// Whether what is installed is what is asked for, without a look at the network.
fn is_current(entry: &Installed, item: &Item, how: How) -> bool {
    let same = entry.sources.len() == item.sources.len()
        && entry.sources.iter().zip(&item.sources).all(|(from, source)| match source.pinned() {
            Ok(Some(hash)) => hash == from.sha256,
            _ => how == How::IfMissing && source.url == from.url,
        });
    how != How::Force && same
}

fn fetch_one(
    call: &Call,
    network: &Network,
    downloads: &Path,
    item: &Item,
    source: &Source,
    known: Option<&Validators>,
) -> Result<Fetched, DownloadError> {
    let address = source.address()?;
    if call.caller().roots.is_some() && !address.is_among(&network.hosts) && !is_operators(network, source) {
        return Err(DownloadError::HostRefused { host: address.place() });
    }
    let pinned = source.pinned()?;
    let wanted = Wanted {
        name: &item.name,
        address,
        sha256: pinned.as_deref(),
        max_bytes: item.kind.max_bytes(),
        known,
    };
    fetch(call, network, downloads, &wanted).map_err(|error| match error.is_about_reaching() {
        true => DownloadError::Offline {
            error: Box::new(error),
            url: wanted.address.to_string(),
            sha256: pinned.clone(),
            put_at: put_at(downloads, &wanted.address),
        },
        false => error,
    })
}

/// Whether the operator listed exactly this source.
fn is_operators(network: &Network, source: &Source) -> bool {
    super::Sources::read(network).is_ok_and(|sources| {
        let models = sources.models.into_values().flatten();
        let extensions = sources.extensions.into_values().flat_map(std::collections::BTreeMap::into_values);
        models.chain(sources.dictionaries.into_values()).chain(extensions).any(|one| one.url == source.url)
    })
}

fn put_in_place(call: &Call, item: &Item, got: &[Got]) -> Result<Installed, DownloadError> {
    let parent = match &item.shape {
        Shape::File { path } => path.parent().unwrap_or(&item.dir),
        Shape::Folder { below } => below.as_path(),
    };
    for dir in [parent, &item.dir] {
        std::fs::create_dir_all(dir).map_err(DownloadError::io(dir))?;
    }
    let staging = tempfile::Builder::new().prefix(".incoming-").tempdir_in(parent);
    let staging = staging.map_err(DownloadError::io(parent))?;
    let mut files = Vec::new();
    for (source, one) in item.sources.iter().zip(got) {
        files.extend(stage(call, item, source, one, staging.path())?);
    }
    let moved = match &item.shape {
        Shape::File { path } => place_file(call, item, &files, &staging, path)?,
        Shape::Folder { below } => place_folder(call, item, &files, staging, below)?,
    };
    sync_dir(parent)?;
    let entry = Installed {
        name: item.name.clone(),
        sources: item
            .sources
            .iter()
            .zip(got)
            .map(|(source, one)| FetchedFrom {
                url: source.url.clone(),
                sha256: one.sha256.clone(),
                pinned: source.sha256.is_some(),
                validators: one.validators.clone(),
            })
            .collect(),
        files: moved,
        installed_at: timestamp(call.now()),
    };
    let before = Manifest::read(&item.dir).find(&item.name).cloned();
    Manifest::put(&item.dir, entry.clone())?;
    remove_old(item, before.as_ref(), &entry);
    Ok(entry)
}

/// Copies or unpacks one fetched file into the staging folder; returns paths relative to it.
fn stage(
    call: &Call,
    item: &Item,
    source: &Source,
    got: &Got,
    into: &Path,
) -> Result<Vec<PathBuf>, DownloadError> {
    if let Some(format) = archive::format(&got.path)? {
        call.progress("unpack", format!("unpacking {}", item.name));
        return unpack(call, &got.path, format, into, item.kind.limits());
    }
    let from_url = source.address()?.file_name().map(str::to_owned);
    let name = source.file.clone().or(from_url).unwrap_or_else(|| "download".into());
    let name = super::safe_name(&name)?;
    let target = into.join(&name);
    if target.exists() {
        return Err(DownloadError::Unsafe { entry: name, reason: "there twice" });
    }
    std::fs::copy(&got.path, &target).map_err(DownloadError::io(&target))?;
    std::fs::File::open(&target).and_then(|file| file.sync_all()).map_err(DownloadError::io(&target))?;
    Ok(vec![PathBuf::from(name)])
}

/// The staged file that is meant: by its name, or the only one with the ending.
fn choose(item: &Item, files: &[PathBuf], path: &Path) -> Result<PathBuf, DownloadError> {
    let wanted = item.sources.iter().find_map(|source| source.file.as_deref());
    let name = wanted.map(PathBuf::from).or_else(|| path.file_name().map(PathBuf::from)).unwrap_or_default();
    if let [only] = files {
        return Ok(only.clone());
    }
    let named: Vec<&PathBuf> = files.iter().filter(|file| file.ends_with(&name)).collect();
    let ending: Vec<&PathBuf> = files.iter().filter(|file| file.extension() == name.extension()).collect();
    match (named.as_slice(), ending.as_slice()) {
        ([one], _) | ([], [one]) => Ok((*one).clone()),
        _ => Err(DownloadError::Missing {
            name: item.name.clone(),
            wanted: format!("one file {}", name.display()),
        }),
    }
}

fn place_file(
    call: &Call,
    item: &Item,
    files: &[PathBuf],
    staging: &TempDir,
    path: &Path,
) -> Result<Vec<InstalledFile>, DownloadError> {
    let from = staging.path().join(choose(item, files, path)?);
    let (bytes, sha256) = hash_file(call, &from)?;
    std::fs::rename(&from, path).map_err(DownloadError::io(path))?;
    Ok(vec![InstalledFile { path: shown(&item.dir, path), bytes, sha256 }])
}

fn place_folder(
    call: &Call,
    item: &Item,
    files: &[PathBuf],
    staging: TempDir,
    below: &Path,
) -> Result<Vec<InstalledFile>, DownloadError> {
    let mut listed = Vec::new();
    let mut whole = Sha256::new();
    for file in files {
        let (bytes, sha256) = hash_file(call, &staging.path().join(file))?;
        whole.update(format!("{}\0{sha256}\n", file.display()));
        listed.push((file, bytes, sha256));
    }
    // Named after its content, so that a new release never writes over one in use.
    let folder = below.join(&hex(&whole.finalize())[..12]);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(DownloadError::io(&folder))?;
    }
    std::fs::rename(staging.path(), &folder).map_err(DownloadError::io(&folder))?;
    let _ = staging.keep();
    let file = |(file, bytes, sha256): (&PathBuf, u64, String)| InstalledFile {
        path: shown(&item.dir, &folder.join(file)),
        bytes,
        sha256,
    };
    Ok(listed.into_iter().map(file).collect())
}

/// A path relative to the manifest when it lies below it.
fn shown(dir: &Path, path: &Path) -> String {
    path.strip_prefix(dir).unwrap_or(path).display().to_string()
}

/// Deletes files of the last release that are not part of this one.
fn remove_old(item: &Item, before: Option<&Installed>, now: &Installed) {
    let Shape::Folder { below } = &item.shape else { return };
    for file in before.iter().flat_map(|entry| &entry.files) {
        if now.files.iter().any(|kept| kept.path == file.path) {
            continue;
        }
        let path = item.dir.join(&file.path);
        if path.starts_with(below) {
            let _ = std::fs::remove_file(&path);
            // Folders go when they are empty.
            for folder in path.ancestors().skip(1).take_while(|folder| *folder != below) {
                if std::fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
    }
}
