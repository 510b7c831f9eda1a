//! The contract's texts for a run: output, errors, exit code.

use std::time::Duration;

use mainstay_contract::Body;
use mainstay_process::{Captured, EndedBy, Exit, Finished, SpawnError};
use serde_json::{Map, Value, json};

/// Files that hold the whole of a stream that was cut.
#[derive(Debug, Default)]
pub struct Saved {
    pub stdout: Option<String>,
    pub stderr: Option<String>,
}

/// Words for a run that was ended, where it was.
#[derive(Debug, Clone, Copy)]
pub struct Limit(pub Duration);

/// Turns a finished run into the answer.
pub fn of_run(finished: &Finished, limit: Limit, saved: &Saved) -> Body {
    let stdout = stream_text(&finished.stdout, saved.stdout.as_deref());
    let mut stderr = stream_text(&finished.stderr, saved.stderr.as_deref());
    let timed_out = finished.ended_by != EndedBy::Natural;
    if timed_out {
        if !stderr.is_empty() {
            stderr.push('\n');
        }
        stderr.push_str(&format!("Command timed out after {:?}s", limit.0.as_secs_f64()));
    }
    let code = if timed_out { -1 } else { exit_code(finished.status) };
    let text = assemble(&stdout, &stderr, code);
    let mut facts = Map::new();
    facts.insert("exitCode".into(), code.into());
    if let Exit::Signal(signal) = finished.status {
        facts.insert("signal".into(), signal.into());
    }
    facts.insert("timedOut".into(), timed_out.into());
    let duration_ms = u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX);
    facts.insert("durationMs".into(), duration_ms.into());
    for (name, captured) in
        [("stdoutTruncatedBytes", &finished.stdout), ("stderrTruncatedBytes", &finished.stderr)]
    {
        if captured.is_truncated() {
            facts.insert(name.into(), captured.dropped.into());
        }
    }
    // Clients that read only the structured part must find the output there.
    facts.insert("stdout".into(), stdout.into());
    facts.insert("stderr".into(), stderr.into());
    content(text, facts, code != 0)
}

/// Turns a program that never ran into the answer.
pub fn of_refused(error: &SpawnError, program: &str) -> Body {
    let message = match error {
        SpawnError::ProgramNotFound { .. } => format!("Command not found: {program}"),
        SpawnError::CwdMissing { path } => format!("Working directory does not exist: {}", path.display()),
        SpawnError::CwdNotDirectory { path } => {
            format!("Working directory is not a directory: {}", path.display())
        }
        other => capitalised(&with_causes(other)),
    };
    let mut facts = Map::new();
    facts.insert("exitCode".into(), (-1).into());
    facts.insert("timedOut".into(), false.into());
    facts.insert("stdout".into(), "".into());
    facts.insert("stderr".into(), message.as_str().into());
    content(assemble("", &message, -1), facts, true)
}

fn content(text: String, facts: Map<String, Value>, is_error: bool) -> Body {
    let blocks = vec![json!({ "type": "text", "text": text })];
    Body::Content { blocks, structured: Some(Value::Object(facts)), is_error }
}

fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}

fn exit_code(status: Exit) -> i32 {
    match status {
        Exit::Code(code) => code,
        Exit::Signal(signal) => -signal,
        Exit::Lost => -1,
    }
}

/// Joins the parts with one blank line.
fn assemble(stdout: &str, stderr: &str, code: i32) -> String {
    let mut parts = Vec::new();
    if !stdout.is_empty() {
        parts.push(stdout.to_owned());
    }
    if !stderr.is_empty() {
        parts.push(format!("[stderr]\n{stderr}"));
    }
    if code != 0 {
        parts.push(format!("[exit code: {code}]"));
    }
    match parts.is_empty() {
        true => "(no output)".to_owned(),
        false => parts.join("\n\n"),
    }
}

