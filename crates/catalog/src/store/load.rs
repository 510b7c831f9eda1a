//! Reading entry files: which names count, and what each file holds.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::Layout;
use super::atomic::{TEMPORARY, signature_of};
use crate::complete::from_file;
use crate::config::Owners;
use crate::draft::{Draft, MAX_FILE_BYTES};
use crate::error::CatalogError;
use crate::index::{Index, Loaded, Record, Rejected, Signature};

/// A file younger than this may change again within the same time stamp.
const SETTLED: Duration = Duration::from_millis(50);

/// Whether a file name can be an entry: `*.json`, not hidden, not kept for something else.
pub(crate) fn entry_name(name: &str) -> bool {
    name.ends_with(".json")
        && !name.starts_with(['.', '_'])
        && name != crate::gates::GATES_FILE
        && name != "bootstrap.confirmed.json"
}

/// Reads one file; `None` when it does not exist.
pub(crate) fn load_file(dir: &Path, name: &str, owners: &Owners) -> Option<Loaded> {
    match read(&dir.join(name)) {
        Ok((bytes, signature, modified)) => Some(parse(&bytes, name, signature, modified, owners)),
        Err(Unreadable::Absent) => {
            is_misnamed(dir, name).then(|| Err(Rejected::new("has a name that is not UTF-8")))
        }
        Err(Unreadable::Because(reason)) => Some(Err(Rejected::new(reason))),
    }
}

/// Whether a name stands for a file whose real name is not UTF-8.
fn is_misnamed(dir: &Path, name: &str) -> bool {
    let is_it = |item: fs::DirEntry| {
        item.file_name().to_str().is_none() && item.file_name().to_string_lossy() == name
    };
    name.contains(char::REPLACEMENT_CHARACTER)
        && fs::read_dir(dir).is_ok_and(|mut listing| listing.any(|item| item.is_ok_and(is_it)))
}

enum Unreadable {
    Absent,
    Because(String),
}

/// Whether opening failed because the name is a link and links are not followed.
fn is_link(error: &io::Error) -> bool {
    #[cfg(target_os = "linux")]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(target_os = "linux"))]
    return {
        let _ = error;
        false
    };
}

fn read(path: &Path) -> Result<(Vec<u8>, Option<Signature>, Timestamp), Unreadable> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Unreadable::Absent,
        _ if is_link(&error) => Unreadable::Because("is a symbolic link".to_owned()),
        _ => Unreadable::Because(format!("could not be read: {error}")),
    };
    let mut options = File::options();
    options.read(true);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Never through a link, and never waiting for the other end of a pipe.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    #[cfg(not(target_os = "linux"))]
    if fs::symlink_metadata(path).map_err(failed)?.is_symlink() {
        return Err(Unreadable::Because("is a symbolic link".to_owned()));
    }
    let mut file = options.open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    // A directory is no file that could be served or rejected.
    if metadata.is_dir() {
        return Err(Unreadable::Absent);
    }
    if !metadata.is_file() {
        return Err(Unreadable::Because("is not a regular file".to_owned()));
    }
    if metadata.len() > MAX_FILE_BYTES as u64 {
        return Err(Unreadable::Because(format!("is larger than {MAX_FILE_BYTES} bytes")));
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    (&mut file).take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
    let settled = SystemTime::now().duration_since(modified).is_ok_and(|age| age > SETTLED);
    let signature = (settled && bytes.len() as u64 == metadata.len()).then(|| signature_of(&metadata));
    Ok((bytes, signature, Timestamp::try_from(modified).unwrap_or(Timestamp::UNIX_EPOCH)))
}

/// Reads the text of an entry as the loader would.
pub(crate) fn parse_text(text: &str, name: &str, modified: Timestamp, owners: &Owners) -> Loaded {
    parse(text.as_bytes(), name, None, modified, owners)
}

fn parse(
    bytes: &[u8],
    name: &str,
    signature: Option<Signature>,
    modified: Timestamp,
    owners: &Owners,
) -> Loaded {
    if bytes.is_empty() {
        return Err(Rejected::new("is empty"));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let record: Map<String, Value> = match serde_json::from_slice(bytes) {
        Ok(Value::Object(record)) => record,
        Ok(_) => return Err(Rejected::new("is not a JSON object")),
        Err(error) => return Err(Rejected::new(format!("is not valid JSON: {error}"))),
    };
    Draft::parse(record)
        .and_then(|draft| from_file(draft, modified, owners))
        .map(|done| Record::new(done, name, signature))
        .map_err(|problem| Rejected::new(problem.to_string()))
}

/// The names in a directory that can be entries; none when there is no directory.
fn names(dir: &Path) -> Result<Vec<String>, CatalogError> {
    let listing = match fs::read_dir(dir) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(CatalogError::io("read", dir)(error)),
    };
    let mut names = Vec::new();
    for item in listing {
        let item = item.map_err(CatalogError::io("read", dir))?;
        // A name that is not UTF-8 is listed as near as text comes, so that it can be reported.
        let name = item.file_name().to_string_lossy().into_owned();
        if entry_name(&name) && !item.file_type().is_ok_and(|kind| kind.is_dir()) {
            names.push(name);
        }
    }
    Ok(names)
}

/// Reads a whole directory, on every core.
pub(crate) fn load_all(dir: &Path, owners: &Owners) -> Result<Index, CatalogError> {
    let names = names(dir)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(names.len() / 256 + 1);
    let share = names.len().div_ceil(threads).max(1);
    let load = |names: &[String]| -> Vec<(String, Loaded)> {
        let held = names.iter().filter_map(|name| Some((name.clone(), load_file(dir, name, owners)?)));
        held.collect()
    };
    let files = std::thread::scope(|scope| {
        let workers: Vec<_> = names.chunks(share).map(|part| scope.spawn(|| load(part))).collect();
        let parts = workers.into_iter().map(|worker| worker.join().expect("reading a file does not panic"));
        parts.flatten().collect()
    });
    Ok(Index::build(files))
}

/// Compares a directory with an index by names and signatures; returns the files to read again.
pub(crate) fn rescan(dir: &Path, index: &Index) -> Result<Vec<String>, CatalogError> {
    let names = names(dir)?;
    let known: HashMap<&str, Option<Signature>> = index.files().collect();
    let mut stale: Vec<String> = Vec::new();
    for name in &names {
        let unchanged = match known.get(name.as_str()) {
            Some(Some(signature)) => fs::symlink_metadata(dir.join(name))
                .is_ok_and(|metadata| signature_of(&metadata) == *signature),
            _ => false,
        };
        if !unchanged {
            stale.push(name.clone());
        }
    }
    let present: HashSet<&str> = names.iter().map(String::as_str).collect();
    stale.extend(known.into_keys().filter(|name| !present.contains(name)).map(str::to_owned));
    Ok(stale)
}

/// Removes temporary files of writers that were killed. Runs under the catalog lock.
pub(crate) fn remove_leftovers(layout: &Layout, older_than: Duration) {
    for dir in [layout.dir().to_owned(), layout.usage()] {
        let Ok(listing) = fs::read_dir(&dir) else { continue };
        for item in listing.flatten() {
            let is_temporary = item
                .file_name()
                .to_str()
                .is_some_and(|name| name.starts_with('.') && name.ends_with(TEMPORARY));
            let is_old = || {
                let modified = item.metadata().and_then(|metadata| metadata.modified()).ok();
                modified.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > older_than)
            };
            if is_temporary && is_old() {
                // Left for the next writer when it cannot be removed.
                let _ = fs::remove_file(item.path());
            }
        }
    }
}
