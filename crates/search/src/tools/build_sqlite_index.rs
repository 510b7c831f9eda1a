//! `build_sqlite_index`: the index of a repository as one SQLite file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Call, Policy, Target, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::download::choose_dir;
use crate::{Search, SearchError, cache, sqlite};

/// Arguments of the contract about files this index is not made from.
const RESERVED: &[(&str, &str)] =
    &[("codeDir", "folder of artifacts of code"), ("proseDir", "folder of artifacts of prose")];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("build_sqlite_index", Toolset::Search)
        .title("Build SQLite index")
        .summary(
            "Write the index of a repository as one portable SQLite file with full-text tables, or bring it up to date",
        )
        .writes()
        .planned_as_far("an index follows from the files of the repository and is known once it is built")
        .policy(Policy::batch())
        .reserved(RESERVED)
        .example("Index the server's own repository", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// What to write; everything is, in one file.
    mode: Option<ModeArg>,
    /// Write only what changed; true when absent.
    incremental: Option<bool>,
    /// Make the file as small as it can be afterwards.
    compact: Option<bool>,
    /// Where to write it; beside the native index when absent, where search finds it.
    out: Option<String>,
    /// Read the file again and check every page and row.
    verify: Option<bool>,
}

#[derive(Deserialize, JsonSchema, Serialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum ModeArg {
    All,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository that was indexed.
    repo_path: String,
    /// What was written.
    mode: ModeArg,
    /// The file.
    out_path: String,
    /// Whether every page and row was read again.
    verified: bool,
    #[serde(flatten)]
    database: Database,
    /// How long it took.
    elapsed_ms: u64,
}

/// What a build of the database did.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Database {
    /// Files in it.
    pub files: u64,
    /// Chunks in it.
    pub chunks: u64,
    /// Vectors in it; 0 while the index has none.
    pub vectors: u64,
    /// Whether an existing file was brought up to date, not replaced.
    pub incremental: bool,
    /// Contents of files that were written.
    pub written_contents: u64,
    /// Contents of files that were removed.
    pub removed_contents: u64,
    /// Bytes of the file.
    pub bytes: u64,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let began = Instant::now();
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let out = match &args.out {
        Some(named) => choose_dir(call, &repo, &search.config.cache_dir, named)?,
        None => sqlite::default_path(&search.engine.index_dir(&repo)),
    };
    call.changes().propose_all(|| vec![search.engine.target(&repo), planned(&out)])?;
    search.engine.build(call, &repo, false)?;
    let update = args.incremental.unwrap_or(true);
    let mut database = bring_up_to_date(call, search, &repo, Some(&out), update)?;
    if args.compact == Some(true) {
        database.bytes = sqlite::compact(call, target(search, &out), false)?.after_bytes;
    }
    let verified = args.verify == Some(true);
    if verified {
        call.progress("verify", "reading every page");
        sqlite::verify(&repo, &out)?;
    }
    Ok(Report {
        repo_path: repo.display().to_string(),
        mode: args.mode.unwrap_or(ModeArg::All),
        out_path: out.display().to_string(),
        verified,
        database,
        elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

/// Writes the native index, which must be there, as a database.
pub fn bring_up_to_date(
    call: &Call,
    search: &Search,
    repo: &Path,
    out: Option<&PathBuf>,
    update: bool,
) -> Result<Database, SearchError> {
    let default = || sqlite::default_path(&search.engine.index_dir(repo));
    let out = out.cloned().unwrap_or_else(default);
    let pack = search.engine.index(repo)?.pack();
    // A table that cannot be read is no reason to go without an index.
    let vectors = search.vectors.table().ok().flatten();
    let written = sqlite::write(call, &pack, target(search, &out), update, vectors.as_ref())?;
    Ok(Database {
        files: written.files,
        chunks: written.chunks,
        vectors: written.vectors,
        incremental: written.is_update,
        written_contents: written.written_contents,
        removed_contents: written.removed_contents,
        bytes: written.bytes,
    })
}

/// A SQLite file as something to be changed.
pub fn planned(path: &Path) -> Target {
    Target::update(path.display().to_string(), cache::file_state(path))
}

/// A database to write, with this toolset's locks.
pub fn target<'a>(search: &'a Search, path: &'a Path) -> sqlite::Target<'a> {
    sqlite::Target { path, cache_dir: &search.config.cache_dir }
}
