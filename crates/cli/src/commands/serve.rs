//! `mainstay serve`: the HTTP API and MCP over HTTP; `mainstay dashboard`: the same with pages for people.

use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use mainstay_contract::{CancelToken, Fault, FaultResult, StopReason};
use mainstay_server::{
    AccessToken, Changes, Fixtures, HttpConfig, HttpError, JwtConfig, KeySource, Secret, Surface, serve_http,
};
use serde_json::json;

use super::dashboard;
use crate::output::{DONE, NAME, Output, print, say};
use crate::settings::{Settings, with_flags};
use crate::toolsets::App;
use crate::{app, log};

pub fn dashboard_command() -> Command {
    with_flags(
        Command::new("dashboard").about("Serve pages that show what the server does and try its tools"),
    )
    .arg(Arg::new("open").long("open").action(ArgAction::SetTrue).help("Show the page in a browser"))
    .after_help("Example: mainstay dashboard --repo .")
}

pub fn run(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let place = Place { host: "host", port: "port", tries: 1 };
    let pages = settings.switch("dashboard").value;
    serve(&settings, &place, pages, matches.get_flag("conformance-fixtures"), |address| {
        announce(address, pages, output);
    })
}

/// A server of its own for the pages: its address is the result, and nothing is opened unless asked for.
pub fn run_dashboard(matches: &ArgMatches, output: Output) -> FaultResult<ExitCode> {
    let settings = super::settings(matches)?;
    let tries = settings.number("dashboard-tries").unwrap_or_default().clamp(1, 1_000);
    let place = Place { host: "dashboard-host", port: "dashboard-port", tries };
    let wants_open = matches.get_flag("open");
    serve(&settings, &place, true, false, |address| {
        let url = format!("http://{address}/dashboard");
        match output.json {
            true => print(&json!({ "event": "listening", "address": address, "dashboard": url }).to_string()),
            false => print(&url),
        }
        output.note("stop with Ctrl-C");
        if wants_open {
            dashboard::open(&url);
        }
    })
}

/// The settings that say where to listen.
struct Place {
    host: &'static str,
    port: &'static str,
    /// Ports tried from that one on.
    tries: u64,
}

fn serve(
    settings: &Settings,
    place: &Place,
    pages: bool,
    fixtures: bool,
    bound: impl Fn(&str),
) -> FaultResult<ExitCode> {
    log::start(settings);
    let changes = Changes::default();
    let fixtures = fixtures.then(|| Arc::new(Fixtures::new(changes.clone())));
    let suite = fixtures.iter().flat_map(|fixtures| fixtures.tools()).collect();
    let app = App::new(settings, fixtures.is_some())?.with_tools(suite).serving();
    let surface = Surface {
        naming: app::naming(settings),
        changes,
        fixtures,
        places: app::places(settings),
        ..Surface::new(app.runtime()?, app::identity())
    };
    let stop = CancelToken::new();
    let told = stop.clone();
    super::on_signal(move || {
        told.cancel(StopReason::Shutdown);
    })?;
    let mut config = config(settings, place)?;
    config.dashboard = pages.then(|| dashboard::pages(settings)).transpose()?;
    let mut left = place.tries;
    loop {
        left -= 1;
        let bound = |address: std::net::SocketAddr| bound(&address.to_string());
        match serve_http(config.clone(), surface.clone(), stop.clone(), bound) {
            Ok(()) => return Ok(ExitCode::SUCCESS),
            Err(HttpError::Bind { .. }) if left > 0 && config.port < u16::MAX => config.port += 1,
            Err(error) => return Err(fault(error)),
        }
    }
}

