//! Small documents that a server needs itself, such as the public keys of an issuer.

use std::io::Read;
use std::time::Duration;

use super::url::Address;
use super::{Network, client};

/// Nobody waits longer for one.
const PATIENCE: Duration = Duration::from_secs(15);

/// Reads a document of at most `max_bytes`, through the proxy and with the certificates of the settings. Redirects are
/// not followed, and without TLS only this machine is asked.
pub fn get(network: &Network, url: &str, max_bytes: u64) -> Result<Vec<u8>, String> {
    let address = Address::parse(url).map_err(|error| error.to_string())?;
    if !address.is_secure() && !address.is_loopback() {
        return Err(format!("{} must be asked over https", address.host()));
    }
    let agent = client::agent(network, &address).map_err(|error| error.to_string())?;
    let request = agent.get(address.uri().clone()).config().timeout_global(Some(PATIENCE)).build();
    let mut response = request.call().map_err(|error| format!("{}: {error}", address.host()))?;
    if response.status() != 200 {
        return Err(format!("{} answered {}", address.host(), response.status()));
    }
    let mut bytes = Vec::new();
    let body = response.body_mut().as_reader().take(max_bytes + 1);
    { body }.read_to_end(&mut bytes).map_err(|error| format!("{}: {error}", address.host()))?;
    match bytes.len() as u64 > max_bytes {
        true => Err(format!("{} sent more than {max_bytes} bytes", address.host())),
        false => Ok(bytes),
    }
}
