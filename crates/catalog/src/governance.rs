//! The governance projection and its hash: ownership, versions and reviews without the wording of bodies.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::entry::{Entry, Tier};
use crate::hash::{hex, sha256_hex};

/// What the governance hash covers of one entry; the order of the fields is part of the hash.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Projection {
    /// Id of the entry.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Its owner.
    pub owner: String,
    /// Its urgency class.
    pub priority_tier: Tier,
    /// Its next review; empty when unknown.
    pub next_review_due: String,
    /// SHA-256 of its one-line summary.
    pub semantic_summary_sha256: String,
    /// Number of change log items.
    pub change_log_length: usize,
}

impl Projection {
    fn of(entry: &Entry) -> Projection {
        Projection {
            id: entry.id.clone(),
            title: entry.title.clone(),
            version: entry.version.clone(),
            owner: entry.owner.clone(),
            priority_tier: entry.priority_tier,
            next_review_due: entry.next_review_due.clone(),
            semantic_summary_sha256: sha256_hex(&entry.semantic_summary),
            change_log_length: entry.change_log.len(),
        }
    }
}

/// The projections of a catalog and both spellings of their hash.
#[derive(Debug)]
pub struct Governance {
    pub items: Vec<Projection>,
    plain: String,
    with_newline: String,
}

impl Governance {
    /// Projects entries that come in collation order.
    pub fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Governance {
        let items: Vec<Projection> = entries.map(Projection::of).collect();
        let mut state = Sha256::new();
        let mut line = Vec::with_capacity(512);
        for (position, item) in items.iter().enumerate() {
            line.clear();
            if position > 0 {
                line.push(b'\n');
            }
            // Compact text with the escapes of JSON.stringify: serde_json writes exactly those.
            serde_json::to_writer(&mut line, item).expect("a projection holds only strings and numbers");
            state.update(&line);
        }
        let plain = hex(&state.clone().finalize());
        // The flag joins one more, empty line; of an empty catalog that is still the empty text.
        if !items.is_empty() {
            state.update(b"\n");
        }
        Governance { items, plain, with_newline: hex(&state.finalize()) }
    }

    pub fn hash(&self, trailing_newline: bool) -> &str {
        match trailing_newline {
            true => &self.with_newline,
            false => &self.plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_what_javascript_writes() {
        let item = Projection {
            id: "a".into(),
            title: "Grüße/\"q\"\\ \u{8}\u{c}\n\r\t\u{1} 😀".into(),
            version: "1.0.0".into(),
            owner: "unowned".into(),
            priority_tier: Tier::P4,
            next_review_due: String::new(),
            semantic_summary_sha256: "x".into(),
            change_log_length: 1,
        };
        assert_eq!(
            serde_json::to_string(&item).unwrap(),
            "{\"id\":\"a\",\"title\":\"Grüße/\\\"q\\\"\\\\ \\b\\f\\n\\r\\t\\u0001 😀\",\"version\":\"1.0.0\",\"owner\":\"unowned\",\
             \"priorityTier\":\"P4\",\"nextReviewDue\":\"\",\"semanticSummarySha256\":\"x\",\"changeLogLength\":1}"
        );
    }
}
