//! Logs: structured, on stderr, quiet unless asked for.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::uptime;

use crate::settings::Settings;

/// Starts logging. `RUST_LOG` chooses what; `MCP_LOG_VERBOSE` and `MCP_LOG_MUTATION` are the Catalog seed's switches.
pub fn start(settings: &Settings) {
    start_at(settings, None);
}

/// Starts logging at a level of the Programs seed's command line, where one is given.
pub fn start_at(settings: &Settings, level: Option<&str>) {
    let default = match level {
        Some("DEBUG") => "debug",
        Some("INFO") => "info",
        Some("ERROR") => "error",
        Some(_) => "warn",
        None => default_filter(settings),
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    // A second start in one process keeps the first subscriber.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_timer(uptime())
        .with_ansi(false)
        .try_init();
}

fn default_filter(settings: &Settings) -> &'static str {
    match settings.switch("log-verbose").value {
        true => "warn,rmcp=off,mainstay=debug,mainstay_runtime=debug,mainstay_catalog=debug",
        false if settings.switch("log-mutation").value => "warn,rmcp=off,mainstay_catalog::mutation=info",
        false => "warn,rmcp=off",
    }
}
