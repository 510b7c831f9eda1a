//! `Draft`: the checked form of what a caller or a file says about an entry.
//!
//! This is the one validator. A file is read through it, and a change passes through it before anything is
//! written, so that whatever was acknowledged loads again. Nothing is corrected on the way: a value that does not
//! fit is a problem with a name.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::entry::{Audience, Classification, Requirement, Status, Tier};
use crate::text::{js_trim, lower};

/// Longest id. Leaves room for the temporary name within the 255 bytes of a file name.
pub const MAX_ID_CHARS: usize = 120;
/// Longest body. Far above any instruction an agent can use, far below what hurts a server.
pub const MAX_BODY_BYTES: usize = 1_000_000;
/// Longest of the other texts.
pub const MAX_TEXT_BYTES: usize = 20_000;
/// Longest title.
pub const MAX_TITLE_BYTES: usize = 1_000;
/// Most items in one list of an entry.
pub const MAX_ITEMS: usize = 1_000;
/// Largest file, and largest record a change may produce.
pub const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// File stems in the catalog directory that are not entries.
const RESERVED: &[&str] = &["gates"];

/// Why a record is not an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    Missing(Vec<&'static str>),
    Invalid(String),
}

impl Problem {
    /// The text of a per-entry error; the wording of a missing field is part of the contract.
    pub fn short(&self) -> String {
        match self {
            Problem::Missing(_) => "missing required fields".to_owned(),
            Problem::Invalid(reason) => reason.clone(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Missing(fields) => write!(f, "missing required fields: {}", fields.join(", ")),
            Problem::Invalid(reason) => f.write_str(reason),
        }
    }
}

/// Checks an id: the only names that may become a path.
pub fn check_id(id: &str) -> Result<(), Problem> {
    let reason = if id.is_empty() {
        return Err(Problem::Missing(vec!["id"]));
    } else if id.len() > MAX_ID_CHARS {
        format!("invalid id: longer than {MAX_ID_CHARS} characters")
    } else if !is_id(id) {
        "invalid id: use lower-case letters, digits, - and _, starting with a letter or digit".to_owned()
    } else if RESERVED.contains(&id) {
        format!("invalid id: {id} is reserved")
    } else {
        return Ok(());
    };
    Err(Problem::Invalid(reason))
}

fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    id.bytes().next().is_some_and(plain) && id.bytes().all(|byte| plain(byte) || byte == b'-' || byte == b'_')
}

/// Everything a record may say, each part valid by itself.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    pub id: String,
    pub title: Option<String>,
    pub body: Option<String>,
    pub rationale: Option<String>,
    pub priority: Option<u8>,
    pub audience: Option<Audience>,
    pub requirement: Option<Requirement>,
    pub categories: Option<Vec<String>>,
    pub deprecated_by: Option<String>,
    pub workspace_id: Option<String>,
    pub user_id: Option<String>,
    pub team_ids: Option<Vec<String>>,
    pub version: Option<String>,
    pub status: Option<Status>,
    pub owner: Option<String>,
    pub priority_tier: Option<Tier>,
    pub classification: Option<Classification>,
    pub last_reviewed_at: Option<String>,
    pub next_review_due: Option<String>,
    pub review_interval_days: Option<u16>,
    pub change_log: Option<Vec<Value>>,
    pub supersedes: Option<String>,
    pub semantic_summary: Option<String>,
    pub extra: Map<String, Value>,
    pub managed: Managed,
}

/// Fields the catalog itself keeps: read from files, ignored from callers.
#[derive(Debug, Clone, Default)]
pub struct Managed {
    pub source_hash: Option<String>,
    pub schema_version: Option<String>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    /// The categories exactly as written.
    pub raw_categories: Vec<String>,
}

