//! Access tokens that an issuer signed.

use std::fmt;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use mainstay_contract::{Grant, Scope, plain};
use serde::Deserialize;

use super::keys::{Keys, MAX_KEYS_BYTES};
use super::{Principal, crypto};
use crate::http::config::HttpError;

/// Longest name of a subject that is kept.
const MAX_SUBJECT_CHARS: usize = 120;
/// Scopes of one token that are looked at.
const MAX_SCOPES: usize = 200;

/// Reads a key set from somewhere else; a large one is refused.
pub type FetchKeys = dyn Fn() -> Result<Vec<u8>, String> + Send + Sync;

/// Where the public keys of an issuer are.
#[derive(Clone)]
pub enum KeySource {
    File(PathBuf),
    Remote(Arc<FetchKeys>),
}

impl KeySource {
    pub(super) fn read(&self) -> Result<Vec<u8>, String> {
        match self {
            KeySource::Remote(fetch) => fetch(),
            KeySource::File(path) => {
                let fail = |error: std::io::Error| format!("{}: {error}", path.display());
                let mut bytes = Vec::new();
                let file = std::fs::File::open(path).map_err(fail)?;
                file.take(MAX_KEYS_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(fail)?;
                Ok(bytes)
            }
        }
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeySource::File(path) => f.debug_tuple("File").field(path).finish(),
            KeySource::Remote(_) => f.write_str("Remote"),
        }
    }
}

/// Which signed tokens are accepted.
#[derive(Debug, Clone)]
pub struct JwtConfig {
    pub issuer: String,
    /// Names of this server; a token must be meant for one of them.
    pub audiences: Vec<String>,
    /// The only ways of signing that are accepted, whatever a token says.
    pub algorithms: Vec<String>,
    pub keys: KeySource,
    /// By how much clocks may differ.
    pub leeway: Duration,
}

pub struct Jwt {
    config: JwtConfig,
    algorithms: Vec<Algorithm>,
    keys: Keys,
}

#[derive(Deserialize)]
struct Claims {
    exp: f64,
    sub: Option<String>,
    client_id: Option<String>,
    azp: Option<String>,
    scope: Option<Words>,
    scp: Option<Words>,
}

/// Issuers write scopes as one text or as a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    Text(String),
    List(Vec<String>),
}

impl Words {
    fn scopes(&self) -> Vec<Scope> {
        let words: Vec<&str> = match self {
            Words::Text(text) => text.split_ascii_whitespace().collect(),
            Words::List(list) => list.iter().map(String::as_str).collect(),
        };
        words.into_iter().take(MAX_SCOPES).filter_map(Scope::parse).collect()
    }
}

impl Jwt {
    pub fn new(config: JwtConfig) -> Result<Jwt, HttpError> {
        let bad = |reason: String| HttpError::Jwt { reason };
        let mut algorithms = Vec::new();
        for name in &config.algorithms {
            let known = Algorithm::from_str(name).ok().filter(|known| crypto::is_supported(*known));
            algorithms.push(known.ok_or_else(|| bad(format!("the algorithm {name} is not supported")))?);
        }
        if algorithms.is_empty() || config.audiences.is_empty() || config.issuer.is_empty() {
            return Err(bad("an issuer, an audience and an algorithm are needed".into()));
        }
        crypto::install();
        let keys = Keys::new(config.keys.clone());
        Ok(Jwt { config, algorithms, keys })
    }

    pub fn issuer(&self) -> &str {
        &self.config.issuer
    }

    /// Checks signature, issuer, audience and time; says whose token it is.
    pub async fn verify(&self, token: &str) -> Result<Principal, &'static str> {
        const UNREADABLE: &str = "the access token cannot be read";
        let header = decode_header(token).map_err(|_| UNREADABLE)?;
        if !self.algorithms.contains(&header.alg) {
            return Err("the access token is signed in a way that is not accepted");
        }
        let kind = header.typ.as_deref().unwrap_or("jwt").to_ascii_lowercase();
        if header.crit.is_some() || !["jwt", "at+jwt", "application/at+jwt"].contains(&kind.as_str()) {
            return Err("the access token is of a kind that is not accepted");
        }
        let key = self.keys.find(header.kid.as_deref(), header.alg).await;
        let key = key.ok_or("the access token is signed with a key the issuer does not publish")?;
        let mut rules = Validation::new(header.alg);
        rules.leeway = self.config.leeway.as_secs();
        rules.validate_nbf = true;
        rules.set_required_spec_claims(&["exp", "iss", "aud"]);
        rules.set_issuer(&[&self.config.issuer]);
        rules.set_audience(&self.config.audiences);
        let claims = decode::<Claims>(token, &key, &rules).map_err(|error| reason(error.kind()))?.claims;
        let subject = claims.sub.or(claims.client_id).or(claims.azp).filter(|subject| !subject.is_empty());
        let subject = subject.ok_or("the access token names nobody")?;
        let subject: String = plain(&subject).chars().take(MAX_SUBJECT_CHARS).collect();
        // Names of our own tokens have no colon, so that nobody can sign himself one.
        let name = format!("jwt:{subject}");
        let scopes = claims.scope.iter().chain(&claims.scp).flat_map(Words::scopes).collect();
        Ok(Principal {
            grant: Some(Arc::new(Grant { token: name.clone(), scopes })),
            name: Some(name),
            rate: None,
            until: Timestamp::from_second(claims.exp as i64).ok(),
            is_oauth: true,
        })
    }
}

fn reason(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ExpiredSignature => "the access token has expired",
        ErrorKind::ImmatureSignature => "the access token is not valid yet",
        ErrorKind::InvalidIssuer => "the access token comes from another issuer",
        ErrorKind::InvalidAudience => "the access token is meant for another server",
        ErrorKind::InvalidSignature => "the signature of the access token is wrong",
        ErrorKind::MissingRequiredClaim(_) => "the access token lacks a claim: exp, iss and aud are needed",
        _ => "the access token is not valid",
    }
}
