//! `mainstay mcp`: the server on stdin and stdout.

use std::process::ExitCode;
use std::time::Duration;

use clap::ArgMatches;
use mainstay_contract::{Fault, FaultResult, Tool, Toolset};
use mainstay_programs::Reloader;
use mainstay_runtime::Runtime;
use mainstay_server::stdio::{self, End, SessionConfig, Stdio};
use mainstay_server::{Identity, Transport};

use crate::settings::Settings;
use crate::toolsets::App;
use crate::{app, log};

pub fn run(matches: &ArgMatches) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    log::start(&settings);
    let app = App::new(&settings, matches.get_flag("conformance-fixtures"))?.serving();
    let reloader = Reloader::new(app.programs());
    let runtime = app.runtime()?;
    let others =
        runtime.registry().tools().filter(|tool| tool.def.toolset != Toolset::Programs).cloned().collect();
    serve(&settings, runtime, app::identity(), Some(Reload { reloader, others }))
}

/// Serves a runtime on stdio until the client, a signal or the parent ends it.
pub fn serve(
    settings: &Settings,
    runtime: Runtime,
    mut identity: Identity,
    reload: Option<Reload>,
) -> FaultResult<ExitCode> {
    let reload = reload.filter(|reload| reload.reloader.is_needed());
    identity.list_changed |= reload.is_some();
    let transport = match settings.text("transport") {
        Some("legacy") => Transport::Legacy,
        _ => Transport::Sdk,
    };
    super::dashboard::start(settings, &runtime, &identity)?;
    let config = SessionConfig { identity, transport, naming: app::naming(settings) };
    let internal = |error: std::io::Error| Fault::internal(&error);
    let (stopper, ends) = stdio::stopper();
    let by_signal = stopper.clone();
    super::on_signal(move || by_signal.stop(End::Stopped))?;
    let by_parent = stopper.clone();
    mainstay_process::watch_parent(move || by_parent.stop(End::Stopped)).map_err(internal)?;
    let server = Stdio::start(runtime.clone(), config, (stopper, ends), std::io::stdin(), std::io::stdout())
        .map_err(internal)?;
    if let Some(reload) = reload {
        reload.start(runtime, server.list_changed()).map_err(internal)?;
    }
    server.wait();
    Ok(ExitCode::SUCCESS)
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
    fn start(mut self, runtime: Runtime, changed: impl Fn() + Send + 'static) -> std::io::Result<()> {
        let look = move || {
            loop {
                std::thread::sleep(LOOK);
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
