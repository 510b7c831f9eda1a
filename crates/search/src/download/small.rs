//! A small document from one address, whole or not at all.

use std::io::Read;

use super::url::Address;
use super::{DownloadError, Network, client};

impl Network {
    /// What stands at an address the operator chose; redirects are not followed.
    pub fn read(&self, url: &str, max_bytes: u64) -> Result<Vec<u8>, DownloadError> {
        let address = Address::parse(url)?;
        let unreachable = |reason: String| DownloadError::Unreachable { host: address.host().into(), reason };
        let agent = client::agent(self, &address)?;
        let response = agent.get(address.uri().clone()).call();
        let response = response.map_err(|error| unreachable(error.to_string()))?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(DownloadError::Status { url: url.to_owned(), status });
        }
        let mut bytes = Vec::new();
        let mut body = response.into_body().into_reader().take(max_bytes + 1);
        body.read_to_end(&mut bytes).map_err(|error| unreachable(error.to_string()))?;
        if bytes.len() as u64 > max_bytes {
            return Err(DownloadError::TooLarge { what: url.to_owned(), limit: max_bytes });
        }
        Ok(bytes)
    }
}
