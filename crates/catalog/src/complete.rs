//! From a draft to a complete entry: defaults and derived fields.
//!
//! Every derived value depends on the record alone, never on when or by whom it was loaded, so that two processes
//! and two machines compute the same governance hash.

use jiff::{SignedDuration, Timestamp};
use mainstay_contract::timestamp;
use serde_json::json;

use crate::config::Owners;
use crate::draft::{Draft, Problem};
use crate::entry::{Classification, Entry, Requirement, Status, Tier};
use crate::hash::sha256_hex;
use crate::text::summary_of;

/// The record format this version writes.
pub const SCHEMA_VERSION: &str = "1";

/// What a draft becomes, with what the file said where that differs.
#[derive(Debug, Clone)]
pub struct Completed {
    pub entry: Entry,
    /// SHA-256 of the body as it is.
    pub body_hash: String,
    /// The file records another hash than `body_hash`, or none.
    pub hash_is_stale: bool,
    /// The file's categories are not lower case, unique and sorted.
    pub categories_are_untidy: bool,
    /// The record says when it was created.
    pub is_dated: bool,
}

/// Completes a record read from a file that was written at `modified`.
pub fn from_file(draft: Draft, modified: Timestamp, owners: &Owners) -> Result<Completed, Problem> {
    draft.require_core()?;
    let managed = draft.managed.clone();
    let known_date = managed.created_at.clone().or_else(|| managed.updated_at.clone());
    let created_at = known_date.clone().unwrap_or_else(|| timestamp(modified));
    let updated_at = managed.updated_at.clone().unwrap_or_else(|| created_at.clone());
    let mut entry = complete(draft, known_date.as_deref(), created_at, updated_at, owners)?;
    let body_hash = sha256_hex(&entry.body);
    let hash_is_stale = managed.source_hash.as_deref() != Some(&body_hash);
    entry.source_hash = managed.source_hash.unwrap_or_else(|| body_hash.clone());
    entry.schema_version = managed.schema_version.unwrap_or_else(|| SCHEMA_VERSION.to_owned());
    let tidy = crate::draft::normal_categories(&managed.raw_categories);
    Ok(Completed {
        body_hash,
        hash_is_stale,
        categories_are_untidy: tidy != managed.raw_categories,
        is_dated: managed.created_at.is_some(),
        entry,
    })
}

/// Completes a record that a caller creates at `now`.
pub fn create(draft: Draft, now: Timestamp, owners: &Owners) -> Result<Entry, Problem> {
    draft.require_core()?;
    let now = timestamp(now);
    let mut entry = complete(draft, Some(&now), now.clone(), now.clone(), owners)?;
    entry.source_hash = sha256_hex(&entry.body);
    entry.schema_version = SCHEMA_VERSION.to_owned();
    Ok(entry)
}

/// Lays a caller's draft over a stored entry: what the draft does not say stays.
pub fn overwrite(stored: &Entry, draft: Draft, now: Timestamp) -> Result<Entry, Problem> {
    let mut entry = stored.clone();
    set(&mut entry.title, draft.title);
    set(&mut entry.body, draft.body);
    set(&mut entry.priority, draft.priority);
    set(&mut entry.audience, draft.audience);
    set(&mut entry.requirement, draft.requirement);
    set(&mut entry.version, draft.version);
    set(&mut entry.status, draft.status);
    set(&mut entry.owner, draft.owner);
    set(&mut entry.priority_tier, draft.priority_tier);
    set(&mut entry.classification, draft.classification);
    set(&mut entry.last_reviewed_at, draft.last_reviewed_at);
    set(&mut entry.next_review_due, draft.next_review_due);
    set(&mut entry.change_log, draft.change_log.map(Into::into));
    set(&mut entry.semantic_summary, draft.semantic_summary.filter(|summary| !summary.is_empty()));
    set(&mut entry.team_ids, draft.team_ids);
    for (field, value) in [
        (&mut entry.rationale, draft.rationale),
        (&mut entry.deprecated_by, draft.deprecated_by),
        (&mut entry.workspace_id, draft.workspace_id),
        (&mut entry.user_id, draft.user_id),
        (&mut entry.supersedes, draft.supersedes),
    ] {
        if value.is_some() {
            *field = value;
        }
    }
    if draft.review_interval_days.is_some() {
        entry.review_interval_days = draft.review_interval_days;
    }
    if let Some(categories) = draft.categories {
        entry.categories = categories;
        entry.legacy_scopes.clear();
        derive_scopes(&mut entry);
    }
    entry.extra.extend(draft.extra);
    entry.updated_at = timestamp(now);
    entry.source_hash = sha256_hex(&entry.body);
    derive(&mut entry)?;
    Ok(entry)
}

