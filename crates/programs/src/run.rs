//! Running a prepared call: environment, executor, limits, progress, answer.

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mainstay_contract::{
    Body, Call, CancelToken, ErrorCode, Fault, FaultResult, Planning, Progress, StopReason, Stream,
};
use mainstay_process::{Command, EndedBy, Launcher, Output, SpawnError, Stdin, Stop};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::answer::{self, Limit, Saved};
use crate::catalog::ProgramTool;
use crate::environment;
use crate::executor::{self, Job};
use crate::expand::{self, Vars};
use crate::plan;
use crate::policy::{Dialect, Executor};
use crate::prepare::Prepared;
use crate::value::REDACTED;

/// Of a stream saved to a file; a program that prints forever must not fill the disk.
const SAVED_BYTES: u64 = 256 * 1024 * 1024;

/// Progress is looked at this often at most; the runtime throttles further.
const REPORT_PAUSE: Duration = Duration::from_millis(100);

/// Longest line reported as progress.
const REPORT_CHARS: usize = 400;

/// What runs programs, shared by all tools.
pub struct Runner {
    pub launcher: Arc<Launcher>,
    /// The environment of the server.
    pub vars: Vars,
    /// Our own executable, for the sandbox.
    pub helper: Option<PathBuf>,
    /// Where whole outputs are kept on request.
    pub output_dir: Option<PathBuf>,
    pub executor: Executor,
    pub dialect: Dialect,
}

impl Runner {
    pub fn run(&self, call: &Call, tool: &ProgramTool, prepared: Prepared) -> FaultResult<Body> {
        let config = &tool.program.config;
        let _permit = tool.program.gate.enter(&config.name, Instant::now())?;
        let secrets = prepared.secrets.clone();
        let shown_program = prepared.program.clone();
        let job = Job {
            program: prepared.program,
            words: prepared.words,
            cwd: prepared.cwd.map(PathBuf::from),
            working_dir: config.working_dir.as_ref().map(|dir| PathBuf::from(expand::path(dir, &self.vars))),
            env: environment::of_program(config, &self.vars),
            has_stdin: prepared.stdin.as_ref().is_some_and(|text| !text.is_empty()),
        };
        let job = executor::place(self, config, job)?;
        if call.tool().planning != Planning::Nothing {
            call.changes().propose_all(|| plan::targets(&job))?;
        }
        tracing::info!(
            tool = tool.spec.name,
            program = %job.program.display(),
            words = redacted(&job.words.join(" "), &secrets),
            "run"
        );

        let mut saving = self.saving(call, tool)?;
        let output = || Output::capped(tool.output_bytes());
        let mut command = Command::new(&job.program, job.env.clone())
            .args(&job.words)
            .deadline(tool.timeout())
            .stdout(saving.stdout.output(output())?)
            .stderr(saving.stderr.output(output())?);
        if let Some(cwd) = &job.cwd {
            command = command.cwd(cwd);
        }
        if let Some(text) = prepared.stdin.filter(|text| !text.is_empty()) {
            command = command.stdin(Stdin::Bytes(text.into_bytes()));
        }

        let mut reporter = Reporter { call, secrets: &secrets, last: None };
        let result = self.launcher.run(&command, &CallStop(call.cancel()), &mut |stream, chunk| {
            reporter.report(stream, chunk);
        });
        let finished = match result {
            Ok(finished) => finished,
            Err(SpawnError::Stopped) => return Err(cancelled()),
            Err(error) => return Ok(answer::of_refused(&error, &shown_program)),
        };
        if finished.ended_by != EndedBy::Natural {
            job.clean_up(&self.launcher);
        }
        let saved = Saved {
            stdout: saving.stdout.keep(finished.stdout.is_truncated())?,
            stderr: saving.stderr.keep(finished.stderr.is_truncated())?,
        };
        let limit = match (finished.ended_by, call.cancel().reason()) {
            (EndedBy::Stopped, Some(StopReason::Timeout)) => tenths(finished.duration),
            (EndedBy::Stopped, _) => return Err(cancelled()),
            _ => tool.timeout(),
        };
        Ok(answer::of_run(&finished, Limit(limit), &saved))
    }

