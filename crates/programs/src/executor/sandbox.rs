//! `executor: sandbox`: the kernel keeps a program from writing, and from TCP, wherever it was not allowed to.
//!
//! The restriction must be applied by the process itself before it becomes the program. So our own executable is
//! started as a hidden subcommand, [`SANDBOX_WORD`], that restricts itself with Landlock and then executes the program;
//! everything the program starts is bound in the same way, for good.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use mainstay_contract::{ErrorCode, Fault, FaultResult};
use serde::{Deserialize, Serialize};

use super::{Job, Placed, find_program};
use crate::expand;
use crate::policy::Sandbox;
use crate::run::Runner;

/// The hidden subcommand under which an executable must call [`sandbox_main`].
pub const SANDBOX_WORD: &str = "__sandbox";

/// Exit code of a program that could not be restricted or executed.
const REFUSED: u8 = 126;

/// What the helper is told.
#[derive(Debug, Serialize, Deserialize)]
struct Rules {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    network: bool,
}

pub fn place(sandbox: &Sandbox, runner: &Runner, job: Job) -> FaultResult<Placed> {
    let missing = |message: String| {
        Fault::new(ErrorCode::CapabilityMissing, message)
            .hint("use `executor: {type: docker}` or `executor: {type: local}` in the policy")
    };
    let helper = runner.helper.clone();
    let helper =
        helper.ok_or_else(|| missing("the sandbox needs the mainstay executable as a helper".into()))?;
    if !is_supported() {
        return Err(missing("the sandbox needs Landlock, which this system does not have".into()));
    }
    let paths = |paths: &[String]| paths.iter().map(|path| expand::path(path, &runner.vars).into()).collect();
    let rules = Rules { read: paths(&sandbox.read), write: paths(&sandbox.write), network: sandbox.network };
    let rules = serde_json::to_string(&rules).map_err(|error| Fault::internal(&error))?;
    // Looked up here, so that a missing program has the same answer as everywhere.
    let program = match find_program(&job.program, &job.env) {
        Some(found) => found.display().to_string(),
        None => return Ok(unsandboxed_failure(job)),
    };
    let mut words = vec![SANDBOX_WORD.to_owned(), rules, program];
    words.extend(job.words);
    Ok(Placed { program: helper, words, cwd: job.cwd.or(job.working_dir), env: job.env, cleaning: None })
}

/// A program that is not there: starting it fails, with the usual answer.
fn unsandboxed_failure(job: Job) -> Placed {
    Placed {
        program: job.program.into(),
        words: Vec::new(),
        cwd: job.cwd.or(job.working_dir),
        env: job.env,
        cleaning: None,
    }
}

/// Restricts this process, then becomes the program; `words` follow [`SANDBOX_WORD`].
///
/// Returns only when that failed; the reason is handed to `report`.
pub fn sandbox_main(words: impl IntoIterator<Item = OsString>, report: impl FnOnce(&str)) -> ExitCode {
    let mut words = words.into_iter();
    let failure = match (words.next(), words.next()) {
        (Some(rules), Some(program)) => enter(&rules, &program, words.collect()),
        _ => "the sandbox helper is not meant to be started by hand".to_owned(),
    };
    report(&failure);
    ExitCode::from(REFUSED)
}

#[cfg(target_os = "linux")]
fn enter(rules: &OsString, program: &OsString, words: Vec<OsString>) -> String {
    use std::os::unix::process::CommandExt;

    let rules: Result<Rules, _> = serde_json::from_str(&rules.to_string_lossy());
    let rules = match rules {
        Ok(rules) => rules,
        Err(error) => return format!("the sandbox rules cannot be read: {error}"),
    };
    if let Err(error) = landlocked::restrict(&rules) {
        return format!("the sandbox could not be entered: {error}");
    }
    let error = std::process::Command::new(program).args(words).exec();
    format!("cannot execute {}: {error}", program.to_string_lossy())
}

#[cfg(not(target_os = "linux"))]
fn enter(_: &OsString, _: &OsString, _: Vec<OsString>) -> String {
    "the sandbox needs Landlock, which this system does not have".to_owned()
}

/// Tells whether the kernel can restrict a program.
pub fn is_supported() -> bool {
    #[cfg(target_os = "linux")]
    return landlocked::is_supported();
    #[cfg(not(target_os = "linux"))]
    return false;
}

#[cfg(target_os = "linux")]
mod landlocked {
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
        RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
    };

    use super::Rules;

    /// The newest set of rights we ask for; an older kernel keeps those it knows.
    const WANTED: ABI = ABI::V6;

    /// Devices every program may write to.
    const HARMLESS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

    pub fn is_supported() -> bool {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        ruleset.handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok()
    }

    pub fn restrict(rules: &Rules) -> Result<(), RulesetError> {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?;
        let ruleset = match rules.network {
            true => ruleset,
            false => ruleset.handle_access(AccessNet::from_all(WANTED))?,
        };
        let mut created = ruleset.create()?;
        let reading = AccessFs::from_read(WANTED);
        if rules.read.is_empty() {
            created = allow(created, "/".as_ref(), reading)?;
        }
        for path in &rules.read {
            created = allow(created, path, reading)?;
        }
        for path in &rules.write {
            created = allow(created, path, AccessFs::from_all(WANTED))?;
        }
        for device in HARMLESS {
            created = allow(created, device.as_ref(), AccessFs::from_file(WANTED))?;
        }
        created.restrict_self()?;
        Ok(())
    }

    /// A path that is not there allows nothing, which is no reason to stop.
    fn allow(
        created: RulesetCreated,
        path: &std::path::Path,
        access: landlock::BitFlags<AccessFs>,
    ) -> Result<RulesetCreated, RulesetError> {
        let access = match path.is_dir() {
            true => access,
            false => access & AccessFs::from_file(WANTED),
        };
        match PathFd::new(path) {
            Ok(fd) => created.add_rule(PathBeneath::new(fd, access)),
            Err(_) => Ok(created),
        }
    }
}
