//! What can go wrong, as situations a caller can tell apart.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("no index in {store}")]
    NoIndex { store: PathBuf },
    #[error("another build is writing {store}")]
    Busy { store: PathBuf },
    #[error("the build was cancelled")]
    Cancelled,
    #[error("{file} is damaged: {what}")]
    Damaged { file: PathBuf, what: &'static str },
    #[error("{file} has format version {found}, this program reads {supported}")]
    Version { file: PathBuf, found: u32, supported: u32 },
    #[error("the query is not valid: {reason}")]
    BadQuery { reason: String, at: usize },
    #[error("{field} is not valid: {reason}")]
    BadFilter { field: &'static str, reason: String },
    #[error("the cursor belongs to another query or an older index")]
    BadCursor,
    #[error("{path} is not a directory")]
    NotADirectory { path: PathBuf },
    #[error("there is no room for {path}")]
    Full {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("could not use {path}")]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl IndexError {
    /// The index cannot be used as it is and a new build will make a good one.
    pub fn wants_rebuild(&self) -> bool {
        matches!(self, IndexError::NoIndex { .. } | IndexError::Damaged { .. } | IndexError::Version { .. })
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> IndexError + '_ {
        |source| {
            let path = path.to_owned();
            match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    IndexError::Full { path, source }
                }
                _ => IndexError::Io { path, source },
            }
        }
    }
}

/// Bytes that do not say what they should; gets its file name on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damaged(pub &'static str);

impl Damaged {
    pub fn in_file(self, file: &Path) -> IndexError {
        IndexError::Damaged { file: file.to_owned(), what: self.0 }
    }
}
