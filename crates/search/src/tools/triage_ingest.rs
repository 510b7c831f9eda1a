//! `triage_ingest`: read a scanner's report into the records of a repository.

use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{Call, Fault, FaultResult, Policy, Tool, ToolDef, Toolset, timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::triage::decide;
use crate::triage::formats::{self, Draft, Entry, Source};
use crate::triage::input;
use crate::triage::ledger::{Ledger, MAX_RECORDS};
use crate::triage::record::{Finding, MAX_LIST, RecordType, line, own_fields, record_id};
use crate::{Search, SearchError};

/// Reports larger than this are refused.
const MAX_INPUT_BYTES: u64 = 64 << 20;
/// Problems described in one answer; all are counted.
const MAX_DETAILS: usize = 1_000;

/// Arguments of the contract that need parts not built yet.
const RESERVED: &[(&str, &str)] = &[("stubEmbeddings", "use stand-in vectors")];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("triage_ingest", Toolset::Search)
        .title("Ingest findings")
        .summary(
            "Read a report of Dependabot, AWS Inspector, SARIF, OSV, Trivy, npm audit, cargo audit or your own into \
             the records of a repository; reading it again changes nothing",
        )
        .writes()
        .planned()
        .policy(Policy::batch().timeout(Duration::from_secs(300)))
        .reserved(RESERVED)
        .example(
            "A finding written by hand",
            json!({
                "source": "manual",
                "input": { "vulnId": "EXAMPLE-1", "title": "Numbers overflow", "severity": "low", "file": "src/lib.rs" },
                "meta": { "team": "core" },
            }),
        )
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The format of the report.
    source: Source,
    /// The report, relative to the repository; needed unless `input` holds it.
    #[schemars(length(min = 1, max = 4096))]
    input_path: Option<String>,
    /// The report itself: an object, a list of objects, or its text.
    #[serde(default)]
    #[schemars(schema_with = "report")]
    input: Option<Value>,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Fields for every record: service, env, team, owner, repo, exposure, and any other.
    #[serde(default)]
    #[schemars(schema_with = "object")]
    meta: Option<Value>,
    /// Bring the index of the repository up to date too, which context packs need; false when absent.
    build_index: Option<bool>,
    /// Keep what is known of unchanged files in that build; true when absent.
    incremental: Option<bool>,
}

fn report(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["object", "array", "string"] })
}

fn object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object" })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The format that was read.
    source: &'static str,
    /// Repository the records belong to.
    repo_root: String,
    /// Where its records are kept.
    records_dir: String,
    /// Records in the report, good and bad.
    total: usize,
    /// Records that are new or changed.
    written: usize,
    /// Records that were known as they are.
    unchanged: usize,
    /// Records that came more than once in this report; the last one counts.
    duplicates: usize,
    /// Records that could not be read.
    errors: usize,
    /// Ids of the records that were read, in the order of the report.
    record_ids: Vec<String>,
    /// What happened to each of them.
    records: Vec<Written>,
    /// Where each bad record is and what is wrong with it; the first 1000.
    error_details: Vec<BadRecord>,
    /// Decided findings that have changed and should be looked at again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    decisions_to_review: Vec<String>,
    /// Files in the index, when it was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_files: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Written {
    /// Id of the record.
    record_id: String,
    /// `new`, `changed` or `unchanged`.
    change: &'static str,
    /// Its page, for people.
    md_path: String,
}

