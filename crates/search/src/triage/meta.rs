//! Filters on the fields of records: `key`, `key=value`, or an object of both.

use mainstay_contract::{Fault, FaultResult};
use serde_json::{Map, Value, json};

use super::decide;
use super::ledger::Ledger;
use super::record::{Decision, Finding};
use jiff::Timestamp;

/// Filters in one call; more are a mistake.
const MAX_TESTS: usize = 100;

/// One condition on a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// Names separated by dots.
    key: String,
    /// What the field must contain; `None` means it must be there and not empty.
    value: Option<String>,
}

/// Reads `meta` (text, list or object) and `metaJson` (object, list of objects, or either as text).
pub fn tests(meta: Option<&Value>, meta_json: Option<&Value>) -> FaultResult<Vec<Test>> {
    let mut tests = Vec::new();
    if let Some(meta) = meta {
        collect("meta", meta, &mut tests)?;
    }
    match meta_json {
        None => {}
        Some(Value::String(text)) => objects(&parsed(text)?, &mut tests)?,
        // A flag that may be repeated comes as a list of texts.
        Some(Value::Array(list)) if list.iter().all(Value::is_string) => {
            for text in list.iter().filter_map(Value::as_str) {
                objects(&parsed(text)?, &mut tests)?;
            }
        }
        Some(value) => objects(value, &mut tests)?,
    }
    match tests.len() > MAX_TESTS {
        true => Err(Fault::invalid(format!("more than {MAX_TESTS} filters on fields of records"))),
        false => Ok(tests),
    }
}

fn parsed(text: &str) -> FaultResult<Value> {
    serde_json::from_str(text).map_err(|error| Fault::invalid(format!("metaJson is not JSON: {error}")))
}

fn objects(value: &Value, tests: &mut Vec<Test>) -> FaultResult<()> {
    match value {
        Value::Object(_) => collect("metaJson", value, tests),
        Value::Array(list) if list.iter().all(Value::is_object) => {
            list.iter().try_for_each(|one| collect("metaJson", one, tests))
        }
        _ => Err(Fault::invalid("metaJson is neither an object nor a list of objects")),
    }
}

fn collect(argument: &str, value: &Value, tests: &mut Vec<Test>) -> FaultResult<()> {
    match value {
        Value::String(text) => {
            let (key, value) = match text.split_once('=') {
                Some((key, value)) => (key, Some(value)),
                None => (text.as_str(), None),
            };
            add(argument, key, value.map(str::to_owned), tests)
        }
        Value::Array(list) => list.iter().try_for_each(|one| match one.is_array() {
            true => Err(Fault::invalid(format!("{argument} holds a list inside a list"))),
            false => collect(argument, one, tests),
        }),
        Value::Object(object) => flatten(argument, "", object, tests),
        _ => Err(Fault::invalid(format!("{argument} is neither text, list nor object"))),
    }
}

/// An object is the conditions of its leaves, each under its path.
fn flatten(
    argument: &str,
    prefix: &str,
    object: &Map<String, Value>,
    tests: &mut Vec<Test>,
) -> FaultResult<()> {
    for (key, value) in object {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(inner) => flatten(argument, &path, inner, tests)?,
            Value::Null => add(argument, &path, None, tests)?,
            Value::String(text) => add(argument, &path, Some(text.clone()), tests)?,
            Value::Array(list) => {
                for one in list {
                    add(argument, &path, Some(plain(one)), tests)?;
                }
            }
            other => add(argument, &path, Some(plain(other)), tests)?,
        }
    }
    Ok(())
}

fn add(argument: &str, key: &str, value: Option<String>, tests: &mut Vec<Test>) -> FaultResult<()> {
    let key = key.trim();
    if key.is_empty() {
        return Err(Fault::invalid(format!("{argument} has a condition without a field")));
    }
    tests.push(Test { key: key.to_owned(), value: value.map(|value| value.trim().to_lowercase()) });
    Ok(())
}

