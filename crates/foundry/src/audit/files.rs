//! Which files an audit reads: what git would track, within bounds, with a count of everything left out.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use ignore::WalkBuilder;

use super::markup::Flavour;
use super::script::Dialect;
use crate::error::FoundryError;

/// More files than this are a mistake of the ignore rules, not a project.
pub const MAX_FILES: usize = 20_000;
/// Larger files are generated.
pub const MAX_FILE_BYTES: u64 = 1024 * 1024;
pub const MAX_TOTAL_BYTES: u64 = 256 * 1024 * 1024;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Css,
    Script(Dialect),
    Markup(Flavour),
}

/// Files of these kinds hold styles or components too, and nothing here can read them.
const UNREAD: [&str; 5] = ["svelte", "astro", "mdx", "styl", "sass"];

/// A file to read.
#[derive(Debug)]
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    pub full: PathBuf,
    pub kind: Kind,
    pub bytes: u64,
}

/// Why files were left out, with how many.
pub type Skipped = BTreeMap<&'static str, usize>;

fn kind_of(path: &Path) -> Option<Kind> {
    Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "css" | "scss" | "less" | "pcss" => Kind::Css,
        "js" | "jsx" | "mjs" | "cjs" => Kind::Script(Dialect::JavaScript),
        "ts" | "mts" | "cts" => Kind::Script(Dialect::TypeScript),
        "tsx" => Kind::Script(Dialect::Tsx),
        "html" | "htm" => Kind::Markup(Flavour::Html),
        "vue" => Kind::Markup(Flavour::Vue),
        _ => return None,
    })
}

fn is_generated(name: &str) -> bool {
    name.contains(".min.") || name.ends_with(".d.ts") || name.contains(".bundle.")
}

/// Collects the files below `paths` of the root, in order of their names.
pub fn collect(
    root: &Path,
    paths: &[String],
    leave_out: &[String],
    stop: &dyn Fn() -> bool,
) -> Result<(Vec<File>, Skipped), FoundryError> {
    let unreadable = |path: &str| {
        let path = path.to_owned();
        move |source| FoundryError::Io { action: "find", path, source }
    };
    let root = root.canonicalize().map_err(unreadable("."))?;
    let mut starts = Vec::new();
    for path in paths {
        let plain =
            Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let full = root.join(path);
        let real = full.canonicalize().ok().filter(|real| plain && real.starts_with(&root));
        starts.push(real.ok_or_else(|| FoundryError::Unknown {
            message: format!("{path:?} is no path of the project"),
            hint: Some("paths are relative to the project root and stay inside it".into()),
        })?);
    }
    let mut starts = starts.into_iter();
    let mut walk = WalkBuilder::new(starts.next().unwrap_or_else(|| root.clone()));
    for start in starts {
        walk.add(start);
    }
    // Ignore files count in a copy of a repository as they do in the repository.
    walk.require_git(false).git_global(false).follow_links(false).add_custom_ignore_filename(".purityignore");
    let left_out: Vec<PathBuf> = leave_out.iter().map(|path| root.join(path)).collect();
    walk.filter_entry(move |entry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_vendored = entry.file_type().is_some_and(|kind| kind.is_dir())
            && matches!(name, "node_modules" | "bower_components");
        !is_vendored && !left_out.iter().any(|path| entry.path().starts_with(path))
    });
    let mut skipped = Skipped::new();
    let mut skip = |reason| *skipped.entry(reason).or_default() += 1;
    let mut files: Vec<File> = Vec::new();
    let mut total = 0;
    for entry in walk.build() {
        if stop() {
            return Err(FoundryError::Cancelled);
        }
        let Ok(entry) = entry else {
            skip("unreadable");
            continue;
        };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        let name = entry.file_name().to_str().unwrap_or_default();
        let Some(kind) = kind_of(path) else {
            if path.extension().and_then(|end| end.to_str()).is_some_and(|end| UNREAD.contains(&end)) {
                skip("unsupportedLanguage");
            }
            continue;
        };
        let Some(relative) = path.strip_prefix(&root).ok().and_then(Path::to_str) else {
            skip("unreadable");
            continue;
        };
        let bytes = entry.metadata().map_or(0, |data| data.len());
        if is_generated(name) {
            skip("generated");
        } else if bytes > MAX_FILE_BYTES {
            skip("tooLarge");
        } else if files.len() >= MAX_FILES || total + bytes > MAX_TOTAL_BYTES {
            skip("overLimit");
        } else {
            total += bytes;
            let path = relative.replace('\\', "/");
            files.push(File { path, full: entry.path().to_owned(), kind, bytes });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok((files, skipped))
}

/// The text of a file that is still as small as it was when it was found.
pub fn read(file: &File) -> Option<String> {
    let bytes = fs::read(&file.full).ok()?;
    if bytes.len() as u64 > MAX_FILE_BYTES || bytes.contains(&0) {
        return None;
    }
    String::from_utf8(bytes).ok()
}
