//! `triage_decision`: decide what happens to a finding, or see what was decided.

use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::{Call, Fault, FaultResult, Policy, Tool, ToolDef, Toolset, timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::triage::decide::{self, Judged, Standing};
use crate::triage::ledger::{Ledger, MAX_RECORDS};
use crate::triage::record::{Decision, Finding, RecordType, Status, own_fields, record_id};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("triage_decision", Toolset::Search)
        .title("Decide about a finding")
        .summary(
            "Record what is done about a finding: fix, accept, defer, false_positive or not_affected; it takes the \
             place of the decision before and ceases to hold when it expires",
        )
        .writes()
        .planned()
        .policy(Policy::interactive())
        .example(
            "Accept a finding for a while",
            json!({
                "finding": example_record(),
                "status": "accept",
                "justification": "Sums stay small here",
                "reviewer": "example",
                "expires": "2099-12-31",
            }),
        )
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

/// The id of the record that the example of `triage_ingest` makes.
pub fn example_record() -> String {
    record_id("manual", "EXAMPLE-1::::src/lib.rs")
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Record id of the finding.
    #[schemars(length(min = 1, max = 200))]
    finding: String,
    /// What is decided.
    status: Status,
    /// Why; needed for everything but fix.
    #[schemars(length(max = 8000))]
    justification: Option<String>,
    /// Who decides.
    #[schemars(length(max = 200))]
    reviewer: Option<String>,
    /// Until when it holds: a date, which lasts to its end in UTC, or a moment; for ever when absent.
    #[schemars(length(max = 40))]
    expires: Option<String>,
    /// Why, as codes.
    #[schemars(length(max = 50), inner(length(max = 200)))]
    codes: Option<Vec<String>>,
    /// What it rests on: links, files, tickets.
    #[schemars(length(max = 50), inner(length(max = 2000)))]
    evidence: Option<Vec<String>>,
    /// Further fields of the decision.
    #[serde(default)]
    #[schemars(schema_with = "object")]
    meta: Option<Value>,
    /// The decision this one replaces; refused when another one counts by now.
    #[schemars(length(min = 1, max = 200))]
    supersedes: Option<String>,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
}

fn object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object" })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Id of the decision.
    record_id: String,
    /// The finding it is about.
    finding_id: String,
    /// What was decided.
    status: &'static str,
    /// Whether this very decision was made already and nothing was added.
    unchanged: bool,
    /// The decision it took the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    supersedes: Option<String>,
    /// Where the finding stands now.
    current: Standing,
    /// Every decision about the finding, newest first.
    history: Vec<Judged>,
    /// Where the records are kept.
    records_dir: String,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let now = call.now();
    let wanted = wanted(args, now)?;
    let ((record_id, unchanged), ledger) =
        search.ledgers.change(call, &repo, |ledger| Ok(add(ledger, args, wanted, now)?))?;
    search.finder.index(call, &search.ledgers, &repo, &ledger)?;
    let finding = find(&ledger, &args.finding)?;
    let history = decide::judged(&ledger, &finding.record_id, now);
    Ok(Report {
        supersedes: history.first().and_then(|newest| newest.decision.supersedes.clone()),
        record_id,
        finding_id: finding.record_id.clone(),
        status: args.status.name(),
        unchanged,
        current: decide::standing(&ledger, finding, now),
        history,
        records_dir: search.ledgers.dir(&repo).display().to_string(),
    })
}

/// The decision as the arguments describe it, not yet tied to its finding.
fn wanted(args: &Args, now: Timestamp) -> FaultResult<Decision> {
    let text = |text: &Option<String>| {
        text.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let justification = text(&args.justification);
    if justification.is_none() && decide::needs_justification(args.status) {
        let message = format!("the status {} needs a justification", args.status.name());
        return Err(Fault::invalid(message).detail("field", "justification"));
    }
    let expires_at = match args.expires.as_deref() {
        None => None,
        Some(text) => {
            let expires = decide::expiry(text).ok_or_else(|| {
                Fault::invalid(format!("expires is not a date: {text:?}"))
                    .detail("field", "expires")
                    .hint("write a date such as 2030-06-01 or a moment such as 2030-06-01T12:00:00Z")
            })?;
            if expires <= now {
                return Err(Fault::invalid("expires lies in the past").detail("field", "expires"));
            }
            Some(timestamp(expires))
        }
    };
    Ok(Decision {
        record_id: String::new(),
        record_type: RecordType::Decision,
        finding_record_id: String::new(),
        status: args.status,
        justification,
        justification_codes: args.codes.clone().unwrap_or_default(),
        reviewer: text(&args.reviewer),
        created_at: timestamp(now),
        expires_at,
        evidence_refs: args.evidence.clone().unwrap_or_default(),
        supersedes: None,
        meta: own_fields(args.meta.as_ref())?,
        finding_digest: String::new(),
    })
}

/// Adds a decision, unless it is the one that counts already; returns its id and whether it was.
fn add(ledger: &mut Ledger, args: &Args, wanted: Decision, now: Timestamp) -> FaultResult<(String, bool)> {
    let finding = find(ledger, &args.finding)?;
    let newest = decide::history(ledger, &finding.record_id).first().copied().cloned();
    let mut decision = Decision {
        finding_record_id: finding.record_id.clone(),
        finding_digest: finding.content(),
        supersedes: newest.as_ref().map(|newest| newest.record_id.clone()),
        ..wanted
    };
    let counts = newest.as_ref().map(|newest| newest.record_id.as_str());
    if let Some(replaced) = args.supersedes.as_deref().filter(|replaced| Some(*replaced) != counts) {
        let fault = Fault::invalid(format!("{replaced} is not the decision that counts"))
            .hint("look at the newest decision and decide again");
        return Err(match counts {
            Some(counts) => fault.detail("current", counts),
            None => fault,
        });
    }
    if let Some(newest) = &newest {
        let same = Decision {
            record_id: newest.record_id.clone(),
            created_at: newest.created_at.clone(),
            supersedes: newest.supersedes.clone(),
            ..decision.clone()
        };
        if same == *newest && !decide::is_expired(newest, now) {
            return Ok((newest.record_id.clone(), true));
        }
    }
    if ledger.decisions.len() >= MAX_RECORDS {
        return Err(Fault::invalid(format!("a repository may have {MAX_RECORDS} decisions and has them")));
    }
    let ordinal = ledger.decisions.len();
    let key = format!("{}:{}:{ordinal}", decision.finding_record_id, decision.status.name());
    decision.record_id = record_id("decision", &key);
    let id = decision.record_id.clone();
    ledger.decisions.push(decision);
    Ok((id, false))
}

/// The finding a caller names.
pub fn find<'a>(ledger: &'a Ledger, id: &str) -> FaultResult<&'a Finding> {
    let named: String = id.chars().take(100).collect();
    if let Some(finding) = ledger.findings.get(id) {
        return Ok(finding);
    }
    if ledger.decisions.iter().any(|decision| decision.record_id == id) {
        return Err(Fault::invalid(format!("{named} is a decision, not a finding")));
    }
    Err(Fault::not_found(format!("there is no record {named}"))
        .hint("search with mode records finds the ids of records; triage_ingest makes them"))
}
