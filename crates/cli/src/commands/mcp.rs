//! `mainstay mcp`: the server on stdin and stdout.

use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use clap::ArgMatches;
use mainstay_contract::{Fault, FaultResult, Tool, Toolset};
use mainstay_programs::Reloader;
use mainstay_runtime::Runtime;
use mainstay_server::stdio::{self, End, Ends, Relayed, SessionConfig, Stdio, Stopper};
use mainstay_server::{Identity, Transport};

use crate::settings::Settings;
use crate::toolsets::App;
use crate::{app, daemon, log};

pub fn run(matches: &ArgMatches) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    log::start(&settings);
    let (stopper, ends) = stops()?;
    let served = || {
        let app = App::new(&settings, matches.get_flag("conformance-fixtures"))?.serving();
        Served::new(&settings, &app)
    };
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let Some(far) = daemon::join(&settings) else {
        return served()?.serve_here(&settings, (stopper, ends));
    };
    let relayed = stdio::relay(&far, transport(&settings), (&stopper, &ends), input, output);
    if let Relayed::Lost(lost) = relayed.map_err(|error| Fault::internal(&error))? {
        tracing::warn!("the daemon is gone; this process serves its client from now on");
        served()?.serve(|runtime, config| {
            Stdio::take_over(runtime, config, (stopper, ends), lost, std::io::stdout())
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Serves a runtime on stdio until the client, a signal or the parent ends it.
pub fn serve(
    settings: &Settings,
    runtime: Runtime,
    identity: Identity,
    reload: Option<Reload>,
) -> FaultResult<ExitCode> {
    Served::of(settings, runtime, identity, reload).serve_here(settings, stops()?)
}

/// What ends a server from outside: signals, and the end of the process that started it.
fn stops() -> FaultResult<(Stopper, Ends)> {
    let (stopper, ends) = stdio::stopper();
    let by_signal = stopper.clone();
    super::on_signal(move || by_signal.stop(End::Stopped))?;
    let by_parent = stopper.clone();
    mainstay_process::watch_parent(move || by_parent.stop(End::Stopped))
        .map_err(|error| Fault::internal(&error))?;
    Ok((stopper, ends))
}

fn transport(settings: &Settings) -> Transport {
    match settings.text("transport") {
        Some("legacy") => Transport::Legacy,
        _ => Transport::Sdk,
    }
}

/// A server for one client, made from settings.
pub struct Served {
    runtime: Runtime,
    config: SessionConfig,
    reload: Option<Reload>,
}

impl Served {
    pub fn new(settings: &Settings, app: &App<'_>) -> FaultResult<Served> {
        let reloader = Reloader::new(app.programs());
        let runtime = app.runtime()?;
        let tools = runtime.registry();
        let others = tools.tools().filter(|tool| tool.def.toolset != Toolset::Programs).cloned().collect();
        Ok(Served::of(settings, runtime, app::identity(), Some(Reload { reloader, others })))
    }

    fn of(settings: &Settings, runtime: Runtime, mut identity: Identity, reload: Option<Reload>) -> Served {
        let reload = reload.filter(|reload| reload.reloader.is_needed());
        identity.list_changed |= reload.is_some();
        let config =
            SessionConfig { identity, transport: transport(settings), naming: app::naming(settings) };
        Served { runtime, config, reload }
    }

    /// Serves the client that started this process.
    fn serve_here(self, settings: &Settings, stops: (Stopper, Ends)) -> FaultResult<ExitCode> {
        super::dashboard::start(settings, &self.runtime, &self.config.identity)?;
        self.serve(|runtime, config| {
            Stdio::start(runtime, config, stops, std::io::stdin(), std::io::stdout())
        })?;
        Ok(ExitCode::SUCCESS)
    }

    /// Serves whoever `start` connects, to the end.
    pub fn serve(
        self,
        start: impl FnOnce(Runtime, SessionConfig) -> std::io::Result<Stdio>,
    ) -> FaultResult<End> {
        let internal = |error: std::io::Error| Fault::internal(&error);
        let server = start(self.runtime.clone(), self.config).map_err(internal)?;
        let (_serving, ended) = channel();
        if let Some(reload) = self.reload {
            reload.start(self.runtime, server.list_changed(), ended).map_err(internal)?;
        }
        Ok(server.wait())
    }
}

/// How often the files of program configurations are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// Program configurations that may change while the server runs.
pub struct Reload {
    pub reloader: Reloader,
    /// The tools of the other toolsets, which stay.
    pub others: Vec<Tool>,
}

impl Reload {
    /// Looks until `ended` has no sender any more.
    fn start(
        mut self,
        runtime: Runtime,
        changed: impl Fn() + Send + 'static,
        ended: Receiver<()>,
    ) -> std::io::Result<()> {
        let look = move || {
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                let Some(loaded) = self.reloader.check() else { continue };
                let replaced = loaded.map_err(|error| error.to_string()).and_then(|programs| {
                    let mut tools = self.others.clone();
                    tools.extend(programs.tools);
                    runtime.replace(tools).map_err(|error| error.to_string())
                });
                match replaced {
                    Ok(()) => changed(),
                    Err(error) => tracing::warn!("the changed configuration is not used: {error}"),
                }
            }
        };
        std::thread::Builder::new().name("reload".into()).spawn(look).map(drop)
    }
}
