//! Logs: structured, on stderr, quiet unless asked for.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::time::uptime;

use crate::settings::Settings;

/// Starts logging. `RUST_LOG` chooses what; `MCP_LOG_VERBOSE` and `MCP_LOG_MUTATION` are the Catalog seed's switches.
pub fn start(settings: &Settings) {
    let default = match settings.switch("log-verbose").value {
        true => "warn,mainstay=debug,mainstay_runtime=debug,mainstay_catalog=debug",
        false if settings.switch("log-mutation").value => "warn,mainstay_catalog::mutation=info",
        false => "warn",
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
