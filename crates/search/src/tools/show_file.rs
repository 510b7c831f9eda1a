//! `show_file`: a range of lines of one file, with the chunk they belong to.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Search, SearchError};

/// Larger files are not read.
const MAX_FILE_BYTES: u64 = 16 << 20;
/// Lines shown when the caller names no end.
const DEFAULT_LINES: u32 = 200;
const MAX_LINES: u32 = 2_000;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("show_file", Toolset::Search)
        .title("Show file")
        .summary("Show lines of a file in the repository and the definition they belong to")
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
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// Path relative to the repository.
    file: String,
    /// First line shown.
    start_line: u32,
    /// Last line shown.
    end_line: u32,
    /// Lines of the whole file.
    total_lines: u32,
    /// Whether lines of the asked range are missing here; ask again from the line after `endLine`.
    truncated: bool,
    /// The lines.
    text: String,
    /// The innermost definition that holds the first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk: Option<ChunkJson>,
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

fn run(call: &Call, search: &Search, args: &Args) -> Result<Shown, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let (path, shown) = inside(&repo, &args.file)?;
    let text = read(&path, &shown)?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let total = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let start = args.start_line.unwrap_or(1);
    let wanted = args.end_line.unwrap_or(start.saturating_add(DEFAULT_LINES - 1));
    if wanted < start || (start > total && total > 0) {
        let message = format!("lines {start} to {wanted} are not in {shown}, which has {total} lines");
        return Err(mainstay_contract::Fault::invalid(message).into());
    }
    let end = wanted.min(total).min(start.saturating_add(MAX_LINES - 1));
    let chosen = lines.get(start as usize - 1..end as usize).unwrap_or_default().concat();
    let outline = mainstay_index::outline(&shown, &text);
    let inner = outline
        .iter()
        .filter(|chunk| chunk.lines.0 <= start && start <= chunk.lines.1)
        .min_by_key(|chunk| chunk.lines.1 - chunk.lines.0);
    Ok(Shown {
        chunk: inner.map(|chunk| ChunkJson {
            kind: chunk.kind.name(),
            name: chunk.name.clone(),
            start_line: chunk.lines.0,
            end_line: chunk.lines.1,
        }),
        file: shown,
        start_line: start,
        end_line: end,
        total_lines: total,
        truncated: end < wanted.min(total),
        text: chosen,
    })
}

/// The file behind a path, which must stay inside the repository with links resolved.
fn inside(repo: &Path, named: &str) -> Result<(PathBuf, String), SearchError> {
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
            Ok((path.clone(), shown))
        }
        Ok(_) => Err(missing()),
        Err(_) => Err(outside()),
    }
}

fn read(path: &Path, shown: &str) -> Result<String, SearchError> {
    let not_text = |what| SearchError::NotText { path: shown.to_owned(), what };
    let missing = |_| SearchError::NoFile { path: shown.to_owned() };
    if std::fs::metadata(path).map_err(missing)?.len() > MAX_FILE_BYTES {
        return Err(not_text("larger than 16 MiB"));
    }
    let bytes = std::fs::read(path).map_err(missing)?;
    mainstay_index::decode(&bytes).ok_or_else(|| not_text("a binary file"))
}
