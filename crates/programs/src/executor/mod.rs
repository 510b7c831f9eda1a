//! Where a program runs: here, in a container, or behind restrictions of the kernel.

mod docker;
pub mod sandbox;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use mainstay_contract::FaultResult;
use mainstay_process::{Command, Launcher, Never};

use crate::config::Config;
use crate::expand::Vars;
use crate::policy::Executor;
use crate::run::Runner;

/// A program that is to run, before an executor had its say.
pub struct Job {
    pub program: String,
    pub words: Vec<String>,
    /// The caller's choice.
    pub cwd: Option<PathBuf>,
    /// The configuration's choice.
    pub working_dir: Option<PathBuf>,
    pub env: Vars,
    pub has_stdin: bool,
}

/// What is really started.
pub struct Placed {
    pub program: PathBuf,
    pub words: Vec<String>,
    pub cwd: Option<PathBuf>,
    pub env: Vars,
    /// Run once when the program had to be ended: what it leaves outside our reach.
    cleaning: Option<Vec<String>>,
}

impl Placed {
    /// Removes what a killed program leaves behind.
    pub fn clean_up(&self, launcher: &Launcher) {
        let Some(words) = &self.cleaning else { return };
        let command =
            Command::new(&self.program, self.env.clone()).args(words).deadline(Duration::from_secs(20));
        if let Err(error) = launcher.run(&command, &Never, &mut |_, _| {}) {
            tracing::warn!(%error, words = words.join(" "), "could not clean up after a program");
        }
    }
}

/// Applies the policy's executor.
pub fn place(runner: &Runner, config: &Config, job: Job) -> FaultResult<Placed> {
    match &runner.executor {
        Executor::Local => Ok(Placed {
            program: job.program.into(),
            words: job.words,
            cwd: job.cwd.or(job.working_dir),
            env: job.env,
            cleaning: None,
        }),
        Executor::Docker(docker) => Ok(docker::place(docker, runner, config, job)),
        Executor::Sandbox(rules) => sandbox::place(rules, runner, job),
    }
}

/// Finds a program the way the child would: as a path, or in the directories of its `PATH`.
pub fn find_program(program: &str, vars: &Vars) -> Option<PathBuf> {
    if program.contains('/') {
        let path = PathBuf::from(program);
        return path.is_file().then_some(path);
    }
    let path = vars.get(&OsString::from("PATH"))?;
    std::env::split_paths(path).map(|dir| dir.join(program)).find(|file| is_executable(file))
}

#[cfg(unix)]
fn is_executable(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &std::path::Path) -> bool {
    file.is_file() || ["exe", "cmd", "bat"].iter().any(|ending| file.with_extension(ending).is_file())
}
