//! The side of the daemon: listening, and a session for each client that comes.

use std::fs::File;
use std::io::{BufRead, BufReader, PipeReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use mainstay_contract::{ErrorCode, Fault, FaultResult, TOOLING_VERSION};
use mainstay_search::Warm;
use mainstay_server::stdio::{self, Stdio};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};

use super::hello::{self, Hello, MAX_HELLO_BYTES, Reply};
use super::join::stays_home;
use super::sessions::Sessions;
use super::{Place, peer};
use crate::args;
use crate::commands::mcp::Served;
use crate::settings::Settings;
use crate::toolsets::App;

/// How long a client may take to say what it wants.
const HELLO_PATIENCE: Duration = Duration::from_secs(10);
/// How long sessions may take to end with the daemon; a stopped call has three seconds.
const CLEAN_UP: Duration = Duration::from_secs(6);
/// How often the daemon looks whether somebody has tidied its socket away.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 30, tv_nsec: 0 };
/// Connections that are no sessions: questions, and clients that have not said yet what they want.
const MAX_OTHERS: usize = 16;

/// What the threads of a daemon share.
struct Host {
    sessions: Sessions,
    warm: Warm,
    connections: AtomicUsize,
    max_connections: usize,
    started: (Instant, Timestamp),
    stop: Box<dyn Fn() + Send + Sync>,
}

