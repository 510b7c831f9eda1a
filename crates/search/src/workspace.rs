//! Several repositories at once: the file that names them, and their answers as one.
//!
//! ```json
//! { "name": "shop", "repos": ["api", { "path": "../web", "name": "web" }] }
//! ```
//!
//! Paths are relative to the file. Hits are merged by score: all come from one ranking function, and repositories where
//! nothing holds all the words come after those where something does.

use std::path::{Path, PathBuf};

use mainstay_contract::{Call, ErrorCode, Fault, FaultResult};
use serde::Deserialize;

use crate::SearchError;
use crate::answer::{FreshnessJson, HitJson, Payload, RepoAnswer, bundles};
use crate::triage::record::digest;

/// The file that is looked for when a call names none.
pub const DEFAULT_FILE: &str = "mainstay-workspace.json";
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Repositories in one workspace.
const MAX_REPOS: usize = 64;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    name: Option<String>,
    repos: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Path(String),
    Named(Named),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    path: String,
    name: Option<String>,
}

/// A set of repositories.
pub struct Workspace {
    pub path: PathBuf,
    pub name: String,
    pub repos: Vec<Member>,
}

/// One repository of a workspace.
pub struct Member {
    pub name: String,
    /// Where it is, or why it cannot be looked at.
    pub path: Result<PathBuf, String>,
}

impl Workspace {
    /// Reads a workspace file, the usual one of the repository when none is named.
    pub fn load(call: &Call, repo: &Path, named: Option<&str>) -> FaultResult<Workspace> {
        let path = crate::repo::readable(call, repo, named.unwrap_or(DEFAULT_FILE)).map_err(|fault| {
            fault.hint(format!("write {DEFAULT_FILE}: {{\"repos\": [\"path/of/one\", \"path/of/another\"]}}"))
        })?;
        let unreadable =
            |error: std::io::Error| Fault::invalid(format!("the workspace cannot be read: {error}"));
        if std::fs::metadata(&path).map_err(unreadable)?.len() > MAX_FILE_BYTES {
            return Err(Fault::invalid("the workspace is larger than 1 MiB"));
        }
        let text = std::fs::read_to_string(&path).map_err(unreadable)?;
        let file: File = serde_json::from_str(&text)
            .map_err(|error| Fault::invalid(format!("the workspace is not as it should be: {error}")))?;
        if file.repos.is_empty() || file.repos.len() > MAX_REPOS {
            return Err(Fault::invalid(format!("a workspace names 1 to {MAX_REPOS} repositories")));
        }
        let base = path.parent().unwrap_or(repo);
        let mut repos: Vec<Member> = Vec::new();
        for entry in file.repos {
            let (path, name) = match entry {
                Entry::Path(path) => (path, None),
                Entry::Named(Named { path, name }) => (path, name),
            };
            let name = name.unwrap_or_else(|| short_name(&path, base));
            if repos.iter().any(|other| other.name == name) {
                return Err(Fault::invalid(format!("the workspace has two repositories named {name:?}"))
                    .hint("give one of them a name"));
            }
            let path = crate::repo::allowed(call, &base.join(&path)).map_err(|fault| fault.message);
            repos.push(Member { name, path });
        }
        let name = file.name.unwrap_or_else(|| short_name(".", base));
        Ok(Workspace { path, name, repos })
    }

    /// An id that follows from the repositories.
    pub fn id(&self) -> String {
        let mut paths: Vec<String> = self
            .repos
            .iter()
            .filter_map(|repo| Some(repo.path.as_ref().ok()?.display().to_string()))
            .collect();
        paths.sort();
        digest(&paths.join("\0"))
    }
}

/// The last folder of a path.
fn short_name(path: &str, base: &Path) -> String {
    let path = base.join(path);
    let path = path.canonicalize().unwrap_or(path);
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Searches every repository and merges what they answer. One that cannot be searched is named, not fatal, unless none can.
pub fn merge(
    call: &Call,
    workspace: &Workspace,
    top: usize,
    search: impl Fn(&Path) -> Result<Payload, SearchError>,
) -> Result<Payload, SearchError> {
    let mut merged: Option<Payload> = None;
    let mut repos = Vec::new();
    let mut freshness = FreshnessJson::default();
    let mut failure = None;
    let (mut code, mut prose, mut extracted, mut records) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for member in &workspace.repos {
        call.cancel().check()?;
        let mut answer =
            RepoAnswer { name: member.name.clone(), total: None, freshness: None, problem: None };
        let found = match &member.path {
            Ok(path) => search(path).map_err(Fault::from),
            Err(reason) => Err(Fault::not_found(reason)),
        };
        match found {
            Ok(payload) => {
                let take = |into: &mut Vec<(bool, HitJson)>, hits: Vec<HitJson>| {
                    let named = |hit| HitJson { repo: Some(member.name.clone()), ..hit };
                    into.extend(hits.into_iter().map(named).map(|hit| (payload.relaxed, hit)));
                };
                take(&mut code, payload.code);
                take(&mut prose, payload.prose);
                take(&mut extracted, payload.extracted_prose);
                take(&mut records, payload.records);
                freshness.add(&payload.freshness);
                let whole = merged.get_or_insert_with(|| Payload {
                    backend: payload.backend,
                    query: payload.query,
                    bundles: payload.bundles,
                    stats: payload.stats,
                    ..Payload::default()
                });
                whole.total.code += payload.total.code;
                whole.total.prose += payload.total.prose;
                whole.total.extracted_prose += payload.total.extracted_prose;
                whole.total.records += payload.total.records;
                for note in payload.notes {
                    if !whole.notes.contains(&note) {
                        whole.notes.push(note);
                    }
                }
                answer.total = Some(payload.total);
                answer.freshness = Some(payload.freshness);
            }
            // A query that is wrong is wrong everywhere, and a call that was told to stop stops.
            Err(fault) if matches!(fault.code, ErrorCode::InvalidRequest | ErrorCode::Cancelled) => {
                return Err(fault.into());
            }
            Err(fault) => {
                answer.problem = Some(match &fault.hint {
                    Some(hint) => format!("{}; {hint}", fault.message),
                    None => fault.message.clone(),
                });
                failure = Some(fault);
            }
        }
        repos.push(answer);
    }
    let Some(mut merged) = merged else {
        return Err(failure.unwrap_or_else(|| Fault::not_found("the workspace is empty")).into());
    };
    (merged.code, merged.prose) = (best(code, top), best(prose, top));
    (merged.extracted_prose, merged.records) = (best(extracted, top), best(records, top));
    if merged.bundles.is_some() {
        merged.bundles = Some(bundles(&merged.modes()));
    }
    (merged.freshness, merged.repos) = (freshness, repos);
    Ok(merged)
}

/// The best hits of all repositories; equal scores keep the order of the workspace.
fn best(mut hits: Vec<(bool, HitJson)>, top: usize) -> Vec<HitJson> {
    hits.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.score.total_cmp(&a.1.score)));
    hits.into_iter().take(top).map(|(_, hit)| hit).collect()
}
