//! Who wrote which lines, asked of git for the files that answer a query, and kept by content.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mainstay_contract::Call;
use sha2::{Digest, Sha256};

use super::shelf::Shelf;
use super::{Histories, History, names};
use crate::SearchError;
use crate::git::Git;

/// Files of a query that are asked for, best first.
pub const MAX_FILES: usize = 60;
const PATIENCE: Duration = Duration::from_secs(8);
/// Blames that are longer are not read.
const MAX_BYTES: usize = 64 << 20;
/// Repositories whose blames stay in memory.
const MAX_OPEN: usize = 8;

/// Stretches of lines with their author.
pub(super) type Lines = Vec<(u32, u32, String)>;
pub(super) type Key = [u8; 32];

/// Blames that were asked for, by the folder they are kept in.
#[derive(Default)]
pub struct Blames {
    open: Mutex<Vec<(PathBuf, Shelf)>>,
}

/// Lines that may answer, by file: those of the authors asked for.
pub type Allowed = BTreeMap<String, Vec<(u32, u32)>>;

impl Histories {
    /// The lines of `files` that an author of `wanted` wrote.
    pub fn lines_of(
        &self,
        call: &Call,
        git: &Git,
        repo: &Path,
        store: &Path,
        files: &[String],
        wanted: &str,
    ) -> Result<Allowed, SearchError> {
        let history = self.of(call, git, repo, store)?;
        let git = &git.asking_once();
        let authors = names(Some(wanted));
        let holds = |author: &str| {
            let author = author.to_lowercase();
            authors.iter().any(|part| author.contains(part))
        };
        let mut out = Allowed::new();
        for path in files.iter().take(MAX_FILES) {
            call.cancel().check()?;
            let lines = self.blames.of(call, git, repo, store, path, &history)?;
            let ranges: Vec<(u32, u32)> = match lines {
                Some(lines) => lines
                    .iter()
                    .filter(|(.., author)| holds(author))
                    .map(|(first, last, _)| (*first, *last))
                    .collect(),
                // Lines nobody can be asked about are those of whoever changed the file last.
                None => match history.file(path) {
                    Some(file) if holds(&file.author) => vec![(1, u32::MAX)],
                    _ => Vec::new(),
                },
            };
            if !ranges.is_empty() {
                out.insert(path.clone(), ranges);
            }
        }
        self.blames.on_shelf(store, |shelf| shelf.save(store))?;
        Ok(out)
    }
}

impl Blames {
    /// The authors of a file's lines; `None` where git does not know the file.
    fn of(
        &self,
        call: &Call,
        git: &Git,
        repo: &Path,
        store: &Path,
        path: &str,
        history: &History,
    ) -> Result<Option<Arc<Lines>>, SearchError> {
        let Ok(bytes) = std::fs::read(repo.join(path)) else { return Ok(None) };
        let key = key(path, &bytes, history);
        if let Some(lines) = self.on_shelf(store, |shelf| shelf.get(&key)) {
            return Ok(Some(lines));
        }
        let mut text = Vec::new();
        let words = ["blame", "--no-textconv", "--porcelain", "--", path];
        let finished = git.stream(call, repo, &words, PATIENCE, &mut |bytes| {
            if text.len() <= MAX_BYTES {
                text.extend_from_slice(bytes);
            }
        })?;
        if !matches!(finished, Ok(true)) || text.len() > MAX_BYTES {
            return Ok(None);
        }
        let lines = Arc::new(parse(&String::from_utf8_lossy(&text)));
        self.on_shelf(store, |shelf| shelf.keep(&key, &lines));
        Ok(Some(lines))
    }

    fn on_shelf<T>(&self, store: &Path, act: impl FnOnce(&mut Shelf) -> T) -> T {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let at = open.iter().position(|(folder, _)| folder == store);
        let (folder, mut shelf) =
            at.map_or_else(|| (store.to_owned(), Shelf::open(store)), |at| open.remove(at));
        let out = act(&mut shelf);
        if open.len() >= MAX_OPEN {
            open.remove(0);
        }
        open.push((folder, shelf));
        out
    }
}

/// What a blame follows from: the file as it is, the commits that changed it, and who their names mean. A commit that
/// leaves the file alone changes nothing, so the commit that is checked out counts only where not all are known.
fn key(path: &str, bytes: &[u8], history: &History) -> Key {
    let commits = history.file(path).map_or(0, |file| file.commit_mark).to_le_bytes();
    let head = if history.complete { "" } else { &history.head };
    let mut digest = Sha256::new();
    for part in [path.as_bytes(), bytes, &commits, history.naming.as_bytes(), head.as_bytes()] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().into()
}

/// Reads `git blame --porcelain`. Lines that are not committed have no author.
fn parse(text: &str) -> Lines {
    let mut authors: HashMap<&str, (String, String)> = HashMap::new();
    let mut out: Lines = Vec::new();
    let mut current: Option<(&str, u32)> = None;
    for line in text.lines() {
        if line.starts_with('\t') {
            let Some((commit, number)) = current.take() else { continue };
            if commit.bytes().all(|byte| byte == b'0') {
                continue;
            }
            let author = authors.get(commit).map(|(name, mail)| format!("{name} {mail}")).unwrap_or_default();
            match out.last_mut() {
                Some((_, last, known)) if *last + 1 == number && *known == author => *last = number,
                _ => out.push((number, number, author)),
            }
            continue;
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (word, current) {
            ("author", Some((commit, _))) => authors.entry(commit).or_default().0 = rest.to_owned(),
            ("author-mail", Some((commit, _))) => authors.entry(commit).or_default().1 = rest.to_owned(),
            (commit, None) if commit.len() >= 40 => {
                let number = rest.split(' ').nth(1).and_then(|number| number.parse().ok());
                current = number.map(|number| (commit, number));
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_one_author_are_joined() {
        let (a, b, none) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let text = format!(
            "{a} 1 1 2\nauthor Ann\nauthor-mail <ann@x>\nsummary s\n\tone\n{a} 2 2\n\ttwo\n{b} 3 3 1\nauthor Bob\n\
             author-mail <bob@x>\n\tthree\n{none} 4 4 1\nauthor Not Committed Yet\n\tfour\n"
        );
        assert_eq!(parse(&text), [(1, 2, "Ann <ann@x>".to_owned()), (3, 3, "Bob <bob@x>".to_owned())]);
    }
}