/// Serves clients until `stopped` can be read from or is closed. `listening` hears where.
pub fn run(
    settings: &Settings,
    stopped: &PipeReader,
    stop: impl Fn() + Send + Sync + 'static,
    listening: impl FnOnce(&PathBuf),
) -> FaultResult<()> {
    let internal = |error: std::io::Error| Fault::internal(&error);
    let place = Place::of(settings);
    place.create()?;
    let _held = hold(&place)?;
    let mut listener = bind(&place)?;
    std::fs::create_dir_all(place.nowhere()).map_err(internal)?;
    std::env::set_current_dir(place.nowhere()).map_err(internal)?;
    let max =
        settings.number("daemon-sessions").and_then(|max| usize::try_from(max).ok()).unwrap_or(1).max(1);
    let host = Arc::new(Host {
        sessions: Sessions::new(max),
        warm: Warm::default(),
        connections: AtomicUsize::new(0),
        max_connections: max.saturating_add(MAX_OTHERS),
        started: (Instant::now(), Timestamp::now()),
        stop: Box::new(stop),
    });
    listening(&place.socket());
    loop {
        let mut ready = [PollFd::new(&listener, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut ready, Some(&LOOK_EVERY)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(internal(error.into())),
        }
        let (has_client, is_stopped) = (!ready[0].revents().is_empty(), !ready[1].revents().is_empty());
        if is_stopped {
            break;
        }
        if has_client {
            // A client that has gone already is no reason to end.
            if let Ok((stream, _)) = listener.accept() {
                host.welcome(stream);
            }
        } else if !place.socket().exists() {
            listener = bind(&place)?;
        }
    }
    host.sessions.close(CLEAN_UP);
    // The next daemon removes it if we cannot.
    let _ = std::fs::remove_file(place.socket());
    Ok(())
}

/// Makes sure that this is the only daemon of its build.
fn hold(place: &Place) -> FaultResult<File> {
    let path = place.lock();
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(|error| Fault::internal(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(_) => Err(Fault::new(ErrorCode::Forbidden, "a daemon of this build is running already")
            .hint("look at it with `mainstay daemon status`, end it with `mainstay daemon stop`")),
    }
}

/// Listens; a socket that is left over goes first, because whoever holds the lock is the only daemon.
fn bind(place: &Place) -> FaultResult<UnixListener> {
    let socket = place.socket();
    let _ = std::fs::remove_file(&socket);
    let listener = UnixListener::bind(&socket).map_err(|error| {
        Fault::new(ErrorCode::CapabilityMissing, format!("could not listen at {}: {error}", socket.display()))
            .hint("name a folder with a short path with --runtime-dir")
    })?;
    listener.set_nonblocking(true).map_err(|error| Fault::internal(&error))?;
    Ok(listener)
}

impl Host {
    fn welcome(self: &Arc<Host>, stream: UnixStream) {
        if self.connections.fetch_add(1, Ordering::Relaxed) >= self.max_connections {
            self.connections.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let host = Arc::clone(self);
        let serve = move || {
            if let Err(error) = host.serve(&stream) {
                tracing::debug!("a connection failed: {error}");
            }
            host.connections.fetch_sub(1, Ordering::Relaxed);
        };
        if let Err(error) = std::thread::Builder::new().name("session".into()).spawn(serve) {
            tracing::warn!("a client is not served: {error}");
            self.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn serve(&self, stream: &UnixStream) -> std::io::Result<()> {
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(HELLO_PATIENCE))?;
        stream.set_write_timeout(Some(HELLO_PATIENCE))?;
        if let Some(reason) = peer::refusal(stream) {
            return hello::write(stream, &Reply::Refused(reason.into()));
        }
        let mut line = Vec::new();
        BufReader::new(stream.take(MAX_HELLO_BYTES)).read_until(b'\n', &mut line)?;
        match serde_json::from_slice(&line) {
            Ok(Hello::Join { arguments, folder, environment }) => {
                let loaded = settings(arguments, folder, environment);
                match loaded.and_then(|(settings, fixtures)| self.session(stream, &settings, fixtures)) {
                    Ok(()) => Ok(()),
                    Err(fault) => hello::write(stream, &Reply::Refused(fault.message)),
                }
            }
            Ok(Hello::Status) => hello::write(stream, &Reply::Status(self.status())),
            Ok(Hello::Stop) => {
                hello::write(stream, &Reply::Stopping)?;
                (self.stop)();
                Ok(())
            }
            Err(_) => hello::write(stream, &Reply::Refused("an unknown question".into())),
        }
    }

    /// Serves one client to its end. What fails before the welcome is the client's to report, from its own process.
    fn session(&self, stream: &UnixStream, settings: &Settings, fixtures: bool) -> FaultResult<()> {
        let internal = |error: std::io::Error| Fault::internal(&error);
        let (stopper, ends) = stdio::stopper();
        let seat = self.sessions.enter(peer::pid(stream), settings.work_dir.clone(), stopper.clone());
        let _seat = seat.ok_or_else(|| Fault::new(ErrorCode::QueueOverloaded, "too many clients"))?;
        let app = App::new(settings, fixtures)?.sharing(&self.warm)?.serving();
        let served = Served::new(settings, &app)?;
        stream.set_read_timeout(None).map_err(internal)?;
        stream.set_write_timeout(None).map_err(internal)?;
        let (input, output) = (stream.try_clone().map_err(internal)?, stream.try_clone().map_err(internal)?);
        if hello::write(stream, &Reply::Welcome).is_err() {
            return Ok(());
        }
        let start = |runtime, config| Stdio::start(runtime, config, (stopper, ends), input, output);
        if let Err(fault) = served.serve(start) {
            tracing::warn!("a session failed: {fault}");
        }
        // The reader of the session ends with the stream.
        let _ = stream.shutdown(std::net::Shutdown::Both);
        Ok(())
    }

    fn status(&self) -> Value {
        let (open, opened) = self.warm.indexes();
        json!({
            "pid": std::process::id(),
            "version": TOOLING_VERSION,
            "startedAt": self.started.1.to_string(),
            "uptimeSeconds": self.started.0.elapsed().as_secs(),
            "sessions": self.sessions.report(),
            "indexes": { "open": open, "openedEver": opened },
        })
    }
}

/// The settings of a client, as its own process has loaded them, and whether it wants the fixtures.
fn settings(
    arguments: Vec<String>,
    folder: PathBuf,
    environment: std::collections::BTreeMap<String, String>,
) -> FaultResult<(Settings, bool)> {
    let words = std::iter::once("mainstay".to_owned()).chain(arguments);
    let matches = args::command().try_get_matches_from(words).map_err(Fault::invalid)?;
    let Some(("mcp", matches)) = matches.subcommand() else {
        return Err(Fault::invalid("only `mainstay mcp` joins a daemon"));
    };
    let settings = Settings::load(matches, environment, folder)?;
    match stays_home(&settings) {
        Some(reason) => Err(Fault::invalid(format!("{reason} needs a process of its own"))),
        None => Ok((settings, matches.get_flag("conformance-fixtures"))),
    }
}
