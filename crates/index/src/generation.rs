//! A generation: which files there are, and which segment holds the work on each. One small file, replaced whole.

use crate::disk::codec::{Reader, put, put_str};
use crate::disk::{Container, Writer};
use crate::error::{Damaged, IndexError};
use crate::git::Revision;
use crate::segment::dictionary::{self, Dictionary};
use crate::segment::postings::{BODY, Counts, NAME, Posting};
use crate::segment::{Key16, Lists};
use crate::token;
use crate::walk::{Passed, SkipReason, Skipped, Stamp};
use std::path::{Component, Path};

const FILE_KIND: u32 = 2;
const META: u32 = 1;
const FILES: u32 = 2;
const FOLDERS: u32 = 3;
const PATH_BLOCKS: u32 = 4;
const PATH_TERMS: u32 = 5;
const PATH_LISTS: u32 = 6;
const PASSED: u32 = 7;
const RULE_FILES: u32 = 8;

/// A file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileEntry {
    pub path: Box<str>,
    pub segment: u32,
    pub blob: u32,
    pub stamp: Stamp,
    /// Traits of the path.
    pub traits: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation {
    pub number: u64,
    /// Milliseconds since 1970, as the builder's caller told them.
    pub built_at_ms: u64,
    pub max_file_bytes: u64,
    /// See `relist::rules`.
    pub rules: u64,
    /// See `relist::unlisted_rules`.
    pub rule_files: Vec<(String, i64)>,
    pub revision: Option<Revision>,
    /// Names of segment files.
    pub segments: Vec<String>,
    /// In path order.
    pub files: Vec<FileEntry>,
    pub folders: Vec<(String, i64)>,
    pub skipped: Skipped,
    /// Files without text when they were looked at (binary, too large, unreadable), in path order.
    pub passed: Vec<Passed>,
}

impl Generation {
    pub fn file_name(number: u64) -> String {
        format!("generation-{number:08}")
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::new(FILE_KIND);
        writer.section(META, self.encode_meta());
        let mut files = Vec::new();
        let mut before = "";
        for file in &self.files {
            put_path(&mut files, before, &file.path);
            put(&mut files, u64::from(file.segment));
            put(&mut files, u64::from(file.blob));
            put(&mut files, file.stamp.size);
            files.extend_from_slice(&file.stamp.modified.to_le_bytes());
            files.push(file.traits);
            before = &file.path;
        }
        writer.section(FILES, files);
        writer.section(FOLDERS, encode_times(&self.folders));
        writer.section(RULE_FILES, encode_times(&self.rule_files));
        let mut passed = Vec::new();
        let mut before = "";
        for file in &self.passed {
            put_path(&mut passed, before, &file.path);
            put(&mut passed, file.stamp.size);
            passed.extend_from_slice(&file.stamp.modified.to_le_bytes());
            passed.push(file.reason as u8);
            before = &file.path;
        }
        writer.section(PASSED, passed);
        let paths = encode_paths(self.files.iter().map(|file| &*file.path));
        writer.section(PATH_BLOCKS, paths.blocks);
        writer.section(PATH_TERMS, paths.terms);
        writer.section(PATH_LISTS, paths.lists);
        writer.finish()
    }

    fn encode_meta(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, self.number);
        put(&mut out, self.built_at_ms);
        put(&mut out, self.max_file_bytes);
        put(&mut out, self.rules);
        put(&mut out, u64::from(self.revision.is_some()));
        let revision = self.revision.clone().unwrap_or_default();
        put_str(&mut out, revision.commit.as_deref().unwrap_or_default());
        put_str(&mut out, revision.branch.as_deref().unwrap_or_default());
        put(&mut out, self.segments.len() as u64);
        self.segments.iter().for_each(|name| put_str(&mut out, name));
        for reason in SkipReason::ALL {
            put(&mut out, self.skipped.counts.get(reason).copied().unwrap_or_default());
            let examples = self.skipped.examples.get(reason).map(Vec::as_slice).unwrap_or_default();
            put(&mut out, examples.len() as u64);
            examples.iter().for_each(|path| put_str(&mut out, path));
        }
        out
    }

    fn decode(container: &Container) -> Result<Generation, Damaged> {
        let mut reader = Reader::new(container.section(META)?.all()?);
        let mut out = Generation {
            number: reader.number()?,
            built_at_ms: reader.number()?,
            max_file_bytes: reader.number()?,
            rules: reader.number()?,
            ..Generation::default()
        };
        let known = reader.number()? != 0;
        let mut word = || Ok(Some(reader.string()?.to_owned()).filter(|word| !word.is_empty()));
        let revision = Revision { commit: word()?, branch: word()? };
        out.revision = known.then_some(revision);
        for _ in 0..reader.number()? {
            out.segments.push(reader.string()?.to_owned());
        }
        for reason in SkipReason::ALL {
            // A generation of an older program knows fewer reasons.
            if reader.is_empty() {
                break;
            }
            let count = reader.number()?;
            let mut examples = Vec::new();
            for _ in 0..reader.number()? {
                examples.push(reader.string()?.to_owned());
            }
            if count > 0 {
                out.skipped.counts.insert(*reason, count);
                out.skipped.examples.insert(*reason, examples);
            }
        }
        let mut reader = Reader::new(container.section(FILES)?.all()?);
        let mut path = String::new();
        while !reader.is_empty() {
            take_path(&mut reader, &mut path)?;
            let (segment, blob, size) = (reader.number32()?, reader.number32()?, reader.number()?);
            let stamp = Stamp { size, modified: signed(&mut reader)? };
            let traits = reader.byte()?;
            if !is_inside(&path) {
                return Err(Damaged("a path leads out of the repository"));
            }
            if segment as usize >= out.segments.len() {
                return Err(Damaged("a file names no segment"));
            }
            out.files.push(FileEntry { path: path.as_str().into(), segment, blob, stamp, traits });
        }
        out.folders = decode_times(container, FOLDERS)?;
        out.rule_files = decode_times(container, RULE_FILES)?;
        let mut reader = Reader::new(container.section(PASSED)?.all()?);
        let mut path = String::new();
        while !reader.is_empty() {
            take_path(&mut reader, &mut path)?;
            let stamp = Stamp { size: reader.number()?, modified: signed(&mut reader)? };
            if !is_inside(&path) {
                return Err(Damaged("a path leads out of the repository"));
            }
            let reason = *SkipReason::ALL
                .get(reader.byte()? as usize)
                .ok_or(Damaged("a file was passed for an unknown reason"))?;
            out.passed.push(Passed { path: path.clone(), stamp, reason });
        }
        Ok(out)
    }
}

