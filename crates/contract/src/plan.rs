//! What a call changes, named before it is done: to be shown, agreed to, and compared when it is applied.
//!
//! A tool that writes asks [`Changes`] before every change. For a plain call the answer is yes at no cost; a preview
//! collects what is named and says no; a call that applies a plan says yes to exactly what the plan names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ErrorCode, Fault, FaultResult};

/// Differences told in one answer; all are counted.
const MAX_DIFFERENCES: usize = 100;
/// Differences told in the message, for people.
const TOLD_DIFFERENCES: usize = 3;
/// As much of a state as a person compares.
const SHORT_STATE: usize = 12;

/// How exactly a tool can say beforehand what it changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Planning {
    /// The tool changes nothing.
    #[default]
    Nothing,
    /// Every target is named with its state before and after.
    Exact,
    /// Targets are named with their state before; why the state after is not known is said here.
    Bound(&'static str),
    /// The tool hands its call over, and the plan is that of the tool it names.
    Forwarded,
}

impl Planning {
    pub fn name(&self) -> &'static str {
        match self {
            Planning::Nothing => "nothing",
            Planning::Exact => "exact",
            Planning::Bound(_) => "bound",
            Planning::Forwarded => "forwarded",
        }
    }
}

/// What happens to a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    Create,
    Replace,
    Remove,
    /// The state afterwards is known only then.
    Update,
    /// A program is run.
    Run,
}

/// One thing a call changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// A path, or the id of an entry, as answers name it.
    pub target: String,
    pub action: Action,
    /// Hash of its state now; nothing where there is nothing yet.
    pub before: Option<String>,
    /// Hash of its state afterwards; nothing where it is removed or not known.
    pub after: Option<String>,
}

impl Target {
    /// A file or entry whose state is known before and after.
    pub fn exact(target: impl Into<String>, before: Option<String>, after: Option<String>) -> Target {
        let action = match (&before, &after) {
            (None, _) => Action::Create,
            (Some(_), Some(_)) => Action::Replace,
            (Some(_), None) => Action::Remove,
        };
        Target { target: target.into(), action, before, after }
    }

    /// Something that is brought up to date or made by work whose result is not known yet.
    pub fn update(target: impl Into<String>, before: Option<String>) -> Target {
        Target { target: target.into(), action: Action::Update, before, after: None }
    }

    /// A program that is run, or a file or folder it may use.
    pub fn run(target: impl Into<String>, before: Option<String>) -> Target {
        Target { target: target.into(), action: Action::Run, before, after: None }
    }
}

/// One way in which targets are not what a plan says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    pub target: String,
    /// `before`, `after`, `action`, `arguments`, `refused`, or `target` where one came or went.
    pub what: &'static str,
    pub expected: Option<String>,
    pub found: Option<String>,
}

/// Where `found` is not what was `expected`, target by target.
pub fn differences(expected: &[Target], found: &[Target]) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut note = |target: &str, what, expected: Option<String>, found: Option<String>| {
        differences.push(Difference { target: target.to_owned(), what, expected, found });
    };
    let word = |action: Action| json!(action).as_str().map(str::to_owned);
    for one in expected {
        match found.iter().find(|other| other.target == one.target) {
            None => note(&one.target, "target", word(one.action), None),
            Some(other) if other.before != one.before => {
                note(&one.target, "before", one.before.clone(), other.before.clone());
            }
            Some(other) if other.action != one.action => {
                note(&one.target, "action", word(one.action), word(other.action));
            }
            Some(other) if other.after != one.after => {
                note(&one.target, "after", one.after.clone(), other.after.clone());
            }
            Some(_) => {}
        }
    }
    for other in found.iter().filter(|other| !expected.iter().any(|one| one.target == other.target)) {
        note(&other.target, "target", None, word(other.action));
    }
    differences
}

/// The refusal of a plan that no longer fits, with what has changed.
pub fn drifted(differences: &[Difference]) -> Fault {
    let told: Vec<String> = differences.iter().take(TOLD_DIFFERENCES).map(Difference::told).collect();
    let more = match differences.len().saturating_sub(TOLD_DIFFERENCES) {
        0 => String::new(),
        count => format!("; and {count} more"),
    };
    let message = format!("the plan no longer fits: {}{more}", told.join("; "));
    Fault::new(ErrorCode::PlanDrifted, message)
        .detail("differences", json!(&differences[..differences.len().min(MAX_DIFFERENCES)]))
        .detail("differenceCount", differences.len())
        .hint("nothing was changed; preview again and apply the new plan")
}

impl Difference {
    /// The difference in words, with short hashes.
    fn told(&self) -> String {
        let short = |state: &Option<String>| match state {
            None => "nothing".to_owned(),
            Some(state) => state.chars().take(SHORT_STATE).collect(),
        };
        format!("{}: {} was {}, now {}", self.target, self.what, short(&self.expected), short(&self.found))
    }
}

enum Mode {
    Direct,
    Preview,
    Agreed(Vec<Target>),
}

struct Inner {
    mode: Mode,
    /// The moment the plan was made; what is written then is what was shown, to the byte.
    at: Option<Timestamp>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    targets: Vec<Target>,
    is_complete: bool,
}

