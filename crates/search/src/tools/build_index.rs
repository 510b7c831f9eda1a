//! `build_index`: build a repository's index or bring it up to date.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::build_sqlite_index::{self, Database, ModeArg};
use crate::{Search, SearchError, sqlite};

/// Arguments of the contract that need parts not built yet.
const RESERVED: &[(&str, &str)] = &[
    ("stubEmbeddings", "use stand-in vectors"),
    ("useArtifacts", "restore artifacts of a CI run first"),
    ("artifactsDir", "where those artifacts are"),
];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("build_index", Toolset::Search)
        .alias("index_build", true)
        .title("Build index")
        .summary(
            "Build the search index of a repository, or bring it up to date; unchanged files cost nothing",
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
    /// What to index; everything is, in one index.
    mode: Option<ModeArg>,
    /// Keep what is known of unchanged files; true when absent.
    incremental: Option<bool>,
    /// Bring the SQLite index up to date too.
    sqlite: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository that was indexed.
    repo_path: String,
    /// What was indexed.
    mode: ModeArg,
    /// Whether known work was kept.
    incremental: bool,
    /// Number of the new generation.
    generation: u64,
    /// Files in the index.
    files: u64,
    /// Files worked on in this build.
    analysed_files: u64,
    /// Chunks in the index.
    chunks: u64,
    /// Bytes of source.
    source_bytes: u64,
    /// Bytes of the index.
    index_bytes: u64,
    /// Files left out, by reason.
    skipped: BTreeMap<&'static str, u64>,
    /// The SQLite index, when it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    sqlite: Option<Database>,
    /// How long the build took.
    elapsed_ms: u64,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let began = Instant::now();
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let mode = args.mode.unwrap_or(ModeArg::All);
    let incremental = args.incremental.unwrap_or(true);
    let mut targets = vec![search.engine.target(&repo)];
    if args.sqlite == Some(true) {
        targets.push(build_sqlite_index::planned(&sqlite::default_path(&search.engine.index_dir(&repo))));
    }
    call.changes().propose_all(|| targets)?;
    let built = search.engine.build(call, &repo, !incremental)?;
    let sqlite = match args.sqlite {
        Some(true) => Some(build_sqlite_index::bring_up_to_date(call, search, &repo, None, incremental)?),
        _ => None,
    };
    Ok(Report {
        repo_path: repo.display().to_string(),
        mode,
        incremental,
        generation: built.generation,
        files: built.files,
        analysed_files: built.analysed_files,
        chunks: built.chunks,
        source_bytes: built.source_bytes,
        index_bytes: built.index_bytes,
        skipped: built.skipped.counts.iter().map(|(reason, count)| (reason.name(), *count)).collect(),
        sqlite,
        elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}
