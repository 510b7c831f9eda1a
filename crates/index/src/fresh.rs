//! What changed since the build. Changed files are worked on in memory and searched like the rest.

use crate::build::{Content, Outcome, examine, read};
use crate::document::Documents;
use crate::error::IndexError;
use crate::generation::{FileEntry, Generation};
use crate::held::Root;
use crate::journal::Journal;
use crate::relist::has_same_names;
use crate::segment::{Builder, Segment, Tier, content_hash};
use crate::store::Opened;
use crate::traits;
use crate::walk::{Found, IGNORE_FILES, Stamp, walk};
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// More than this is not searched directly: the answer says so and a build is due.
const MAX_OVERLAY_BYTES: u64 = 32 << 20;
const MAX_OVERLAY_FILES: usize = 2_000;

/// The difference between a generation and the files as they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Files of the generation that are gone or different, by number.
    pub hidden: HashSet<u32>,
    pub modified: u64,
    pub added: u64,
    pub deleted: u64,
    /// Changed files that were too many or too large to search directly.
    pub not_searched: u64,
    /// Somebody looked; otherwise nothing is known.
    pub checked: bool,
}

/// A segment in memory and the files in it.
pub(crate) type Overlay = (Arc<Segment>, Vec<FileEntry>);

/// Compares a generation with the files on disk and works on those that differ.
pub(crate) fn look(
    repo: &Path,
    store: &Path,
    opened: &Opened,
) -> Result<(Changes, Option<Overlay>), IndexError> {
    let generation = &opened.tables.generation;
    let root = Root::new(repo);
    let mut changes = Changes { checked: true, ..Changes::default() };
    let candidates = match stat_only(repo, &root, generation) {
        Some(candidates) => candidates,
        None => full_walk(repo, store, generation, &mut changes)?,
    };
    let different: Vec<(Option<u32>, Found)> =
        candidates.into_par_iter().filter(|(old, found)| differs(&root, opened, *old, found)).collect();
    for (old, _) in &different {
        changes.hidden.extend(old);
        *(if old.is_some() { &mut changes.modified } else { &mut changes.added }) += 1;
    }
    let mut bytes = 0;
    let fits = |(_, found): &&(Option<u32>, Found)| {
        bytes += found.stamp.size;
        bytes <= MAX_OVERLAY_BYTES
    };
    let chosen: Vec<&Found> =
        different.iter().take(MAX_OVERLAY_FILES).take_while(fits).map(|(_, found)| found).collect();
    changes.not_searched = (different.len() - chosen.len()) as u64;
    // What cannot be searched directly is better answered from the index than not at all.
    for (old, _) in different.iter().skip(chosen.len()) {
        old.iter().for_each(|old| {
            changes.hidden.remove(old);
        });
    }
    let overlay = work(&root, store, &chosen, generation.max_file_bytes, &opened.documents)?;
    Ok((changes, overlay))
}

/// Compares stamps of known files and folders. `None` when names came or went and only a walk can tell which count.
fn stat_only(repo: &Path, root: &Root, generation: &Generation) -> Option<Vec<(Option<u32>, Found)>> {
    if !has_same_names(repo, root, generation) {
        return None;
    }
    let stamps: Option<Vec<(usize, Stamp)>> = generation
        .files
        .par_iter()
        .enumerate()
        .map(|(at, file)| Some((at, root.stamp(&file.path).ok()?)))
        .collect();
    let passed: Vec<Found> = generation
        .passed
        .par_iter()
        .filter_map(|passed| {
            let stamp = root.stamp(&passed.path).ok()?;
            (stamp != passed.stamp).then(|| Found { path: passed.path.clone(), stamp })
        })
        .collect();
    let mut changed: Vec<(Option<u32>, Found)> = stamps?
        .into_iter()
        .filter(|(at, stamp)| generation.files[*at].stamp != *stamp)
        .map(|(at, stamp)| (Some(at as u32), Found { path: generation.files[at].path.to_string(), stamp }))
        .collect();
    // What had no text may have some now.
    changed.extend(passed.into_iter().map(|found| (None, found)));
    let rules_changed = changed
        .iter()
        .any(|(_, found)| IGNORE_FILES.contains(&found.path.rsplit('/').next().unwrap_or_default()));
    (!rules_changed).then_some(changed)
}

fn full_walk(
    repo: &Path,
    store: &Path,
    generation: &Generation,
    changes: &mut Changes,
) -> Result<Vec<(Option<u32>, Found)>, IndexError> {
    let known: HashMap<&str, u32> =
        generation.files.iter().enumerate().map(|(at, file)| (&*file.path, at as u32)).collect();
    let found = walk(repo, store, generation.max_file_bytes)?.files;
    let present: HashSet<&str> = found.iter().map(|found| found.path.as_str()).collect();
    for (path, at) in &known {
        if !present.contains(path) {
            changes.deleted += 1;
            changes.hidden.insert(*at);
        }
    }
    let changed = found.into_iter().map(|found| (known.get(found.path.as_str()).copied(), found));
    Ok(changed
        .filter(|(old, found)| old.is_none_or(|old| generation.files[old as usize].stamp != found.stamp))
        .collect())
}

/// A different stamp is a hint, a different content is a change. New files that have no text are none.
fn differs(root: &Root, opened: &Opened, old: Option<u32>, found: &Found) -> bool {
    let generation = &opened.tables.generation;
    match (old, read(root, found, generation.max_file_bytes)) {
        (Some(old), Ok(Content { bytes, .. })) => {
            let entry = &generation.files[old as usize];
            let blob = opened.segments[entry.segment as usize].blob(entry.blob);
            blob.map_or(true, |blob| blob.hash != content_hash(&bytes))
        }
        (Some(_), Err(_)) => true,
        (None, Ok(Content { bytes, .. })) => match opened.documents.format(&found.path, &bytes) {
            Some(lang) => opened.documents.text(lang, &bytes).is_ok(),
            None => crate::text::decode(&bytes).is_ok(),
        },
        (None, Err(_)) => false,
    }
}

fn work(
    root: &Root,
    store: &Path,
    files: &[&Found],
    max_file_bytes: u64,
    documents: &Documents,
) -> Result<Option<Overlay>, IndexError> {
    if files.is_empty() {
        return Ok(None);
    }
    let journal = Journal::open(store);
    let outcomes: Vec<Outcome> = files
        .par_iter()
        .map(|found| examine(root, found, max_file_bytes, documents, Tier::Structural, &journal, &|_| false))
        .collect();
    let mut builder = Builder::default();
    let mut entries = Vec::new();
    let mut seen = BTreeMap::new();
    for (found, outcome) in files.iter().zip(outcomes) {
        let Outcome::Fresh(work, stamp) = outcome else {
            continue;
        };
        let blob = *seen.entry(work.key).or_insert_with(|| builder.add(&work));
        entries.push(FileEntry {
            path: found.path.as_str().into(),
            segment: 0,
            blob,
            stamp,
            traits: traits::of_path(&found.path),
        });
    }
    if entries.is_empty() {
        return Ok(None);
    }
    Ok(Some((Arc::new(Segment::in_memory(builder.finish())?), entries)))
}
