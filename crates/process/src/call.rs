//! One run, seen from our side: feeding, draining, watching the clock.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::SendFlags;

use crate::capture::Capture;
use crate::command::{Command, Stdin};
use crate::error::SpawnError;
use crate::finished::{EndedBy, Exit, Finished, Stream};
use crate::launcher::{Launcher, Supervisor};
use crate::resolve;
use crate::stop::Stop;
use crate::supervise::{KILL_PATIENCE, end_without_supervisor, timeout};
use crate::wire::{self, Descriptors, Done, Report, Request};

/// Read at once; what a pipe usually holds.
const CHUNK_BYTES: usize = 64 * 1024;

/// Read from each stream after the tree is gone. More than a pipe can hold means that somebody outside it is writing.
const LAST_BYTES: usize = 1024 * 1024;

/// Added to grace and kill patience before a silent supervisor is given up.
const SUPERVISOR_SLACK: Duration = Duration::from_secs(5);

type Sink<'a> = &'a mut dyn FnMut(Stream, &[u8]);

pub(crate) fn run(
    launcher: &Launcher,
    command: &Command,
    stop: &dyn Stop,
    sink: Sink<'_>,
) -> Result<Finished, SpawnError> {
    let program = || resolve::display(&command.program);
    let call_id = command.call.clone().unwrap_or_else(|| launcher.next_call());
    let request = resolve::request(command, &call_id, launcher.base.as_deref())?;
    if stop.is_stopped() {
        return Err(SpawnError::Stopped);
    }
    let (pipes, descriptors) =
        Pipes::open(command).map_err(|source| SpawnError::Io { program: program(), source })?;
    let started = Instant::now();
    let supervisor =
        hand_over(launcher, &request, &descriptors).map_err(|source| match source.raw_os_error() {
            Some(errno) if errno == Errno::TOOBIG.raw_os_error() => {
                SpawnError::TooLong { program: program() }
            }
            _ => SpawnError::Supervisor { program: program(), source },
        })?;
    drop(descriptors);
    let (waker, woken) =
        UnixStream::pair().map_err(|source| SpawnError::Io { program: program(), source })?;
    let guard = stop.on_stop(Box::new(move || {
        // The other end is gone only when the run is over.
        let _ = rustix::net::send(&waker, b"s", wire::NO_SIGNAL | SendFlags::DONTWAIT);
    }));
    let mut call = Call {
        pipes,
        stdout: Capture::new(&command.stdout),
        stderr: Capture::new(&command.stderr),
        sink,
        leader: None,
        ended_by: EndedBy::Natural,
        is_ending: false,
        due: command.deadline.and_then(|deadline| started.checked_add(deadline)),
        buffer: vec![0; CHUNK_BYTES],
    };
    let outcome = call.watch(&supervisor, stop, &woken, command.grace);
    drop(guard);
    let done = match outcome {
        Outcome::Done(done) => done,
        Outcome::NotStarted(errno) => {
            call.retire(supervisor, launcher);
            return Err(resolve::explain(command, &request, errno));
        }
        Outcome::Lost => {
            tracing::warn!(
                call = call_id,
                "the supervisor of a call was lost; ending what carries the call's mark"
            );
            end_without_supervisor(call.leader, &call_id);
            if call.leader.is_none() {
                let source = io::Error::other("it ended before it had started the program");
                return Err(SpawnError::Supervisor { program: program(), source });
            }
            Done::default()
        }
        Outcome::Silent => {
            tracing::warn!(call = call_id, "a supervisor could not end its call in time");
            Done::default()
        }
    };
    call.drain();
    if let Some(pid) = done.left {
        tracing::warn!(call = call_id, pid, "SIGKILL did not end a process");
    } else if matches!(outcome, Outcome::Done(_)) {
        call.retire(supervisor, launcher);
    }
    Ok(call.finish(done, started.elapsed()))
}

