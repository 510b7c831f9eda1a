//! Addresses: what may be asked for, and where an answer may send us.

use std::net::IpAddr;

use ureq::http::Uri;

use super::DownloadError;

const MAX_URL_BYTES: usize = 2048;

/// An `http` or `https` address without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    uri: Uri,
}

impl Address {
    pub fn parse(text: &str) -> Result<Address, DownloadError> {
        let bad = |reason| DownloadError::BadUrl { url: text.chars().take(200).collect(), reason };
        if text.len() > MAX_URL_BYTES {
            return Err(bad("the address is too long"));
        }
        let uri: Uri = text.parse().map_err(|_| bad("it is not an address"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(bad("only http and https are"));
        }
        let authority = uri.authority().ok_or_else(|| bad("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(bad("it holds credentials"));
        }
        if authority.host().is_empty() {
            return Err(bad("it names no host"));
        }
        Ok(Address { uri })
    }

    /// Where a `Location` header leads.
    pub fn join(&self, location: &str) -> Result<Address, DownloadError> {
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        if location.contains("://") {
            Address::parse(location)
        } else if location.starts_with("//") {
            Address::parse(&format!("{scheme}:{location}"))
        } else if location.starts_with('/') {
            Address::parse(&format!("{scheme}://{authority}{location}"))
        } else {
            let folder = self.uri.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            Address::parse(&format!("{scheme}://{authority}{folder}/{location}"))
        }
    }

    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    pub fn host(&self) -> &str {
        self.uri.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    /// Host and port: two ports of one host are two servers.
    pub fn place(&self) -> String {
        let port = self.uri.port_u16().unwrap_or(if self.is_secure() { 443 } else { 80 });
        format!("{}:{port}", self.host().to_lowercase())
    }

    pub fn is_secure(&self) -> bool {
        self.uri.scheme_str() == Some("https")
    }

    pub fn is_loopback(&self) -> bool {
        self.host() == "localhost" || self.host().parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// The last part of the path, when it can be a file name.
    pub fn file_name(&self) -> Option<&str> {
        let name = self.uri.path().rsplit('/').next().unwrap_or_default();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
        (!name.is_empty() && !name.starts_with('.') && name.len() <= 120 && name.chars().all(is_plain))
            .then_some(name)
    }

    /// Whether one of these hosts is meant: `host`, `host:port`, or `.domain` for all below it.
    pub fn is_among(&self, hosts: &[String]) -> bool {
        let (host, place) = (self.host().to_lowercase(), self.place());
        hosts.iter().map(|allowed| allowed.to_lowercase()).any(|allowed| {
            allowed == host || allowed == place || (allowed.starts_with('.') && host.ends_with(&allowed))
        })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.uri.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_web_addresses_pass() {
        for bad in
            ["file:///etc/passwd", "ftp://host/x", "https://user:secret@host/x", "/x", "https:///x", ""]
        {
            assert!(Address::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Address::parse("https://Host/a/b.zip?x=1").unwrap().file_name(), Some("b.zip"));
        assert_eq!(Address::parse("https://host/a/").unwrap().file_name(), None);
    }

    #[test]
    fn a_location_is_read_from_where_it_stands() {
        let from = Address::parse("https://host:8443/a/b.zip").unwrap();
        for (location, expected) in [
            ("c.zip", "https://host:8443/a/c.zip"),
            ("/c.zip", "https://host:8443/c.zip"),
            ("//other/c.zip", "https://other/c.zip"),
            ("http://other/c.zip", "http://other/c.zip"),
        ] {
            assert_eq!(from.join(location).unwrap().to_string(), expected);
        }
        assert!(from.join("file:///etc/passwd").is_err());
    }

    #[test]
    fn hosts_are_allowed_by_name_port_or_domain() {
        let address = Address::parse("https://cdn.Example.org/x").unwrap();
        let among = |host: &str| address.is_among(&[host.to_owned()]);
        assert!(among("cdn.example.org") && among("cdn.example.org:443") && among(".example.org"));
        assert!(!among("example.org") && !among("cdn.example.org:8443") && !among(".ample.org"));
    }
}
