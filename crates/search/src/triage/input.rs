//! From the text of a report to its JSON documents.

use mainstay_contract::{Fault, FaultResult};
use serde_json::Value;

/// A report: one JSON text, or one JSON value a line.
pub enum Document {
    Whole(Value),
    Lines(Vec<Line>),
}

/// One line of a report, counted from 1.
pub struct Line {
    pub number: usize,
    pub value: Result<Value, String>,
}

/// Reads JSON, or JSON lines where the whole is not JSON; a bad line keeps its place and spoils no other.
pub fn read(text: &str) -> FaultResult<Document> {
    let text = text.trim_start_matches('\u{feff}');
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(Document::Whole(value)),
        Err(error) => error,
    };
    let lines: Vec<Line> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| Line {
            number: at + 1,
            value: serde_json::from_str(line).map_err(|error| reason(&error)),
        })
        .collect();
    let is_a_record = |line: &Line| line.value.as_ref().is_ok_and(Value::is_object);
    if lines.len() > 1 && lines.iter().any(is_a_record) {
        return Ok(Document::Lines(lines));
    }
    let (line, column) = (error.line(), error.column());
    Err(Fault::invalid(format!("the input is not JSON: {}, line {line}, column {column}", reason(&error)))
        .detail("line", line)
        .detail("column", column)
        .hint("pass a JSON report, or one JSON object a line"))
}

/// What the parser says, without the place it adds.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}
