//! The supervisor: a small process between us and a child that ends the child's whole tree.
//!
//! It is a child subreaper: whatever loses its parent below it becomes its own child. So it has no children left
//! exactly when nothing of the tree is left, and the kernel answers that question (`ECHILD`) without a look at `/proc`.
//! Only when something has to be ended is the process table walked.
//!
//! It is single-threaded and holds no unsafe code: signals arrive as bytes on a socket.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group, setsid, wait,
};
use signal_hook::consts::signal::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use signal_hook::low_level::pipe;

use crate::tree::{self, SUPERVISOR_NAME};
use crate::wire::{self, Descriptors, Done, Report, Request};

/// How long SIGKILL may take before a process is reported as left: it is then stuck in the kernel or not ours to end.
pub(crate) const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// Pause between two walks with SIGKILL when no death is reported in between.
const WALK_PAUSE: Duration = Duration::from_millis(100);

/// Serves calls from the socket on standard input until its other end is closed.
///
/// To be called first thing by the hidden subcommand [`SUPERVISE_WORD`](crate::SUPERVISE_WORD).
pub fn supervise_main() -> ExitCode {
    match Supervisor::new().and_then(|supervisor| supervisor.serve()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct Supervisor {
    control: UnixStream,
    signals: UnixStream,
    told_to_end: Arc<AtomicBool>,
}

/// Why a wait was over.
#[derive(PartialEq, Eq)]
enum Woken {
    /// The other side wrote or is gone.
    Control,
    /// A signal came, or the time was up.
    Other,
}

impl Supervisor {
    fn new() -> io::Result<Supervisor> {
        let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
        // Refuse a standard input that is no socket before anything is changed.
        control.local_addr()?;
        // Out of our group and terminal: a signal meant for those must not leave a child without its supervisor.
        // Fails only for a group leader, which is out of them already.
        let _ = setsid();
        // The name is for people and `doctor`; where it cannot be set nothing else depends on it.
        let _ = std::fs::write("/proc/self/comm", SUPERVISOR_NAME);
        #[cfg(target_os = "linux")]
        rustix::process::set_child_subreaper(Some(getpid()))?;
        let (signals, writer) = UnixStream::pair()?;
        signals.set_nonblocking(true)?;
        let told_to_end = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&told_to_end))?;
            pipe::register(signal, writer.try_clone()?)?;
        }
        pipe::register(SIGCHLD, writer)?;
        Ok(Supervisor { control, signals, told_to_end })
    }

    fn serve(&self) -> io::Result<()> {
        while !self.is_told_to_end() {
            if self.pause(None, true) == Woken::Other {
                continue;
            }
            let Some((request, descriptors)) = wire::receive_request(&self.control)? else {
                break;
            };
            self.supervise(&request, descriptors)?;
        }
        Ok(())
    }

    /// Runs one call, and returns when nothing of it is alive.
    fn supervise(&self, request: &Request, descriptors: Descriptors<OwnedFd>) -> io::Result<()> {
        let leader = match start(request, descriptors) {
            Ok(pid) => pid,
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
                return wire::send_report(&self.control, Report::NotStarted { errno });
            }
        };
        // Whoever does not hear this is gone, which the loop below finds out.
        let _ = wire::send_report(&self.control, Report::Started { pid: leader.as_raw_nonzero().get() });
        let mut tree = Tree { leader, status: None, is_empty: false, survivors: BTreeSet::new() };
        loop {
            tree.reap();
            if tree.status.is_some() || self.is_told_to_end() {
                break;
            }
            if self.pause(None, true) == Woken::Control {
                // A byte asks for the end, end of file means that nobody is left to ask.
                let _ = (&self.control).read(&mut [0]);
                break;
            }
        }
        self.end(&mut tree, request.grace);
        Ok(())
    }

    /// SIGTERM, grace, SIGKILL until the tree is empty; reports the end once.
    fn end(&self, tree: &mut Tree, grace: Duration) {
        if !tree.is_empty {
            if tree.status.is_some() {
                let _ = wire::send_report(&self.control, Report::Exited);
            }
            tree.signal_all(Signal::TERM);
        }
        let killed_from = Instant::now() + grace;
        while !tree.is_empty && Instant::now() < killed_from {
            self.pause(Some(killed_from - Instant::now()), false);
            tree.reap();
        }
        let patient_until = Instant::now() + KILL_PATIENCE;
        let mut left = None;
        while !tree.is_empty {
            left = tree.signal_all(Signal::KILL);
            self.pause(Some(WALK_PAUSE), false);
            tree.reap();
            if Instant::now() > patient_until {
                break;
            }
        }
        let _ = wire::send_report(&self.control, Report::Done(tree.done(left)));
        // Stay with what could not be ended, or it would be nobody's.
        while !tree.is_empty {
            tree.signal_all(Signal::KILL);
            self.pause(Some(KILL_PATIENCE), false);
            tree.reap();
        }
    }

    fn is_told_to_end(&self) -> bool {
        self.told_to_end.load(Ordering::Relaxed)
    }

    /// Waits for a signal, for the other side if `hears_control`, and at most for `limit`.
    ///
    /// Never fails: a supervisor that cannot wait must still end its call.
    fn pause(&self, limit: Option<Duration>, hears_control: bool) -> Woken {
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if hears_control {
            fds.push(PollFd::new(&self.control, PollFlags::IN));
        }
        match poll(&mut fds, timeout(limit).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return Woken::Control,
        }
        let woken =
            if fds.get(1).is_some_and(|fd| !fd.revents().is_empty()) { Woken::Control } else { Woken::Other };
        let mut bytes = [0; 64];
        loop {
            match (&self.signals).read(&mut bytes) {
                Ok(count) if count == bytes.len() => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return woken,
            }
        }
    }
}

