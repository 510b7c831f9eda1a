//! What a run of a program is bound to: the program, the folder it works in, and the files its words name.
//!
//! What it will change is known to nobody, so that a plan of it says what it would be started with, and stops when any
//! of that has changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use mainstay_contract::Target;
use sha2::{Digest, Sha256};

use crate::executor::{Placed, find_program};

/// Why a preview cannot say what a program leaves behind.
pub const UNKNOWN: &str = "what a program changes is known only by running it; the plan is bound to the program, its \
                           words and the state of its folder";

/// Files looked at in a folder; beyond it the state is that of the first ones.
const MAX_FILES: usize = 10_000;

/// Everything a run depends on that can be looked at beforehand.
pub fn targets(job: &Placed) -> Vec<Target> {
    let folder = job.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    let program =
        find_program(&job.program.to_string_lossy(), &job.env).unwrap_or_else(|| job.program.clone());
    let mut targets = vec![
        Target::run(program.display().to_string(), file_state(&program)),
        Target::run(folder.display().to_string(), folder_state(&folder)),
    ];
    for word in &job.words {
        let named = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        let path = folder.join(named);
        let is_new = !targets.iter().any(|target| target.target == named);
        if is_new && !named.is_empty() && path.is_file() {
            targets.push(Target::run(named, file_state(&path)));
        }
    }
    targets
}

/// Follows from when a file was written and how large it is; nothing where there is none.
fn file_state(path: &Path) -> Option<String> {
    fs::metadata(path).ok().map(|meta| hash(&stamp(&meta)))
}

fn stamp(meta: &fs::Metadata) -> String {
    let written = meta.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    format!("{}\0{}", meta.len(), written.unwrap_or_default().as_nanos())
}

/// Follows from the names, sizes and times of the files below a folder.
fn folder_state(folder: &Path) -> Option<String> {
    fs::metadata(folder).ok()?;
    let (mut lines, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        let mut entries: Vec<_> = fs::read_dir(&next).into_iter().flatten().flatten().collect();
        entries.sort_by_key(fs::DirEntry::file_name);
        let is_git = next.file_name().is_some_and(|name| name == ".git");
        for entry in entries {
            // Looking at a repository with git rewrites these; what matters is in its references and logs.
            if is_git && ["index", "objects"].iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => lines.push(format!("{}\0{}", entry.path().display(), stamp(&meta))),
                Err(_) => {}
            }
            if lines.len() >= MAX_FILES {
                return Some(hash(&lines.join("\n")));
            }
        }
    }
    Some(hash(&lines.join("\n")))
}

fn hash(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
