//! `verify_extensions`: whether a loadable SQLite extension is there, whole and for this machine.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::download::Manifest;
use crate::extension::{PLATFORMS, PROCESSORS, Target, choose, entry_point, machine};
use crate::{Search, SearchError};

/// Larger files are not libraries anyone publishes for SQLite.
const MAX_BYTES: u64 = 256 << 20;

/// Arguments of the contract about a trial with a table; native code is not loaded into the server.
const RESERVED: &[(&str, &str)] = &[
    ("module", "virtual table module of a trial"),
    ("table", "table of a trial"),
    ("column", "column of a trial"),
    ("encoding", "encoding of the vectors of a trial"),
    ("options", "options of the table of a trial"),
    ("annMode", "which index a trial is for"),
];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("verify_extensions", Toolset::Search)
        .title("Verify extensions")
        .summary("Check that a SQLite extension is there, unchanged since it was installed, and made for this machine")
        .reads()
        .policy(Policy::interactive())
        .reserved(RESERVED)
        .example("Check the vector extension", json!({}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository that relative paths start from; the server's own when absent.
    repo_path: Option<String>,
    /// Which extension; sqlite-vec when absent.
    #[schemars(
        length(min = 1, max = 120),
        regex(pattern = r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*){0,2}$")
    )]
    provider: Option<String>,
    /// Folder extensions are kept in; the cache when absent.
    #[schemars(length(min = 1, max = 1024), regex(pattern = r"^[^\x00]+$"))]
    dir: Option<String>,
    /// Exact path of the library.
    #[schemars(length(min = 1, max = 1024), regex(pattern = r"^[^\x00]+$"))]
    path: Option<String>,
    /// Operating system it must be for; this one when absent.
    #[schemars(extend("enum" = PLATFORMS))]
    platform: Option<String>,
    /// Processor it must be for; this one when absent.
    #[schemars(extend("enum" = PROCESSORS))]
    arch: Option<String>,
    /// Say whether it can be loaded; true when absent.
    load: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Whether every check passed.
    ok: bool,
    /// What was looked for.
    config: Config,
    /// The library.
    path: String,
    /// Whether it is there.
    exists: bool,
    /// The checks, in the order they were made.
    checks: Vec<Check>,
    /// Whether it was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<Trial>,
    /// Whether a table was made with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    smoke: Option<Trial>,
}

#[derive(Serialize, JsonSchema)]
struct Config {
    /// Which extension.
    provider: String,
    /// Folder of the manifest.
    dir: String,
    /// Operating system.
    platform: &'static str,
    /// Processor.
    arch: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Check {
    /// What was looked at.
    name: &'static str,
    /// Whether it is as it should be.
    ok: bool,
    /// What was found.
    detail: String,
}

#[derive(Serialize, JsonSchema)]
struct Trial {
    /// Whether it was tried.
    attempted: bool,
    /// Whether it worked.
    ok: bool,
    /// Why not.
    reason: &'static str,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let provider = args.provider.as_deref().unwrap_or("sqlite-vec");
    let target = Target::named(args.platform.as_deref(), args.arch.as_deref())?;
    let (dir, path) =
        choose(call, search, &repo, provider, target, args.dir.as_deref(), args.path.as_deref())?;
    let exists = path.is_file();
    let checks = if exists { checks(call, &dir, &path, target)? } else { vec![missing(&path)] };
    let trial = |reason| Trial { attempted: false, ok: false, reason };
    let asked = args.load != Some(false);
    Ok(Report {
        ok: checks.iter().all(|check| check.ok),
        config: Config {
            provider: provider.into(),
            dir: dir.display().to_string(),
            platform: target.platform,
            arch: target.arch,
        },
        path: path.display().to_string(),
        exists,
        checks,
        load: asked
            .then(|| trial("this server never loads native code; its own vector search needs no extension")),
        smoke: asked.then(|| trial("not loaded")),
    })
}

fn missing(path: &Path) -> Check {
    Check {
        name: "exists",
        ok: false,
        detail: format!("no library at {}; get it with download_extensions", path.display()),
    }
}

fn checks(call: &Call, dir: &Path, path: &Path, target: Target) -> Result<Vec<Check>, SearchError> {
    let check = |name, ok, detail: String| Check { name, ok, detail };
    let bytes = std::fs::metadata(path).map(|meta| meta.len()).unwrap_or(u64::MAX);
    let mut checks = vec![check("exists", true, format!("{bytes} bytes"))];
    if bytes > MAX_BYTES {
        checks.push(check("format", false, "too large for a library".into()));
        return Ok(checks);
    }
    let manifest = Manifest::read(dir);
    let listed =
        manifest.all().iter().find(|entry| entry.files.iter().any(|file| dir.join(&file.path) == path));
    checks.push(match listed {
        None => {
            check("hash", false, "not installed by download_extensions, so that its hash is unknown".into())
        }
        Some(entry) => match entry.changes(call, dir)?.is_empty() {
            true => check("hash", true, format!("as installed on {}", entry.installed_at)),
            false => check("hash", false, "not the file that was installed".into()),
        },
    });
    let content = std::fs::read(path).unwrap_or_default();
    checks.push(match machine(&content) {
        Ok(targets) if targets.contains(&target) => check("format", true, format!("a library for {target}")),
        Ok(targets) => check(
            "format",
            false,
            targets.first().map_or(String::new(), |found| format!("a library for {found}")),
        ),
        Err(reason) => check("format", false, reason.into()),
    });
    checks.push(match entry_point(path, &content) {
        Some(name) => check("entryPoint", true, name),
        None => check("entryPoint", false, "names no function SQLite could enter it by".into()),
    });
    Ok(checks)
}