/// Recomputes what always follows from the other fields, and checks what they must agree on.
pub fn derive(entry: &mut Entry) -> Result<(), Problem> {
    if entry.title.is_empty() || entry.body.is_empty() {
        return Err(Problem::Missing(vec!["title", "body"]));
    }
    if entry.requirement == Requirement::Deprecated && entry.deprecated_by.is_none() {
        return Err(Problem::Invalid("a deprecated entry needs deprecatedBy".to_owned()));
    }
    entry.risk_score = risk_score(entry.priority, entry.requirement);
    Ok(())
}

pub fn risk_score(priority: u8, requirement: Requirement) -> i64 {
    let weight = match requirement {
        Requirement::Mandatory => 50,
        Requirement::Critical => 60,
        Requirement::Recommended => 20,
        Requirement::Optional => 5,
        Requirement::Deprecated => -30,
    };
    100 - i64::from(priority.clamp(1, 100)) + weight
}

pub fn tier_of(priority: u8, requirement: Requirement) -> Tier {
    match priority {
        _ if is_binding(requirement) => Tier::P1,
        ..=20 => Tier::P1,
        21..=40 => Tier::P2,
        41..=70 => Tier::P3,
        _ => Tier::P4,
    }
}

fn is_binding(requirement: Requirement) -> bool {
    matches!(requirement, Requirement::Mandatory | Requirement::Critical)
}

/// Days from one review to the next.
pub fn review_days(tier: Tier, requirement: Requirement) -> u16 {
    match tier {
        _ if is_binding(requirement) => 30,
        Tier::P1 => 30,
        Tier::P2 => 60,
        Tier::P3 => 90,
        Tier::P4 => 120,
    }
}

/// The date `days` after `from`; empty when `from` is not a point in time.
pub fn days_after(from: &str, days: u16) -> String {
    let later = |from: Timestamp| from.checked_add(SignedDuration::from_hours(24 * i64::from(days))).ok();
    from.parse::<Timestamp>().ok().and_then(later).map(timestamp).unwrap_or_default()
}

