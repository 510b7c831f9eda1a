//! The files of a repository without a walk, where no folder and no rule about ignored files changed since the last one.
//!
//! The time of a folder changes with its list of names. So where all folders are as they were, a look at each file tells
//! as much as a walk, without reading folders and applying rules: on a tree of 5,700 files a fifth of its cost.

use crate::document::size_limit;
use crate::generation::Generation;
use crate::git::exclude_file;
use crate::held::Root;
use crate::walk::{Found, IGNORE_FILES, Passed, SkipReason, Skipped, Stamp, Walk};
use rayon::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// A mark of the rules that lie outside the folders of a walk: in the folders above and with git. 0 where they cannot be
/// told.
pub(crate) fn rules(repo: &Path) -> u64 {
    let Ok(repo) = repo.canonicalize() else { return 0 };
    let mut seen = String::new();
    for (depth, folder) in repo.ancestors().enumerate() {
        let mut places: Vec<PathBuf> =
            IGNORE_FILES.iter().filter(|_| depth > 0).map(|name| folder.join(name)).collect();
        if fs::symlink_metadata(folder.join(".git")).is_ok() {
            let Some(exclude) = exclude_file(folder) else { return 0 };
            places.push(exclude);
        }
        for place in places {
            if let Ok(rules) = fs::metadata(&place) {
                let Stamp { size, modified } = Stamp::of(&rules);
                seen.push_str(&format!("{} {size} {modified}\n", place.display()));
            }
        }
    }
    xxh3_64(seen.as_bytes()).max(1)
}

/// The files with rules that are not among those a walk found, and when they changed: many ignore themselves.
pub(crate) fn unlisted_rules(repo: &Path, walk: &Walk) -> Vec<(String, i64)> {
    let is_listed = |path: &str| walk.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
    let places = walk.folders.par_iter().flat_map_iter(|(folder, _)| {
        IGNORE_FILES.iter().map(move |name| match folder.as_str() {
            "" => (*name).to_owned(),
            folder => format!("{folder}/{name}"),
        })
    });
    let there = |path: String| time(repo, &path).map(|time| (path, time));
    places.filter(|path| !is_listed(path)).filter_map(there).collect()
}

/// When a file with rules changed; a link to one is followed, as the walk does.
fn time(repo: &Path, path: &str) -> Option<i64> {
    Some(Stamp::of(&fs::metadata(repo.join(path)).ok()?).modified)
}

/// Whether the folders of a generation hold the names they held, and rules no walk finds are the same.
pub(crate) fn has_same_names(repo: &Path, root: &Root, generation: &Generation) -> bool {
    let same = |(path, time): &(String, i64)| root.stamp(path).is_ok_and(|folder| folder.modified == *time);
    let same_rules = |(path, known): &(String, i64)| time(repo, path) == Some(*known);
    generation.rules != 0
        && generation.rules == rules(repo)
        && generation.rule_files.iter().all(same_rules)
        && generation.folders.par_iter().all(same)
}

/// What a walk would find; `None` where only a walk can tell.
pub(crate) fn relist(repo: &Path, root: &Root, generation: &Generation) -> Option<Walk> {
    // Permission to read a folder comes without a change of its time. On other systems there are file systems that keep
    // no time of folders.
    let unreadable = generation.passed.iter().filter(|file| file.reason == SkipReason::Unreadable).count();
    let all_read = count(&generation.skipped, SkipReason::Unreadable) == unreadable as u64;
    if !cfg!(unix) || !all_read || !has_same_names(repo, root, generation) {
        return None;
    }
    let files = generation.files.par_iter().map(|file| (&*file.path, file.stamp, None));
    let passed = generation.passed.par_iter().map(|file| (&*file.path, file.stamp, Some(file.reason)));
    let found: Option<Vec<(Found, bool, Option<SkipReason>)>> = files
        .chain(passed)
        .map(|(path, known, reason)| {
            let stamp = root.stamp(path).ok()?;
            Some((Found { path: path.to_owned(), stamp }, stamp == known, reason))
        })
        .collect();
    let mut out = Walk { folders: generation.folders.clone(), ..Walk::default() };
    for (found, is_same, reason) in found? {
        let is_rule = IGNORE_FILES.contains(&found.path.rsplit('/').next().unwrap_or_default());
        if is_rule && !is_same {
            return None;
        }
        // A document may be too long in its text only: what was found of it is known by its content.
        let is_heavy = found.stamp.size > size_limit(&found.path, generation.max_file_bytes);
        match reason {
            Some(SkipReason::Oversized) if is_same && !is_heavy => out.files.push(found),
            Some(SkipReason::Oversized) if is_same => out.passed.push(Passed {
                path: found.path,
                stamp: found.stamp,
                reason: SkipReason::Oversized,
            }),
            // A file that shrank has to be weighed again.
            Some(SkipReason::Oversized) => return None,
            _ => out.files.push(found),
        }
    }
    out.files.sort_by(|left, right| left.path.cmp(&right.path));
    for reason in [SkipReason::Link, SkipReason::Special, SkipReason::Name] {
        if count(&generation.skipped, reason) > 0 {
            out.skipped.counts.insert(reason, count(&generation.skipped, reason));
            let examples = generation.skipped.examples.get(&reason).cloned().unwrap_or_default();
            out.skipped.examples.insert(reason, examples);
        }
    }
    Some(out)
}

fn count(skipped: &Skipped, reason: SkipReason) -> u64 {
    skipped.counts.get(&reason).copied().unwrap_or_default()
}