fn stream_text(captured: &Captured, saved: Option<&str>) -> String {
    if !captured.is_truncated() {
        let whole = [captured.head.as_slice(), &captured.tail].concat();
        return without_blank_edges(&String::from_utf8_lossy(&whole)).to_owned();
    }
    let dropped = captured.dropped;
    let head = String::from_utf8_lossy(cut_back(&captured.head));
    let tail = String::from_utf8_lossy(cut_forward(&captured.tail));
    let place = saved.map(|path| format!("; whole text in {path}")).unwrap_or_default();
    // Said twice: where the gap is, and at the end, which is what a reader of long output sees.
    format!(
        "{}\n[truncated: {dropped} bytes]\n{}\n[truncated: {dropped} bytes{place}]",
        without_blank_edges(&head),
        tail.trim_end()
    )
}

/// Keeps the indentation of the first line with text in it.
fn without_blank_edges(text: &str) -> &str {
    let text = text.trim_end();
    let indented = text.len() - text.trim_start().len();
    let line_start = text[..indented].rfind('\n').map_or(0, |newline| newline + 1);
    &text[line_start..]
}

/// Drops the beginning of a character whose rest was cut off.
fn cut_back(bytes: &[u8]) -> &[u8] {
    let start = bytes.len().saturating_sub(3);
    let lead = bytes[start..].iter().rposition(|byte| *byte >= 0xC0);
    match lead {
        Some(lead) if std::str::from_utf8(&bytes[start + lead..]).is_err() => &bytes[..start + lead],
        _ => bytes,
    }
}

/// Drops the end of a character whose beginning was cut off.
fn cut_forward(bytes: &[u8]) -> &[u8] {
    let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    &bytes[cut..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(stdout: &str, stderr: &str, status: Exit) -> Finished {
        let captured = |text: &str| Captured { head: text.as_bytes().to_vec(), ..Captured::default() };
        Finished {
            status,
            stdout: captured(stdout),
            stderr: captured(stderr),
            ended_by: EndedBy::Natural,
            duration: Duration::ZERO,
            survivors_killed: 0,
        }
    }

    fn text(finished: &Finished) -> String {
        match of_run(finished, Limit(Duration::from_secs(1)), &Saved::default()) {
            Body::Content { blocks, .. } => blocks[0]["text"].as_str().unwrap().to_owned(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn texts_are_the_contracts() {
        for (stdout, stderr, code, want) in [
            ("hello\n", "", 0, "hello"),
            ("hello\n", "careful\n", 0, "hello\n\n[stderr]\ncareful"),
            ("", "broken\n", 1, "[stderr]\nbroken\n\n[exit code: 1]"),
            ("some\n", "broken\n", 3, "some\n\n[stderr]\nbroken\n\n[exit code: 3]"),
            ("", "", 7, "[exit code: 7]"),
            ("  \n\t\n", "\n", 0, "(no output)"),
            ("\n\n    four spaces\nend\n", "", 0, "    four spaces\nend"),
        ] {
            assert_eq!(text(&finished(stdout, stderr, Exit::Code(code))), want);
        }
        assert_eq!(text(&finished("", "", Exit::Signal(9))), "[exit code: -9]");
    }

    #[test]
    fn a_timeout_keeps_what_was_printed() {
        let run = Finished { ended_by: EndedBy::Timeout, ..finished("partial\n", "", Exit::Signal(15)) };
        assert_eq!(text(&run), "partial\n\n[stderr]\nCommand timed out after 1.0s\n\n[exit code: -1]");
    }

    #[test]
    fn a_cut_is_said_and_splits_no_character() {
        let mut run = finished("aé", "", Exit::Code(0));
        run.stdout.head.pop();
        run.stdout.tail = "é".as_bytes()[1..].iter().chain(b"z\n").copied().collect();
        run.stdout.dropped = 5;
        assert_eq!(text(&run), "a\n[truncated: 5 bytes]\nz\n[truncated: 5 bytes]");
    }
}
