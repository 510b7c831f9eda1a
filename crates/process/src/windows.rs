//! Runs on Windows: no supervisor; a tree is ended with `taskkill /T /F`.
//!
//! A descendant whose parent has already exited is out of `taskkill`'s reach, and the sudden death of this process
//! ends nothing. [`strategy`](crate::strategy) tells callers so.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ExitCode, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::capture::Capture;
use crate::command::{CALL_MARKER, Command, Stdin};
use crate::error::SpawnError;
use crate::finished::{EndedBy, Exit, Finished, Stream};
use crate::stop::Stop;
use crate::taskkill;

/// How long the streams may stay open after the child is gone: a descendant that left the tree may hold them.
const LAST_OUTPUT: Duration = Duration::from_millis(500);

/// Starts programs and sees to it that they end, as far as `taskkill` reaches.
pub struct Launcher {}

enum Event {
    Output(Stream, Vec<u8>),
    Closed,
    Exited(Exit),
    /// Look at the stop again. Lost when the queue is full, but then there is an event to wake up for anyway.
    Wake,
}

impl Launcher {
    /// Takes the arguments of the Unix launcher; there is no supervisor here.
    pub fn new<A: Into<OsString>>(
        _program: impl Into<PathBuf>,
        _args: impl IntoIterator<Item = A>,
    ) -> Launcher {
        Launcher {}
    }

    /// Makes a launcher.
    pub fn this_program() -> io::Result<Launcher> {
        Ok(Launcher {})
    }

    /// Runs `command` to its end; output goes to `sink` as it arrives.
    pub fn run(
        &self,
        command: &Command,
        stop: &dyn Stop,
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> Result<Finished, SpawnError> {
        if stop.is_stopped() {
            return Err(SpawnError::Stopped);
        }
        let started = Instant::now();
        let mut child = spawn(command)?;
        let pid = child.id();
        // Bounded, so that an endless writer waits for the sink.
        let (sender, events) = mpsc::sync_channel(16);
        let streams = [
            (Stream::Stdout, child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)),
            (Stream::Stderr, child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>)),
        ];
        for (stream, pipe) in streams {
            let sender = sender.clone();
            thread::spawn(move || forward(stream, pipe, |event| sender.send(event).is_ok()));
        }
        if let (Some(mut pipe), Stdin::Bytes(bytes)) = (child.stdin.take(), command.stdin.clone()) {
            thread::spawn(move || pipe.write_all(&bytes));
        }
        let exited = sender.clone();
        thread::spawn(move || exited.send(Event::Exited(wait(child))));
        let stopper = sender.clone();
        drop(sender);
        let guard = stop.on_stop(Box::new(move || drop(stopper.try_send(Event::Wake))));
        let (mut stdout, mut stderr) = (Capture::new(&command.stdout), Capture::new(&command.stderr));
        let mut ended_by = EndedBy::Natural;
        let mut status = Exit::Lost;
        let mut due = command.deadline.and_then(|deadline| started.checked_add(deadline));
        let mut open = 3;
        while open > 0 {
            let limit = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
            let end = match events.recv_timeout(limit) {
                Ok(Event::Output(stream, bytes)) => {
                    match stream {
                        Stream::Stdout => stdout.push(&bytes),
                        Stream::Stderr => stderr.push(&bytes),
                    }
                    sink(stream, &bytes);
                    None
                }
                Ok(Event::Closed) => {
                    open -= 1;
                    None
                }
                Ok(Event::Exited(exit)) => {
                    open -= 1;
                    status = exit;
                    due = Some(Instant::now() + LAST_OUTPUT);
                    None
                }
                Ok(Event::Wake) => None,
                Err(RecvTimeoutError::Timeout) if status == Exit::Lost && ended_by == EndedBy::Natural => {
                    Some(EndedBy::Timeout)
                }
                Err(_) => break,
            };
            let is_stopped = ended_by == EndedBy::Natural && stop.is_stopped();
            let end = if is_stopped { Some(EndedBy::Stopped) } else { end };
            if let Some(why) = end.filter(|_| status == Exit::Lost) {
                ended_by = why;
                end_tree(pid);
                due = Some(Instant::now() + command.grace);
            }
        }
        drop(guard);
        Ok(Finished {
            status,
            stdout: stdout.finish(),
            stderr: stderr.finish(),
            ended_by,
            duration: started.elapsed(),
            survivors_killed: 0,
        })
    }
}

fn spawn(command: &Command) -> Result<Child, SpawnError> {
    if let Some(cwd) = &command.cwd {
        match cwd.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(SpawnError::CwdNotDirectory { path: cwd.clone() }),
            Err(_) => return Err(SpawnError::CwdMissing { path: cwd.clone() }),
        }
    }
    let mut process = std::process::Command::new(&command.program);
    process.args(&command.args).env_clear().envs(&command.env).stdout(Stdio::piped()).stderr(Stdio::piped());
    process.env(CALL_MARKER, command.call.as_deref().unwrap_or("unnamed"));
    process.stdin(if matches!(command.stdin, Stdin::Null) { Stdio::null() } else { Stdio::piped() });
    if let Some(cwd) = &command.cwd {
        process.current_dir(cwd);
    }
    let program = command.program.to_string_lossy().into_owned();
    process.spawn().map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => SpawnError::ProgramNotFound { program },
        io::ErrorKind::PermissionDenied => SpawnError::NotExecutable { program, reason: "permission denied" },
        io::ErrorKind::InvalidInput => SpawnError::NulByte { part: "the command line".to_owned() },
        _ => SpawnError::Io { program, source },
    })
}

fn forward(stream: Stream, pipe: Option<Box<dyn Read + Send>>, send: impl Fn(Event) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    if let Some(mut pipe) = pipe {
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            if !send(Event::Output(stream, buffer[..count].to_vec())) {
                return;
            }
        }
    }
    send(Event::Closed);
}

fn wait(mut child: Child) -> Exit {
    child.wait().ok().and_then(|status| status.code()).map_or(Exit::Lost, Exit::Code)
}

fn end_tree(pid: u32) {
    let quiet = || Stdio::null();
    let status = std::process::Command::new(taskkill::PROGRAM)
        .args(taskkill::arguments(pid))
        .stdin(quiet())
        .stdout(quiet())
        .stderr(quiet())
        .status();
    match status {
        Ok(status) if taskkill::succeeded(status.code()) => {}
        Ok(status) => tracing::warn!(pid, %status, "taskkill could not end a process tree"),
        Err(error) => tracing::warn!(pid, %error, "could not run taskkill"),
    }
}

/// A living process that was started by a call; not found on Windows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stray {
    pub pid: u32,
    pub call: String,
    pub name: String,
    pub is_supervised: bool,
}

/// Lists nothing: the environment of another process cannot be read here.
pub fn list_strays(_call: Option<&str>) -> Vec<Stray> {
    Vec::new()
}

/// Refuses: there are no supervisors on Windows.
pub fn supervise_main() -> ExitCode {
    ExitCode::FAILURE
}

/// Watches nothing: standard input closes with the client here.
pub fn watch_parent(_on_gone: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}
