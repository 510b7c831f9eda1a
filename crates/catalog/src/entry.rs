//! `Entry`: one instruction with its governance facts, complete and valid.

use std::sync::Arc;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::change_log::ChangeLog;
use crate::usage::Usage;

/// A closed set of words that JSON spells in one way.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $(#[serde(rename = $text)] $variant),+ }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }

            pub fn parse(text: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|word| word.name() == text)
            }
        }
    };
}

words!(
    /// Whom an entry addresses.
    Audience { Individual = "individual", Group = "group", All = "all" }
);
words!(
    /// How binding an entry is.
    Requirement {
        Mandatory = "mandatory",
        Critical = "critical",
        Recommended = "recommended",
        Optional = "optional",
        Deprecated = "deprecated",
    }
);
words!(
    /// Where an entry stands in its life.
    Status { Draft = "draft", Review = "review", Approved = "approved", Deprecated = "deprecated" }
);
words!(
    /// How urgent an entry is, for the review cadence.
    Tier { P1 = "P1", P2 = "P2", P3 = "P3", P4 = "P4" }
);
words!(
    /// Who may see an entry.
    Classification { Public = "public", Internal = "internal", Restricted = "restricted" }
);

/// One instruction as the catalog serves and stores it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Stable name: lower-case letters, digits, `_` and `-`.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// The instruction itself.
    pub body: String,
    /// Why the instruction exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// 1 (highest) to 100 (lowest).
    pub priority: u8,
    /// Whom the entry addresses.
    pub audience: Audience,
    /// How binding the entry is.
    pub requirement: Requirement,
    /// Topics: lower case, unique, sorted.
    pub categories: Vec<String>,
    /// SHA-256 of the body as recorded when it was last written.
    pub source_hash: String,
    /// Version of the record format.
    pub schema_version: String,
    /// The entry to use instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated_by: Option<String>,
    /// When the entry was created.
    pub created_at: String,
    /// When the entry was last written.
    pub updated_at: String,
    /// Derived from priority and requirement; higher is riskier.
    pub risk_score: i64,
    /// Workspace the entry belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// User the entry belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Teams the entry belongs to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub team_ids: Vec<String>,
    /// Version of the content, `major.minor.patch`.
    pub version: String,
    /// Where the entry stands in its life.
    pub status: Status,
    /// Who answers for the entry.
    pub owner: String,
    /// Urgency class; decides the review cadence.
    pub priority_tier: Tier,
    /// Who may see the entry.
    pub classification: Classification,
    /// Last review; empty when nobody knows.
    pub last_reviewed_at: String,
    /// Next review; empty when nobody knows.
    pub next_review_due: String,
    /// Days between reviews, where the entry sets its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_interval_days: Option<u16>,
    /// Notable changes, oldest first.
    pub change_log: ChangeLog,
    /// The entry this one replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// The entry in one line.
    pub semantic_summary: String,
    /// Fields this version does not know; kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
    /// `scope:*` tokens that still stand among the categories of the file.
    #[serde(skip)]
    #[schemars(skip)]
    pub legacy_scopes: Vec<String>,
}

impl Entry {
    /// The text of the entry's file: two-space JSON without a final newline.
    pub fn file_text(&self) -> String {
        let mut value = serde_json::to_value(self).expect("an entry holds only strings, numbers and JSON");
        if !self.legacy_scopes.is_empty() {
            let mut categories = [self.categories.as_slice(), self.legacy_scopes.as_slice()].concat();
            categories.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            value["categories"] = categories.into();
        }
        serde_json::to_string_pretty(&value).expect("JSON values serialise")
    }

    /// Whether the next review lies before `now`; an unknown date counts as overdue.
    pub fn is_overdue(&self, now: Timestamp) -> bool {
        self.next_review_due.parse::<Timestamp>().map_or(true, |due| due < now)
    }
}

/// An entry with its usage counts, as reads return it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntryView {
    #[serde(flatten)]
    pub entry: Shared,
    /// How often the entry was reported as used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage_count: Option<u64>,
    /// First reported use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_seen_ts: Option<String>,
    /// Latest reported use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

impl EntryView {
    pub(crate) fn new(entry: Arc<Entry>, usage: Option<&Usage>) -> EntryView {
        EntryView {
            entry: Shared(entry),
            usage_count: usage.map(|usage| usage.count),
            first_seen_ts: usage.map(|usage| usage.first.clone()),
            last_used_at: usage.map(|usage| usage.last.clone()),
        }
    }
}

/// An entry shared with the index: answering a list copies no text.
#[derive(Debug, Clone)]
pub struct Shared(pub Arc<Entry>);

impl Serialize for Shared {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl JsonSchema for Shared {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        Entry::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Entry::json_schema(generator)
    }
}
