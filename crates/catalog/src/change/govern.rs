//! Changing who owns an entry, where it stands and when it is reviewed, apart from its content.

use jiff::Timestamp;
use mainstay_contract::timestamp;
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Author;
use crate::catalog::Catalog;
use crate::complete::{days_after, review_days};
use crate::entry::{Entry, Status};
use crate::error::CatalogError;

/// Which part of the version grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bump {
    Patch,
    Minor,
    Major,
    #[default]
    None,
}

/// What to change; everything else stays.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GovernanceChange {
    /// Entry to change.
    pub id: String,
    /// Who answers for it from now on.
    pub owner: Option<String>,
    /// Where it stands from now on.
    pub status: Option<Status>,
    /// When it was reviewed, ISO 8601; the next review follows from it unless given.
    pub last_reviewed_at: Option<String>,
    /// When it is due for review, ISO 8601.
    pub next_review_due: Option<String>,
    /// Which part of the version grows; none when absent.
    #[serde(default)]
    pub bump: Bump,
    /// Line for the change log of a version bump.
    pub summary: Option<String>,
}

/// What became of the change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Governed {
    #[serde(rename_all = "camelCase")]
    Done {
        /// Id of the entry.
        id: String,
        /// Whether anything changed.
        changed: bool,
        /// Its version now.
        version: String,
        /// Its owner now.
        owner: String,
        /// Where it stands now.
        status: Status,
        /// Its last review.
        last_reviewed_at: String,
        /// Its next review.
        next_review_due: String,
    },
    #[serde(rename_all = "camelCase")]
    Missing {
        /// There is no such entry.
        not_found: bool,
    },
    Failed {
        /// Id of the entry.
        id: String,
        /// Why nothing was written.
        error: String,
    },
}

impl Catalog {
    /// Changes the governance facts of one entry.
    pub fn govern(&self, change: GovernanceChange, author: &Author) -> Result<Governed, CatalogError> {
        let mut session = self.session(author)?;
        let Some(record) = session.index.get(&change.id) else {
            return Ok(Governed::Missing { not_found: true });
        };
        let failed = |error: String| Governed::Failed { id: change.id.clone(), error };
        let entry = match govern(&record.entry, &change, author.now) {
            Ok(entry) => entry,
            Err(error) => return Ok(failed(error)),
        };
        let changed = entry != *record.entry;
        if changed {
            let write = match session.write(&entry) {
                Ok(write) => write,
                Err(problem) => return Ok(failed(problem.short())),
            };
            let outcome = session.commit("governance", vec![write], Vec::new(), false)?;
            if let Some(error) = outcome.failed.get(&entry.id) {
                return Ok(failed(error.clone()));
            }
        }
        Ok(Governed::Done {
            id: entry.id,
            changed,
            version: entry.version,
            owner: entry.owner,
            status: entry.status,
            last_reviewed_at: entry.last_reviewed_at,
            next_review_due: entry.next_review_due,
        })
    }
}

fn govern(stored: &Entry, change: &GovernanceChange, now: Timestamp) -> Result<Entry, String> {
    let mut entry = stored.clone();
    if let Some(owner) = change.owner.clone().filter(|owner| !owner.is_empty()) {
        entry.owner = owner;
    }
    if let Some(status) = change.status {
        entry.status = status;
    }
    if let Some(reviewed) = &change.last_reviewed_at {
        let reviewed = date(reviewed, "lastReviewedAt")?;
        let days =
            entry.review_interval_days.unwrap_or_else(|| review_days(entry.priority_tier, entry.requirement));
        entry.next_review_due = days_after(&reviewed, days);
        entry.last_reviewed_at = reviewed;
    }
    if let Some(due) = &change.next_review_due {
        entry.next_review_due = date(due, "nextReviewDue")?;
    }
    let mut version =
        Version::parse(&entry.version).map_err(|_| "the stored version is not major.minor.patch")?;
    match change.bump {
        Bump::None => {}
        Bump::Patch => version.patch += 1,
        Bump::Minor => version = Version::new(version.major, version.minor + 1, 0),
        Bump::Major => version = Version::new(version.major + 1, 0, 0),
    }
    if change.bump != Bump::None {
        entry.version = version.to_string();
        let summary =
            change.summary.as_deref().filter(|summary| !summary.is_empty()).unwrap_or("governance update");
        entry.change_log.push(json!({
            "version": entry.version, "changedAt": timestamp(now), "summary": summary
        }));
    }
    if entry != *stored {
        entry.updated_at = timestamp(now);
    }
    Ok(entry)
}

fn date(text: &str, field: &str) -> Result<String, String> {
    let instant = text.parse::<Timestamp>().ok().or_else(|| {
        let day: jiff::civil::Date = text.parse().ok()?;
        day.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
    });
    instant.map(timestamp).ok_or_else(|| format!("{field} must be an ISO 8601 date"))
}