/// One line with the address: on stdout with `--json`, for a person on stderr.
fn announce(address: &str, pages: bool, output: Output) {
    let url = format!("http://{address}");
    if output.json {
        let mut line =
            json!({ "event": "listening", "address": address, "url": url, "mcp": format!("{url}/mcp") });
        if pages {
            line["dashboard"] = format!("{url}/dashboard").into();
        }
        print(&line.to_string());
    } else {
        say(format_args!("{DONE}Serving{DONE:#} {NAME}{url}{NAME:#} (MCP at {url}/mcp); stop with Ctrl-C"));
        if pages {
            say(format_args!("dashboard: {NAME}{url}/dashboard{NAME:#}"));
        }
    }
}

fn config(settings: &Settings, place: &Place) -> FaultResult<HttpConfig> {
    let host = settings.text(place.host).unwrap_or_default();
    let host: IpAddr = match host {
        "localhost" => IpAddr::from([127, 0, 0, 1]),
        host => host.parse().map_err(|_| {
            Fault::invalid(format!("{host} is not an IP address"))
                .hint(format!("try --{} 127.0.0.1", place.host))
        })?,
    };
    let port = settings.number(place.port).unwrap_or_default();
    let port = u16::try_from(port).map_err(|_| Fault::invalid(format!("{port} is not a port number")))?;
    let tokens =
        settings.text("token").map(|text| AccessToken { name: "token".into(), secret: Secret::new(text) });
    let public_url = settings.text("public-url").map(str::to_owned);
    let rate = settings.number("rate-limit").filter(|rate| *rate > 0);
    Ok(HttpConfig {
        host,
        port,
        tokens: tokens.into_iter().collect(),
        token_file: settings.path("token-file"),
        jwt: jwt(settings)?,
        hosts: public_url.iter().filter_map(|url| host_of(url)).collect(),
        public_url,
        rate_per_minute: rate.map(|rate| u32::try_from(rate).unwrap_or(u32::MAX)),
        audit: settings.path("audit"),
        roots: Some(app::roots(settings)),
        repo: Some(settings.repo()),
        origins: settings.list("cors-origins").value,
        ..HttpConfig::default()
    })
}

/// Largest set of public keys that is read.
const MAX_KEYS_BYTES: u64 = 256 * 1024;

/// Which signed tokens are accepted; none without an issuer.
fn jwt(settings: &Settings) -> FaultResult<Option<JwtConfig>> {
    let missing = |what: &str, hint: &str| Err(Fault::invalid(format!("jwt-issuer needs {what}")).hint(hint));
    let Some(issuer) = settings.text("jwt-issuer").map(str::to_owned) else { return Ok(None) };
    let keys = match (settings.path("jwt-keys-file"), settings.text("jwt-keys-url")) {
        (Some(path), None) => KeySource::File(path),
        (None, Some(url)) => {
            let (network, url) = (crate::toolsets::network(settings), url.to_owned());
            KeySource::Remote(Arc::new(move || mainstay_search::get(&network, &url, MAX_KEYS_BYTES)))
        }
        _ => return missing("the keys of the issuer", "give --jwt-keys-url or --jwt-keys-file, not both"),
    };
    let mut audiences = settings.list("jwt-audience").value;
    if let (true, Some(url)) = (audiences.is_empty(), settings.text("public-url")) {
        let url = url.trim_end_matches('/');
        audiences = vec![format!("{url}/mcp"), url.to_owned()];
    }
    if audiences.is_empty() {
        return missing("the name of this server in tokens", "give --public-url or --jwt-audience");
    }
    let leeway = Duration::from_secs(settings.number("jwt-leeway-s").unwrap_or(60).min(600));
    Ok(Some(JwtConfig { issuer, audiences, algorithms: settings.list("jwt-algorithms").value, keys, leeway }))
}

/// The name in an address, with its port.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().filter(|host| !host.is_empty()).map(str::to_owned)
}

fn fault(error: HttpError) -> Fault {
    let hint = match &error {
        HttpError::TokenMissing { .. } => "give one with --token, or more with --token-file",
        HttpError::Tokens(_) => "make it with `mainstay token add`, private to its owner (chmod 600)",
        HttpError::Jwt { .. } => "look at the settings that begin with jwt-",
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