/// An open generation: its tables, and its path dictionary left on disk.
#[derive(Debug)]
pub(crate) struct OpenGeneration {
    pub generation: Generation,
    container: Container,
}

impl OpenGeneration {
    pub fn open(path: &Path) -> Result<OpenGeneration, IndexError> {
        OpenGeneration::read(Container::open(path, FILE_KIND)?)
    }

    pub fn in_memory(bytes: Vec<u8>) -> Result<OpenGeneration, IndexError> {
        OpenGeneration::read(Container::in_memory(bytes, FILE_KIND)?)
    }

    fn read(container: Container) -> Result<OpenGeneration, IndexError> {
        let generation =
            Generation::decode(&container).map_err(|damaged| damaged.in_file(container.path()))?;
        Ok(OpenGeneration { generation, container })
    }

    /// Files by the words of their paths: `NAME` for the file's own name, body for folders.
    pub fn paths(&self) -> Result<Dictionary<'_>, Damaged> {
        Ok(Dictionary {
            blocks: self.container.section(PATH_BLOCKS)?,
            terms: self.container.section(PATH_TERMS)?,
            lists: self.container.section(PATH_LISTS)?,
        })
    }

    pub fn verify(&self) -> Result<(), Damaged> {
        self.container.verify()
    }

    /// See `Container::check_length`.
    pub fn check_length(&self) -> Result<(), IndexError> {
        self.container.check_length()
    }
}

/// The terms of a path: those of the file name marked `NAME`, those of its folders `BODY`.
pub(crate) fn path_terms(path: &str, mut term: impl FnMut(&str, u8)) {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    token::words(folders, |_, word| token::terms(word, |found| term(found, BODY)));
    token::words(name, |_, word| token::terms(word, |found| term(found, NAME)));
}

fn encode_paths<'p>(paths: impl Iterator<Item = &'p str>) -> dictionary::Encoded {
    let mut lists = Lists::default();
    let mut terms: Vec<(String, Counts)> = Vec::new();
    for (file, path) in (0u32..).zip(paths) {
        terms.clear();
        path_terms(path, |term, field| match terms.iter_mut().find(|(known, _)| known == term) {
            Some((_, counts)) => counts.add(field),
            None => {
                let mut counts = Counts::default();
                counts.add(field);
                terms.push((term.to_owned(), counts));
            }
        });
        for (term, counts) in &terms {
            let list = lists.list(Key16::of(term.as_bytes()), term.as_bytes());
            list.push(Posting { chunk: file, counts: *counts });
        }
    }
    lists.encode()
}

fn encode_times(times: &[(String, i64)]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut before = "";
    for (path, modified) in times {
        put_path(&mut out, before, path);
        out.extend_from_slice(&modified.to_le_bytes());
        before = path;
    }
    out
}

fn decode_times(container: &Container, section: u32) -> Result<Vec<(String, i64)>, Damaged> {
    let mut reader = Reader::new(container.section(section)?.all()?);
    let mut out = Vec::new();
    let mut path = String::new();
    while !reader.is_empty() {
        take_path(&mut reader, &mut path)?;
        out.push((path.clone(), signed(&mut reader)?));
    }
    Ok(out)
}

/// Paths are joined to the repository and read: none may lead elsewhere, whoever wrote the file.
fn is_inside(path: &str) -> bool {
    let parts = Path::new(path).components();
    !path.is_empty() && parts.into_iter().all(|part| matches!(part, Component::Normal(_)))
}

fn put_path(out: &mut Vec<u8>, before: &str, path: &str) {
    let mut shared = before.bytes().zip(path.bytes()).take_while(|(left, right)| left == right).count();
    while !path.is_char_boundary(shared) {
        shared -= 1;
    }
    put(out, shared as u64);
    put_str(out, &path[shared..]);
}

fn take_path(reader: &mut Reader<'_>, path: &mut String) -> Result<(), Damaged> {
    let shared = reader.number()? as usize;
    if !path.is_char_boundary(shared) {
        return Err(Damaged("a path shares more than there is"));
    }
    path.truncate(shared);
    path.push_str(reader.string()?);
    Ok(())
}

fn signed(reader: &mut Reader<'_>) -> Result<i64, Damaged> {
    let bytes = reader.take(8)?;
    Ok(i64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_inside_the_repository_count() {
        for (path, expected) in [
            ("src/a.rs", true),
            ("a", true),
            ("/etc/passwd", false),
            ("../x", false),
            ("a/../../x", false),
            ("", false),
        ] {
            assert_eq!(is_inside(path), expected, "{path}");
        }
    }
}
