//! What can go wrong with a database.

use std::path::{Path, PathBuf};

use mainstay_contract::{ErrorCode, Fault};
use mainstay_index::IndexError;

#[derive(Debug, thiserror::Error)]
pub enum SqliteError {
    #[error("there is no SQLite index")]
    Missing,
    #[error("the SQLite index {path} is damaged: {reason}")]
    Damaged { path: PathBuf, reason: String },
    #[error("the SQLite index {path} has format {found}, this program reads {supported}")]
    Version { path: PathBuf, found: i64, supported: i64 },
    #[error("{path} is another program's database, or no database")]
    Foreign { path: PathBuf },
    #[error("the SQLite index {path} is being written")]
    Busy { path: PathBuf },
    #[error("could not use {path}: {reason}")]
    Failed { path: PathBuf, reason: String },
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl SqliteError {
    /// Files the error of the library under what a caller can do about it.
    pub fn of(path: &Path) -> impl Fn(rusqlite::Error) -> SqliteError + '_ {
        move |error| {
            let (path, reason) = (path.to_owned(), error.to_string());
            match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    SqliteError::Busy { path }
                }
                Some(rusqlite::ErrorCode::NotADatabase) => SqliteError::Foreign { path },
                Some(rusqlite::ErrorCode::DatabaseCorrupt) => SqliteError::Damaged { path, reason },
                _ => SqliteError::Failed { path, reason },
            }
        }
    }

    pub fn io(path: &Path) -> impl Fn(std::io::Error) -> SqliteError + '_ {
        move |error| SqliteError::Failed { path: path.to_owned(), reason: error.to_string() }
    }

    /// Whether building it anew helps.
    pub fn wants_rebuild(&self) -> bool {
        matches!(self, SqliteError::Missing | SqliteError::Damaged { .. } | SqliteError::Version { .. })
    }
}

impl From<SqliteError> for Fault {
    fn from(error: SqliteError) -> Fault {
        let build = "build it with the build_sqlite_index tool";
        match error {
            SqliteError::Missing | SqliteError::Damaged { .. } | SqliteError::Version { .. } => {
                Fault::new(ErrorCode::NoIndex, &error).hint(build)
            }
            SqliteError::Foreign { .. } => Fault::invalid(&error).hint("choose another path as out"),
            SqliteError::Busy { .. } => {
                Fault::new(ErrorCode::QueueOverloaded, &error).hint("retry when it is done")
            }
            SqliteError::Failed { .. } => Fault::internal(&error),
            SqliteError::Index(error) => crate::SearchError::Index(error).into(),
            SqliteError::Fault(fault) => fault,
        }
    }
}
