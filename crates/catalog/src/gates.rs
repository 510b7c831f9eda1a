//! Gates: counts over the catalog that must hold, read from `gates.json`.
//!
//! Beyond the plain count of the specification, a condition may be combined with `all`, `any` and `not`, and a gate
//! of type `all`, `any` or `not` combines other gates.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{Audience, Classification, Entry, Requirement, Status, Tier};
use crate::index::Index;

/// The file in the catalog directory that holds the gates.
pub const GATES_FILE: &str = "gates.json";
/// How deep conditions and gates may nest.
const MAX_DEPTH: usize = 16;

#[derive(Debug, Deserialize)]
struct GateFile {
    gates: Vec<serde_json::Value>,
}

#[derive(Debug, Deserialize)]
struct Gate {
    #[serde(default)]
    id: String,
    description: Option<String>,
    #[serde(rename = "type", default)]
    kind: String,
    r#where: Option<Where>,
    op: Option<String>,
    value: Option<serde_json::Number>,
    #[serde(default)]
    severity: Severity,
    #[serde(default)]
    gates: Vec<Gate>,
}

/// A condition on one entry: every part that is given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Where {
    requirement: Option<Requirement>,
    priority_gt: Option<f64>,
    priority_lt: Option<f64>,
    audience: Option<Audience>,
    status: Option<Status>,
    priority_tier: Option<Tier>,
    classification: Option<Classification>,
    owner: Option<String>,
    category: Option<String>,
    overdue: Option<bool>,
    all: Option<Vec<Where>>,
    any: Option<Vec<Where>>,
    not: Option<Box<Where>>,
}

/// What a failed gate means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    #[default]
    Error,
    Warn,
}

/// One gate's verdict.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Verdict {
    /// Id of the gate.
    pub id: String,
    /// Whether it holds.
    pub passed: bool,
    /// How many entries (or inner gates) it counted.
    pub count: usize,
    /// The comparison.
    pub op: String,
    /// What the count was compared with.
    pub value: serde_json::Number,
    /// What a failure means.
    pub severity: Severity,
    /// The gate in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Failed gates by severity.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Failed gates of severity `error`.
    pub errors: usize,
    /// Failed gates of severity `warn`.
    pub warnings: usize,
    /// Gates evaluated.
    pub total: usize,
}

/// All gates of a catalog, or why there are none.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Evaluation {
    #[serde(rename_all = "camelCase")]
    Done {
        /// When the gates were evaluated.
        generated_at: String,
        /// One verdict per gate.
        results: Vec<Verdict>,
        /// Failed gates by severity.
        summary: Summary,
    },
    #[serde(rename_all = "camelCase")]
    NotConfigured {
        /// There is no gates file.
        not_configured: bool,
    },
    Invalid {
        /// Why the gates file cannot be used.
        error: String,
        /// What is wrong in it.
        detail: String,
    },
}

impl Evaluation {
    /// Whether a gate of severity `error` failed, or the file cannot be read.
    pub fn has_failed(&self) -> bool {
        match self {
            Evaluation::Done { summary, .. } => summary.errors > 0,
            Evaluation::NotConfigured { .. } => false,
            Evaluation::Invalid { .. } => true,
        }
    }
}

/// Evaluates the text of a gates file.
pub fn evaluate(text: &[u8], index: &Index, now: Timestamp) -> Evaluation {
    let invalid = |detail: String| Evaluation::Invalid { error: "invalid gates file".to_owned(), detail };
    let file: GateFile = match serde_json::from_slice(text) {
        Ok(file) => file,
        Err(error) => return invalid(error.to_string()),
    };
    let mut results = Vec::new();
    let mut summary = Summary::default();
    for value in file.gates {
        // A gate of a kind this version does not know is left out, as it always was.
        if !matches!(value["type"].as_str(), Some("count" | "all" | "any" | "not")) {
            continue;
        }
        let gate: Gate = match serde_json::from_value(value) {
            Ok(gate) => gate,
            Err(error) => return invalid(error.to_string()),
        };
        if depth(&gate) > MAX_DEPTH {
            return invalid(format!("gate {} is nested deeper than {MAX_DEPTH}", gate.id));
        }
        let verdict = judge(&gate, index, now);
        summary.total += 1;
        match (verdict.passed, verdict.severity) {
            (true, _) => {}
            (false, Severity::Error) => summary.errors += 1,
            (false, Severity::Warn) => summary.warnings += 1,
        }
        results.push(verdict);
    }
    Evaluation::Done { generated_at: mainstay_contract::timestamp(now), results, summary }
}

fn depth(gate: &Gate) -> usize {
    fn of_where(condition: &Where) -> usize {
        let inner = condition
            .all
            .iter()
            .flatten()
            .chain(condition.any.iter().flatten())
            .chain(condition.not.as_deref());
        1 + inner.map(of_where).max().unwrap_or(0)
    }
    let inner = gate.gates.iter().map(depth).max().unwrap_or(0);
    1 + inner.max(gate.r#where.as_ref().map_or(0, of_where))
}

fn judge(gate: &Gate, index: &Index, now: Timestamp) -> Verdict {
    let passed_inside = || gate.gates.iter().filter(|inner| judge(inner, index, now).passed).count();
    let (count, op, value) = match gate.kind.as_str() {
        "all" => (passed_inside(), "==".to_owned(), gate.gates.len().into()),
        "any" => (passed_inside(), ">=".to_owned(), 1.into()),
        "not" => (passed_inside(), "==".to_owned(), 0.into()),
        _ => {
            let holds =
                |entry: &Entry| gate.r#where.as_ref().is_none_or(|condition| condition.holds(entry, now));
            let count = index.records().iter().filter(|record| holds(&record.entry)).count();
            (count, gate.op.clone().unwrap_or_default(), gate.value.clone().unwrap_or_else(|| 0.into()))
        }
    };
    let passed = compare(count, &op, value.as_f64().unwrap_or(0.0));
    Verdict {
        id: gate.id.clone(),
        passed,
        count,
        op,
        value,
        severity: gate.severity,
        description: gate.description.clone(),
    }
}

/// An operator this version does not know passes, as it always did.
fn compare(count: usize, op: &str, value: f64) -> bool {
    let count = count as f64;
    match op {
        ">=" => count >= value,
        ">" => count > value,
        "<=" => count <= value,
        "<" => count < value,
        "==" => count == value,
        "!=" => count != value,
        _ => true,
    }
}

impl Where {
    fn holds(&self, entry: &Entry, now: Timestamp) -> bool {
        let priority = f64::from(entry.priority);
        self.requirement.is_none_or(|wanted| entry.requirement == wanted)
            && self.priority_gt.is_none_or(|limit| priority > limit)
            && self.priority_lt.is_none_or(|limit| priority < limit)
            && self.audience.is_none_or(|wanted| entry.audience == wanted)
            && self.status.is_none_or(|wanted| entry.status == wanted)
            && self.priority_tier.is_none_or(|wanted| entry.priority_tier == wanted)
            && self.classification.is_none_or(|wanted| entry.classification == wanted)
            && self.owner.as_ref().is_none_or(|wanted| entry.owner == *wanted)
            && self.category.as_ref().is_none_or(|wanted| entry.categories.contains(wanted))
            && self.overdue.is_none_or(|wanted| entry.is_overdue(now) == wanted)
            && self.all.iter().flatten().all(|inner| inner.holds(entry, now))
            && self.any.as_ref().is_none_or(|any| any.iter().any(|inner| inner.holds(entry, now)))
            && self.not.as_ref().is_none_or(|inner| !inner.holds(entry, now))
    }
}
