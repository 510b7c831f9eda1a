//! Programs the tools need: git, npm, a browser. Bounded in time and output, and over when the call is.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{Call, CancelToken};
use mainstay_process::{Command, EndedBy, Env, Exit, Launcher, Output, SpawnError, Stdin, Stop};

use crate::{Foundry, FoundryError};

/// What is shown of the error output of a program that failed.
const SHOWN_STDERR_CHARS: usize = 2_000;

/// How programs are started, and which ones the operator chose.
#[derive(Clone)]
pub struct Programs {
    pub launcher: Arc<Launcher>,
    /// The whole environment of every program; its `PATH` is where they are looked up.
    pub env: Env,
    /// The browser to use in place of one that is found.
    pub browser: Option<PathBuf>,
    /// The file of axe-core to use in place of the one in the project's `node_modules`.
    pub axe: Option<PathBuf>,
}

impl fmt::Debug for Programs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment holds secrets.
        f.debug_struct("Programs")
            .field("browser", &self.browser)
            .field("axe", &self.axe)
            .finish_non_exhaustive()
    }
}

/// One program to run.
#[derive(Debug, Clone)]
pub struct Job {
    program: OsString,
    args: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(&'static str, OsString)>,
    stdin: Vec<u8>,
    output_bytes: usize,
    deadline: Duration,
}

impl Job {
    /// `program` in `cwd`, for at most a minute and a mebibyte of output.
    pub fn new(program: impl Into<OsString>, cwd: &Path) -> Job {
        Job {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.to_owned(),
            env: Vec::new(),
            stdin: Vec::new(),
            output_bytes: 1 << 20,
            deadline: Duration::from_secs(60),
        }
    }

    /// git in a repository that may be anybody's: no hooks, no prompts, no locks taken for reading, plain English.
    pub fn git(cwd: &Path) -> Job {
        Job::new("git", cwd)
            .args([
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "core.fsmonitor=false",
                "-c",
                "core.quotePath=false",
            ])
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_PAGER", "cat")
            .env("LC_ALL", "C")
    }

    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Job {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets a variable on top of the environment the operator gave.
    pub fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Job {
        self.env.push((name, value.into()));
        self
    }

    /// Gives the program something to read.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Job {
        self.stdin = bytes.into();
        self
    }

    /// Keeps at most this much of standard output.
    pub fn output_bytes(mut self, bytes: usize) -> Job {
        self.output_bytes = bytes;
        self
    }

    pub fn deadline(mut self, deadline: Duration) -> Job {
        self.deadline = deadline;
        self
    }

    fn name(&self) -> String {
        Path::new(&self.program).file_name().unwrap_or(&self.program).to_string_lossy().into_owned()
    }
}

/// A program that ended by itself.
#[derive(Debug)]
pub struct Ran {
    program: String,
    pub exit: Exit,
    pub stdout: Vec<u8>,
    /// Whether some of standard output was not kept.
    pub truncated: bool,
    pub stderr: String,
}

impl Ran {
    pub fn is_success(&self) -> bool {
        self.exit.is_success()
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }

    /// The run, or an error with the end of what the program said.
    pub fn success(self) -> Result<Ran, FoundryError> {
        match self.exit {
            Exit::Code(0) => Ok(self),
            Exit::Code(code) => Err(self.failed(format!("exited with status {code}"))),
            Exit::Signal(signal) => Err(self.failed(format!("was ended by signal {signal}"))),
            Exit::Lost => Err(self.failed("was lost".into())),
        }
    }

    /// An error about this run.
    pub fn failed(&self, reason: String) -> FoundryError {
        FoundryError::Program { program: self.program.clone(), reason, stderr: tail(&self.stderr) }
    }
}

fn tail(text: &str) -> String {
    let text = text.trim();
    let from = text.char_indices().rev().nth(SHOWN_STDERR_CHARS).map_or(0, |(at, _)| at);
    text[from..].to_owned()
}

impl Foundry {
    /// What the operator gave to start programs with.
    pub fn programs(&self) -> Result<&Programs, FoundryError> {
        self.config.programs.as_ref().ok_or_else(|| FoundryError::Missing {
            message: "this server starts no programs".into(),
            hint: "run the tool with the mainstay executable".into(),
        })
    }

    /// Runs a program to its end; cancelling the call ends the program and everything it started.
    pub fn exec(&self, call: &Call, job: &Job) -> Result<Ran, FoundryError> {
        let programs = self.programs()?;
        let mut env = programs.env.clone();
        env.extend(job.env.iter().map(|(name, value)| (OsString::from(name), value.clone())));
        let command = Command::new(&job.program, env)
            .args(&job.args)
            .cwd(&job.cwd)
            .stdin(Stdin::Bytes(job.stdin.clone()))
            .stdout(Output { head_bytes: job.output_bytes, tail_bytes: 0, copy: None })
            .deadline(job.deadline);
        let finished = programs.launcher.run(&command, &StopWith(call.cancel()), &mut |_, _| {});
        let finished = finished.map_err(|error| match error {
            SpawnError::ProgramNotFound { program } => FoundryError::Missing {
                message: format!("{program} is not installed"),
                hint: format!("install {program} and see that it is on the PATH of the server"),
            },
            SpawnError::Stopped => FoundryError::Cancelled,
            other => FoundryError::Program {
                program: job.name(),
                reason: format!("did not start: {other}"),
                stderr: String::new(),
            },
        })?;
        let ran = Ran {
            program: job.name(),
            exit: finished.status,
            truncated: finished.stdout.is_truncated(),
            stdout: finished.stdout.into_bytes(),
            stderr: finished.stderr.text(),
        };
        match finished.ended_by {
            EndedBy::Natural => Ok(ran),
            EndedBy::Stopped => Err(FoundryError::Cancelled),
            EndedBy::Timeout => Err(ran.failed(format!("took longer than {} s", job.deadline.as_secs()))),
        }
    }
}

/// Ends the work once the call is cancelled; long loops ask it per item.
pub fn check(call: &Call) -> Result<(), FoundryError> {
    if call.cancel().is_cancelled() { Err(FoundryError::Cancelled) } else { Ok(()) }
}

/// The call's token, as the process crate wants it.
struct StopWith<'a>(&'a CancelToken);

impl Stop for StopWith<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }

    fn on_stop(&self, wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any> {
        Box::new(self.0.on_cancel(wake))
    }
}
