//! SARIF as linters write it: eslint, clippy, ruff, semgrep and others differ in where a path starts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Finding;

/// Results past this are left out; nobody reads them.
const MAX_FINDINGS: usize = 200_000;
const MAX_MESSAGE_CHARS: usize = 300;
const MAX_WORD_CHARS: usize = 120;

/// The findings of one report, by the path it names.
#[derive(Debug, Default)]
pub struct Report {
    pub files: BTreeMap<String, Vec<Finding>>,
    /// Results without file, line or message.
    pub left_out: u64,
}

pub fn read(bytes: &[u8]) -> Result<Report, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    let log: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is not JSON: {error}"))?;
    let runs =
        log.get("runs").and_then(Value::as_array).ok_or("it has no list of runs, so it is not SARIF")?;
    let mut report = Report::default();
    let mut count = 0;
    for run in runs {
        for result in list(run, "/results").filter(|result| is_open(result)) {
            match finding(run, result).filter(|_| count < MAX_FINDINGS) {
                Some((place, finding)) => {
                    report.files.entry(place).or_default().push(finding);
                    count += 1;
                }
                None => report.left_out += 1,
            }
        }
    }
    Ok(report)
}

fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn word(value: &Value, pointers: &[&str]) -> Option<String> {
    let text = pointers.iter().find_map(|pointer| value.pointer(pointer)?.as_str())?;
    Some(text.chars().take(MAX_WORD_CHARS).collect())
}

/// Not suppressed, not of an older run, and not the news that all is well.
fn is_open(result: &Value) -> bool {
    let is_suppressed = list(result, "/suppressions")
        .any(|one| !matches!(one["status"].as_str(), Some("rejected" | "underReview")));
    let kind = result["kind"].as_str().unwrap_or("fail");
    !is_suppressed && matches!(kind, "fail" | "open" | "review") && result["baselineState"] != "absent"
}

fn finding(run: &Value, result: &Value) -> Option<(String, Finding)> {
    let place = result.pointer("/locations/0/physicalLocation")?;
    let number =
        |key: &str| place.pointer(key).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok());
    let first = number("/region/startLine").filter(|line| *line > 0)?;
    let rule = rule(run, result);
    let message = ["/message/text", "/message/markdown"]
        .iter()
        .find_map(|pointer| result.pointer(pointer)?.as_str())
        .or_else(|| rule.pointer("/shortDescription/text")?.as_str())?;
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let finding = Finding {
        tool: word(run, &["/tool/driver/name"]).unwrap_or_default(),
        rule: word(result, &["/ruleId", "/rule/id"]).or_else(|| word(rule, &["/id"])).unwrap_or_default(),
        level: word(result, &["/level"])
            .or_else(|| word(rule, &["/defaultConfiguration/level"]))
            .unwrap_or_else(|| "warning".into()),
        message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
        lines: (first, number("/region/endLine").unwrap_or(first).max(first)),
        is_stale: false,
    };
    Some((path(run, place.get("artifactLocation")?)?, finding))
}

/// The rule a result names, by index or by id.
fn rule<'a>(run: &'a Value, result: &Value) -> &'a Value {
    let rules = run.pointer("/tool/driver/rules").and_then(Value::as_array);
    let by_index = || {
        let at = result.get("ruleIndex").or_else(|| result.pointer("/rule/index"))?.as_u64()?;
        rules?.get(usize::try_from(at).ok()?)
    };
    let by_id = || rules?.iter().find(|rule| rule.get("id") == result.get("ruleId"));
    by_index().or_else(by_id).unwrap_or(&Value::Null)
}

/// The path an artifact lies at: absolute where the report says where it starts, else below the repository.
fn path(run: &Value, artifact: &Value) -> Option<String> {
    let by_index = || run.pointer(&format!("/artifacts/{}/location", artifact.get("index")?.as_u64()?));
    let artifact = if artifact.get("uri").is_some() { artifact } else { by_index()? };
    let own = plain(artifact["uri"].as_str()?)?;
    let base = artifact["uriBaseId"]
        .as_str()
        .and_then(|id| run.get("originalUriBaseIds")?.get(id)?["uri"].as_str())
        .and_then(plain)
        .filter(|base| base.starts_with('/'));
    Some(match base {
        Some(base) if !own.starts_with('/') => format!("{}/{own}", base.trim_end_matches('/')),
        _ => own,
    })
}

/// A URI or path as a path; `None` where it is on another machine or in no file.
fn plain(uri: &str) -> Option<String> {
    let path = match uri.split_once("://") {
        Some(("file", rest)) => &rest[rest.find('/')?..],
        Some(_) => return None,
        None => uri.strip_prefix("file:").unwrap_or(uri),
    };
    Some(decoded(path)?.replace('\\', "/"))
}

/// `%20` and the like as what they stand for.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok().filter(|path| !path.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn paths_of_several_linters_are_understood() {
        let run = json!({
            "originalUriBaseIds": { "ROOT": { "uri": "file:///home/me/repo/" } },
            "artifacts": [{ "location": { "uri": "a%20b.js" } }],
        });
        for (artifact, expected) in [
            (json!({ "uri": "file:///home/me/repo/src/a.js" }), Some("/home/me/repo/src/a.js")),
            (json!({ "uri": "src/a.rs", "uriBaseId": "ROOT" }), Some("/home/me/repo/src/a.rs")),
            (json!({ "uri": "src/a.py", "uriBaseId": "%SRCROOT%" }), Some("src/a.py")),
            (json!({ "uri": "src\\a.cs" }), Some("src/a.cs")),
            (json!({ "index": 0 }), Some("a b.js")),
            (json!({ "index": 7 }), None),
            (json!({ "uri": "https://example.org/a.js" }), None),
            (json!({ "uri": "a%2" }), None),
            (json!({ "uri": "a%00b" }), None),
        ] {
            assert_eq!(path(&run, &artifact).as_deref(), expected, "{artifact}");
        }
    }
}
