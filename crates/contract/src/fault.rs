//! `Fault`: the single bridge from any failure to envelope, HTTP status and exit status.

use std::error::Error;
use std::fmt;

use serde_json::{Map, Value};

use crate::ErrorCode;

pub type FaultResult<T> = Result<T, Fault>;

/// A failure as a caller sees it.
pub struct Fault {
    pub code: ErrorCode,
    /// What happened to what: lower case, no full stop.
    pub message: String,
    /// The next step, where there is one.
    pub hint: Option<String>,
    /// Structured data for programs; boxed, because most results are not failures.
    pub details: Box<Map<String, Value>>,
}

impl Fault {
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> Fault {
        Fault { code, message: message.to_string(), hint: None, details: Box::default() }
    }

    /// Builds an internal fault from an error and its causes.
    pub fn internal(error: &dyn Error) -> Fault {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            message.push_str(": ");
            message.push_str(&error.to_string());
            cause = error.source();
        }
        Fault::new(ErrorCode::Internal, message)
    }

    pub fn invalid(message: impl fmt::Display) -> Fault {
        Fault::new(ErrorCode::InvalidRequest, message)
    }

    pub fn not_found(message: impl fmt::Display) -> Fault {
        Fault::new(ErrorCode::NotFound, message)
    }

    pub fn hint(mut self, hint: impl fmt::Display) -> Fault {
        self.hint = Some(hint.to_string());
        self
    }

    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Fault {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The `error` object of an envelope: shared code, message, details.
    ///
    /// A foundry code stays visible as `details.foundryCode`, a hint as `details.hint`.
    pub fn to_error(&self) -> Value {
        let mut details = Map::clone(&self.details);
        if self.code.shared() != self.code {
            details.insert("foundryCode".into(), self.code.name().into());
        }
        if let Some(hint) = &self.hint {
            details.insert("hint".into(), hint.as_str().into());
        }
        let mut error = Map::new();
        error.insert("code".into(), self.code.shared().name().into());
        error.insert("message".into(), self.message.as_str().into());
        if !details.is_empty() {
            error.insert("details".into(), Value::Object(details));
        }
        Value::Object(error)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fault {}
