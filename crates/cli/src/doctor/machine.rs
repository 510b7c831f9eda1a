//! Rows about the machine: programs, processes, the port.

use std::net::{IpAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_process::{Command, Finished, Never, list_strays, strategy};
use serde_json::{Value, json};

use super::{Look, Row, State};

/// What a program may need to say its version on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// Programs that show pages, best known first.
const BROWSERS: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "firefox"];

/// Where the shell would find a program.
fn find(look: &Look<'_>, name: &str) -> Option<PathBuf> {
    let path = look.settings.env.get("PATH")?;
    std::env::split_paths(path).map(|dir| dir.join(name)).find(|file| is_program(file))
}

pub(super) fn is_program(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        file.is_file()
    }
}

fn ran(look: &Look<'_>, program: impl Into<std::ffi::OsString>, args: &[&str]) -> Option<Finished> {
    let command = Command::new(program, look.child_env()).args(args).deadline(PATIENCE);
    look.launcher.run(&command, &Never, &mut |_, _| {}).ok()
}

pub(super) fn program(look: &Look<'_>) -> Row {
    let version = mainstay_contract::TOOLING_VERSION;
    let this = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let shown = this.as_ref().map_or_else(|| "an unknown place".into(), |path| path.display().to_string());
    let found = find(look, "mainstay");
    let is_same = found.as_ref().and_then(|path| std::fs::canonicalize(path).ok()) == this && this.is_some();
    let facts = json!({ "version": version, "path": this, "onPath": found });
    let detail = format!("mainstay {version}, {shown}");
    let row = match found {
        Some(_) if is_same => Row::new("program", State::Ok, detail),
        Some(other) => {
            Row::new("program", State::Note, format!("{detail}; the shell finds {} first", other.display()))
        }
        None => Row::new("program", State::Note, format!("{detail}; not on the search path of the shell")),
    };
    row.facts(facts)
}

pub(super) fn git(look: &Look<'_>) -> Row {
    let missing = || {
        Row::new("git", State::Warning, "not found; history and changed files cannot be told")
            .next("install git")
            .facts(json!({ "version": null }))
    };
    if find(look, "git").is_none() {
        return missing();
    }
    match ran(look, "git", &["--version"]).filter(|finished| finished.status.is_success()) {
        Some(finished) => {
            let version = finished.stdout.text().trim().to_owned();
            Row::new("git", State::Ok, version.clone()).facts(json!({ "version": version }))
        }
        None => missing(),
    }
}

pub(super) fn browser(look: &Look<'_>) -> Row {
    let found = BROWSERS.iter().find_map(|name| find(look, name));
    let facts = json!({ "path": found });
    let row = match found {
        Some(path) => Row::new("browser", State::Ok, path.display().to_string()),
        None => {
            Row::new("browser", State::Note, "none found; only the dashboard and foundry previews want one")
        }
    };
    row.facts(facts)
}

pub(super) fn processes(look: &Look<'_>) -> Row {
    let way = strategy();
    let facts = json!({ "strategy": way.as_str() });
    let started = std::env::current_exe().ok().and_then(|program| ran(look, program, &["--version"]));
    let row = match started {
        Some(finished) if finished.status.is_success() => {
            let reach = match way {
                mainstay_process::Strategy::Subreaper => "programs end with everything they started",
                mainstay_process::Strategy::Group => "programs end with their process group",
                mainstay_process::Strategy::Taskkill => "programs end with what taskkill finds",
            };
            Row::new("processes", State::Ok, format!("{way}: {reach}"))
        }
        _ => Row::new("processes", State::Problem, "the supervisor of programs does not start")
            .next("check that this program may start itself, with `mainstay __supervise </dev/null`"),
    };
    row.facts(facts)
}

pub(super) fn port(look: &Look<'_>) -> Row {
    let host = look.settings.text("host").unwrap_or_default();
    let address = if host == "localhost" { "127.0.0.1" } else { host };
    let port = look.settings.number("port").and_then(|port| u16::try_from(port).ok());
    let facts = json!({ "host": host, "port": port });
    let (Ok(address), Some(port)) = (address.parse::<IpAddr>(), port) else {
        let detail = format!("{host} is no address, or the port is none");
        return Row::new("port", State::Problem, detail).next("set `host` and `port`").facts(facts);
    };
    let row = match TcpListener::bind((address, port)) {
        Ok(_) if port == 0 => Row::new("port", State::Ok, "`mainstay serve` takes any free port"),
        Ok(_) => Row::new("port", State::Ok, format!("{address}:{port} is free for `mainstay serve`")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Row::new(
            "port",
            State::Note,
            format!("{address}:{port} is in use; `mainstay serve --port 0` takes another"),
        ),
        Err(error) => Row::new("port", State::Warning, format!("{address}:{port} cannot be used: {error}"))
            .next("choose another address with `host`"),
    };
    row.facts(facts)
}

pub(super) fn daemon(look: &Look<'_>) -> Row {
    let found = crate::daemon::find(look.settings);
    let facts: Vec<Value> = found
        .iter()
        .map(|one| json!({ "socket": one.socket, "joined": one.is_joined, "status": one.status }))
        .collect();
    let facts = json!({ "daemons": facts, "joins": look.settings.switch("join-daemon").value });
    let running = || found.iter().filter_map(|one| Some((one.is_joined, one.status.as_ref()?)));
    let pid = |status: &Value| status["pid"].to_string();
    let foreign: Vec<String> =
        running().filter(|(is_joined, _)| !is_joined).map(|(_, status)| pid(status)).collect();
    let own = running().find(|(is_joined, _)| *is_joined);
    let detail = match own {
        Some((_, status)) => {
            let clients = status["sessions"]["now"].as_array().map_or(0, Vec::len) as u64;
            let (pid, clients) = (pid(status), crate::units::many(clients, "client"));
            format!("process {pid} serves {clients}; indexes in memory: {}", status["indexes"]["open"])
        }
        None => "none runs; each client has a server of its own".to_owned(),
    };
    let state = if own.is_some() { State::Ok } else { State::Note };
    if foreign.is_empty() {
        return Row::new("daemon", state, detail).facts(facts);
    }
    let left = format!("{detail}; of another build: {}", foreign.join(", "));
    Row::new("daemon", State::Warning, left)
        .next(format!("end what an older build left running with `kill {}`", foreign.join(" ")))
        .facts(facts)
}

pub(super) fn strays() -> Row {
    let strays: Vec<_> = list_strays(None).into_iter().filter(|stray| !stray.is_supervised).collect();
    let facts: Vec<Value> = strays
        .iter()
        .map(|stray| json!({ "pid": stray.pid, "name": stray.name, "call": stray.call }))
        .collect();
    let facts = json!({ "strays": facts });
    if strays.is_empty() {
        return Row::new("strays", State::Ok, "no program outlived its call").facts(facts);
    }
    let named: Vec<String> = strays.iter().map(|stray| format!("{} ({})", stray.pid, stray.name)).collect();
    let pids: Vec<String> = strays.iter().map(|stray| stray.pid.to_string()).collect();
    Row::new("strays", State::Warning, format!("outlived their call: {}", named.join(", ")))
        .next(format!("look at them and end them with `kill {}`", pids.join(" ")))
        .facts(facts)
}
