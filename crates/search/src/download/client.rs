//! The HTTP client: certificates, proxies and the patience of one attempt.

use std::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Proxy};

use super::url::Address;
use super::{DownloadError, Network};

const CONNECT: Duration = Duration::from_secs(15);
/// A server that sends nothing for this long is gone.
const SILENCE: Duration = Duration::from_secs(30);

/// An agent for one address; redirects and statuses are for the caller to judge.
pub fn agent(network: &Network, address: &Address) -> Result<Agent, DownloadError> {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(proxy(network, address)?)
        .tls_config(TlsConfig::builder().root_certs(roots(network)?).build())
        // Ranges and hashes are about the bytes as they are stored.
        .accept_encoding("identity")
        .user_agent(concat!("mainstay/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(CONNECT))
        .timeout_connect(Some(CONNECT))
        .timeout_per_read(Some(SILENCE))
        .timeout_per_write(Some(SILENCE))
        .build();
    Ok(config.new_agent())
}

fn roots(network: &Network) -> Result<RootCerts, DownloadError> {
    let Some(path) = &network.ca_file else { return Ok(RootCerts::WebPki) };
    let bad = |reason: String| DownloadError::Settings { path: path.display().to_string(), reason };
    let text = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let mut certificates: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(&text) {
        if let PemItem::Certificate(certificate) = item.map_err(|error| bad(error.to_string()))? {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(bad("holds no certificate".into()));
    }
    Ok(RootCerts::new_with_certs(&certificates))
}

fn proxy(network: &Network, address: &Address) -> Result<Option<Proxy>, DownloadError> {
    let chosen = if address.is_secure() { &network.https_proxy } else { &network.http_proxy };
    let Some(text) = chosen.as_deref().filter(|text| !text.is_empty()) else { return Ok(None) };
    if is_direct(&network.no_proxy, address) {
        return Ok(None);
    }
    // The text may hold a password, so that it is not repeated.
    Proxy::new(text).map(Some).map_err(|_| DownloadError::Settings {
        path: "proxy".into(),
        reason: "not the address of an http or https proxy".into(),
    })
}

/// Whether a host is reached without a proxy: `*`, a name with all below it, or an address.
fn is_direct(no_proxy: &[String], address: &Address) -> bool {
    let host = address.host().to_lowercase();
    no_proxy.iter().map(|entry| entry.trim().to_lowercase()).filter(|entry| !entry.is_empty()).any(|entry| {
        let name = entry.trim_start_matches("*.").trim_start_matches('.');
        entry == "*" || host == name || host.ends_with(&format!(".{name}")) || address.place() == entry
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_proxy_names_hosts_and_domains() {
        let address = Address::parse("https://a.example.org/x").unwrap();
        let direct = |entry: &str| is_direct(&[entry.to_owned()], &address);
        assert!(direct("*") && direct("example.org") && direct(".example.org") && direct("a.example.org"));
        assert!(!direct("b.example.org") && !direct("ple.org") && !direct(""));
    }
}