/// What a call may change; cheap to copy.
#[derive(Clone)]
pub struct Changes(Arc<Inner>);

impl Default for Changes {
    fn default() -> Changes {
        Changes::of(Mode::Direct, None)
    }
}

impl std::fmt::Debug for Changes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.0.mode {
            Mode::Direct => "direct",
            Mode::Preview => "preview",
            Mode::Agreed(_) => "agreed",
        })
    }
}

impl Changes {
    fn of(mode: Mode, at: Option<Timestamp>) -> Changes {
        Changes(Arc::new(Inner { mode, at, seen: Mutex::default() }))
    }

    /// Collects what would be changed, as if it were `at`.
    pub fn preview(at: Timestamp) -> Changes {
        Changes::of(Mode::Preview, Some(at))
    }

    /// Allows exactly these changes, as if it were still `at`.
    pub fn agreed(targets: Vec<Target>, at: Timestamp) -> Changes {
        Changes::of(Mode::Agreed(targets), Some(at))
    }

    pub fn at(&self) -> Option<Timestamp> {
        self.0.at
    }

    /// Whether somebody wants to know the targets; a plain call need not compute them.
    pub fn is_watched(&self) -> bool {
        !matches!(self.0.mode, Mode::Direct)
    }

    /// Whether nothing may be written: no file, no folder, no lock.
    pub fn is_preview(&self) -> bool {
        matches!(self.0.mode, Mode::Preview)
    }

    /// Names what is about to be changed and says whether to do it.
    pub fn propose(&self, targets: impl FnOnce() -> Vec<Target>) -> FaultResult<bool> {
        match &self.0.mode {
            Mode::Direct => Ok(true),
            Mode::Preview => {
                let targets = targets();
                self.seen().targets.extend(targets);
                Ok(false)
            }
            Mode::Agreed(agreed) => {
                let targets = targets();
                let named: Vec<Target> = agreed
                    .iter()
                    .filter(|one| targets.iter().any(|other| other.target == one.target))
                    .cloned()
                    .collect();
                match differences(&named, &targets) {
                    differences if differences.is_empty() => Ok(true),
                    differences => Err(drifted(&differences)),
                }
            }
        }
    }

    /// Names everything the call will change; a preview ends here.
    pub fn propose_all(&self, targets: impl FnOnce() -> Vec<Target>) -> FaultResult<()> {
        if self.propose(targets)? {
            return Ok(());
        }
        self.seen().is_complete = true;
        Err(Fault::new(ErrorCode::Internal, "the call was only previewed"))
    }

    /// What a preview has collected, and whether the tool stopped because that is all.
    pub fn collected(&self) -> (Vec<Target>, bool) {
        let seen = self.seen();
        (seen.targets.clone(), seen.is_complete)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How `_meta.plan` looks, for schemas that list it.
pub(crate) fn plan_schema() -> Value {
    json!({ "type": "object" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(name: &str, before: Option<&str>, after: Option<&str>) -> Target {
        Target::exact(name, before.map(str::to_owned), after.map(str::to_owned))
    }

    #[test]
    fn a_plain_call_computes_nothing_and_goes_ahead() {
        assert!(Changes::default().propose(|| unreachable!("nobody asks")).unwrap());
    }

    #[test]
    fn a_preview_collects_and_says_no() {
        let changes = Changes::preview(Timestamp::UNIX_EPOCH);
        assert!(!changes.propose(|| vec![target("a", None, Some("1"))]).unwrap());
        assert!(changes.propose_all(|| vec![target("b", Some("1"), None)]).is_err());
        let (targets, is_complete) = changes.collected();
        assert!(is_complete);
        assert_eq!(
            targets.iter().map(|one| one.action).collect::<Vec<_>>(),
            [Action::Create, Action::Remove]
        );
    }

    #[test]
    fn what_was_agreed_is_done_and_nothing_else() {
        let agreed = vec![target("a", Some("1"), Some("2")), target("b", None, Some("3"))];
        let changes = Changes::agreed(agreed.clone(), Timestamp::UNIX_EPOCH);
        assert!(changes.propose(|| agreed.clone()).unwrap());
        for (found, what) in [
            (target("a", Some("9"), Some("2")), "before"),
            (target("a", Some("1"), Some("9")), "after"),
            (target("c", None, Some("2")), "target"),
        ] {
            let fault = changes.propose(|| vec![found]).unwrap_err();
            assert_eq!(
                (fault.code, &fault.details["differences"][0]["what"]),
                (ErrorCode::PlanDrifted, &json!(what))
            );
        }
    }

    #[test]
    fn differences_name_what_came_and_went() {
        let expected = [target("a", Some("1"), None), target("b", None, Some("2"))];
        let found = [target("b", Some("0"), Some("2")), target("c", None, Some("3"))];
        let found: Vec<_> =
            differences(&expected, &found).into_iter().map(|one| (one.target, one.what)).collect();
        let named =
            [("a", "target"), ("b", "before"), ("c", "target")].map(|(name, what)| (name.to_owned(), what));
        assert_eq!(found, named);
    }
}
