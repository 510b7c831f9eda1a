//! The first line in each direction on a connection to a daemon.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longer than arguments and environment can be together on most systems.
pub const MAX_HELLO_BYTES: u64 = 4 << 20;
/// A daemon of ours says less.
const MAX_REPLY_BYTES: usize = 1 << 20;

/// What a connection is for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Hello {
    /// Serve a client; after the reply the connection is its stdin and stdout.
    Join {
        /// The command line after the name of the program.
        arguments: Vec<String>,
        folder: PathBuf,
        environment: BTreeMap<String, String>,
    },
    Status,
    Stop,
}

/// What the daemon says to it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reply {
    Welcome,
    Status(Value),
    Stopping,
    Refused(String),
}

pub fn write(mut to: impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line).map_err(io::Error::other)?;
    text.push(b'\n');
    to.write_all(&text)
}

/// Reads a reply and not a byte more: what follows belongs to the session.
pub fn read_reply(mut from: impl Read) -> io::Result<Reply> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.len() < MAX_REPLY_BYTES {
        from.read_exact(&mut byte)?;
        if byte == *b"\n" {
            return serde_json::from_slice(&line).map_err(io::Error::other);
        }
        line.extend_from_slice(&byte);
    }
    Err(io::Error::other("the reply is too long"))
}
