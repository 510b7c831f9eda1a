//! `mainstay mcp`: the server on stdin and stdout.

use std::process::ExitCode;

use clap::ArgMatches;
use mainstay_contract::{Fault, FaultResult};
use mainstay_runtime::Runtime;
use mainstay_server::Transport;
use mainstay_server::stdio::{End, SessionConfig, Stdio};

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
    let server = Stdio::start(runtime, config, std::io::stdin(), std::io::stdout()).map_err(internal)?;
    let stopper = server.stopper();
    super::on_signal(move || stopper.stop(End::Stopped))?;
    let stopper = server.stopper();
    mainstay_process::watch_parent(move || stopper.stop(End::Stopped)).map_err(internal)?;
    server.wait();
    Ok(ExitCode::SUCCESS)
}
