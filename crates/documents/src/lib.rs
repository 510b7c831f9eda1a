//! The text of PDF and DOCX files.
//!
//! What is read here was written by anybody: parsers may loop, panic or ask for all memory. So they run in a process of
//! their own ([`extract_main`]) that limits itself and is ended from outside when it takes too long; a panic is caught
//! and told like any other failure. Nothing else of the program links these parsers.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod docx;
mod pdf;

use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// The hidden subcommand under which an executable must call [`extract_main`], with the name of a format behind it.
pub const EXTRACT_WORD: &str = "__extract";
/// Larger files are not read.
pub const MAX_FILE_BYTES: u64 = 64 << 20;
/// More text than this is cut off.
pub const MAX_TEXT_BYTES: usize = 8 << 20;
/// What a parser may allocate; a program of our size included.
const MAX_MEMORY_BYTES: u64 = 1 << 30;
/// Seconds of a processor; whoever started us counts real time.
const MAX_CPU_SECONDS: u64 = 30;

/// Why a document has no text for us. The numbers are exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Failure {
    /// It cannot be read without a password.
    Encrypted = 10,
    /// It holds pictures of text, or nothing.
    Scanned = 11,
    /// It is larger, or unpacks to more, than is allowed.
    Oversized = 12,
    /// It is damaged, or our parser is not up to it.
    Failed = 13,
}

impl Failure {
    pub fn of_exit(code: i32) -> Failure {
        [Failure::Encrypted, Failure::Scanned, Failure::Oversized]
            .into_iter()
            .find(|failure| *failure as i32 == code)
            .unwrap_or(Failure::Failed)
    }
}

/// The text of a document of the format `pdf` or `docx`. Pages end with a form feed, headings start with `# `.
pub fn extract(format: &str, bytes: &[u8]) -> Result<String, Failure> {
    let read = || match format {
        "pdf" => pdf::text(bytes),
        "docx" => docx::text(bytes),
        _ => Err(Failure::Failed),
    };
    let text = catch_unwind(AssertUnwindSafe(read)).unwrap_or(Err(Failure::Failed))?;
    let mut text: String = text.chars().filter(|letter| *letter != '\0').collect();
    text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
    match text.chars().any(char::is_alphanumeric) {
        true => Ok(text),
        false => Err(Failure::Scanned),
    }
}

/// Reads a document from standard input and writes its text to standard output; the exit code says what was wrong.
pub fn extract_main(format: &str) -> ExitCode {
    limit();
    // A panic is an answer here, not news for a log.
    std::panic::set_hook(Box::new(|_| {}));
    let Ok(mut out) = private_output() else { return ExitCode::from(Failure::Failed as u8) };
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    let outcome = match read {
        Ok(length) if length as u64 > MAX_FILE_BYTES => Err(Failure::Oversized),
        Ok(_) => extract(format, &bytes),
        Err(_) => Err(Failure::Failed),
    };
    match outcome.map(|text| out.write_all(text.as_bytes()).and_then(|()| out.flush())) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(_)) => ExitCode::from(Failure::Failed as u8),
        Err(failure) => ExitCode::from(failure as u8),
    }
}

/// Keeps standard output for the text: parsers print to it what they think of a file.
#[cfg(unix)]
fn private_output() -> std::io::Result<std::fs::File> {
    let ours = rustix::io::dup(std::io::stdout())?;
    let nowhere = std::fs::File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&nowhere)?;
    Ok(ours.into())
}

#[cfg(not(unix))]
fn private_output() -> std::io::Result<std::io::Stdout> {
    Ok(std::io::stdout())
}

/// Gives up what an honest document does not need.
#[cfg(unix)]
fn limit() {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let to = |most| Rlimit { current: Some(most), maximum: Some(most) };
    for (resource, most) in [
        (Resource::As, MAX_MEMORY_BYTES),
        (Resource::Cpu, MAX_CPU_SECONDS),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
    ] {
        // Where a limit is not known, the clock outside still runs.
        let _ = setrlimit(resource, to(most));
    }
}

#[cfg(not(unix))]
fn limit() {}
