//! What a run came to.

use std::time::Duration;

use crate::capture::Captured;

/// One of the two output streams of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    Stdout,
    Stderr,
}

/// How the child itself ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
    /// Unknown: its supervisor was killed, or even SIGKILL did not end it in time.
    Lost,
}

impl Exit {
    /// Tells whether the child exited with code 0.
    pub fn is_success(self) -> bool {
        self == Exit::Code(0)
    }
}

/// Who decided that the run was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// The child ended by itself.
    Natural,
    /// The deadline passed.
    Timeout,
    /// The caller's [`Stop`](crate::Stop).
    Stopped,
}

/// A run that is over: nothing of its tree is alive any more, unless `status` is [`Exit::Lost`].
#[derive(Debug)]
pub struct Finished {
    pub status: Exit,
    pub stdout: Captured,
    pub stderr: Captured,
    pub ended_by: EndedBy,
    pub duration: Duration,
    /// Processes other than the child that were still alive when the run was over, and were ended with it.
    pub survivors_killed: usize,
}
