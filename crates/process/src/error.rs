//! Why a program could not be started.

use std::io;
use std::path::PathBuf;

/// The program never ran.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("program not found: {program}")]
    ProgramNotFound { program: String },
    #[error("cannot execute {program}: {reason}")]
    NotExecutable { program: String, reason: &'static str },
    #[error("working directory does not exist: {}", path.display())]
    CwdMissing { path: PathBuf },
    #[error("working directory is not a directory: {}", path.display())]
    CwdNotDirectory { path: PathBuf },
    #[error("{part} contains a NUL byte")]
    NulByte { part: String },
    #[error("{name:?} is not a name for an environment variable")]
    BadVariable { name: String },
    #[error("the arguments and environment of {program} are too long for this system")]
    TooLong { program: String },
    #[error("stopped before the program was started")]
    Stopped,
    #[error("could not start the supervisor of {program}")]
    Supervisor {
        program: String,
        #[source]
        source: io::Error,
    },
    #[error("could not start {program}")]
    Io {
        program: String,
        #[source]
        source: io::Error,
    },
}