    /// Whole outputs are kept when the configuration says so, or when the call's metadata asks for it.
    fn saving(&self, call: &Call, tool: &ProgramTool) -> FaultResult<Saving> {
        let is_asked = call.meta().get("saveOutput").is_some_and(|value| *value == Value::Bool(true));
        match &self.output_dir {
            Some(dir) if is_asked || tool.saves_output() => {
                std::fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
                Ok(Saving { stdout: Keeper::open(dir, "stdout")?, stderr: Keeper::open(dir, "stderr")? })
            }
            _ => Ok(Saving::default()),
        }
    }
}

fn cancelled() -> Fault {
    Fault::new(ErrorCode::Cancelled, "the call was cancelled")
}

fn unwritable(dir: &Path, error: &std::io::Error) -> Fault {
    Fault::new(ErrorCode::Internal, format!("could not save output below {}: {error}", dir.display()))
}

fn tenths(duration: Duration) -> Duration {
    Duration::from_millis(u64::try_from(duration.as_millis() / 100 * 100).unwrap_or(u64::MAX))
}

/// Hides secrets in a text.
pub fn redacted(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), REDACTED))
}

#[derive(Default)]
struct Saving {
    stdout: Keeper,
    stderr: Keeper,
}

/// A file for the whole of a stream; it goes away unless it is kept.
#[derive(Default)]
struct Keeper(Option<NamedTempFile>);

impl Keeper {
    fn open(dir: &Path, stream: &str) -> FaultResult<Keeper> {
        let file =
            tempfile::Builder::new().prefix("output-").suffix(&format!(".{stream}.txt")).tempfile_in(dir);
        Ok(Keeper(Some(file.map_err(|error| unwritable(dir, &error))?)))
    }

    fn output(&self, rule: Output) -> FaultResult<Output> {
        match &self.0 {
            None => Ok(rule),
            Some(file) => {
                let copy = file.reopen().map_err(|error| unwritable(file.path(), &error))?;
                Ok(rule.copied_to(copy, SAVED_BYTES))
            }
        }
    }

    fn keep(&mut self, is_cut: bool) -> FaultResult<Option<String>> {
        match self.0.take().filter(|_| is_cut) {
            None => Ok(None),
            Some(file) => {
                let (_, path) = file.keep().map_err(|error| Fault::internal(&error))?;
                Ok(Some(path.display().to_string()))
            }
        }
    }
}

/// The call's token, as the process crate wants it.
struct CallStop<'a>(&'a CancelToken);

impl Stop for CallStop<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }

    fn on_stop(&self, wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any> {
        Box::new(self.0.on_cancel(wake))
    }
}

/// Sends the newest line as progress, now and then.
struct Reporter<'a> {
    call: &'a Call,
    secrets: &'a [String],
    last: Option<Instant>,
}

impl Reporter<'_> {
    fn report(&mut self, stream: mainstay_process::Stream, chunk: &[u8]) {
        let now = Instant::now();
        if self.last.is_some_and(|last| now.duration_since(last) < REPORT_PAUSE) {
            return;
        }
        // A chunk can be large; the newest line is near its end.
        let end = &chunk[chunk.len().saturating_sub(4 * REPORT_CHARS)..];
        let text = String::from_utf8_lossy(end);
        let Some(line) = text.lines().rev().map(str::trim).find(|line| !line.is_empty()) else { return };
        self.last = Some(now);
        let line: String = redacted(line, self.secrets).chars().take(REPORT_CHARS).collect();
        let stream = match stream {
            mainstay_process::Stream::Stdout => Stream::Stdout,
            mainstay_process::Stream::Stderr => Stream::Stderr,
        };
        self.call.report(Progress { phase: "run".into(), message: line, stream, ..Progress::default() });
    }
}
