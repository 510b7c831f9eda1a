//! What differs between two answers, and how much it matters.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

/// How much a difference matters, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// A time or a duration: different in every run.
    Time,
    /// A new member: a client that does not know it goes on working.
    Added,
    Changed,
    Removed,
    /// Success became failure, or the other way round.
    Outcome,
}

impl Grade {
    pub fn name(self) -> &'static str {
        match self {
            Grade::Time => "time",
            Grade::Added => "added",
            Grade::Changed => "changed",
            Grade::Removed => "removed",
            Grade::Outcome => "outcome",
        }
    }
}

#[derive(Debug, PartialEq)]
pub struct Difference {
    pub grade: Grade,
    pub at: String,
    pub recorded: Value,
    pub now: Value,
}

/// The differences between a recorded answer and a new one.
pub fn differences(recorded: &Value, now: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    let kind = |answer: &Value| answer.as_object().and_then(|object| object.keys().next().cloned());
    if kind(recorded) != kind(now) {
        found.push(Difference {
            grade: Grade::Outcome,
            at: "/".to_owned(),
            recorded: recorded.clone(),
            now: now.clone(),
        });
    } else {
        walk("", "", recorded, now, &mut found);
    }
    found
}

fn walk(at: &str, key: &str, recorded: &Value, now: &Value, found: &mut Vec<Difference>) {
    let mut add = |grade, at: String, recorded: &Value, now: &Value| {
        let known = found.iter().any(|other: &Difference| other.at == at && other.grade == grade);
        if !known {
            found.push(Difference { grade, at, recorded: recorded.clone(), now: now.clone() });
        }
    };
    match (recorded, now) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                add(Grade::Added, format!("{at}/{name}"), &Value::Null, value);
            }
            for (name, value) in old {
                match new.get(name) {
                    // A duration that was not measured this time is no difference.
                    None if is_time(name, value, value) => {}
                    None => found.push(Difference {
                        grade: Grade::Removed,
                        at: format!("{at}/{name}"),
                        recorded: value.clone(),
                        now: Value::Null,
                    }),
                    Some(new) => walk(&format!("{at}/{name}"), name, value, new, found),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let at = format!("{at}/*");
            old.iter().zip(new).for_each(|(old, new)| walk(&at, key, old, new, found));
            for (grade, rest) in
                [(Grade::Removed, old.get(new.len()..)), (Grade::Added, new.get(old.len()..))]
            {
                let Some(first) = rest.and_then(<[Value]>::first) else { continue };
                let (recorded, now) = match grade {
                    Grade::Added => (Value::Null, first.clone()),
                    _ => (first.clone(), Value::Null),
                };
                found.push(Difference { grade, at: at.clone(), recorded, now });
            }
        }
        (old, new) if old == new => {}
        (old, new) => {
            let grade = if is_time(key, old, new) { Grade::Time } else { Grade::Changed };
            add(grade, at.to_owned(), old, new);
        }
    }
}

/// Whether two values are instants or measured durations.
fn is_time(key: &str, old: &Value, new: &Value) -> bool {
    let instant = |value: &Value| value.as_str().is_some_and(|text| text.parse::<Timestamp>().is_ok());
    let measured = ["Ms", "Micros", "Seconds", "Nanos"].iter().any(|unit| key.ends_with(unit))
        || ["ms", "elapsed", "took", "uptime", "duration"].contains(&key);
    (instant(old) && instant(new)) || (measured && old.is_number() && new.is_number())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn grades(old: Value, new: Value) -> Vec<(Grade, String)> {
        differences(&old, &new).into_iter().map(|difference| (difference.grade, difference.at)).collect()
    }

    #[test]
    fn times_are_told_from_changes_and_each_place_is_named_once() {
        let old = json!({"result": {"at": "2026-01-01T00:00:00Z", "tookMs": 3.5, "hits": [{"n": 1}, {"n": 2}], "gone": 1}});
        let new = json!({"result": {"at": "2026-01-02T00:00:00Z", "tookMs": 9, "hits": [{"n": 3}, {"n": 4}], "more": 1}});
        assert_eq!(
            grades(old, new),
            [
                (Grade::Added, "/result/more".to_owned()),
                (Grade::Time, "/result/at".to_owned()),
                (Grade::Time, "/result/tookMs".to_owned()),
                (Grade::Changed, "/result/hits/*/n".to_owned()),
                (Grade::Removed, "/result/gone".to_owned()),
            ]
        );
    }

    #[test]
    fn a_failure_in_place_of_a_result_is_the_gravest() {
        assert_eq!(
            grades(json!({"result": 1}), json!({"error": {"code": "X"}})),
            [(Grade::Outcome, "/".to_owned())]
        );
        assert_eq!(
            grades(json!({"result": [1]}), json!({"result": [1, 2]})),
            [(Grade::Added, "/result/*".to_owned())]
        );
    }
}
