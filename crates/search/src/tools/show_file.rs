//! `show_file`: a range of lines of one file, with the chunk and symbol they belong to and what git knows.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Component, Path};
use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use mainstay_index::chunk::Chunk;
use mainstay_index::open_resolved;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Search, SearchError};

/// Larger files are read as a stream, without their structure.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// The most bytes of a large file that are read for an answer.
const MAX_STREAM_BYTES: u64 = 2 << 30;
/// The most bytes of text in an answer.
const MAX_TEXT_BYTES: usize = 512 << 10;
/// Lines shown when the caller names no end.
const DEFAULT_LINES: u32 = 200;
const MAX_LINES: u32 = 2_000;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("show_file", Toolset::Search)
        .title("Show file")
        .summary("Show lines of a file in the repository, the definition they belong to and its last commit")
        .reads()
        .policy(Policy::interactive())
        .example("Show the first lines", json!({ "file": "README.md", "endLine": 20 }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Path relative to the repository.
    #[schemars(length(min = 1, max = 4096))]
    file: String,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// First line, counted from 1; 1 when absent.
    #[schemars(range(min = 1))]
    start_line: Option<u32>,
    /// Last line; 200 lines when absent, 2000 at most.
    #[schemars(range(min = 1))]
    end_line: Option<u32>,
    /// Say what git knows of the file; true when absent.
    git: Option<bool>,
}

#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// Path relative to the repository.
    file: String,
    /// First line shown.
    start_line: u32,
    /// Last line shown.
    end_line: u32,
    /// Lines of the whole file; 0 for a binary file.
    total_lines: u32,
    /// Bytes of the whole file.
    bytes: u64,
    /// Whether it is a binary file, of which nothing is shown.
    binary: bool,
    /// Whether lines of the asked range are missing here; ask again from the line after `endLine`.
    truncated: bool,
    /// The lines.
    text: String,
    /// The innermost chunk that holds the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk: Option<ChunkJson>,
    /// The innermost definition that holds the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<SymbolJson>,
    /// What git knows of the file; absent where there is no history.
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitJson>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChunkJson {
    /// What it is.
    kind: &'static str,
    /// Its name; empty for blocks.
    name: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SymbolJson {
    /// Its name with the names it is nested in, separated by dots.
    name: String,
    /// What it is.
    kind: &'static str,
    /// Its signature.
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    /// Its first line.
    start_line: u32,
    /// Its last line.
    end_line: u32,
    /// Whether it is a test.
    test: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GitJson {
    /// The last commit that changed the file.
    commit: String,
    /// Who made it.
    author: String,
    /// When.
    date: String,
    /// Its subject.
    subject: String,
    /// Whether the file differs from that commit's branch as it is checked out.
    modified: bool,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Shown, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let (held, file) = inside(&repo, &args.file)?;
    let bytes = held.metadata().map_err(|_| SearchError::NoFile { path: file.clone() })?.len();
    let mut shown = match bytes > MAX_FILE_BYTES {
        true => streamed(call, held, &file, args)?,
        false => whole(held, &file, args)?,
    };
    shown.bytes = bytes;
    if args.git != Some(false) {
        shown.git = git(call, search, &repo, &file)?;
    }
    shown.file = file;
    Ok(shown)
}

/// The lines a call asks for, both ends included.
fn range(args: &Args) -> (u32, u32) {
    let start = args.start_line.unwrap_or(1);
    (start, args.end_line.unwrap_or(start.saturating_add(DEFAULT_LINES - 1)))
}

fn not_there(file: &str, (start, wanted): (u32, u32), total: u32) -> SearchError {
    let message = format!("lines {start} to {wanted} are not in {file}, which has {total} lines");
    mainstay_contract::Fault::invalid(message).into()
}

/// A file that fits in memory, with its structure.
fn whole(held: File, file: &str, args: &Args) -> Result<Shown, SearchError> {
    let missing = |_| SearchError::NoFile { path: file.to_owned() };
    let mut bytes = Vec::new();
    held.take(MAX_FILE_BYTES).read_to_end(&mut bytes).map_err(missing)?;
    let Some(text) = mainstay_index::decode(&bytes) else {
        return Ok(Shown { binary: true, ..Shown::default() });
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let (start, wanted) = range(args);
    if wanted < start || (start > total && total > 0) {
        return Err(not_there(file, (start, wanted), total));
    }
    let end = wanted.min(total).min(start.saturating_add(MAX_LINES - 1));
    let mut shown = Shown {
        start_line: start,
        end_line: start.saturating_sub(1),
        total_lines: total,
        ..Shown::default()
    };
    for line in lines.get(start as usize - 1..end as usize).unwrap_or_default() {
        if !push(&mut shown, line) {
            break;
        }
    }
    shown.end_line = if total == 0 { 0 } else { shown.end_line };
    shown.truncated |= shown.end_line < wanted.min(total);
    let outline = mainstay_index::outline(file, &text);
    let holds = |chunk: &&Chunk| chunk.lines.0 <= start && start <= chunk.lines.1;
    let length = |chunk: &&Chunk| chunk.lines.1 - chunk.lines.0;
    shown.chunk = outline.iter().filter(holds).min_by_key(length).map(|chunk| ChunkJson {
        kind: chunk.kind.name(),
        name: chunk.name.clone(),
        start_line: chunk.lines.0,
        end_line: chunk.lines.1,
    });
    let is_symbol = |chunk: &&Chunk| !chunk.name.is_empty() && chunk.kind.is_definition();
    let symbol = outline.iter().filter(holds).filter(is_symbol).min_by_key(length);
    shown.symbol = symbol.map(|chunk| symbol_of(chunk, &outline, &text));
    Ok(shown)
}

/// Adds a line; a line that does not fit ends the answer, the first one is cut.
fn push(shown: &mut Shown, line: &str) -> bool {
    if shown.text.len() + line.len() > MAX_TEXT_BYTES {
        shown.truncated = true;
        if shown.text.is_empty() {
            shown.text.push_str(&line[..line.floor_char_boundary(MAX_TEXT_BYTES)]);
            shown.end_line += 1;
        }
        return false;
    }
    shown.text.push_str(line);
    shown.end_line += 1;
    true
}

fn symbol_of(chunk: &Chunk, outline: &[Chunk], text: &str) -> SymbolJson {
    let mut names = vec![chunk.name.as_str()];
    let mut parent = chunk.parent;
    while let Some(outer) = parent.and_then(|at| outline.get(at as usize)).filter(|_| names.len() < 16) {
        if !outer.name.is_empty() {
            names.push(&outer.name);
        }
        parent = outer.parent;
    }
    names.reverse();
    let signature =
        text.get(chunk.signature.start as usize..chunk.signature.end as usize).unwrap_or_default();
    SymbolJson {
        name: names.join("."),
        kind: chunk.kind.name(),
        signature: crate::triage::record::line(signature),
        start_line: chunk.lines.0,
        end_line: chunk.lines.1,
        test: chunk.is_test,
    }
}

/// A large file, read once from its start and never kept.
fn streamed(call: &Call, held: File, file: &str, args: &Args) -> Result<Shown, SearchError> {
    let missing = |_: std::io::Error| SearchError::NoFile { path: file.to_owned() };
    let mut reader = BufReader::with_capacity(1 << 16, held.take(MAX_STREAM_BYTES));
    let head = reader.fill_buf().map_err(missing)?;
    if head.contains(&0) {
        return Ok(Shown { binary: true, ..Shown::default() });
    }
    let (start, wanted) = range(args);
    let mut shown = Shown { start_line: start, end_line: start.saturating_sub(1), ..Shown::default() };
    let (mut line, mut total, mut is_open) = (Vec::new(), 0u32, true);
    loop {
        if total.is_multiple_of(65_536) {
            call.cancel().check()?;
        }
        line.clear();
        // A line without end is read in pieces of its own bound, and only its first piece is shown.
        let read =
            reader.by_ref().take(MAX_TEXT_BYTES as u64 + 1).read_until(b'\n', &mut line).map_err(missing)?;
        if read == 0 {
            break;
        }
        total = total.saturating_add(1);
        if !line.ends_with(b"\n") {
            skip_line(&mut reader).map_err(missing)?;
        }
        let shows = is_open && total >= start && total <= wanted && total - start < MAX_LINES;
        if shows {
            is_open = push(&mut shown, &String::from_utf8_lossy(&line));
        }
    }
    if wanted < start || start > total {
        return Err(not_there(file, (start, wanted), total));
    }
    shown.total_lines = total;
    shown.truncated |= shown.end_line < wanted.min(total);
    Ok(shown)
}

fn skip_line(reader: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let piece = reader.fill_buf()?;
        let (used, ends) = match piece.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (piece.len(), piece.is_empty()),
        };
        reader.consume(used);
        if ends {
            return Ok(());
        }
    }
}

/// What git knows of a file; nothing where it is new, or there is no git.
fn git(call: &Call, search: &Search, repo: &Path, file: &str) -> Result<Option<GitJson>, SearchError> {
    let words = ["log", "-1", "--no-show-signature", "--format=%H%x1f%an%x1f%aI%x1f%s", "--", file];
    let Ok(log) = search.git.run(call, repo, &words)? else { return Ok(None) };
    let mut fields = log.trim_end().split('\u{1f}').map(str::to_owned);
    let (Some(commit), Some(author), Some(date), Some(subject)) =
        (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return Ok(None);
    };
    let status =
        search.git.run(call, repo, &["status", "--porcelain", "--untracked-files=no", "--", file])?;
    Ok(Some(GitJson {
        commit,
        author,
        date,
        subject,
        modified: status.is_ok_and(|lines| !lines.trim().is_empty()),
    }))
}

/// The file behind a path, which must stay inside the repository with links resolved.
fn inside(repo: &Path, named: &str) -> Result<(File, String), SearchError> {
    let outside = || SearchError::Outside { path: named.chars().take(200).collect() };
    let missing = || SearchError::NoFile { path: named.chars().take(200).collect() };
    if named.contains('\0') {
        return Err(outside());
    }
    let relative = Path::new(named);
    let relative = relative.strip_prefix(repo).unwrap_or(relative);
    if relative.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(outside());
    }
    let path = repo.join(relative).canonicalize().map_err(|_| missing())?;
    match path.strip_prefix(repo) {
        Ok(inner) if path.is_file() => {
            let shown = inner
                .components()
                .map(|part| part.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("/");
            Ok((open_resolved(&path).map_err(|_| missing())?, shown))
        }
        Ok(_) => Err(missing()),
        Err(_) => Err(outside()),
    }
}
