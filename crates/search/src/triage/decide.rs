//! Which decision counts for a finding, judged when somebody asks.
//!
//! The newest decision of a finding is the one that counts; it takes the place of the one before. Once it has expired
//! the finding is open again. Nothing is ever changed or deleted, so that the history is whole.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::ledger::Ledger;
use super::record::{Decision, Finding, Status};

/// Where a finding stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    /// What counts now: a decision's status, or `open` where there is none or it has expired.
    pub status: &'static str,
    /// The newest decision, also when it has expired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision_id: Option<String>,
    /// Whether that decision has expired.
    pub expired: bool,
    /// When it ceases to hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Whether the finding has changed since it was decided.
    pub finding_changed: bool,
}

/// A decision with where it stands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Judged {
    /// `active`, `expired` or `superseded`.
    pub state: &'static str,
    /// The decision.
    #[serde(flatten)]
    pub decision: Decision,
}

/// The decisions about a finding, newest first.
pub fn history<'a>(ledger: &'a Ledger, finding: &str) -> Vec<&'a Decision> {
    ledger.decisions.iter().rev().filter(|decision| decision.finding_record_id == finding).collect()
}

pub fn is_expired(decision: &Decision, now: Timestamp) -> bool {
    decision
        .expires_at
        .as_deref()
        .is_some_and(|at| at.parse::<Timestamp>().is_ok_and(|expires| expires <= now))
}

/// Where a finding stands at a moment.
pub fn standing(ledger: &Ledger, finding: &Finding, now: Timestamp) -> Standing {
    let newest = ledger.decisions.iter().rev().find(|one| one.finding_record_id == finding.record_id);
    let expired = newest.is_some_and(|decision| is_expired(decision, now));
    Standing {
        status: newest.filter(|_| !expired).map_or("open", |decision| decision.status.name()),
        decision_id: newest.map(|decision| decision.record_id.clone()),
        expired,
        expires_at: newest.and_then(|decision| decision.expires_at.clone()),
        finding_changed: newest.is_some_and(|decision| decision.finding_digest != finding.content()),
    }
}

/// The decisions about a finding with where each stands, newest first.
pub fn judged(ledger: &Ledger, finding: &str, now: Timestamp) -> Vec<Judged> {
    let judge = |(at, decision): (usize, &Decision)| Judged {
        state: match (at, is_expired(decision, now)) {
            (0, false) => "active",
            (0, true) => "expired",
            _ => "superseded",
        },
        decision: decision.clone(),
    };
    history(ledger, finding).into_iter().enumerate().map(judge).collect()
}

/// Reads a date, which lasts to its end, or a moment.
pub fn expiry(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment);
    }
    let day: Date = text.parse().ok()?;
    Some(day.tomorrow().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp())
}

/// Whether a decision leaves the vulnerability where it is and so has to say why.
pub fn needs_justification(status: Status) -> bool {
    status != Status::Fix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_lasts_to_its_end() {
        let end: Timestamp = "2030-06-02T00:00:00Z".parse().unwrap();
        assert_eq!(expiry("2030-06-01"), Some(end));
        assert_eq!(expiry(" 2030-06-02T00:00:00Z "), Some(end));
        assert_eq!(expiry("2030-06-02T02:00:00+02:00"), Some(end));
        for text in ["", "tomorrow", "2030-13-01", "2030-02-30"] {
            assert_eq!(expiry(text), None, "{text}");
        }
    }
}
