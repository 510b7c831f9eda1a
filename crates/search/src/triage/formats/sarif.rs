//! SARIF logs: results of static analysis, each at a place in the code.

use serde_json::Value;

use super::super::record::{Location, Vuln, digest};
use super::{
    Draft, Entries, first, id_like, line_number, list, number, prose, rating, severity, text, texts,
};

pub fn read(log: &Value, out: &mut Entries) -> Result<(), String> {
    if !log.get("runs").is_some_and(Value::is_array) {
        return Err("it has no list of runs".into());
    }
    for (run_at, run) in list(log, "/runs").enumerate() {
        for (at, result) in list(run, "/results").enumerate() {
            out.add(&format!("/runs/{run_at}/results/{at}"), draft(run, result));
        }
    }
    Ok(())
}

fn draft(run: &Value, result: &Value) -> Result<Draft, String> {
    let mut warnings = Vec::new();
    let rule = rule(run, result);
    let id = first(result, &["/ruleId", "/rule/id"])
        .or_else(|| text(rule, "/id"))
        .ok_or("it names no rule (ruleId)")?;
    let message = first(result, &["/message/text", "/message/markdown", "/message/id"])
        .or_else(|| text(rule, "/shortDescription/text"))
        .ok_or("it has no message")?;
    let location = location(result);
    let place = location
        .as_ref()
        .map_or(String::new(), |place| format!("{}:{}", place.file, place.start_line.unwrap_or_default()));
    let prints = ["fingerprints", "partialFingerprints"].iter().find_map(|key| {
        let prints = result.get(*key)?.as_object().filter(|prints| !prints.is_empty())?;
        serde_json::to_string(prints).ok()
    });
    let tool = text(run, "/tool/driver/name").unwrap_or_default();
    // A fingerprint survives edits elsewhere in the file; without one the place has to do.
    let stable_key = match prints {
        Some(prints) => {
            let file = location.as_ref().map_or("", |place| &place.file);
            format!("{tool}:{id}:{file}:{}", digest(&prints))
        }
        None => format!("{tool}:{id}:{place}:{}", digest(&message)),
    };
    let score = number(rule, "/properties/security-severity");
    let cvss = rating(score, None);
    let word = first(result, &["/properties/severity", "/level"])
        .or_else(|| first(rule, &["/properties/problem.severity", "/defaultConfiguration/level"]));
    let severity = match (&cvss, word) {
        (Some(_), _) => severity(None, cvss.as_ref(), &mut warnings),
        (None, word) => severity(word.as_deref().or(Some("warning")), None, &mut warnings),
    };
    let tags = texts(rule, "/properties/tags", "");
    let mut draft = Draft {
        stable_key,
        vuln: Vuln {
            vuln_id: id,
            cve: id_like("CVE-", tags.iter()),
            title: message,
            description: match prose(rule, "/fullDescription/text") {
                text if text.is_empty() => prose(rule, "/help/text"),
                text => text,
            },
            severity,
            cvss,
            cwe: tags
                .iter()
                .filter_map(|tag| {
                    let at = tag.to_ascii_lowercase().find("cwe-")?;
                    Some(tag[at..].to_ascii_uppercase())
                })
                .collect(),
            references: text(rule, "/helpUri").into_iter().collect(),
            ..Vuln::default()
        },
        location,
        warnings,
        ..Draft::default()
    };
    if !tool.is_empty() {
        draft.meta.insert("tool".into(), tool.into());
    }
    if list(result, "/suppressions").next().is_some() {
        draft.meta.insert("suppressed".into(), true.into());
    }
    Ok(draft)
}

/// The rule a result names, by index or by id.
fn rule<'a>(run: &'a Value, result: &Value) -> &'a Value {
    let rules = run.pointer("/tool/driver/rules").and_then(Value::as_array);
    let by_index = || {
        let at = result.get("ruleIndex").or_else(|| result.pointer("/rule/index"))?.as_u64()?;
        rules?.get(usize::try_from(at).ok()?)
    };
    let by_id = || {
        let id = result.get("ruleId")?;
        rules?.iter().find(|rule| rule.get("id") == Some(id))
    };
    by_index().or_else(by_id).unwrap_or(&Value::Null)
}

fn location(result: &Value) -> Option<Location> {
    let place = result.pointer("/locations/0/physicalLocation")?;
    let uri = text(place, "/artifactLocation/uri")?;
    Some(Location {
        file: uri.trim_start_matches("file://").trim_start_matches("./").to_owned(),
        start_line: line_number(place, "/region/startLine"),
        end_line: line_number(place, "/region/endLine"),
    })
}
