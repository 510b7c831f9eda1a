//! What can go wrong outside a call: files that cannot be loaded, programs that cannot be imported.

use std::fmt;
use std::io;
use std::path::PathBuf;

use mainstay_contract::{ErrorCode, Fault};

/// One mistake in a configuration or policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line, counted from 1; 0 when the file as a whole is meant.
    pub line: u32,
    /// Where in the document: `tools → 0 → args → 1 → type`; empty for the document itself.
    pub key: String,
    pub message: String,
}

impl Problem {
    pub fn new(line: u32, key: impl Into<String>, message: impl Into<String>) -> Problem {
        Problem { line, key: key.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ProgramsError {
    #[error("could not read {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{}", list_problems(path, problems))]
    Invalid { path: PathBuf, problems: Vec<Problem> },
    #[error("no configuration called {name}")]
    NoSuchConfig { name: String },
    #[error("could not import {program}: {reason}")]
    Import { program: String, reason: String },
}

impl ProgramsError {
    pub(crate) fn invalid(path: impl Into<PathBuf>, problem: Problem) -> ProgramsError {
        ProgramsError::Invalid { path: path.into(), problems: vec![problem] }
    }
}

fn list_problems(path: &std::path::Path, problems: &[Problem]) -> String {
    let mut text = String::new();
    for (position, problem) in problems.iter().enumerate() {
        if position > 0 {
            text.push('\n');
        }
        text.push_str(&path.display().to_string());
        text.push_str(": ");
        text.push_str(&problem.to_string());
    }
    text
}

impl From<ProgramsError> for Fault {
    fn from(error: ProgramsError) -> Fault {
        match &error {
            ProgramsError::Io { .. } | ProgramsError::NoSuchConfig { .. } => {
                Fault::not_found(error).hint("`mainstay programs list` shows the bundled configurations")
            }
            ProgramsError::Invalid { .. } => {
                Fault::invalid(error).hint("check the file with `mainstay programs validate FILE`")
            }
            ProgramsError::Import { .. } => Fault::new(ErrorCode::CapabilityMissing, error),
        }
    }
}
