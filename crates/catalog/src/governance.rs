//! The governance projection and its hash: ownership, versions and reviews without the wording of bodies.

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::entry::{Entry, Tier};
use crate::hash::hex;

/// What the governance hash covers of one entry; the order of the fields is part of the hash.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Projection<'a> {
    /// Id of the entry.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Its owner.
    pub owner: &'a str,
    /// Its urgency class.
    pub priority_tier: Tier,
    /// Its next review; empty when unknown.
    pub next_review_due: &'a str,
    /// SHA-256 of its one-line summary.
    pub semantic_summary_sha256: String,
    /// Number of change log items.
    pub change_log_length: usize,
}

impl<'a> Projection<'a> {
    fn of(entry: &'a Entry, summary: &[u8]) -> Projection<'a> {
        Projection {
            id: &entry.id,
            title: &entry.title,
            version: &entry.version,
            owner: &entry.owner,
            priority_tier: entry.priority_tier,
            next_review_due: &entry.next_review_due,
            semantic_summary_sha256: hex(summary),
            change_log_length: entry.change_log.len(),
        }
    }
}

/// Both spellings of the governance hash of a catalog, and what its projections cost to make again.
#[derive(Debug)]
pub struct Governance {
    /// SHA-256 of each entry's summary, in collation order.
    summaries: Vec<[u8; 32]>,
    plain: String,
    with_newline: String,
}

impl Governance {
    /// Projects entries that come in collation order.
    pub fn of<'a>(entries: impl Iterator<Item = &'a Entry>) -> Governance {
        let mut summaries = Vec::new();
        let mut state = Sha256::new();
        let mut line = Vec::with_capacity(512);
        for (position, entry) in entries.enumerate() {
            let summary: [u8; 32] = Sha256::digest(&entry.semantic_summary).into();
            line.clear();
            if position > 0 {
                line.push(b'\n');
            }
            // Compact text with the escapes of JSON.stringify: serde_json writes exactly those.
            let item = Projection::of(entry, &summary);
            serde_json::to_writer(&mut line, &item).expect("a projection holds only strings and numbers");
            state.update(&line);
            summaries.push(summary);
        }
        let plain = hex(&state.clone().finalize());
        // The flag joins one more, empty line; of an empty catalog that is still the empty text.
        if !summaries.is_empty() {
            state.update(b"\n");
        }
        Governance { summaries, plain, with_newline: hex(&state.finalize()) }
    }

    /// What the hash covers of the entries it was made of.
    pub fn items<'a>(
        &self,
        entries: impl Iterator<Item = &'a Entry>,
    ) -> impl Iterator<Item = Projection<'a>> {
        entries.zip(&self.summaries).map(|(entry, summary)| Projection::of(entry, summary))
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
            id: "a",
            title: "Grüße/\"q\"\\ \u{8}\u{c}\n\r\t\u{1} 😀",
            version: "1.0.0",
            owner: "unowned",
            priority_tier: Tier::P4,
            next_review_due: "",
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
