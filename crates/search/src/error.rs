//! What can go wrong in this toolset.

use mainstay_contract::{ErrorCode, Fault};
use mainstay_index::IndexError;

use crate::download::DownloadError;
use crate::sqlite::SqliteError;

#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error("{path} is outside the repository")]
    Outside { path: String },
    #[error("{path} does not exist in the repository")]
    NoFile { path: String },
    #[error("could not write to the cache {path}: {reason}")]
    Cache { path: String, reason: String },
    #[error("the records in {path} cannot be read: {reason}")]
    Ledger { path: String, reason: String },
    #[error("the history cannot be read: {reason}")]
    NoHistory { reason: String },
    #[error("the rules about risks in {path} cannot be used: {reason}")]
    BadRules { path: String, reason: String },
    #[error("the change cannot be read: {reason}")]
    NoChanges { reason: String },
    #[error("{what} is not supported yet")]
    Unsupported { what: String },
    #[error(transparent)]
    Download(#[from] DownloadError),
    #[error(transparent)]
    Sqlite(#[from] SqliteError),
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<SearchError> for Fault {
    fn from(error: SearchError) -> Fault {
        match error {
            SearchError::Fault(fault) => fault,
            SearchError::Index(error) => index_fault(error),
            SearchError::Download(error) => error.into(),
            SearchError::Sqlite(error) => error.into(),
            SearchError::Outside { .. } => Fault::new(ErrorCode::Forbidden, error),
            SearchError::NoFile { .. } => Fault::new(ErrorCode::NotFound, error),
            SearchError::Cache { .. } => {
                Fault::new(ErrorCode::Internal, error).hint("choose a writable directory with --cache-dir")
            }
            SearchError::Ledger { .. } => Fault::new(ErrorCode::Internal, error)
                .hint("move the file aside, or restore it; it is never written over"),
            SearchError::NoHistory { .. } => Fault::new(ErrorCode::CapabilityMissing, error)
                .hint("author, chunkAuthor, churnMin, modifiedAfter and modifiedSince need a git repository and git"),
            SearchError::BadRules { .. } => {
                Fault::invalid(error).hint("correct the file that the setting risk-rules names, or leave it out")
            }
            SearchError::NoChanges { .. } => Fault::new(ErrorCode::CapabilityMissing, error)
                .hint("name commits that exist, or pass the text of a diff as diff"),
            SearchError::Unsupported { .. } => Fault::new(ErrorCode::CapabilityMissing, error),
        }
    }
}

fn index_fault(error: IndexError) -> Fault {
    let build = "build one with `mainstay index build` or the build_index tool";
    match &error {
        IndexError::NoIndex { .. } => {
            Fault::new(ErrorCode::NoIndex, "this repository has no index").hint(build)
        }
        IndexError::Damaged { .. } | IndexError::Version { .. } => {
            Fault::new(ErrorCode::NoIndex, &error).hint(build)
        }
        IndexError::Busy { .. } => {
            Fault::new(ErrorCode::QueueOverloaded, "another build of this index is under way")
                .hint("retry when it is done")
        }
        IndexError::Cancelled => Fault::new(ErrorCode::Cancelled, &error),
        IndexError::BadQuery { at, .. } => Fault::invalid(&error).detail("offset", *at),
        IndexError::BadFilter { field, .. } => Fault::invalid(&error).detail("field", *field),
        IndexError::BadCursor => Fault::invalid(&error).hint("ask again without a cursor"),
        IndexError::NotADirectory { .. } => Fault::not_found(&error),
        IndexError::Full { .. } => Fault::internal(&error)
            .hint("free some space or choose another --cache-dir; the index as it was goes on answering"),
        IndexError::Io { .. } => Fault::internal(&error),
    }
}