fn complete(
    draft: Draft,
    known_date: Option<&str>,
    created_at: String,
    updated_at: String,
    owners: &Owners,
) -> Result<Entry, Problem> {
    let (Some(title), Some(body), Some(priority), Some(audience), Some(requirement)) =
        (draft.title, draft.body, draft.priority, draft.audience, draft.requirement)
    else {
        return Err(Problem::Missing(vec!["title", "body", "priority", "audience", "requirement"]));
    };
    let tier = draft.priority_tier.unwrap_or_else(|| tier_of(priority, requirement));
    let days = draft.review_interval_days.unwrap_or_else(|| review_days(tier, requirement));
    let filled = |date: Option<String>| date.filter(|date| !date.is_empty());
    // An undated record stays without review dates: a date taken from the clock or the file system would
    // differ between two machines and with it the governance hash. An empty date that was stored stays empty.
    let stored_unknown = draft.next_review_due.as_deref() == Some("");
    let last_reviewed_at = filled(draft.last_reviewed_at)
        .or_else(|| known_date.filter(|_| !stored_unknown).map(str::to_owned))
        .unwrap_or_default();
    let next_review_due = match draft.next_review_due {
        Some(due) => due,
        None => days_after(&last_reviewed_at, days),
    };
    let version = draft.version.unwrap_or_else(|| "1.0.0".to_owned());
    let default_status = match requirement {
        Requirement::Deprecated => Status::Deprecated,
        _ => Status::Approved,
    };
    let mut entry = Entry {
        semantic_summary: draft
            .semantic_summary
            .filter(|summary| !summary.is_empty())
            .unwrap_or_else(|| summary_of(&body)),
        owner: draft.owner.unwrap_or_else(|| owners.of(&draft.id)),
        change_log: draft
            .change_log
            .unwrap_or_else(|| {
                vec![json!({ "version": version, "changedAt": created_at, "summary": "initial import" })]
            })
            .into(),
        id: draft.id,
        title,
        body,
        rationale: draft.rationale,
        priority,
        audience,
        requirement,
        categories: draft.categories.unwrap_or_default(),
        source_hash: String::new(),
        schema_version: String::new(),
        deprecated_by: draft.deprecated_by,
        created_at,
        updated_at,
        risk_score: 0,
        workspace_id: draft.workspace_id,
        user_id: draft.user_id,
        team_ids: draft.team_ids.unwrap_or_default(),
        version,
        status: draft.status.unwrap_or(default_status),
        priority_tier: tier,
        classification: draft.classification.unwrap_or(Classification::Internal),
        last_reviewed_at,
        next_review_due,
        review_interval_days: draft.review_interval_days,
        supersedes: draft.supersedes,
        extra: draft.extra,
        legacy_scopes: Vec::new(),
    };
    derive_scopes(&mut entry);
    derive(&mut entry)?;
    Ok(entry)
}

/// Moves `scope:*` tokens from the categories into the structured fields.
fn derive_scopes(entry: &mut Entry) {
    let (tokens, topics) =
        std::mem::take(&mut entry.categories).into_iter().partition(|token| is_scope_token(token));
    entry.categories = topics;
    entry.legacy_scopes = tokens;
    for token in &entry.legacy_scopes {
        if let Some(workspace) = token.strip_prefix("scope:workspace:") {
            entry.workspace_id.get_or_insert_with(|| workspace.to_owned());
        } else if let Some(user) = token.strip_prefix("scope:user:") {
            entry.user_id.get_or_insert_with(|| user.to_owned());
        } else if let Some(team) = token.strip_prefix("scope:team:").filter(|team| !team.is_empty())
            && !entry.team_ids.iter().any(|known| known == team)
        {
            entry.team_ids.push(team.to_owned());
        }
    }
}

