//! Which variables a program sees: a small safe set, what its configuration lets through, and what it sets.

use std::ffi::OsStr;

use crate::config::Config;
use crate::expand::Vars;

/// What programs need to find themselves, the user's language and a place for temporary files. None of it is secret.
const SAFE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "TZ",
    "LANG",
    "LANGUAGE",
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
    // Without these most Windows programs do not start.
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "USERNAME",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
];

/// Prefixes that are safe whatever follows.
const SAFE_PREFIXES: &[&str] = &["LC_"];

/// Returns what is let through of the server's environment.
pub fn let_through(config: &Config, vars: &Vars) -> Vars {
    let is_let_through = |name: &OsStr| {
        let Some(name) = name.to_str() else { return false };
        SAFE.contains(&name)
            || SAFE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || config.env_allow.iter().any(|allowed| matches(allowed, name))
    };
    vars.iter()
        .filter(|(name, _)| is_let_through(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns the whole environment of a program.
pub fn of_program(config: &Config, vars: &Vars) -> Vars {
    let mut env = let_through(config, vars);
    env.extend(config.env.iter().map(|(name, value)| (name.into(), value.into())));
    env
}

fn matches(allowed: &str, name: &str) -> bool {
    match allowed.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => allowed == name,
    }
}
