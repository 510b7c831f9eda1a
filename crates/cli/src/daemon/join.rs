//! The side of the client: finding a daemon, and asking it.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use super::Place;
use super::hello::{self, Hello, Reply};
use crate::settings::Settings;

/// What a daemon on a busy machine may need to make a session; a client does without it then.
const PATIENCE: Duration = Duration::from_secs(10);

/// Settings that are about the process itself, so that a client who uses them has to be served by its own.
const OWN_FILES: [&str; 2] = ["record", "programs-policy"];
const OWN_SWITCHES: [&str; 3] = ["dashboard", "log-verbose", "log-mutation"];

/// Why these settings need a process of their own.
pub fn stays_home(settings: &Settings) -> Option<&'static str> {
    let file = OWN_FILES.into_iter().find(|key| settings.text(key).is_some_and(|text| !text.is_empty()));
    let switch = OWN_SWITCHES.into_iter().find(|key| settings.switch(key).value);
    file.or(switch).or_else(|| settings.env.contains_key("RUST_LOG").then_some("RUST_LOG"))
}

/// A session with a running daemon; none is an everyday thing, so that the reason only goes to the log.
pub fn join(settings: &Settings) -> Option<UnixStream> {
    if !settings.switch("join-daemon").value || stays_home(settings).is_some() {
        return None;
    }
    let place = Place::of(settings);
    let socket = place.socket();
    if !place.is_ours() || !socket.exists() {
        return None;
    }
    match joined(settings, &socket) {
        Ok(stream) => Some(stream),
        Err(error) => {
            tracing::info!("no daemon at {}: {error}", socket.display());
            None
        }
    }
}

fn joined(settings: &Settings, socket: &Path) -> io::Result<UnixStream> {
    let arguments: Result<Vec<String>, _> =
        std::env::args_os().skip(1).map(|word| word.into_string()).collect();
    let arguments = arguments.map_err(|_| io::Error::other("an argument is not UTF-8"))?;
    let (folder, environment) = (settings.work_dir.clone(), settings.env.clone());
    let (stream, reply) = talk(socket, &Hello::Join { arguments, folder, environment })?;
    match reply {
        Reply::Welcome => Ok(stream),
        Reply::Refused(reason) => Err(io::Error::other(reason)),
        Reply::Status(_) | Reply::Stopping => Err(io::Error::other("an unexpected reply")),
    }
}

fn talk(socket: &Path, hello: &Hello) -> io::Result<(UnixStream, Reply)> {
    let stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    hello::write(&stream, hello)?;
    let reply = hello::read_reply(&stream)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    Ok((stream, reply))
}

/// A socket and who answers there.
pub struct Found {
    pub socket: PathBuf,
    /// Whether clients of this build join it.
    pub is_joined: bool,
    /// What it says of itself; nobody answers when there is nothing.
    pub status: Option<Value>,
}

/// The daemons of this user, of every build.
pub fn find(settings: &Settings) -> Vec<Found> {
    let place = Place::of(settings);
    let own = place.socket();
    let look = |socket: PathBuf| {
        let status = match talk(&socket, &Hello::Status) {
            Ok((_, Reply::Status(status))) => Some(status),
            _ => None,
        };
        Found { is_joined: socket == own, socket, status }
    };
    place.sockets().into_iter().map(look).collect()
}

/// Asks the daemon of this build to end.
pub fn ask_to_stop(settings: &Settings) -> io::Result<()> {
    let place = Place::of(settings);
    if !place.is_ours() {
        return Err(io::ErrorKind::NotFound.into());
    }
    talk(&place.socket(), &Hello::Stop).map(drop)
}
