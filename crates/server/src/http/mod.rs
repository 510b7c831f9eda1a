//! The HTTP API and MCP over Streamable HTTP, on one address.

mod api;
mod app;
mod auth;
mod body;
mod config;
mod dashboard;
mod guard;
mod metrics;
pub(crate) mod narrow;
mod page;
mod query;
mod rate;
mod reply;
mod serve;
mod sse;
mod step_up;

pub(crate) use api::CALL_HEADERS;
pub use auth::{JwtConfig, KeySource, TokenBook, TokenEntry, TokenError};
pub use config::{AccessToken, HttpConfig, HttpError, Secret};
pub use dashboard::Dashboard;
pub(crate) use guard::OPEN_PATHS;
pub(crate) use narrow::header_of;
pub use serve::run;