impl Draft {
    /// Checks every field that is present; absent and `null` are the same.
    pub fn parse(record: Map<String, Value>) -> Result<Draft, Problem> {
        let mut fields = Fields { record, problems: Vec::new() };
        let id = fields.text("id", MAX_TEXT_BYTES).unwrap_or_default();
        let raw_categories = fields.list("categories");
        let draft = Draft {
            title: fields.text("title", MAX_TITLE_BYTES).map(|title| js_trim(&title).to_owned()),
            body: fields.text("body", MAX_BODY_BYTES).map(|body| js_trim(&body).to_owned()),
            rationale: fields.text("rationale", MAX_TEXT_BYTES),
            priority: fields.integer("priority", 1, 100),
            audience: fields.word("audience", Audience::parse, "individual, group or all"),
            requirement: fields.word(
                "requirement",
                Requirement::parse,
                "mandatory, critical, recommended, optional or deprecated",
            ),
            categories: raw_categories.as_deref().map(normal_categories),
            deprecated_by: fields.filled("deprecatedBy"),
            workspace_id: fields.filled("workspaceId"),
            user_id: fields.filled("userId"),
            team_ids: fields.list("teamIds"),
            version: fields.version(),
            status: fields.word("status", Status::parse, "draft, review, approved or deprecated"),
            owner: fields.filled("owner"),
            priority_tier: fields.word("priorityTier", Tier::parse, "P1, P2, P3 or P4"),
            classification: fields.word(
                "classification",
                Classification::parse,
                "public, internal or restricted",
            ),
            last_reviewed_at: fields.date("lastReviewedAt"),
            next_review_due: fields.date("nextReviewDue"),
            review_interval_days: fields.integer("reviewIntervalDays", 1, 365),
            change_log: fields.change_log(),
            supersedes: fields.filled("supersedes"),
            semantic_summary: fields.text("semanticSummary", MAX_TEXT_BYTES),
            managed: Managed {
                source_hash: fields.text("sourceHash", MAX_TEXT_BYTES).filter(|hash| hash.len() == 64),
                schema_version: fields.text("schemaVersion", MAX_TITLE_BYTES),
                created_at: fields.date("createdAt").filter(|date| !date.is_empty()),
                updated_at: fields.date("updatedAt").filter(|date| !date.is_empty()),
                raw_categories: raw_categories.unwrap_or_default(),
            },
            id,
            extra: Map::new(),
        };
        // Derived or counted elsewhere: what a record says about them does not matter.
        for name in ["riskScore", "usageCount", "firstSeenTs", "lastUsedAt"] {
            fields.record.shift_remove(name);
        }
        let Fields { record, problems } = fields;
        if !draft.id.is_empty() {
            check_id(&draft.id)?;
        }
        match problems.is_empty() {
            true => Ok(Draft { extra: record, ..draft }),
            false => Err(Problem::Invalid(problems.join("; "))),
        }
    }

    /// Fails when a field without a default is absent or blank.
    pub fn require_core(&self) -> Result<(), Problem> {
        let blank = |text: &Option<String>| text.as_deref().is_none_or(str::is_empty);
        let missing: Vec<&'static str> = [
            ("id", self.id.is_empty()),
            ("title", blank(&self.title)),
            ("body", blank(&self.body)),
            ("priority", self.priority.is_none()),
            ("audience", self.audience.is_none()),
            ("requirement", self.requirement.is_none()),
        ]
        .into_iter()
        .filter_map(|(name, absent)| absent.then_some(name))
        .collect();
        match missing.is_empty() {
            true => Ok(()),
            false => Err(Problem::Missing(missing)),
        }
    }
}

/// Lower case, unique, sorted by UTF-16 code units.
pub(crate) fn normal_categories(categories: &[String]) -> Vec<String> {
    let mut normal: Vec<String> = categories.iter().map(|category| lower(category)).collect();
    normal.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
    normal.dedup();
    normal
}

/// The fields of a record while they are taken out one by one.
struct Fields {
    record: Map<String, Value>,
    problems: Vec<String>,
}

impl Fields {
    fn take(&mut self, name: &str) -> Option<Value> {
        self.record.shift_remove(name).filter(|value| !value.is_null())
    }

    fn problem<T>(&mut self, problem: String) -> Option<T> {
        self.problems.push(problem);
        None
    }

    fn text(&mut self, name: &str, max_bytes: usize) -> Option<String> {
        match self.take(name)? {
            Value::String(text) if text.len() > max_bytes => {
                self.problem(format!("{name} is longer than {max_bytes} bytes"))
            }
            Value::String(text) => Some(text),
            _ => self.problem(format!("{name} must be a string")),
        }
    }

    /// A text of which an empty one means absent.
    fn filled(&mut self, name: &str) -> Option<String> {
        self.text(name, MAX_TITLE_BYTES).filter(|text| !text.is_empty())
    }

    fn word<T>(&mut self, name: &str, parse: fn(&str) -> Option<T>, allowed: &str) -> Option<T> {
        let text = self.text(name, MAX_TITLE_BYTES)?;
        match parse(&text) {
            Some(word) => Some(word),
            None if text.is_empty() => None,
            None => self.problem(format!("{name} must be {allowed}")),
        }
    }

