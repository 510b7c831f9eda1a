//! What to run and within which bounds. Nothing here starts anything.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The variable that marks every process of a call; its value is the call's id.
pub const CALL_MARKER: &str = "MAINSTAY_CALL";

/// Kept of each stream unless the caller says otherwise: what a large listing needs, and no more than a client can use.
const DEFAULT_CAP_BYTES: usize = 1024 * 1024;

/// Time between SIGTERM and SIGKILL, as the contract fixes it.
const DEFAULT_GRACE: Duration = Duration::from_millis(2000);

/// The whole environment of a child; nothing is inherited.
pub type Env = BTreeMap<OsString, OsString>;

/// What the child reads.
#[derive(Clone, Debug, Default)]
pub enum Stdin {
    /// End of file at once.
    #[default]
    Null,
    /// These bytes, then end of file.
    Bytes(Vec<u8>),
}

/// What is kept of one output stream: the head and the tail, and a copy of everything if asked for.
#[derive(Clone, Debug)]
pub struct Output {
    pub head_bytes: usize,
    pub tail_bytes: usize,
    pub copy: Option<Copy>,
}

/// A file that receives the stream as it comes, up to a limit.
#[derive(Clone, Debug)]
pub struct Copy {
    pub file: Arc<File>,
    pub limit_bytes: u64,
}

impl Output {
    /// Keeps at most `cap_bytes`: three quarters for the head, the rest for the tail.
    pub fn capped(cap_bytes: usize) -> Output {
        let tail_bytes = cap_bytes / 4;
        Output { head_bytes: cap_bytes - tail_bytes, tail_bytes, copy: None }
    }

    /// Also writes the stream to `file`, at most `limit_bytes` of it.
    pub fn copied_to(mut self, file: File, limit_bytes: u64) -> Output {
        self.copy = Some(Copy { file: Arc::new(file), limit_bytes });
        self
    }
}

impl Default for Output {
    fn default() -> Output {
        Output::capped(DEFAULT_CAP_BYTES)
    }
}

/// A program with everything its run needs, started by [`Launcher::run`](crate::Launcher::run).
///
/// A program without a slash is looked up in the absolute directories of the child's own `PATH`; one with a slash is
/// taken relative to the child's working directory. There is never a shell in between.
#[derive(Clone, Debug)]
pub struct Command {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) env: Env,
    pub(crate) stdin: Stdin,
    pub(crate) stdout: Output,
    pub(crate) stderr: Output,
    pub(crate) deadline: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) call: Option<String>,
}

impl Command {
    /// Describes a run of `program` with exactly the environment `env`.
    pub fn new(program: impl Into<OsString>, env: Env) -> Command {
        Command {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            env,
            stdin: Stdin::Null,
            stdout: Output::default(),
            stderr: Output::default(),
            deadline: None,
            grace: DEFAULT_GRACE,
            call: None,
        }
    }

    /// Adds arguments.
    pub fn args<I, S>(mut self, args: I) -> Command
    where
        I: IntoIterator<Item = S>,
        S: AsRef<OsStr>,
    {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Runs in this directory instead of ours.
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Command {
        self.cwd = Some(cwd.into());
        self
    }

    /// Decides what the child reads.
    pub fn stdin(mut self, stdin: Stdin) -> Command {
        self.stdin = stdin;
        self
    }

    /// Decides what is kept of standard output.
    pub fn stdout(mut self, output: Output) -> Command {
        self.stdout = output;
        self
    }

    /// Decides what is kept of standard error.
    pub fn stderr(mut self, output: Output) -> Command {
        self.stderr = output;
        self
    }

    /// Ends the run when it takes longer than this.
    pub fn deadline(mut self, deadline: Duration) -> Command {
        self.deadline = Some(deadline);
        self
    }

    /// Changes the time between SIGTERM and SIGKILL.
    pub fn grace(mut self, grace: Duration) -> Command {
        self.grace = grace;
        self
    }

    /// Names the call in [`CALL_MARKER`]; a unique name is made up otherwise.
    pub fn call(mut self, id: impl Into<String>) -> Command {
        self.call = Some(id.into());
        self
    }
}
