//! Searching records: the index of their pages, with the same query language and ranking as code.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use mainstay_contract::{Call, Fault};
use mainstay_index::{BuildOptions, Hit, Index, Mode, Options, Query};
use serde_json::{Value, json};

use super::ledger::{Ledger, Ledgers, failed, write_whole};
use super::meta::{self, Test};
use super::page;
use super::record::digest;
use crate::SearchError;

/// Hits looked at for one answer; what ranks below is not asked for by anybody.
const MAX_HITS: usize = 20_000;
/// Indexes of records kept open; one more starts over.
const MAX_OPEN: usize = 16;
/// A query that lists every record.
const EVERYTHING: &str = "*";

/// The indexes of records of this process.
#[derive(Default)]
pub struct Finder {
    open: Mutex<HashMap<PathBuf, (String, Arc<Index>)>>,
}

/// What to find among the records.
pub struct Wanted<'a> {
    pub query: &'a str,
    pub tests: &'a [Test],
    pub limit: usize,
    pub cursor: Option<&'a str>,
    pub context: usize,
    pub case: bool,
    pub explain: bool,
}

/// A record that was found.
pub struct Match {
    pub id: String,
    /// Its fields, with the short names filters use.
    pub fields: Value,
    /// Where in its page; absent when every record was asked for.
    pub hit: Option<Hit>,
}

/// The records of one answer.
pub struct Matches {
    pub list: Vec<Match>,
    pub total: u64,
    pub cursor: Option<String>,
    pub notes: Vec<String>,
}

impl Finder {
    /// Finds records, best first; with `*` the worst first.
    pub fn find(
        &self,
        call: &Call,
        ledgers: &Ledgers,
        repo: &Path,
        wanted: &Wanted,
    ) -> Result<Matches, SearchError> {
        let ledger = ledgers.read(repo)?;
        let now = call.now();
        let mut notes = Vec::new();
        let mut list = if ledger.findings.is_empty() && ledger.decisions.is_empty() {
            notes.push("no records were ingested for this repository; triage_ingest reads them".into());
            Vec::new()
        } else if wanted.query.trim() == EVERYTHING {
            every(&ledger, now)
        } else {
            let index = self.index(call, ledgers, repo, &ledger)?;
            ranked(call, &index, &ledger, now, wanted, &mut notes)?
        };
        list.retain(|one| meta::hold(wanted.tests, &one.fields));
        let total = list.len();
        let mark = digest(&format!("{}\0{}\0{:?}\0{}", ledger.mark, wanted.query, wanted.tests, wanted.case));
        let offset = offset(wanted.cursor, &mark)?;
        let list: Vec<Match> = list.into_iter().skip(offset).take(wanted.limit).collect();
        let next = offset + list.len();
        let cursor = (next < total && !list.is_empty()).then(|| format!("{next}-{mark}"));
        Ok(Matches { list, total: total as u64, cursor, notes })
    }

    /// Brings pages and index up to date with the ledger.
    pub fn index(
        &self,
        call: &Call,
        ledgers: &Ledgers,
        repo: &Path,
        ledger: &Ledger,
    ) -> Result<Arc<Index>, SearchError> {
        let dir = ledgers.dir(repo);
        {
            let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, index)) = open.get(&dir).filter(|(mark, _)| *mark == ledger.mark) {
                return Ok(Arc::clone(index));
            }
        }
        let pages = dir.join("records");
        let store = dir.join("index");
        let opened = || {
            let is_written =
                fs::read_to_string(dir.join("records.mark")).is_ok_and(|mark| mark == ledger.mark);
            (is_written && pages.is_dir()).then(|| Index::open(&pages, &store).ok()).flatten()
        };
        let index = match opened() {
            Some(index) => index,
            None => {
                let _lock = ledgers.lock(call, repo)?;
                // Somebody else may have done it while we waited.
                match opened() {
                    Some(index) => index,
                    None => build(call, &dir, ledger)?,
                }
            }
        };
        let index = Arc::new(index);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_OPEN {
            open.clear();
        }
        open.insert(dir, (ledger.mark.clone(), Arc::clone(&index)));
        Ok(index)
    }
}

/// Writes the pages and their index, and marks for which ledger that was.
fn build(call: &Call, dir: &Path, ledger: &Ledger) -> Result<Index, SearchError> {
    let (pages, store) = (dir.join("records"), dir.join("index"));
    write_pages(call, &pages, ledger)?;
    let now_ms = u64::try_from(call.now().as_millisecond()).unwrap_or(0);
    let options = BuildOptions { now_ms, ..BuildOptions::default() };
    Index::build(&pages, &store, &options, &mut |_| {}, &|| call.cancel().is_cancelled())?;
    write_whole(dir, "records.mark", ledger.mark.as_bytes())?;
    Ok(Index::open(&pages, &store)?)
}

