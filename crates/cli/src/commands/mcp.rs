//! `mainstay mcp`: the server on stdin and stdout.

use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::{Fault, FaultResult};
use mainstay_runtime::Runtime;
use mainstay_server::Transport;
use mainstay_server::stdio::{self, End, SessionConfig, Stdio};

use crate::app::App;
use crate::settings::Settings;
use crate::{app, log};

pub fn run(matches: &ArgMatches) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    log::start(&settings);
    let app = App::new(&settings, matches.get_flag("conformance-fixtures"))?;
    serve(&settings, app.runtime()?)
}

/// Serves a runtime on stdio until the client, a signal or the parent ends it.
pub fn serve(settings: &Settings, runtime: Runtime) -> FaultResult<ExitCode> {
    let transport = match settings.text("transport") {
        Some("legacy") => Transport::Legacy,
        _ => Transport::Sdk,
    };
    let config =
        SessionConfig { identity: app::identity(settings), transport, naming: app::naming(settings) };
    let internal = |error: std::io::Error| Fault::internal(&error);
    let (stopper, ends) = stdio::stopper();
    let by_signal = stopper.clone();
    super::on_signal(move || by_signal.stop(End::Stopped))?;
    let by_parent = stopper.clone();
    mainstay_process::watch_parent(move || by_parent.stop(End::Stopped)).map_err(internal)?;
    let server = Stdio::start(runtime, config, (stopper, ends), std::io::stdin(), std::io::stdout())
        .map_err(internal)?;
    server.wait();
    Ok(ExitCode::SUCCESS)
}
