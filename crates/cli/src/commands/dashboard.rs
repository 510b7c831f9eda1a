//! `--dashboard`: a page about a server that otherwise speaks on stdio only.

use std::net::IpAddr;

use mainstay_contract::{CancelToken, Fault, FaultResult};
use mainstay_runtime::Runtime;
use mainstay_server::{HttpConfig, HttpError, Identity, Surface, serve_http};

use crate::output::{WARNING, say};
use crate::settings::Settings;

/// Starts the page in the background if it is asked for; its address goes to stderr, nothing to stdout.
pub fn start(settings: &Settings, runtime: &Runtime, identity: &Identity) -> FaultResult<()> {
    if !settings.switch("dashboard").value {
        return Ok(());
    }
    let host = settings.text("dashboard-host").unwrap_or_default();
    let address: IpAddr = host.parse().map_err(|_| Fault::invalid(format!("{host} is not an IP address")))?;
    if !address.is_loopback() {
        let fault =
            Fault::invalid(format!("the dashboard has no password, so it is not served on {address}"));
        return Err(fault.hint("use `mainstay serve --host … --token …`"));
    }
    let port = settings.number("dashboard-port").unwrap_or_default();
    let port = u16::try_from(port).map_err(|_| Fault::invalid(format!("{port} is not a port number")))?;
    let tries = settings.number("dashboard-tries").unwrap_or_default().clamp(1, 1_000);
    let surface = Surface::new(runtime.clone(), identity.clone());
    let repo = settings.repo();
    let serve = move || {
        for next in 0..tries {
            let Some(port) = u16::try_from(next).ok().and_then(|next| port.checked_add(next)) else { break };
            let config = HttpConfig {
                host: address,
                port,
                roots: Some(vec![repo.clone()]),
                repo: Some(repo.clone()),
                ..HttpConfig::default()
            };
            let announce = |address: std::net::SocketAddr| say(format_args!("dashboard: http://{address}/"));
            match serve_http(config, surface.clone(), CancelToken::new(), announce) {
                Err(HttpError::Bind { .. }) => {}
                Err(error) => return say(format_args!("{WARNING}warning:{WARNING:#} no dashboard: {error}")),
                Ok(()) => return,
            }
        }
        say(format_args!(
            "{WARNING}warning:{WARNING:#} no dashboard: {tries} ports from {port} on are in use"
        ));
    };
    std::thread::Builder::new()
        .name("dashboard".into())
        .spawn(serve)
        .map_err(|error| Fault::internal(&error))?;
    Ok(())
}
