//! `CatalogError`: what can go wrong with the catalog as a whole.
//!
//! A bad entry is not an error of this kind: it is part of a result, with the id and the reason.

use std::io;
use std::path::PathBuf;

use mainstay_contract::{ErrorCode, Fault};

#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("could not {action} {path}")]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("the catalog in {dir} is locked by another process")]
    Locked { dir: PathBuf },
    #[error("Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.")]
    MutationDisabled,
    #[error("the criteria file is not valid: {reason}")]
    Criteria { reason: String },
    #[error("no entry {id} in the catalog")]
    UnknownEntry { id: String },
    #[error("no revision {revision} in the history")]
    UnknownRevision { revision: String },
    #[error("{reason}")]
    Refused { reason: String },
    #[error("the call was cancelled")]
    Cancelled,
    /// A preview that has named what it would change, or a plan that no longer fits.
    #[error(transparent)]
    Planned(#[from] Fault),
}

impl CatalogError {
    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> CatalogError {
        let path = path.into();
        move |source| CatalogError::Io { action, path, source }
    }
}

impl From<CatalogError> for Fault {
    fn from(error: CatalogError) -> Fault {
        if let CatalogError::Planned(fault) = error {
            return fault;
        }
        match &error {
            CatalogError::Io { .. } => Fault::internal(&error),
            CatalogError::Locked { .. } => {
                Fault::new(ErrorCode::QueueOverloaded, error).hint("retry when the other process is done")
            }
            CatalogError::MutationDisabled => {
                Fault::new(ErrorCode::Forbidden, error).detail("reason", "mutation_disabled")
            }
            CatalogError::Criteria { .. } => {
                Fault::invalid(error).hint("patterns must be linear-time regular expressions")
            }
            CatalogError::UnknownEntry { .. } => {
                Fault::not_found(error).hint("list the ids with `instructions/list`")
            }
            CatalogError::UnknownRevision { .. } => {
                Fault::not_found(error).hint("list the revisions with `instructions/history`")
            }
            CatalogError::Refused { .. } => Fault::invalid(error),
            CatalogError::Cancelled => Fault::new(ErrorCode::Cancelled, error),
            CatalogError::Planned(_) => unreachable!("returned above"),
        }
    }
}