    fn integer<T: TryFrom<i64>>(&mut self, name: &str, min: i64, max: i64) -> Option<T> {
        let value = self.take(name)?;
        let number = value.as_i64().or_else(|| {
            let number = value.as_f64()?;
            (number.fract() == 0.0 && number.abs() < 1e9).then_some(number as i64)
        });
        match number.filter(|number| (min..=max).contains(number)).and_then(|number| T::try_from(number).ok())
        {
            Some(number) => Some(number),
            None => self.problem(format!("{name} must be an integer from {min} to {max}")),
        }
    }

    fn list(&mut self, name: &str) -> Option<Vec<String>> {
        let Value::Array(items) = self.take(name)? else {
            return self.problem(format!("{name} must be a list of strings"));
        };
        if items.len() > MAX_ITEMS {
            return self.problem(format!("{name} holds more than {MAX_ITEMS} items"));
        }
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Value::String(text) if text.len() <= MAX_TITLE_BYTES => texts.push(text),
                _ => return self.problem(format!("{name} must be a list of strings")),
            }
        }
        Some(texts)
    }

    fn date(&mut self, name: &str) -> Option<String> {
        let text = self.text(name, MAX_TITLE_BYTES)?;
        match text.is_empty()
            || text.parse::<Timestamp>().is_ok()
            || text.parse::<jiff::civil::Date>().is_ok()
        {
            true => Some(text),
            false => self.problem(format!("{name} must be an ISO 8601 date and time")),
        }
    }

    fn version(&mut self) -> Option<String> {
        let text = self.filled("version")?;
        match semver::Version::parse(&text) {
            Ok(_) => Some(text),
            Err(_) => self.problem("version must be major.minor.patch".to_owned()),
        }
    }

    fn change_log(&mut self) -> Option<Vec<Value>> {
        match self.take("changeLog")? {
            Value::Array(items) if items.len() <= MAX_ITEMS && items.iter().all(Value::is_object) => {
                Some(items).filter(|items| !items.is_empty())
            }
            _ => self.problem("changeLog must be a list of {version, changedAt, summary}".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problem_of(record: Value) -> String {
        let Value::Object(record) = record else { unreachable!() };
        Draft::parse(record).and_then(|draft| draft.require_core()).unwrap_err().to_string()
    }

    #[test]
    fn ids_that_could_leave_the_directory_or_collide_are_refused() {
        let long = "a".repeat(MAX_ID_CHARS + 1);
        for id in [
            "../x",
            "a/b",
            "/etc/x",
            "..",
            ".",
            "A",
            "has space",
            "a.b",
            "ä",
            "-a",
            "_a",
            "gates",
            &long,
            "a\0b",
        ] {
            assert!(matches!(check_id(id), Err(Problem::Invalid(_))), "{id}");
        }
        for id in ["a", "0", "a-b_c", &"a".repeat(MAX_ID_CHARS)] {
            assert_eq!(check_id(id), Ok(()), "{id}");
        }
    }

    #[test]
    fn every_problem_has_a_name() {
        let cases = [
            (json!({"priority": 0}), "priority must be an integer from 1 to 100"),
            (json!({"priority": 101}), "priority must be an integer from 1 to 100"),
            (json!({"priority": 1.5}), "priority must be an integer from 1 to 100"),
            (json!({"priority": "1"}), "priority must be an integer from 1 to 100"),
            (json!({"audience": "developers"}), "audience must be individual, group or all"),
            (json!({"body": "x".repeat(MAX_BODY_BYTES + 1)}), "body is longer than 1000000 bytes"),
            (json!({"categories": ["a", 1]}), "categories must be a list of strings"),
            (json!({"version": "one"}), "version must be major.minor.patch"),
            (json!({"createdAt": "yesterday"}), "createdAt must be an ISO 8601 date and time"),
            (
                json!({"id": "a", "body": "  "}),
                "missing required fields: title, body, priority, audience, requirement",
            ),
        ];
        for (record, expected) in cases {
            assert_eq!(problem_of(record.clone()), expected, "{record}");
        }
    }

    #[test]
    fn a_whole_float_is_an_integer_and_null_is_absent() {
        let Value::Object(record) = json!({"id": "a", "priority": 10.0, "owner": null, "more": 1}) else {
            unreachable!()
        };
        let draft = Draft::parse(record).unwrap();
        assert_eq!((draft.priority, draft.owner, draft.extra.len()), (Some(10), None, 1));
    }
}
