//! The only place that starts programs, and the place that makes sure they end.
//!
//! A [`Command`] says what to run: program, arguments, the whole environment, standard input, output caps, deadline and
//! grace. A [`Launcher`] runs it and answers with [`Finished`]: exit status, captured output and why it ended.
//!
//! Each call runs under a *supervisor*: our own executable started as a hidden subcommand that does nothing but start
//! the child in its own process group and end its whole tree. The supervisor is a child subreaper, so a descendant
//! that daemonises becomes the supervisor's child and is found; it serves one call at a time, so trees of concurrent
//! calls are never mixed up; and it lives by a socket to us, so that our death, however sudden, ends the tree.
//! Supervisors are kept and used again, because starting a large executable costs more than most programs it would run.
//!
//! On Unix systems without subreapers only the process group is ended, on Windows what `taskkill /T` reaches;
//! [`strategy`] says which.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod capture;
mod command;
mod error;
mod finished;
mod stop;
mod strategy;
pub mod taskkill;

#[cfg(unix)]
mod call;
#[cfg(unix)]
mod launcher;
#[cfg(unix)]
mod resolve;
#[cfg(unix)]
mod supervise;
#[cfg(unix)]
mod tree;
#[cfg(unix)]
mod watch;
#[cfg(windows)]
mod windows;
#[cfg(unix)]
mod wire;

pub use capture::Captured;
pub use command::{CALL_MARKER, Command, Copy, Env, Output, Stdin};
pub use error::SpawnError;
pub use finished::{EndedBy, Exit, Finished, Stream};
pub use stop::{Never, Stop};
pub use strategy::{Strategy, strategy};

#[cfg(unix)]
pub use launcher::Launcher;
#[cfg(unix)]
pub use supervise::supervise_main;
#[cfg(unix)]
pub use tree::{Stray, list_strays};
#[cfg(unix)]
pub use watch::watch_parent;
#[cfg(windows)]
pub use windows::{Launcher, Stray, list_strays, supervise_main, watch_parent};

/// The hidden subcommand under which an executable must call [`supervise_main`], before it does anything else.
pub const SUPERVISE_WORD: &str = "__supervise";
