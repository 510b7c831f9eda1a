//! How the HTTP server is set up.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::auth::{JwtConfig, TokenError};
use super::dashboard::Dashboard;

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// A bearer token and the name its calls carry in logs and audit.
#[derive(Debug, Clone)]
pub struct AccessToken {
    pub name: String,
    pub secret: Secret,
}

/// Settings of the HTTP server.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    pub host: IpAddr,
    /// 0 takes any free port.
    pub port: u16,
    /// Accepted bearer tokens; without any, only loopback may be served.
    pub tokens: Vec<AccessToken>,
    /// A file of tokens with scopes; changes hold without a restart.
    pub token_file: Option<PathBuf>,
    /// Signed tokens of an issuer.
    pub jwt: Option<JwtConfig>,
    /// The address clients know the server by, when it is not the one they connect to.
    pub public_url: Option<String>,
    /// Repositories that may be named in a request; `None` means any.
    pub roots: Option<Vec<PathBuf>>,
    /// The repository of a request that names none.
    pub repo: Option<PathBuf>,
    /// Origins whose pages may call the server from a browser.
    pub origins: Vec<String>,
    /// Names accepted in the `Host` header beside the addresses the server is bound to.
    pub hosts: Vec<String>,
    pub body_bytes: usize,
    /// Requests a minute one caller may send: a token, or an address where there is none.
    pub rate_per_minute: Option<u32>,
    pub max_connections: usize,
    /// How long calls may go on after the server was told to stop.
    pub grace: Duration,
    /// Directory of the audit log, for the page that shows it.
    pub audit: Option<PathBuf>,
    /// Pages for people; absent unless asked for.
    pub dashboard: Option<Arc<Dashboard>>,
}

impl HttpConfig {
    /// Whether a caller must show a token.
    pub fn needs_token(&self) -> bool {
        !self.tokens.is_empty() || self.token_file.is_some() || self.jwt.is_some()
    }
}

impl Default for HttpConfig {
    fn default() -> Self {
        HttpConfig {
            host: IpAddr::from([127, 0, 0, 1]),
            port: 7345,
            tokens: Vec::new(),
            token_file: None,
            jwt: None,
            public_url: None,
            roots: None,
            repo: None,
            origins: Vec::new(),
            hosts: Vec::new(),
            body_bytes: 1 << 20,
            rate_per_minute: None,
            max_connections: 1_024,
            grace: Duration::from_secs(5),
            audit: None,
            dashboard: None,
        }
    }
}

/// Why the server does not run.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    #[error("{host} can be reached from other machines, so a bearer token is required")]
    TokenMissing { host: IpAddr },
    #[error("the address {host}:{port} cannot be used")]
    Bind {
        host: IpAddr,
        port: u16,
        #[source]
        source: std::io::Error,
    },
    #[error("the origin {origin} is not of the form scheme://host[:port]")]
    BadOrigin { origin: String },
    #[error(transparent)]
    Tokens(TokenError),
    #[error("access tokens cannot be checked: {reason}")]
    Jwt { reason: String },
    #[error("the server could not start its threads")]
    Threads(#[source] std::io::Error),
    #[error("no random bytes are available")]
    Random,
}
