//! Checks a command and turns it into a request, so that each mistake has its own error.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use rustix::io::Errno;

use crate::command::{CALL_MARKER, Command, Env};
use crate::error::SpawnError;
use crate::wire::Request;

/// Where programs are looked for when the child's environment has no `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Returns what the supervisor is to start for `command`; `base` is where its relative paths begin, where that is not
/// our own working directory.
pub(crate) fn request(command: &Command, call: &str, base: Option<&Path>) -> Result<Request, SpawnError> {
    check_bytes(command)?;
    let cwd = match base {
        Some(base) => Some(base.join(command.cwd.as_deref().unwrap_or(Path::new("")))),
        None => command.cwd.clone(),
    };
    check_cwd(cwd.as_deref(), command.cwd.as_deref())?;
    let program = find(&command.program, &command.env)?;
    let mut args = vec![command.program.clone()];
    args.extend(command.args.iter().cloned());
    let mut env: Vec<_> = command.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    env.retain(|(name, _)| name != CALL_MARKER);
    env.push((CALL_MARKER.into(), call.into()));
    Ok(Request { program, args, env, cwd: cwd.map(PathBuf::into_os_string), grace: command.grace })
}

fn check_bytes(command: &Command) -> Result<(), SpawnError> {
    let reject_nul = |text: &OsStr, part: &dyn Fn() -> String| {
        if text.as_bytes().contains(&0) { Err(SpawnError::NulByte { part: part() }) } else { Ok(()) }
    };
    reject_nul(&command.program, &|| "the program name".to_owned())?;
    for (index, arg) in command.args.iter().enumerate() {
        reject_nul(arg, &|| format!("argument {}", index + 1))?;
    }
    for (name, value) in &command.env {
        if name.is_empty() || name.as_bytes().contains(&b'=') {
            return Err(SpawnError::BadVariable { name: display(name) });
        }
        reject_nul(name, &|| "the name of an environment variable".to_owned())?;
        reject_nul(value, &|| format!("environment variable {}", display(name)))?;
    }
    match &command.cwd {
        Some(cwd) => reject_nul(cwd.as_os_str(), &|| "the working directory".to_owned()),
        None => Ok(()),
    }
}

/// `named` is the directory as the caller wrote it.
fn check_cwd(cwd: Option<&Path>, named: Option<&Path>) -> Result<(), SpawnError> {
    let Some(cwd) = cwd else { return Ok(()) };
    let path = || named.unwrap_or(cwd).to_owned();
    match cwd.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(SpawnError::CwdNotDirectory { path: path() }),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(SpawnError::CwdNotDirectory { path: path() })
        }
        Err(_) => Err(SpawnError::CwdMissing { path: path() }),
    }
}

/// Looks a bare name up in the child's `PATH`.
///
/// Relative entries of `PATH` are passed over: what they mean depends on a directory that the caller may not control.
fn find(program: &OsStr, env: &Env) -> Result<OsString, SpawnError> {
    if program.as_bytes().contains(&b'/') {
        return Ok(program.to_owned());
    }
    let path = env.get(OsStr::new("PATH")).map_or(OsStr::new(DEFAULT_PATH), OsString::as_os_str);
    let mut error = SpawnError::ProgramNotFound { program: display(program) };
    if program.is_empty() {
        return Err(error);
    }
    for directory in std::env::split_paths(path).filter(|directory| directory.is_absolute()) {
        let candidate = directory.join(program);
        if !candidate.is_file() {
            continue;
        }
        if access(&candidate, Access::EXEC_OK).is_ok() {
            return Ok(candidate.into_os_string());
        }
        error = not_executable(program, "permission denied");
    }
    Err(error)
}

/// Says what the system meant when it refused to start `request`.
pub(crate) fn explain(command: &Command, request: &Request, errno: i32) -> SpawnError {
    let program = display(&command.program);
    match Errno::from_raw_os_error(errno) {
        Errno::NOENT => {
            let path = Path::new(&request.program);
            let path =
                request.cwd.as_deref().map_or_else(|| path.to_owned(), |cwd| Path::new(cwd).join(path));
            if path.exists() {
                not_executable(&command.program, "the interpreter it names does not exist")
            } else {
                SpawnError::ProgramNotFound { program }
            }
        }
        Errno::NOTDIR => SpawnError::ProgramNotFound { program },
        Errno::ACCESS | Errno::PERM => not_executable(&command.program, "permission denied"),
        Errno::NOEXEC => not_executable(&command.program, "it is not a program for this system"),
        Errno::TOOBIG => SpawnError::TooLong { program },
        _ => SpawnError::Io { program, source: io::Error::from_raw_os_error(errno) },
    }
}

fn not_executable(program: &OsStr, reason: &'static str) -> SpawnError {
    SpawnError::NotExecutable { program: display(program), reason }
}

pub(crate) fn display(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}
