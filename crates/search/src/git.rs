//! Facts from git: one short command at a time, and an answer also when there is none.

use std::any::Any;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mainstay_contract::{Call, CancelToken};
use mainstay_process::{Command, EndedBy, Env, Finished, Launcher, Output, Stop, Stream};

use crate::SearchError;

/// Facts are a courtesy: they are left out when git takes longer.
const PATIENCE: Duration = Duration::from_millis(1_000);
const MAX_OUTPUT_BYTES: usize = 256 << 10;
/// Settings of git that are longer are not read, and then nothing is asked that follows them.
const MAX_SETTINGS_BYTES: usize = 4 << 20;
/// What reads files of the work tree, and would have programs read them that the repository's settings name.
const READS_FILES: [&str; 3] = ["blame", "diff", "status"];

/// Runs git, where there is a launcher to run it.
#[derive(Clone, Default)]
pub struct Git {
    runner: Option<(Arc<Launcher>, Env)>,
    /// What takes filters away, where it is asked for once only.
    unfiltered: Option<Arc<OnceLock<Env>>>,
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
        Git { runner: Some((launcher, env)), unfiltered: None }
    }

    /// For many commands in one repository within one call: its settings are read for the first of them.
    pub(crate) fn asking_once(&self) -> Git {
        Git { unfiltered: Some(Arc::default()), ..self.clone() }
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

    /// The settings git has for a repository, each with its value.
    pub(crate) fn settings(
        &self,
        call: &Call,
        repo: &Path,
    ) -> Result<Result<Vec<(String, String)>, String>, SearchError> {
        let mut text = Vec::new();
        let finished =
            self.stream(call, repo, &["config", "--list", "--null"], PATIENCE * 10, &mut |bytes| {
                if text.len() <= MAX_SETTINGS_BYTES {
                    text.extend_from_slice(bytes);
                }
            })?;
        match finished {
            Ok(true) if text.len() <= MAX_SETTINGS_BYTES => {}
            Ok(_) => return Ok(Err("the settings of git could not be read".into())),
            Err(reason) => return Ok(Err(reason)),
        }
        let text = String::from_utf8_lossy(&text);
        let one = |entry: &str| {
            let (name, value) = entry.split_once('\n').unwrap_or((entry, ""));
            (name.to_owned(), value.to_owned())
        };
        Ok(Ok(text.split('\0').filter(|entry| !entry.is_empty()).map(one).collect()))
    }

    /// The folder that `~` is for git.
    pub(crate) fn home(&self) -> Option<&Path> {
        let (_, env) = self.runner.as_ref()?;
        env.get(OsStr::new("HOME")).map(Path::new)
    }

    /// Variables that take the filters of a repository's settings away: they are programs, and their names are free.
    fn without_filters(&self, call: &Call, repo: &Path) -> Result<Result<Env, String>, SearchError> {
        if let Some(known) = self.unfiltered.as_ref().and_then(|once| once.get()) {
            return Ok(Ok(known.clone()));
        }
        let settings = match self.settings(call, repo)? {
            Ok(settings) => settings,
            Err(reason) => return Ok(Err(reason)),
        };
        let filter =
            |name: &str| name.strip_prefix("filter.")?.rsplit_once('.').map(|(filter, _)| filter.to_owned());
        let filters: BTreeSet<String> = settings.iter().filter_map(|(name, _)| filter(name)).collect();
        let mut env = Env::new();
        for filter in filters {
            for (key, value) in [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")] {
                let at = env.len() / 2;
                env.insert(format!("GIT_CONFIG_KEY_{at}").into(), format!("filter.{filter}.{key}").into());
                env.insert(format!("GIT_CONFIG_VALUE_{at}").into(), value.into());
            }
        }
        env.insert("GIT_CONFIG_COUNT".into(), (env.len() / 2).to_string().into());
        if let Some(once) = &self.unfiltered {
            // Whoever was first read the same.
            let _ = once.set(env.clone());
        }
        Ok(Ok(env))
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
        let mut env = env.clone();
        if words.first().is_some_and(|word| READS_FILES.contains(word)) {
            match self.without_filters(call, repo)? {
                Ok(more) => env.extend(more),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let command = Command::new("git", env)
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
