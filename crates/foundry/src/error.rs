//! What can go wrong, as a caller can tell it apart.

use std::io;

use mainstay_contract::{ErrorCode, Fault};

use crate::kit::KitError;

#[derive(Debug, thiserror::Error)]
pub enum FoundryError {
    #[error("the design kit cannot be used: {0}")]
    Kit(#[from] KitError),
    #[error("{message}")]
    Arguments { message: String, hint: Option<String> },
    /// A brand, theme or the like that the kit does not have.
    #[error("{message}")]
    Unknown { message: String, hint: Option<String> },
    #[error("{message}")]
    Refused { message: String, hint: Option<String> },
    #[error("policy does not allow writing {path}")]
    WriteDenied { path: String, allowed: Vec<String> },
    #[error("could not {action} {path}")]
    Io {
        action: &'static str,
        /// Relative to the project root.
        path: String,
        #[source]
        source: io::Error,
    },
    /// Something this machine lacks.
    #[error("{message}")]
    Missing { message: String, hint: String },
    /// A program ran and did not do its work.
    #[error("{program} {reason}")]
    Program {
        program: String,
        reason: String,
        /// The end of what it said.
        stderr: String,
    },
    #[error("the call was cancelled")]
    Cancelled,
    /// A preview that has named what it would change, or a plan that no longer fits.
    #[error(transparent)]
    Planned(#[from] Fault),
}

impl FoundryError {
    pub fn arguments(message: impl Into<String>) -> FoundryError {
        FoundryError::Arguments { message: message.into(), hint: None }
    }

    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> FoundryError {
        FoundryError::Refused { message: message.into(), hint: Some(hint.into()) }
    }
}

impl From<FoundryError> for Fault {
    fn from(error: FoundryError) -> Fault {
        match error {
            FoundryError::Kit(_) => {
                Fault::new(ErrorCode::BadRequest, error).hint("check it with `mainstay foundry kit check`")
            }
            FoundryError::Arguments { message, hint } => {
                with_hint(Fault::new(ErrorCode::SchemaInput, message), hint)
            }
            FoundryError::Unknown { message, hint } => with_hint(Fault::not_found(message), hint),
            FoundryError::Refused { message, hint } => {
                with_hint(Fault::new(ErrorCode::BadRequest, message), hint)
            }
            FoundryError::WriteDenied { ref path, ref allowed } => {
                let (path, allowed) = (path.clone(), allowed.clone());
                Fault::new(ErrorCode::PolicyDenied, error).detail("path", path).detail("writes", allowed)
            }
            FoundryError::Io { .. } => Fault::internal(&error),
            FoundryError::Missing { message, hint } => {
                Fault::new(ErrorCode::CapabilityMissing, message).hint(hint)
            }
            FoundryError::Program { ref program, ref stderr, .. } => {
                let (program, stderr) = (program.clone(), stderr.clone());
                Fault::new(ErrorCode::BadRequest, error).detail("program", program).detail("stderr", stderr)
            }
            FoundryError::Cancelled => Fault::new(ErrorCode::Cancelled, error),
            FoundryError::Planned(fault) => fault,
        }
    }
}

fn with_hint(fault: Fault, hint: Option<String>) -> Fault {
    match hint {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}
