//! Everything somebody needs to decide about one finding, within a budget of bytes.
//!
//! | module | answers |
//! |---|---|
//! | `manifests` | which manifests and lock files name the package, in which version |
//! | `imports` | which files import it, and under which names |
//! | `reach` | where it is called, from where that is reached, which tests touch it |
//! | `owners` | who answers for those files |
//! | `budget` | what is left out when all of it does not fit |
//!
//! Evidence is looked up, never guessed: exact expressions over the index, then the lines of the files themselves.

mod budget;
mod imports;
mod manifests;
pub mod owners;
mod reach;

use std::collections::BTreeMap;
use std::path::Path;

use mainstay_contract::{Call, timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::decide::{self, Judged, Standing};
use super::ledger::Ledger;
use super::record::Finding;
use crate::Search;
use crate::SearchError;

pub use owners::Owners;

/// Decisions about other findings that are shown for comparison.
const MAX_RELATED: usize = 10;
/// Files larger than this are not read for evidence.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// All that is known about one finding.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pack {
    /// The finding's id.
    pub record_id: String,
    /// When the pack was made.
    pub generated_at: String,
    /// The finding.
    pub finding: Finding,
    /// Where it stands.
    pub current: Standing,
    /// Decisions about it, newest first.
    pub history: Vec<Judged>,
    /// Decisions about findings of the same vulnerability or package.
    pub related: Vec<Related>,
    /// What the repository says.
    pub repo_evidence: Evidence,
    /// Who answers for the files above.
    pub owners: Owners,
    /// How much room the pack takes and what did not fit.
    pub budget: Budget,
    /// What could not be found out.
    pub warnings: Vec<String>,
}

/// A decision about another finding.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Related {
    /// The other finding's vulnerability.
    pub vuln_id: String,
    /// Its package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package_name: Option<String>,
    /// The decision.
    #[serde(flatten)]
    pub decision: Judged,
}

/// What the repository says about a finding.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Lines of manifests and lock files that name the package.
    pub dependencies: Vec<manifests::Dependency>,
    /// Lines that import it.
    pub imports: Vec<imports::Import>,
    /// Lines that use it, and what reaches them; what an advisory calls vulnerable comes first.
    pub call_sites: Vec<reach::CallSite>,
    /// Tests that touch it.
    pub tests: Vec<reach::Touch>,
    /// The place the finding names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<reach::Place>,
}

/// How much room a pack takes.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// The most bytes it may take as JSON.
    pub max_bytes: usize,
    /// The bytes it takes.
    pub used_bytes: usize,
    /// How many items of each section were left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<&'static str, usize>,
}

/// Gathers a pack; returns it with the number of queries it took.
pub fn gather(
    call: &Call,
    search: &Search,
    repo: &Path,
    ledger: &Ledger,
    finding: &Finding,
    max_bytes: usize,
) -> Result<(Pack, usize), SearchError> {
    let now = call.now();
    let mut pack = Pack {
        record_id: finding.record_id.clone(),
        generated_at: timestamp(now),
        finding: finding.clone(),
        current: decide::standing(ledger, finding, now),
        history: decide::judged(ledger, &finding.record_id, now),
        related: related(ledger, finding, now),
        repo_evidence: Evidence::default(),
        owners: Owners::default(),
        budget: Budget { max_bytes, ..Budget::default() },
        warnings: Vec::new(),
    };
    let index = match search.engine.index(repo) {
        Ok(index) => Some(index),
        Err(SearchError::Index(error)) if error.wants_rebuild() || is_missing(&error) => {
            pack.warnings.push(format!("no evidence from code: {error}; build an index with build_index"));
            None
        }
        Err(error) => return Err(error),
    };
    let paths = index.as_ref().map(|index| index.paths()).unwrap_or_default();
    let evidence = &mut pack.repo_evidence;
    if let Some(package) = &finding.package {
        call.progress("manifests", "reading manifests and lock files");
        evidence.dependencies = manifests::find(call, repo, &paths, package)?;
        if evidence.dependencies.is_empty() {
            pack.warnings.push(format!("no manifest or lock file names {}", package.name));
        }
    }
    let mut queries = 0;
    if let Some(index) = &index {
        call.progress("code", "looking for uses in the code");
        let mut reach = reach::Reach::new(call, repo, index);
        if let Some(package) = &finding.package {
            reach.package(package, &finding.vuln.functions, evidence)?;
        }
        if let Some(location) = &finding.location {
            match reach.place(location) {
                Ok(place) => evidence.place = Some(place),
                Err(reason) => pack.warnings.push(reason),
            }
        }
        reach.callers(evidence)?;
        queries = reach.queries;
        pack.warnings.append(&mut reach.warnings);
    }
    call.progress("owners", "looking for owners");
    let files = involved(&pack.repo_evidence);
    pack.owners = owners::find(call, search, repo, &files, &mut pack.warnings)?;
    budget::fit(&mut pack);
    Ok((pack, queries))
}

fn is_missing(error: &mainstay_index::IndexError) -> bool {
    matches!(error, mainstay_index::IndexError::NoIndex { .. })
}

/// The files evidence was found in, code before manifests.
fn involved(evidence: &Evidence) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let places = evidence.place.iter().map(|place| &place.file);
    let code = evidence.call_sites.iter().map(|site| &site.file);
    let imports = evidence.imports.iter().map(|import| &import.file);
    let manifests = evidence.dependencies.iter().map(|line| &line.file);
    for file in places.chain(code).chain(imports).chain(manifests) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}

fn related(ledger: &Ledger, finding: &Finding, now: jiff::Timestamp) -> Vec<Related> {
    let ids = |finding: &Finding| {
        let vuln = &finding.vuln;
        [Some(&vuln.vuln_id), vuln.cve.as_ref()]
            .into_iter()
            .flatten()
            .chain(&vuln.aliases)
            .cloned()
            .collect::<Vec<_>>()
    };
    let name = |finding: &Finding| finding.package.as_ref().map(|package| package.name.clone());
    let (own_ids, own_name) = (ids(finding), name(finding));
    let is_related = |other: &&Finding| {
        other.record_id != finding.record_id
            && ((own_name.is_some() && name(other) == own_name)
                || ids(other).iter().any(|id| own_ids.contains(id)))
    };
    ledger
        .findings
        .values()
        .filter(is_related)
        .filter_map(|other| {
            Some(Related {
                vuln_id: other.vuln.vuln_id.clone(),
                package_name: name(other),
                decision: decide::judged(ledger, &other.record_id, now).into_iter().next()?,
            })
        })
        .take(MAX_RELATED)
        .collect()
}

/// The text of a file of the repository; `None` for what is missing, large, binary or elsewhere.
fn text_of(repo: &Path, file: &str, max_bytes: u64) -> Option<String> {
    let path = repo.join(file);
    let meta = std::fs::symlink_metadata(&path).ok()?;
    if !meta.is_file() || meta.len() > max_bytes {
        return None;
    }
    mainstay_index::decode(&std::fs::read(&path).ok()?)
}

/// A line as evidence shows it.
fn shown(line: &str) -> String {
    super::record::cut(line.trim(), 200)
}