/// Whether every condition holds for the fields of a record.
pub fn hold(tests: &[Test], fields: &Value) -> bool {
    tests.iter().all(|test| {
        let found = lookup(fields, &test.key).or_else(|| lookup(&fields["meta"], &test.key));
        match (&test.value, found) {
            (_, None) => false,
            (None, Some(found)) => !is_empty(found),
            (Some(wanted), Some(found)) => contains(found, wanted),
        }
    })
}

fn lookup<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    // A field may itself have a dot in its name.
    value.get(key).or_else(|| key.split('.').try_fold(value, |value, part| value.get(part)))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => false,
    }
}

fn contains(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Array(list) => list.iter().any(|one| contains(one, wanted)),
        other => plain(other).to_lowercase().contains(wanted),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The fields of a finding that filters see: the record, and the common ones under short names.
pub fn of_finding(ledger: &Ledger, finding: &Finding, now: Timestamp) -> Value {
    let mut fields = serde_json::to_value(finding).unwrap_or_default();
    let standing = decide::standing(ledger, finding, now);
    let package = finding.package.as_ref();
    let short = json!({
        "vulnId": finding.vuln.vuln_id,
        "cve": finding.vuln.cve,
        "severity": finding.vuln.severity.name(),
        "packageName": package.map(|package| &package.name),
        "packageEcosystem": package.and_then(|package| package.ecosystem.as_ref()),
        "assetId": finding.asset.as_ref().map(|asset| &asset.asset_id),
        "file": finding.location.as_ref().map(|location| &location.file),
        "status": standing.status,
        "expired": standing.expired,
        "findingChanged": standing.finding_changed,
    });
    join(&mut fields, short);
    fields
}

/// The fields of a decision, and those of the finding it is about.
pub fn of_decision(ledger: &Ledger, decision: &Decision, now: Timestamp) -> Value {
    let mut fields = serde_json::to_value(decision).unwrap_or_default();
    let newest = decide::history(ledger, &decision.finding_record_id).first().map(|one| &one.record_id);
    let state = match (newest == Some(&decision.record_id), decide::is_expired(decision, now)) {
        (true, false) => "active",
        (true, true) => "expired",
        (false, _) => "superseded",
    };
    join(&mut fields, json!({ "state": state, "source": "manual" }));
    if let Some(finding) = ledger.findings.get(&decision.finding_record_id) {
        let about = of_finding(ledger, finding, now);
        for key in [
            "service",
            "env",
            "team",
            "owner",
            "repo",
            "vulnId",
            "cve",
            "severity",
            "packageName",
            "packageEcosystem",
            "assetId",
        ] {
            join(&mut fields, json!({ key: about[key] }));
        }
    }
    fields
}

/// Adds what is there and not null.
fn join(fields: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (fields, more) {
        fields.extend(more.into_iter().filter(|(_, value)| !value.is_null()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(meta: Value, holds: bool) {
        let record = json!({
            "severity": "high", "vuln": { "cwe": ["CWE-79", "CWE-20"] }, "package": { "name": "left-pad" },
            "meta": { "tier": 1, "region.name": "eu" }, "team": "",
        });
        let tests = super::tests(Some(&meta), None).unwrap();
        assert_eq!(hold(&tests, &record), holds, "{meta}");
    }

    #[test]
    fn conditions_are_parts_of_fields() {
        check(json!("severity=HIG"), true);
        check(json!("severity=low"), false);
        check(json!("vuln.cwe=CWE-20"), true);
        check(json!("package=left-pad"), true);
        check(json!("team"), false);
        check(json!("severity"), true);
        check(json!(["severity=high", "package.name=right"]), false);
        check(json!({"package": {"name": "left"}, "tier": 1}), true);
        check(json!("region.name=eu"), true);
        check(json!("nothing"), false);
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for (meta, meta_json) in [
            (Some(json!(7)), None),
            (Some(json!("=x")), None),
            (Some(json!([["a"]])), None),
            (None, Some(json!("{"))),
            (None, Some(json!(["a=b"]))),
        ] {
            assert!(super::tests(meta.as_ref(), meta_json.as_ref()).is_err(), "{meta:?} {meta_json:?}");
        }
        assert_eq!(super::tests(None, Some(&json!("[{\"a\":1}]"))).unwrap().len(), 1);
    }
}
