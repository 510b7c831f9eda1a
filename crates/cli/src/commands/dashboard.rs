//! The dashboard: what its pages are made of, and `--dashboard` beside a server on stdio.

use std::net::IpAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;

use mainstay_contract::{CancelToken, Fault, FaultResult};
use mainstay_foundry::kit::{Kit, LazyKit, Source};
use mainstay_foundry::tokens::emit::css_block;
use mainstay_runtime::Runtime;
use mainstay_server::{Dashboard, HttpConfig, HttpError, Identity, Surface, serve_http};

use super::cost;
use crate::output::{WARNING, say};
use crate::settings::Settings;

/// What the pages need to know: our own kit for their looks, the configured one for the preview.
pub fn pages(settings: &Settings) -> FaultResult<Arc<Dashboard>> {
    let own = LazyKit::new(Source::Embedded).get().map_err(Fault::invalid)?;
    // A kit that cannot be read is the foundry's to report; the pages do without.
    let shown = settings.path("kit").and_then(|dir| LazyKit::new(Source::Directory(dir)).get().ok());
    let shown = shown.unwrap_or_else(|| Arc::clone(&own));
    Ok(Arc::new(Dashboard {
        style: style(&own),
        themes: shown.manifest.themes.clone(),
        brands: shown.manifest.brands.clone(),
        count_tokens: crate::journals::tokens,
        tokenizer: cost::TOKENIZER,
    }))
}

/// Tokens of every theme and the components. Without a choice the system's theme holds.
fn style(kit: &Kit) -> String {
    let mut css = String::new();
    let mut block = |theme: &str, before: &str, selector: &str, after: &str| {
        if let Some(set) = kit.tokens(kit.default_brand(), theme) {
            css.push_str(before);
            css.push_str(&css_block(&set, selector));
            css.push_str(after);
        }
    };
    let unset = ":root:not([data-theme])";
    block("light", "", ":root", "");
    block("dark", "@media (prefers-color-scheme: dark) {\n", unset, "}\n");
    block("hc", "@media (prefers-contrast: more) {\n", unset, "}\n");
    block("dark", "", ":root[data-theme=\"dark\"]", "");
    block("hc", "", ":root[data-theme=\"hc\"]", "");
    css.push_str(&kit.stylesheet());
    css
}

/// Asks the desktop to show an address.
pub fn open(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let mut command = match cfg!(windows) {
        true => Command::new("explorer"),
        false => Command::new(program),
    };
    let started = command.arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    match started {
        Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
        Err(_) => {
            say(format_args!("{WARNING}warning:{WARNING:#} no program to open the page; use the address"))
        }
    }
}

/// Starts the pages in the background if they are asked for; their address goes to stderr, nothing to stdout.
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
    let places = crate::app::places(settings);
    let surface = Surface { places, ..Surface::new(runtime.clone(), identity.clone()) };
    let (repo, audit) = (settings.repo(), settings.path("audit"));
    let pages = pages(settings)?;
    let serve = move || {
        for next in 0..tries {
            let Some(port) = u16::try_from(next).ok().and_then(|next| port.checked_add(next)) else { break };
            let config = HttpConfig {
                host: address,
                port,
                roots: Some(vec![repo.clone()]),
                repo: Some(repo.clone()),
                audit: audit.clone(),
                dashboard: Some(Arc::clone(&pages)),
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