/// Turns a limit into what `poll` takes; one that does not fit is as good as none.
pub(crate) fn timeout(limit: Option<Duration>) -> Option<Timespec> {
    limit.and_then(|limit| Timespec::try_from(limit).ok())
}

fn start(request: &Request, [stdin, stdout, stderr]: Descriptors<OwnedFd>) -> io::Result<Pid> {
    let mut command = std::process::Command::new(&request.program);
    if let [name, args @ ..] = request.args.as_slice() {
        command.arg0(name).args(args);
    }
    if let Some(cwd) = &request.cwd {
        command.current_dir(cwd);
    }
    command.env_clear().envs(request.env.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::from(stdin)).stdout(Stdio::from(stdout)).stderr(Stdio::from(stderr));
    let child = command.process_group(0).spawn()?;
    Ok(Pid::from_child(&child))
}

/// The child, its descendants, and what became of them.
struct Tree {
    leader: Pid,
    status: Option<WaitStatus>,
    is_empty: bool,
    survivors: BTreeSet<i32>,
}

impl Tree {
    /// Takes notice of everything that has ended.
    fn reap(&mut self) {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => self.status = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return,
                Err(_) => {
                    self.is_empty = true;
                    return;
                }
            }
        }
    }

    /// Signals the child's group and whatever left it. Returns a process that refused.
    fn signal_all(&mut self, signal: Signal) -> Option<i32> {
        // Once the leader is reaped its group's number may belong to somebody else; the walk needs no group.
        let has_group = self.status.is_none();
        let leader = self.leader.as_raw_nonzero().get();
        let mut refused = None;
        tree::visit_descendants(getpid(), |process| {
            let pid = process.pid.as_raw_nonzero().get();
            if pid != leader {
                self.survivors.insert(pid);
            }
            if has_group && process.group == leader && signal == Signal::TERM {
                return;
            }
            match kill_process(process.pid, signal) {
                Ok(()) | Err(Errno::SRCH) => {}
                Err(_) => refused = Some(pid),
            }
        });
        if has_group {
            // After the walk, which counts who is alive. No such group means that it is over.
            let _ = kill_process_group(self.leader, signal);
        }
        refused
    }

    fn done(&self, refused: Option<i32>) -> Done {
        let left = (!self.is_empty).then(|| refused.unwrap_or(self.leader.as_raw_nonzero().get()));
        Done {
            code: self.status.and_then(WaitStatus::exit_status),
            signal: self.status.and_then(WaitStatus::terminating_signal),
            survivors: u32::try_from(self.survivors.len()).unwrap_or(u32::MAX),
            left,
        }
    }
}

/// Ends what is left of a call whose own supervisor was killed: its group, and every process with its mark.
///
/// Weaker than a supervisor, because a descendant may have left the group and dropped its environment.
pub(crate) fn end_without_supervisor(leader: Option<i32>, call: &str) {
    let kill = |pid: i32, kill: fn(Pid, Signal) -> rustix::io::Result<()>| {
        if let Some(Err(error)) = Pid::from_raw(pid).map(|pid| kill(pid, Signal::KILL))
            && error != Errno::SRCH
        {
            tracing::warn!(pid, %error, "could not end a process");
        }
    };
    if let Some(leader) = leader {
        kill(leader, kill_process_group);
    }
    let patient_until = Instant::now() + KILL_PATIENCE;
    loop {
        let strays = tree::list_strays(Some(call));
        if strays.is_empty() || Instant::now() > patient_until {
            return;
        }
        for stray in strays {
            kill(stray.pid.cast_signed(), kill_process);
        }
        std::thread::sleep(WALK_PAUSE / 10);
    }
}
