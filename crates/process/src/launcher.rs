//! Supervisors from our side: starting them, keeping a few, giving them up.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, poll};

use crate::SUPERVISE_WORD;
use crate::call;
use crate::command::Command;
use crate::error::SpawnError;
use crate::finished::{Finished, Stream};
use crate::stop::Stop;
use crate::supervise::timeout;

/// Idle supervisors kept for the next call. More than a burst of calls from one client needs would only cost memory.
const MAX_IDLE: usize = 4;

/// Calls of this process, whichever launcher ran them.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Starts programs and sees to it that they end. Share one among all callers.
///
/// Dropping it, or the death of this process by whatever means, ends every tree it has started.
pub struct Launcher {
    program: PathBuf,
    args: Vec<OsString>,
    /// Where relative paths of commands begin; our own working directory when there is none.
    pub(crate) base: Option<PathBuf>,
    idle: Mutex<Vec<Supervisor>>,
}

impl Launcher {
    /// Uses `program` with `args` as supervisor; it must call [`supervise_main`](crate::supervise_main).
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
    ) -> Launcher {
        Launcher {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
            base: None,
            idle: Mutex::new(Vec::new()),
        }
    }

    /// Uses the running executable, which must know [`SUPERVISE_WORD`], as supervisor.
    pub fn this_program() -> io::Result<Launcher> {
        // The link stays right when the file is replaced or deleted by an upgrade while we run.
        let link = PathBuf::from("/proc/self/exe");
        let program = if link.exists() { link } else { std::env::current_exe()? };
        Ok(Launcher::new(program, [SUPERVISE_WORD]))
    }

    /// Lets commands begin in `dir` as if it were our working directory.
    pub fn in_dir(mut self, dir: impl Into<PathBuf>) -> Launcher {
        self.base = Some(dir.into());
        self
    }

    /// Runs `command` to its end, on the calling thread.
    ///
    /// Output goes to `sink` piece by piece as it arrives, capped or not; a slow sink slows the child.
    pub fn run(
        &self,
        command: &Command,
        stop: &dyn Stop,
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Finished, SpawnError> {
        call::run(self, command, stop, sink)
    }

    /// Returns an id that no other call of this machine has at the moment.
    pub(crate) fn next_call(&self) -> String {
        format!("{}-{}", std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns a supervisor without a call.
    pub(crate) fn take(&self) -> io::Result<Supervisor> {
        loop {
            let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            match idle {
                Some(supervisor) if supervisor.is_waiting() => return Ok(supervisor),
                Some(_) => {}
                None => return Supervisor::start(self),
            }
        }
    }

    /// Keeps a supervisor whose call is over.
    pub(crate) fn put_back(&self, supervisor: Supervisor) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(supervisor);
        }
    }
}

/// A supervisor process and the socket it lives by.
pub(crate) struct Supervisor {
    control: Option<UnixStream>,
    process: Child,
}

impl Supervisor {
    fn start(launcher: &Launcher) -> io::Result<Supervisor> {
        let (ours, theirs) = UnixStream::pair()?;
        let process = std::process::Command::new(&launcher.program)
            .arg0("mainstay")
            .args(&launcher.args)
            .env_clear()
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Supervisor { control: Some(ours), process })
    }

    pub(crate) fn control(&self) -> &UnixStream {
        self.control.as_ref().expect("the socket is there until the supervisor is dropped")
    }

    /// Tells whether it is alive and silent, as it is between two calls.
    fn is_waiting(&self) -> bool {
        let mut fds = [PollFd::new(self.control(), PollFlags::IN)];
        poll(&mut fds, timeout(Some(std::time::Duration::ZERO)).as_ref()) == Ok(0)
    }
}

impl Drop for Supervisor {
    /// Lets the supervisor end what it may still have running, without waiting for more than an idle one needs.
    fn drop(&mut self) {
        drop(self.control.take());
        if matches!(self.process.try_wait(), Ok(None)) {
            // It may be busy for the whole grace, so somebody else has to collect it.
            let pid = rustix::process::Pid::from_child(&self.process);
            let reaper = move || {
                let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::empty());
            };
            if let Err(error) = std::thread::Builder::new().name("supervisor-reaper".to_owned()).spawn(reaper)
            {
                tracing::warn!(%error, "a finished supervisor stays in the process table until we exit");
            }
        }
    }
}
