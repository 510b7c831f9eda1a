//! Where things come from: the file the setting `download-sources` names.
//!
//! ```json
//! { "models": { "org/name": [ { "url": "https://…/model.bin", "sha256": "…", "file": "model.bin" } ] },
//!   "dictionaries": { "en": { "url": "https://…/words.txt", "sha256": "…" } },
//!   "extensions": { "sqlite-vec": { "linux-x86_64": { "url": "https://…/vec.tar.gz", "sha256": "…" } } } }
//! ```

use std::collections::BTreeMap;

use serde::Deserialize;

use super::url::Address;
use super::{DownloadError, Network};

const MAX_FILE_BYTES: u64 = 1 << 20;

/// One address and what it must hold.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub url: String,
    /// SHA-256 of the bytes behind the address, in hexadecimal.
    pub sha256: Option<String>,
    /// Name to install a plain file under, or the file to take from an archive.
    pub file: Option<String>,
}

impl Source {
    /// The hash in the form it is compared in.
    pub fn pinned(&self) -> Result<Option<String>, DownloadError> {
        let Some(text) = &self.sha256 else { return Ok(None) };
        let hash = text.trim().to_lowercase();
        match hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            true => Ok(Some(hash)),
            false => Err(mainstay_contract::Fault::invalid("sha256 is not 64 hexadecimal digits").into()),
        }
    }

    pub fn address(&self) -> Result<Address, DownloadError> {
        let address = Address::parse(&self.url)?;
        if !address.is_secure() && !address.is_loopback() && self.sha256.is_none() {
            let url = address.to_string();
            return Err(DownloadError::BadUrl { url, reason: "plain http needs a sha256" });
        }
        Ok(address)
    }
}

/// The operator's list of sources.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    #[serde(default)]
    pub models: BTreeMap<String, Vec<Source>>,
    #[serde(default)]
    pub dictionaries: BTreeMap<String, Source>,
    /// By provider, then by `platform-arch`.
    #[serde(default)]
    pub extensions: BTreeMap<String, BTreeMap<String, Source>>,
}

impl Sources {
    pub fn read(network: &Network) -> Result<Sources, DownloadError> {
        let Some(path) = &network.sources else { return Ok(Sources::default()) };
        let bad = |reason: String| DownloadError::Settings { path: path.display().to_string(), reason };
        let bytes = std::fs::metadata(path).map_err(|error| bad(error.to_string()))?.len();
        if bytes > MAX_FILE_BYTES {
            return Err(bad("larger than 1 MiB".into()));
        }
        let text = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
        serde_json::from_slice(&text).map_err(|error| bad(error.to_string()))
    }
}
