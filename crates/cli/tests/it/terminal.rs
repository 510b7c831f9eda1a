//! A command at a terminal, with somebody typing.

use std::io::Write;
use std::process::Stdio;

use crate::site::{MAINSTAY, Site};

/// What a terminal showed, and the exit status.
pub struct Shown {
    pub exit: i32,
    pub text: String,
}

/// Runs `mainstay ARGS` at a terminal of its own and types `lines`.
pub fn at_terminal(site: &Site, args: &str, lines: &str) -> Shown {
    let mut command = site.program("script");
    command.args(["--quiet", "--return", "--command", &format!("'{MAINSTAY}' {args}"), "/dev/null"]);
    command.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
    Shown { exit: output.status.code().unwrap(), text }
}