#[derive(Serialize, JsonSchema)]
struct BadRecord {
    /// Which record of the report it is, counted from 0.
    index: usize,
    /// Where it stands: a JSON pointer, or a line.
    position: String,
    /// What is wrong with it.
    message: String,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    call.progress("read", "reading the report");
    let document = match (&args.input_path, &args.input) {
        (Some(path), None) => input::read(&read(&crate::repo::readable(call, &repo, path)?)?)?,
        (None, Some(Value::String(text))) => input::read(text)?,
        (None, Some(value)) => input::Document::Whole(value.clone()),
        _ => return Err(Fault::invalid("pass the report as inputPath or as input, one of both").into()),
    };
    let entries = formats::entries(args.source, &document)?;
    call.cancel().check()?;
    let now = timestamp(call.now());
    let given = own_fields(args.meta.as_ref())?;
    let mut report = Report {
        source: args.source.name(),
        repo_root: repo.display().to_string(),
        records_dir: search.ledgers.dir(&repo).display().to_string(),
        total: entries.len(),
        written: 0,
        unchanged: 0,
        duplicates: 0,
        errors: 0,
        record_ids: Vec::new(),
        records: Vec::new(),
        error_details: Vec::new(),
        decisions_to_review: Vec::new(),
        indexed_files: None,
    };
    let findings = drafts(entries, args.source, &given, &now, &mut report);
    call.progress("write", format!("writing {} records", findings.len()));
    let pages = search.ledgers.dir(&repo).join("records");
    if args.build_index == Some(true) {
        call.changes().propose(|| vec![search.engine.target(&repo)])?;
    }
    let (_, ledger) = search.ledgers.change(call, &repo, |ledger| {
        for finding in findings {
            let md_path = pages.join(format!("{}.md", finding.record_id)).display().to_string();
            let record_id = finding.record_id.clone();
            let change = put(ledger, finding)?;
            match change {
                "unchanged" => report.unchanged += 1,
                _ => report.written += 1,
            }
            report.record_ids.push(record_id.clone());
            report.records.push(Written { record_id, change, md_path });
        }
        Ok(())
    })?;
    report.decisions_to_review = report
        .record_ids
        .iter()
        .filter(|id| {
            let finding = &ledger.findings[id.as_str()];
            decide::standing(&ledger, finding, call.now()).finding_changed
        })
        .cloned()
        .collect();
    call.progress("index", "indexing the records");
    search.finder.index(call, &search.ledgers, &repo, &ledger)?;
    if args.build_index == Some(true) {
        report.indexed_files = Some(search.engine.build(call, &repo, args.incremental == Some(false))?.files);
    }
    Ok(report)
}

fn read(path: &std::path::Path) -> FaultResult<String> {
    let failed = |error: std::io::Error| Fault::invalid(format!("the report cannot be read: {error}"));
    if std::fs::metadata(path).map_err(failed)?.len() > MAX_INPUT_BYTES {
        return Err(Fault::invalid("the report is larger than 64 MiB").hint("split it into several"));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    mainstay_index::decode(&bytes).ok_or_else(|| Fault::invalid("the report is not text"))
}

/// Turns what was read into findings, each id once.
fn drafts(
    entries: Vec<Entry>,
    source: Source,
    given: &Map<String, Value>,
    now: &str,
    report: &mut Report,
) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        match entry.draft {
            Ok(draft) => {
                let finding = finish(draft, source, given, now);
                match places.get(&finding.record_id) {
                    Some(at) => {
                        report.duplicates += 1;
                        findings[*at] = finding;
                    }
                    None => {
                        places.insert(finding.record_id.clone(), findings.len());
                        findings.push(finding);
                    }
                }
            }
            Err(message) => {
                report.errors += 1;
                if report.error_details.len() < MAX_DETAILS {
                    report.error_details.push(BadRecord { index, position: entry.position, message });
                }
            }
        }
    }
    findings
}

/// Gives a draft its id, its dates and the fields of the call.
fn finish(draft: Draft, source: Source, given: &Map<String, Value>, now: &str) -> Finding {
    let mut meta = draft.meta;
    meta.extend(given.iter().take(MAX_LIST).map(|(key, value)| (line(key), value.clone())));
    let mut field = |name: &str| match meta.shift_remove(name)? {
        Value::String(text) => Some(line(&text)).filter(|text| !text.is_empty()),
        Value::Null => None,
        other => Some(line(&other.to_string())),
    };
    let (service, env, team, owner, repo) =
        (field("service"), field("env"), field("team"), field("owner"), field("repo"));
    let mut exposure = draft.exposure;
    if let Some(Value::Object(more)) = meta.shift_remove("exposure") {
        exposure.extend(more);
    }
    Finding {
        record_id: record_id(source.name(), &draft.stable_key),
        record_type: RecordType::Finding,
        source: source.name().to_owned(),
        created_at: now.to_owned(),
        updated_at: now.to_owned(),
        service,
        env,
        team,
        owner,
        repo,
        vuln: draft.vuln,
        package: draft.package,
        asset: draft.asset,
        location: draft.location,
        exposure,
        meta,
        parse_warnings: draft.warnings,
    }
}

/// Puts a finding into the ledger and says what that changed.
fn put(ledger: &mut Ledger, mut finding: Finding) -> Result<&'static str, SearchError> {
    let is_full = ledger.findings.len() >= MAX_RECORDS;
    match ledger.findings.get_mut(&finding.record_id) {
        Some(known) if known.content() == finding.content() => Ok("unchanged"),
        Some(known) => {
            finding.created_at.clone_from(&known.created_at);
            *known = finding;
            Ok("changed")
        }
        None if is_full => {
            Err(Fault::invalid(format!("a repository may have {MAX_RECORDS} findings and has them")).into())
        }
        None => {
            ledger.findings.insert(finding.record_id.clone(), finding);
            Ok("new")
        }
    }
}