/// Gives the request to a supervisor; to a fresh one should an idle one have died just now.
fn hand_over(
    launcher: &Launcher,
    request: &Request,
    descriptors: &Descriptors<OwnedFd>,
) -> io::Result<Supervisor> {
    let send = |supervisor: &Supervisor| {
        wire::send_request(supervisor.control(), request, descriptors.each_ref().map(AsFd::as_fd))
    };
    let supervisor = launcher.take()?;
    match send(&supervisor) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            let supervisor = launcher.take()?;
            send(&supervisor).map(|()| supervisor)
        }
        result => result.map(|()| supervisor),
    }
}

/// Our ends of the child's streams; an end that is closed is gone.
struct Pipes {
    stdin: Option<(PipeWriter, Vec<u8>, usize)>,
    stdout: Option<PipeReader>,
    stderr: Option<PipeReader>,
}

impl Pipes {
    fn open(command: &Command) -> io::Result<(Pipes, Descriptors<OwnedFd>)> {
        let (stdout, child_stdout) = io::pipe()?;
        let (stderr, child_stderr) = io::pipe()?;
        ioctl_fionbio(&stdout, true)?;
        ioctl_fionbio(&stderr, true)?;
        let (stdin, child_stdin) = match &command.stdin {
            Stdin::Null => (None, std::fs::File::open("/dev/null")?.into()),
            Stdin::Bytes(bytes) => {
                let (child_stdin, stdin) = io::pipe()?;
                ioctl_fionbio(&stdin, true)?;
                (Some((stdin, bytes.clone(), 0)), child_stdin.into())
            }
        };
        let pipes = Pipes { stdin, stdout: Some(stdout), stderr: Some(stderr) };
        Ok((pipes, [child_stdin, child_stdout.into(), child_stderr.into()]))
    }
}

enum Outcome {
    Done(Done),
    NotStarted(i32),
    /// The supervisor itself was killed.
    Lost,
    /// The supervisor did not report although it had more time than it needs.
    Silent,
}

struct Call<'a> {
    pipes: Pipes,
    stdout: Capture,
    stderr: Capture,
    sink: Sink<'a>,
    leader: Option<i32>,
    ended_by: EndedBy,
    is_ending: bool,
    /// The deadline of the child, later that of the supervisor.
    due: Option<Instant>,
    buffer: Vec<u8>,
}

