//! Files from elsewhere: fetched, checked against their hash, unpacked with care and put in place at once.
//!
//! Nothing here decides what is worth having: a tool names an [`Item`], [`install`] brings it.

mod archive;
mod client;
mod error;
mod fetch;
mod get;
mod install;
mod manifest;
mod place;
mod small;
mod sources;
mod url;

use std::path::PathBuf;

pub use archive::Limits;
pub use error::DownloadError;
pub use get::get;
pub use install::{Done, How, Item, Shape, install};
pub use manifest::{Installed, Manifest};
pub use place::{Kind, choose_dir, kind_dir, safe_name};
pub use sources::{Source, Sources};

/// How downloads reach the network; the command line fills it from its settings and environment.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// Proxy for `http` addresses.
    pub http_proxy: Option<String>,
    /// Proxy for `https` addresses.
    pub https_proxy: Option<String>,
    /// Hosts that are reached without a proxy.
    pub no_proxy: Vec<String>,
    /// Certificates that are trusted in place of the built-in ones, as PEM.
    pub ca_file: Option<PathBuf>,
    /// Hosts a download may be redirected to, and that remote callers may name; `.example.org` means all below it.
    pub hosts: Vec<String>,
    /// File that says where models, dictionaries and extensions come from.
    pub sources: Option<PathBuf>,
}