fn is_scope_token(token: &str) -> bool {
    ["scope:workspace:", "scope:user:", "scope:team:"].iter().any(|prefix| token.starts_with(prefix))
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn load(record: Value) -> Result<Completed, Problem> {
        let Value::Object(record) = record else { unreachable!() };
        from_file(Draft::parse(record)?, Timestamp::UNIX_EPOCH, &Owners::default())
    }

    fn minimal(more: Value) -> Value {
        let mut record = json!({"id": "a", "title": " T ", "body": " B \n", "priority": 10, "audience": "all",
            "requirement": "optional", "categories": ["X", "x", "A"]});
        record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        record
    }

    #[test]
    fn defaults_of_a_minimal_file() {
        let done = load(minimal(json!({"createdAt": "2025-01-01T00:00:00.000Z"}))).unwrap();
        let entry = done.entry;
        assert_eq!((entry.title.as_str(), entry.body.as_str()), ("T", "B"));
        assert_eq!(entry.categories, ["a", "x"]);
        assert!(done.categories_are_untidy && done.hash_is_stale && done.is_dated);
        assert_eq!(entry.source_hash, sha256_hex("B"));
        assert_eq!((entry.version.as_str(), entry.owner.as_str()), ("1.0.0", "unowned"));
        assert_eq!((entry.status, entry.classification), (Status::Approved, Classification::Internal));
        assert_eq!(entry.priority_tier, Tier::P1);
        assert_eq!(entry.next_review_due, "2025-01-31T00:00:00.000Z");
        assert_eq!(entry.risk_score, 95);
        assert_eq!(entry.change_log.items()[0]["summary"], "initial import");
    }

    #[test]
    fn an_undated_file_has_no_review_dates_and_keeps_none_when_written_back() {
        let entry = load(minimal(json!({}))).unwrap().entry;
        assert_eq!((entry.last_reviewed_at.as_str(), entry.next_review_due.as_str()), ("", ""));
        let again = load(serde_json::from_str(&entry.file_text()).unwrap()).unwrap();
        assert_eq!(again.entry, entry);
        assert!(!again.hash_is_stale && !again.categories_are_untidy);
    }

    #[test]
    fn tiers_cadence_and_risk_follow_the_tables() {
        for (priority, requirement, tier, days) in [
            (20, Requirement::Optional, Tier::P1, 30),
            (21, Requirement::Optional, Tier::P2, 60),
            (40, Requirement::Optional, Tier::P2, 60),
            (41, Requirement::Optional, Tier::P3, 90),
            (70, Requirement::Recommended, Tier::P3, 90),
            (71, Requirement::Recommended, Tier::P4, 120),
            (100, Requirement::Mandatory, Tier::P1, 30),
            (100, Requirement::Critical, Tier::P1, 30),
        ] {
            assert_eq!(tier_of(priority, requirement), tier, "{priority}");
            assert_eq!(review_days(tier, requirement), days, "{priority}");
        }
        assert_eq!(review_days(Tier::P4, Requirement::Critical), 30);
        assert_eq!(risk_score(100, Requirement::Deprecated), -30);
        assert_eq!(risk_score(1, Requirement::Critical), 159);
    }

    #[test]
    fn scope_tokens_become_fields_and_stay_in_the_file() {
        let entry = load(minimal(json!({
            "categories": ["Scope:User:Ann", "scope:team:b", "scope:team:a", "scope:workspace:w2", "topic"],
            "workspaceId": "W1"
        })))
        .unwrap()
        .entry;
        assert_eq!(entry.categories, ["topic"]);
        assert_eq!((entry.user_id.as_deref(), entry.workspace_id.as_deref()), (Some("ann"), Some("W1")));
        assert_eq!(entry.team_ids, ["a", "b"]);
        assert!(entry.file_text().contains("scope:user:ann"));
    }

    #[test]
    fn deprecated_needs_a_successor() {
        let problem = load(minimal(json!({"requirement": "deprecated"}))).unwrap_err();
        assert_eq!(problem.to_string(), "a deprecated entry needs deprecatedBy");
        let entry = load(minimal(json!({"requirement": "deprecated", "deprecatedBy": "b"}))).unwrap().entry;
        assert_eq!(entry.status, Status::Deprecated);
    }

    #[test]
    fn a_body_only_overwrite_keeps_the_governance_facts() {
        let stored = load(minimal(json!({"createdAt": "2025-01-01T00:00:00Z"}))).unwrap().entry;
        let Value::Object(record) = json!({"id": "a", "body": "new first line"}) else { unreachable!() };
        let entry = overwrite(&stored, Draft::parse(record).unwrap(), Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(entry.semantic_summary, stored.semantic_summary);
        assert_eq!(entry.next_review_due, stored.next_review_due);
        assert_eq!((entry.version.as_str(), entry.created_at.as_str()), ("1.0.0", "2025-01-01T00:00:00Z"));
        assert_eq!(entry.source_hash, sha256_hex("new first line"));
    }
}