impl Call<'_> {
    /// Moves bytes until the supervisor reports the end, and asks it for the end when it is time.
    fn watch(
        &mut self,
        supervisor: &Supervisor,
        stop: &dyn Stop,
        woken: &UnixStream,
        grace: Duration,
    ) -> Outcome {
        loop {
            let is_due = self.due.is_some_and(|due| Instant::now() >= due);
            match (self.is_ending, stop.is_stopped()) {
                (true, _) if is_due => return Outcome::Silent,
                (false, true) => self.ask_for_end(supervisor, EndedBy::Stopped, grace),
                (false, false) if is_due => self.ask_for_end(supervisor, EndedBy::Timeout, grace),
                _ => {}
            }
            let ready = match self.wait(supervisor, woken) {
                Ok(ready) => ready,
                Err(error) => {
                    tracing::warn!(%error, "could not wait for a program");
                    return Outcome::Silent;
                }
            };
            if ready.stdin {
                self.feed();
            }
            if ready.stdout {
                self.read(Stream::Stdout);
            }
            if ready.stderr {
                self.read(Stream::Stderr);
            }
            if ready.report {
                match wire::receive_report(supervisor.control()) {
                    Ok(Report::Started { pid }) => self.leader = Some(pid),
                    Ok(Report::Exited) => self.expect_end(grace),
                    Ok(Report::NotStarted { errno }) => return Outcome::NotStarted(errno),
                    Ok(Report::Done(done)) => return Outcome::Done(done),
                    Err(_) => return Outcome::Lost,
                }
            }
        }
    }

    fn ask_for_end(&mut self, supervisor: &Supervisor, why: EndedBy, grace: Duration) {
        self.ended_by = why;
        self.expect_end(grace);
        // A supervisor that cannot be told is gone, which the next report tells.
        let _ = wire::send_end(supervisor.control());
    }

    /// From now on it is the supervisor that has a deadline.
    fn expect_end(&mut self, grace: Duration) {
        self.is_ending = true;
        self.due = Instant::now().checked_add(grace.saturating_add(KILL_PATIENCE + SUPERVISOR_SLACK));
    }

    /// Keeps a supervisor for the next call, unless it may still have our wish for an end before it.
    fn retire(&self, supervisor: Supervisor, launcher: &Launcher) {
        if self.ended_by == EndedBy::Natural {
            launcher.put_back(supervisor);
        }
    }

    fn wait(&self, supervisor: &Supervisor, woken: &UnixStream) -> io::Result<Ready> {
        let mut fds = vec![PollFd::new(supervisor.control(), PollFlags::IN)];
        // Woken once is enough: from then on the stop itself is looked at.
        let slots = [
            (!self.is_ending).then(|| PollFd::new(woken, PollFlags::IN)),
            self.pipes.stdin.as_ref().map(|(pipe, _, _)| PollFd::new(pipe, PollFlags::OUT)),
            self.pipes.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            self.pipes.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)),
        ];
        let places = slots.map(|slot| {
            slot.map(|fd| {
                fds.push(fd);
                fds.len() - 1
            })
        });
        let limit = self.due.map(|due| due.saturating_duration_since(Instant::now()));
        match poll(&mut fds, timeout(limit).as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let is_ready = |place: Option<usize>| place.is_some_and(|place| !fds[place].revents().is_empty());
        let [_, stdin, stdout, stderr] = places.map(is_ready);
        Ok(Ready { report: is_ready(Some(0)), stdin, stdout, stderr })
    }

    /// Writes what the child is ready to read.
    fn feed(&mut self) {
        let Some((pipe, bytes, written)) = &mut self.pipes.stdin else {
            return;
        };
        match pipe.write(&bytes[*written..]) {
            Ok(count) => *written += count,
            Err(error) if is_transient(&error) => return,
            // The child closed its input: it does not want the rest.
            Err(_) => *written = bytes.len(),
        }
        if *written == bytes.len() {
            self.pipes.stdin = None;
        }
    }

    /// Reads once. Returns how much there was.
    fn read(&mut self, stream: Stream) -> usize {
        let (pipe, capture) = match stream {
            Stream::Stdout => (&mut self.pipes.stdout, &mut self.stdout),
            Stream::Stderr => (&mut self.pipes.stderr, &mut self.stderr),
        };
        let Some(reader) = pipe else { return 0 };
        match reader.read(&mut self.buffer) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                let chunk = &self.buffer[..count];
                capture.push(chunk);
                (self.sink)(stream, chunk);
                return count;
            }
            Err(error) if is_transient(&error) => {}
            Err(_) => *pipe = None,
        }
        0
    }

    /// Reads what the pipes still hold; nobody of the tree is left to add to it.
    fn drain(&mut self) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            let mut total = 0;
            while total < LAST_BYTES {
                match self.read(stream) {
                    0 => break,
                    count => total += count,
                }
            }
        }
    }

    fn finish(self, done: Done, duration: Duration) -> Finished {
        let status = match done {
            Done { code: Some(code), .. } => Exit::Code(code),
            Done { signal: Some(signal), .. } => Exit::Signal(signal),
            _ => Exit::Lost,
        };
        Finished {
            status,
            stdout: self.stdout.finish(),
            stderr: self.stderr.finish(),
            ended_by: self.ended_by,
            duration,
            survivors_killed: usize::try_from(done.survivors).unwrap_or(usize::MAX),
        }
    }
}

/// Which ends have something to do.
struct Ready {
    report: bool,
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

fn is_transient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
