//! Files of the repository by path, by the end of their path, and by folder.

use crate::hash::FastMap;

/// More files with one name than this are not told apart by their ends.
const MAX_NAMESAKES: usize = 400;

#[derive(Debug, Default)]
pub(super) struct Paths {
    by_path: FastMap<Box<str>, u32>,
    /// By file name.
    by_name: FastMap<Box<str>, Vec<u32>>,
    /// Files directly in a folder.
    by_folder: FastMap<Box<str>, Vec<u32>>,
    /// Folders by their own name.
    folders: FastMap<Box<str>, Vec<Box<str>>>,
    paths: FastMap<u32, Box<str>>,
}

impl Paths {
    pub fn of<'p>(files: impl Iterator<Item = (u32, &'p str)>) -> Paths {
        let mut out = Paths::default();
        for (file, path) in files {
            out.by_path.insert(path.into(), file);
            out.by_name.entry(name(path).into()).or_default().push(file);
            out.by_folder.entry(folder(path).into()).or_default().push(file);
            out.paths.insert(file, path.into());
        }
        let mut all: Vec<&Box<str>> = out.by_folder.keys().collect();
        all.sort();
        for path in all {
            out.folders.entry(name(path).into()).or_default().push(path.clone());
        }
        out
    }

    pub fn file(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    pub fn path(&self, file: u32) -> &str {
        self.paths.get(&file).map_or("", |path| path)
    }

    pub fn in_folder(&self, path: &str) -> &[u32] {
        self.by_folder.get(path).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn named(&self, name: &str) -> &[u32] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }

    /// The file whose path ends so: the only one, or the one nearest to another file.
    pub fn ending(&self, end: &str, near: &str) -> Option<u32> {
        let namesakes = self.named(name(end));
        if namesakes.len() > MAX_NAMESAKES {
            return None;
        }
        let fitting = namesakes.iter().copied().filter(|file| ends_with(self.path(*file), end));
        nearest(fitting.map(|file| (self.path(file), file)), near)
    }

    /// The folder whose path ends so, as `ending`.
    pub fn folder_ending(&self, end: &str, near: &str) -> Option<&str> {
        let namesakes = self.folders.get(name(end)).map(Vec::as_slice).unwrap_or_default();
        let fitting = namesakes.iter().map(|path| &**path).filter(|path| ends_with(path, end));
        nearest(fitting.map(|path| (path, path)), near)
    }
}

fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// What shares most folders with `near`; nothing where two share as many.
fn nearest<'p, T: Copy>(found: impl Iterator<Item = (&'p str, T)>, near: &str) -> Option<T> {
    let mut best: Option<(usize, T)> = None;
    let mut tied = false;
    for (path, value) in found {
        let shared = path.split('/').zip(near.split('/')).take_while(|(left, right)| left == right).count();
        match best {
            Some((most, _)) if shared < most => {}
            Some((most, _)) if shared == most => tied = true,
            _ => (best, tied) = (Some((shared, value)), false),
        }
    }
    best.filter(|_| !tied).map(|(_, value)| value)
}

pub(super) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The file name without its ending.
pub(super) fn stem(path: &str) -> &str {
    let name = name(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// A path from a folder on, without `.` and `..`; `None` where it leads out of the repository.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_several_ends_counts_and_a_tie_does_not() {
        let files = ["a/util/x.py", "b/util/x.py", "b/main.py", "c/y.py"];
        let paths = Paths::of((0u32..).zip(files));
        assert_eq!(paths.ending("util/x.py", "b/main.py"), Some(1));
        assert_eq!(paths.ending("util/x.py", "c/y.py"), None);
        assert_eq!(paths.ending("y.py", "a/util/x.py"), Some(3));
        assert_eq!(paths.folder_ending("util", "a/z.py"), Some("a/util"));
    }

    #[test]
    fn joined_paths_stay_inside() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "../../c"), None);
    }
}
