//! Facts from git: one short command at a time, and an answer also when there is none.

use std::any::Any;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::{Call, CancelToken};
use mainstay_process::{Command, EndedBy, Env, Finished, Launcher, Output, Stop, Stream};

use crate::SearchError;

/// Facts are a courtesy: they are left out when git takes longer.
const PATIENCE: Duration = Duration::from_millis(1_000);
const MAX_OUTPUT_BYTES: usize = 256 << 10;

/// Runs git, where there is a launcher to run it.
#[derive(Clone, Default)]
pub struct Git {
    runner: Option<(Arc<Launcher>, Env)>,
}

impl std::fmt::Debug for Git {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Git({})", if self.runner.is_some() { "available" } else { "none" })
    }
}

/// Ends a child when a call is told to stop.
pub(crate) struct StopOn<'a>(pub &'a CancelToken);

impl Stop for StopOn<'_> {
    fn is_stopped(&self) -> bool {
        self.0.is_cancelled()
    }

    fn on_stop(&self, wake: Box<dyn FnOnce() + Send>) -> Box<dyn Any> {
        Box::new(self.0.on_cancel(wake))
    }
}

impl Git {
    pub fn new(launcher: Arc<Launcher>, mut env: Env) -> Git {
        // Variables that point git at another repository or at programs to run are not for us.
        env.retain(|name, _| !name.to_string_lossy().starts_with("GIT_"));
        for (name, value) in
            [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_PAGER", "cat"), ("LC_ALL", "C")]
        {
            env.insert(name.into(), value.into());
        }
        Git { runner: Some((launcher, env)) }
    }

    /// Runs one command in a repository: its output, or why there is none.
    pub(crate) fn run(
        &self,
        call: &Call,
        repo: &Path,
        words: &[&str],
    ) -> Result<Result<String, String>, SearchError> {
        let finished = match self.finish(call, repo, words, PATIENCE, MAX_OUTPUT_BYTES, &mut |_| {})? {
            Ok(finished) => finished,
            Err(reason) => return Ok(Err(reason)),
        };
        // What came before the time was over is true, only not everything.
        let partial = finished.ended_by == EndedBy::Timeout && finished.stdout.total_bytes() > 0;
        if finished.status.is_success() || partial {
            return Ok(Ok(finished.stdout.text()));
        }
        Ok(Err(reason(&finished)))
    }

    /// Runs one command and hands its output on as it comes. Tells whether it came to its end within `patience`.
    pub(crate) fn stream(
        &self,
        call: &Call,
        repo: &Path,
        words: &[&str],
        patience: Duration,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Result<bool, String>, SearchError> {
        let finished = match self.finish(call, repo, words, patience, 0, sink)? {
            Ok(finished) => finished,
            Err(reason) => return Ok(Err(reason)),
        };
        match finished.ended_by == EndedBy::Timeout {
            true => Ok(Ok(false)),
            false if finished.status.is_success() => Ok(Ok(true)),
            false => Ok(Err(reason(&finished))),
        }
    }

    fn finish(
        &self,
        call: &Call,
        repo: &Path,
        words: &[&str],
        patience: Duration,
        cap_bytes: usize,
        sink: &mut dyn FnMut(&[u8]),
    ) -> Result<Result<Finished, String>, SearchError> {
        let Some((launcher, env)) = &self.runner else { return Ok(Err("git is not available here".into())) };
        if !repo.ancestors().any(|dir| dir.join(".git").exists()) {
            return Ok(Err("this is not a git repository".into()));
        }
        // A repository's own settings may name programs; none of them may run.
        let safe = [
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
            "--no-pager",
            "--literal-pathspecs",
        ];
        let command = Command::new("git", env.clone())
            .args(safe)
            .args(words)
            .cwd(repo)
            .stdout(Output::capped(cap_bytes))
            .deadline(patience);
        let mut of_stdout = |stream: Stream, bytes: &[u8]| {
            if stream == Stream::Stdout {
                sink(bytes);
            }
        };
        let finished = match launcher.run(&command, &StopOn(call.cancel()), &mut of_stdout) {
            Ok(finished) => finished,
            Err(error) => return Ok(Err(error.to_string())),
        };
        call.cancel().check()?;
        Ok(Ok(finished))
    }
}

fn reason(finished: &Finished) -> String {
    if finished.ended_by == EndedBy::Timeout {
        return "git took too long".into();
    }
    let reason = finished.stderr.text();
    reason.lines().next().unwrap_or("git failed").chars().take(200).collect()
}
