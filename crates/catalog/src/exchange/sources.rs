//! The files that hold instructions for agents, and what their front matter says.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::UnreadFile;
use crate::error::CatalogError;

/// Largest file that is read.
const MAX_SOURCE_BYTES: u64 = 1024 * 1024;
/// Most files of one directory.
const MAX_FILES: usize = 1000;

/// The families of instruction files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Agents,
    Claude,
    Cursor,
    Copilot,
}

impl Kind {
    /// First part of the ids.
    pub fn prefix(self) -> &'static str {
        match self {
            Kind::Agents => "agents",
            Kind::Claude => "claude",
            Kind::Cursor => "cursor",
            Kind::Copilot => "copilot",
        }
    }

    pub fn category(self) -> &'static str {
        match self {
            Kind::Agents => "agents-md",
            Kind::Claude => "claude-md",
            Kind::Cursor => "cursor-rules",
            Kind::Copilot => "copilot-instructions",
        }
    }

    fn of(path: &Path) -> Option<Kind> {
        let name = path.file_name()?.to_str()?;
        let below = |dir: &str| path.parent().is_some_and(|parent| parent.ends_with(dir));
        match name {
            "AGENTS.md" => Some(Kind::Agents),
            "CLAUDE.md" => Some(Kind::Claude),
            "copilot-instructions.md" => Some(Kind::Copilot),
            _ if name.ends_with(".mdc") => Some(Kind::Cursor),
            _ if name.ends_with(".md") && below(".github/instructions") => Some(Kind::Copilot),
            _ => None,
        }
    }
}

/// A file's text without its front matter.
pub(super) struct SourceText {
    pub kind: Kind,
    /// Path relative to where the import started.
    pub name: String,
    /// A title for text that has none.
    pub label: String,
    pub body: String,
    /// Front matter worth keeping with the entry.
    pub facts: Vec<(&'static str, Value)>,
}

/// Reads a directory's instruction files, or one file.
pub(super) fn read(path: &Path) -> Result<(Vec<SourceText>, Vec<UnreadFile>), CatalogError> {
    let metadata = fs::metadata(path).map_err(CatalogError::io("read", path))?;
    let (root, files) = match metadata.is_dir() {
        true => (path, find(path)),
        false => (path.parent().unwrap_or(path), vec![path.to_owned()]),
    };
    let (mut texts, mut unread) = (Vec::new(), Vec::new());
    // CLAUDE.md is often a link to AGENTS.md: one file is read once.
    let mut seen = HashSet::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if !seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            continue;
        }
        let Some(kind) = Kind::of(&file) else {
            unread.push(UnreadFile { file: name, reason: "not a known kind of instruction file".to_owned() });
            continue;
        };
        match read_text(&file) {
            Ok(text) => texts.push(parse(kind, name, &text)),
            Err(reason) => unread.push(UnreadFile { file: name, reason }),
        }
    }
    Ok((texts, unread))
}

fn find(root: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md"]
        .iter()
        .map(|name| root.join(name))
        .filter(|path| path.is_file())
        .collect();
    for (dir, ending) in [(".cursor/rules", ".mdc"), (".github/instructions", ".md")] {
        let listing = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = listing
            .map(|item| item.path())
            .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
            .take(MAX_FILES)
            .collect();
        found.sort();
        files.append(&mut found);
    }
    files
}

fn read_text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let mut file = File::open(path).map_err(|error| error.to_string())?.take(MAX_SOURCE_BYTES + 1);
    file.read_to_string(&mut text).map_err(|error| error.to_string())?;
    match text.len() as u64 > MAX_SOURCE_BYTES {
        true => Err(format!("larger than {MAX_SOURCE_BYTES} bytes")),
        false => Ok(text),
    }
}

fn parse(kind: Kind, name: String, text: &str) -> SourceText {
    let (front, body) = front_matter(text);
    let stem = name.rsplit('/').next().unwrap_or(&name).split('.').next().unwrap_or(&name);
    let mut label = stem.replace(['-', '_'], " ");
    let mut facts = Vec::new();
    for (key, value) in front {
        match key.as_str() {
            "description" if !value.is_empty() => {
                facts.push(("semanticSummary", Value::from(value.clone())));
                label = value;
            }
            "globs" => facts.push(("globs", value.into())),
            "alwaysApply" => facts.push(("alwaysApply", (value == "true").into())),
            "applyTo" => facts.push(("applyTo", value.into())),
            _ => {}
        }
    }
    SourceText { kind, name, label, body, facts }
}

/// Splits off `---` front matter: plain `key: value` lines and simple lists.
fn front_matter(text: &str) -> (Vec<(String, String)>, String) {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).replace("\r\n", "\n");
    let Some(rest) = text.strip_prefix("---\n") else { return (Vec::new(), text) };
    let Some((front, body)) = rest.split_once("\n---") else { return (Vec::new(), text.clone()) };
    let mut facts: Vec<(String, String)> = Vec::new();
    for line in front.lines() {
        if let Some(item) = line.trim_start().strip_prefix("- ") {
            if let Some((_, value)) = facts.last_mut() {
                let comma = if value.is_empty() { "" } else { "," };
                value.push_str(&format!("{comma}{}", unquote(item)));
            }
        } else if let Some((key, value)) = line.split_once(':') {
            facts.push((key.trim().to_owned(), unquote(value)));
        }
    }
    (facts, body.split_once('\n').map_or("", |(_, body)| body).to_owned())
}

fn unquote(text: &str) -> String {
    let text = text.trim();
    let inner = |quote| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    inner('"').or_else(|| inner('\'')).unwrap_or(text).to_owned()
}
