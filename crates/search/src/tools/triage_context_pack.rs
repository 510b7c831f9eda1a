//! `triage_context_pack`: what somebody needs to decide about one finding.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use mainstay_contract::{Call, ErrorCode, Fault, FaultResult, Policy, Target, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::triage_decision::{example_record, find};
use crate::triage::ledger::write_whole;
use crate::triage::pack::{self, Pack};
use crate::triage::record::digest;
use crate::{Search, SearchError};

/// Bytes of a pack when the caller names no number: about eight thousand tokens.
const DEFAULT_BYTES: usize = 32_768;

/// Arguments of the contract that change nothing here: evidence is found exactly, not by meaning.
const RESERVED: &[(&str, &str)] =
    &[("ann", "look for evidence by meaning too"), ("stubEmbeddings", "use stand-in vectors")];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("triage_context_pack", Toolset::Search)
        .title("Context pack of a finding")
        .summary(
            "Gather what is needed to decide about a finding: its decisions, the manifests, imports, call sites and \
             tests of the package, and the owners of those files",
        )
        .writes()
        .planned()
        .policy(Policy::interactive())
        .reserved(RESERVED)
        .example("Everything about a finding", json!({ "recordId": example_record() }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Record id of the finding.
    #[schemars(length(min = 1, max = 200))]
    record_id: String,
    /// Also write the pack to this file, which must end in .json and lie below the repository.
    #[schemars(length(min = 1, max = 4096))]
    out_path: Option<String>,
    /// The most bytes the pack may take; 32768 when absent.
    #[schemars(range(min = 2048, max = 1048576))]
    max_bytes: Option<usize>,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The pack.
    pack: Pack,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    out_path: Option<String>,
    /// Decisions about the finding.
    history_count: usize,
    /// Queries that were made for evidence.
    evidence_queries: usize,
    /// What could not be found out.
    warnings: Vec<String>,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let out = args.out_path.as_deref().map(|path| target(&repo, path)).transpose()?;
    let ledger = search.ledgers.read(&repo)?;
    let finding = find(&ledger, &args.record_id)?;
    let history_count =
        ledger.decisions.iter().filter(|one| one.finding_record_id == finding.record_id).count();
    let max_bytes = args.max_bytes.unwrap_or(DEFAULT_BYTES);
    let (pack, evidence_queries) = pack::gather(call, search, &repo, &ledger, finding, max_bytes)?;
    if let Some((dir, name)) = &out {
        call.cancel().check()?;
        let bytes = serde_json::to_vec_pretty(&pack).map_err(|error| Fault::internal(&error))?;
        let hash = |bytes: &[u8]| digest(&String::from_utf8_lossy(bytes));
        let path = dir.join(name);
        let named = path.strip_prefix(&repo).unwrap_or(&path).display().to_string();
        let before = std::fs::read(&path).ok().map(|bytes| hash(&bytes));
        if call.changes().propose(|| vec![Target::exact(named, before, Some(hash(&bytes)))])? {
            write_whole(dir, name, &bytes)?;
        }
    }
    Ok(Report {
        out_path: out.map(|(dir, name)| dir.join(name).display().to_string()),
        history_count,
        evidence_queries,
        warnings: pack.warnings.clone(),
        pack,
    })
}

/// The folder and name of a file to write, which must stay inside the repository with links resolved.
fn target(repo: &Path, named: &str) -> FaultResult<(PathBuf, String)> {
    let shown: String = named.chars().take(200).collect();
    let outside = || Fault::new(ErrorCode::Forbidden, format!("{shown} is outside the repository"));
    let path = Path::new(named);
    let path = path.strip_prefix(repo).unwrap_or(path);
    let plain = |part: Component| {
        matches!(part, Component::Normal(name) if name != ".git") || part == Component::CurDir
    };
    if named.contains('\0') || !path.components().all(plain) {
        return Err(outside());
    }
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| name.ends_with(".json"));
    let name = name.ok_or_else(|| Fault::invalid("outPath must name a file that ends in .json"))?;
    let parent = repo.join(path.parent().unwrap_or(Path::new("")));
    let dir = parent
        .canonicalize()
        .map_err(|_| Fault::not_found(format!("the folder of {shown} does not exist")))?;
    match dir.starts_with(repo) && dir.is_dir() {
        true => Ok((dir, name.to_owned())),
        false => Err(outside()),
    }
}
