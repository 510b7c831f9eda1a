//! `mainstay serve`: the HTTP API and MCP over HTTP.

use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ArgMatches;
use mainstay_contract::{CancelToken, Fault, FaultResult, StopReason};
use mainstay_server::{AccessToken, Changes, Fixtures, HttpConfig, HttpError, Secret, Surface, serve_http};
use serde_json::json;

use crate::output::{DONE, NAME, Output, print, say};
use crate::settings::Settings;
use crate::toolsets::App;
use crate::{app, log};

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    log::start(&settings);
    let changes = Changes::default();
    let fixtures = matches.get_flag("conformance-fixtures").then(|| Arc::new(Fixtures::new(changes.clone())));
    let suite = fixtures.iter().flat_map(|fixtures| fixtures.tools()).collect();
    let app = App::new(&settings, fixtures.is_some())?.with_tools(suite).serving();
    let surface = Surface {
        naming: app::naming(&settings),
        changes,
        fixtures,
        ..Surface::new(app.runtime()?, app::identity())
    };
    let stop = CancelToken::new();
    let told = stop.clone();
    super::on_signal(move || {
        told.cancel(StopReason::Shutdown);
    })?;
    serve_http(config(&settings)?, surface, stop, |address| announce(&address.to_string(), output))
        .map_err(fault)?;
    Ok(ExitCode::SUCCESS)
}

/// One line with the address: on stdout with `--json`, for a person on stderr.
fn announce(address: &str, output: Output) {
    let url = format!("http://{address}");
    if output.json {
        print(
            &json!({ "event": "listening", "address": address, "url": url, "mcp": format!("{url}/mcp") })
                .to_string(),
        );
    } else {
        say(format_args!("{DONE}Serving{DONE:#} {NAME}{url}{NAME:#} (MCP at {url}/mcp); stop with Ctrl-C"));
    }
}

fn config(settings: &Settings) -> FaultResult<HttpConfig> {
    let host = settings.text("host").unwrap_or_default();
    let host: IpAddr = match host {
        "localhost" => IpAddr::from([127, 0, 0, 1]),
        host => host.parse().map_err(|_| {
            Fault::invalid(format!("{host} is not an IP address")).hint("try --host 127.0.0.1")
        })?,
    };
    let port = settings.number("port").unwrap_or_default();
    let port = u16::try_from(port).map_err(|_| Fault::invalid(format!("{port} is not a port number")))?;
    let named = settings.list("allowed-repo-roots").value;
    let roots = std::iter::once(settings.repo()).chain(named.iter().map(|root| settings.work_dir.join(root)));
    let tokens =
        settings.text("token").map(|text| AccessToken { name: "token".into(), secret: Secret::new(text) });
    Ok(HttpConfig {
        host,
        port,
        tokens: tokens.into_iter().collect(),
        roots: Some(roots.collect()),
        repo: Some(settings.repo()),
        origins: settings.list("cors-origins").value,
        ..HttpConfig::default()
    })
}

fn fault(error: HttpError) -> Fault {
    let hint = match &error {
        HttpError::TokenMissing { .. } => "give one with --token or MAINSTAY_TOKEN",
        HttpError::Bind { .. } => "choose another with --port; 0 takes a free one",
        HttpError::BadOrigin { .. } => "write --cors-origins https://host",
        HttpError::Threads(_) | HttpError::Random => return Fault::internal(&error),
    };
    let mut message = error.to_string();
    if let HttpError::Bind { source, .. } = &error {
        message.push_str(&format!(": {source}"));
    }
    Fault::invalid(message).hint(hint)
}