/// Writes what differs and removes what is gone. Pages are made from the ledger, so none of them is precious.
fn write_pages(call: &Call, dir: &Path, ledger: &Ledger) -> Result<(), SearchError> {
    fs::create_dir_all(dir).map_err(failed(dir))?;
    let mut names = HashSet::new();
    let mut write = |name: String, text: String| -> Result<(), SearchError> {
        call.cancel().check()?;
        let path = dir.join(&name);
        if !fs::read(&path).is_ok_and(|known| known == text.as_bytes()) {
            fs::write(&path, text).map_err(failed(&path))?;
        }
        names.insert(name);
        Ok(())
    };
    // Ignore files above the cache are not meant for us.
    write(".mainstayignore".into(), "!*.md\n".into())?;
    for finding in ledger.findings.values() {
        write(format!("{}.md", finding.record_id), page::of_finding(finding))?;
    }
    for decision in &ledger.decisions {
        let finding = ledger.findings.get(&decision.finding_record_id);
        write(format!("{}.md", decision.record_id), page::of_decision(decision, finding))?;
    }
    for entry in fs::read_dir(dir).map_err(failed(dir))?.flatten() {
        if entry.file_name().to_str().is_none_or(|name| !names.contains(name)) {
            fs::remove_file(entry.path()).map_err(failed(dir))?;
        }
    }
    Ok(())
}

/// Every record: findings by severity, then decisions, newest first.
fn every(ledger: &Ledger, now: Timestamp) -> Vec<Match> {
    let mut findings: Vec<_> = ledger.findings.values().collect();
    findings.sort_by(|a, b| {
        let worse = (b.vuln.severity, &b.updated_at).cmp(&(a.vuln.severity, &a.updated_at));
        worse.then_with(|| (&a.vuln.vuln_id, &a.record_id).cmp(&(&b.vuln.vuln_id, &b.record_id)))
    });
    let findings =
        findings.into_iter().map(|finding| (&finding.record_id, meta::of_finding(ledger, finding, now)));
    let decisions = ledger
        .decisions
        .iter()
        .rev()
        .map(|decision| (&decision.record_id, meta::of_decision(ledger, decision, now)));
    findings.chain(decisions).map(|(id, fields)| Match { id: id.clone(), fields, hit: None }).collect()
}

/// The records whose pages match, each once, at its best place.
fn ranked(
    call: &Call,
    index: &Index,
    ledger: &Ledger,
    now: Timestamp,
    wanted: &Wanted,
    notes: &mut Vec<String>,
) -> Result<Vec<Match>, SearchError> {
    let query = Query::parse(wanted.query)?;
    let mut options = Options {
        limit: 1_000,
        mode: Mode::All,
        context: wanted.context,
        explain: wanted.explain,
        ..Options::default()
    };
    options.filters.case_tokens = wanted.case;
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    loop {
        call.cancel().check()?;
        let answer = index.search(&query, &options)?;
        for note in answer.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        for hit in answer.hits {
            let id = hit.path.trim_end_matches(".md").to_owned();
            let fields = match ledger.findings.get(&id) {
                Some(finding) => meta::of_finding(ledger, finding, now),
                None => match ledger.decisions.iter().find(|decision| decision.record_id == id) {
                    Some(decision) => meta::of_decision(ledger, decision, now),
                    None => continue,
                },
            };
            if seen.insert(id.clone()) {
                found.push(Match { id, fields, hit: Some(hit) });
            }
        }
        options.cursor = answer.cursor;
        if options.cursor.is_none() || found.len() >= MAX_HITS {
            return Ok(found);
        }
    }
}

fn offset(cursor: Option<&str>, mark: &str) -> Result<usize, SearchError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let parsed = cursor.split_once('-').filter(|(_, given)| *given == mark);
    parsed.and_then(|(offset, _)| offset.parse().ok()).ok_or_else(|| {
        Fault::invalid("the cursor does not belong to this query").hint("ask again without a cursor").into()
    })
}

/// The few fields of a record that an answer shows.
pub fn summary(fields: &Value) -> Value {
    let keys = [
        "recordId",
        "recordType",
        "source",
        "severity",
        "status",
        "state",
        "vulnId",
        "cve",
        "packageName",
        "packageEcosystem",
        "service",
        "env",
        "team",
        "owner",
        "file",
        "findingRecordId",
        "expiresAt",
    ];
    let known = keys.iter().filter_map(|key| Some(((*key).to_owned(), fields.get(*key)?.clone())));
    let mut summary: serde_json::Map<String, Value> = known.collect();
    if fields["expired"] == true {
        summary.insert("expired".into(), json!(true));
    }
    Value::Object(summary)
}
