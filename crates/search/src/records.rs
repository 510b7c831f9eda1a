//! Triage records in the answer of `search`.

use std::path::Path;

use mainstay_contract::Call;
use serde_json::Value;

use crate::answer::{Detail, HitJson, Payload, SnippetLines, encode};
use crate::triage::find::{Match, Wanted, summary};
use crate::{Search, SearchError};

/// Adds the records that match to an answer; `cursor` when they are the only mode.
pub fn add(
    call: &Call,
    search: &Search,
    repo: &Path,
    wanted: &Wanted,
    (detail, lines): (Detail, SnippetLines),
    payload: &mut Payload,
) -> Result<Option<String>, SearchError> {
    call.progress("search", "searching the records");
    let found = search.finder.find(call, &search.ledgers, repo, wanted)?;
    payload.total.records = found.total;
    payload.records = found.list.iter().map(|one| hit(one, detail, lines)).collect();
    for note in found.notes {
        if !payload.notes.contains(&note) {
            payload.notes.push(note);
        }
    }
    Ok(found.cursor)
}

fn hit(found: &Match, detail: Detail, lines: SnippetLines) -> HitJson {
    let text = |pointer: &str| found.fields.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let encoded = match &found.hit {
        Some(hit) => encode(hit, detail, lines),
        None => HitJson { start_line: 1, end_line: 1, ..HitJson::default() },
    };
    let is_finding = text("/recordType") == "finding";
    HitJson {
        id: found.id.clone(),
        file: format!("records/{}.md", found.id),
        kind: if is_finding { "finding" } else { "decision" },
        name: text("/vulnId").to_owned(),
        headline: text(if is_finding { "/vuln/title" } else { "/justification" }).chars().take(200).collect(),
        lang: None,
        ext: None,
        traits: Vec::new(),
        record: Some(match detail {
            Detail::Full => found.fields.clone(),
            Detail::Compact => summary(&found.fields),
        }),
        ..encoded
    }
}
