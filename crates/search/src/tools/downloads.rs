//! What the download tools share: how arguments name sources, and how the outcome is reported.

use mainstay_contract::{Call, Fault, FaultResult, Target};
use schemars::JsonSchema;
use serde::Serialize;

use super::words::OneOrMany;
use crate::download::{Done, How, Installed, Item, Shape, Source, install};
use crate::{Search, SearchError, cache};

/// What became of one item.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ItemReport {
    /// What it is called.
    pub name: String,
    /// downloaded, installed (it was there, whole) or not-modified (the server has nothing newer).
    pub status: &'static str,
    /// Its files, with their hashes.
    pub files: Vec<FileReport>,
    /// Whether every source had a SHA-256 given beforehand.
    pub pinned: bool,
    /// Bytes that an earlier, broken download had brought.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed_bytes: Option<u64>,
}

/// One installed file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FileReport {
    /// Where it is.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
}

/// The part of the answer every download has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Downloads {
    /// Folder everything is in.
    pub dir: String,
    /// How many were downloaded.
    pub downloaded: usize,
    /// How many needed no download.
    pub skipped: usize,
    /// Each of them.
    pub items: Vec<ItemReport>,
    /// The same in a sentence.
    pub output: String,
}

pub fn how(update: Option<bool>, force: Option<bool>) -> How {
    match (force, update) {
        (Some(true), _) => How::Force,
        (_, Some(true)) => How::Update,
        _ => How::IfMissing,
    }
}

/// Installs items one after the other.
pub fn download(call: &Call, search: &Search, items: &[Item], how: How) -> Result<Downloads, SearchError> {
    call.changes().propose_all(|| items.iter().map(planned).collect())?;
    let mut reports = Vec::new();
    for item in items {
        let done = install(call, &search.config.network, &search.config.cache_dir, item, how)?;
        reports.push(report(call, item, done));
    }
    let downloaded = reports.iter().filter(|one| one.status == "downloaded").count();
    let skipped = reports.len() - downloaded;
    let kind = items.first().map_or("files", |item| item.kind.folder());
    Ok(Downloads {
        dir: items.first().map(|item| item.dir.display().to_string()).unwrap_or_default(),
        downloaded,
        skipped,
        items: reports,
        output: format!("{kind}: {downloaded} downloaded, {skipped} already there"),
    })
}

/// Where an item comes to lie, as something to be changed.
fn planned(item: &Item) -> Target {
    let (path, state) = match &item.shape {
        Shape::File { path } => (path, cache::file_state(path)),
        Shape::Folder { below } => (below, cache::look(below).state()),
    };
    Target::update(path.display().to_string(), state)
}

fn report(call: &Call, item: &Item, done: Done) -> ItemReport {
    let (status, entry, resumed) = match done {
        Done::Installed { entry, resumed_bytes } => ("downloaded", entry, resumed_bytes),
        Done::AlreadyThere { entry } => ("installed", entry, 0),
        Done::NotModified { entry } => ("not-modified", entry, 0),
    };
    let Installed { name, sources, files, .. } = entry;
    let pinned = sources.iter().all(|source| source.pinned);
    if !pinned {
        call.warn("UNPINNED_DOWNLOAD", format!("{name} was taken as it came: no sha256 was given for it"));
    }
    let shown = |path: &str| item.dir.join(path).display().to_string();
    ItemReport {
        name,
        status,
        files: files
            .into_iter()
            .map(|file| FileReport { path: shown(&file.path), bytes: file.bytes, sha256: file.sha256 })
            .collect(),
        pinned,
        resumed_bytes: (resumed > 0).then_some(resumed),
    }
}

/// Reads `name=value` words; a value alone is for the only name there is.
pub fn pairs(argument: &str, given: Option<&OneOrMany>) -> FaultResult<Vec<(Option<String>, String)>> {
    let words = given.map(OneOrMany::list).unwrap_or_default();
    let words = words.iter().flat_map(|word| word.split(',')).map(str::trim).filter(|word| !word.is_empty());
    let mut pairs: Vec<(Option<String>, String)> = Vec::new();
    for word in words {
        // An address may hold `=` too, but not before its scheme ends.
        let pair = match word.split_once('=') {
            Some((name, value)) if !name.contains([':', '/', '?']) => (Some(name.trim().to_owned()), value),
            _ => (None, word),
        };
        if pairs.iter().any(|(name, _)| *name == pair.0) {
            let name = pair.0.unwrap_or_else(|| "a word without a name".into());
            return Err(Fault::invalid(format!("{argument} names {name} twice")));
        }
        pairs.push((pair.0, pair.1.trim().to_owned()));
    }
    Ok(pairs)
}

/// Gives each source the hash that was named for it.
pub fn pin(sources: &mut [(String, Source)], hashes: Vec<(Option<String>, String)>) -> FaultResult<()> {
    let count = sources.len();
    for (name, hash) in hashes {
        let chosen = match &name {
            Some(name) => sources.iter_mut().find(|(known, _)| known == name),
            None if count == 1 => sources.first_mut(),
            None => None,
        };
        let (_, source) = chosen.ok_or_else(|| {
            let name = name.unwrap_or_else(|| "none, though there are several sources".into());
            Fault::invalid(format!("sha256 is for {name}, which is not downloaded"))
        })?;
        source.sha256 = Some(hash);
    }
    Ok(())
}
