//! The public keys of an issuer: read when needed, kept for a while, bounded.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use serde_json::Value;

use super::jwt::KeySource;

/// Bytes of a key set.
pub const MAX_KEYS_BYTES: usize = 256 * 1024;
const MAX_KEYS: usize = 100;
/// A key set is asked for again after this time.
const FRESH: Duration = Duration::from_secs(10 * 60);
/// Without an answer the old keys hold so long: an issuer that takes a key back must be obeyed some day.
const HOLDS: Duration = Duration::from_secs(60 * 60);
/// A token with an unknown key makes us ask, but not more often than this.
const PAUSE: Duration = Duration::from_secs(30);

#[derive(Default)]
struct Held {
    keys: Arc<Vec<Jwk>>,
    read: Option<Instant>,
    tried: Option<Instant>,
}

pub struct Keys {
    source: KeySource,
    held: Mutex<Held>,
    /// One request asks; the others wait for it or go on with what there is.
    asking: tokio::sync::Mutex<()>,
}

impl Keys {
    pub fn new(source: KeySource) -> Keys {
        Keys { source, held: Mutex::default(), asking: tokio::sync::Mutex::default() }
    }

    fn with<T>(&self, look: impl FnOnce(&mut Held) -> T) -> T {
        look(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The key a token says it was signed with.
    pub async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
        let known = || {
            self.with(|held| {
                let age = held.read?.elapsed();
                (age < HOLDS).then(|| (choose(&held.keys, id, algorithm), age < FRESH))
            })
        };
        if let Some((Some(key), true)) = known() {
            return Some(key);
        }
        self.ask().await;
        known().and_then(|(key, _)| key)
    }

    async fn ask(&self) {
        let _only = self.asking.lock().await;
        let is_due = self.with(|held| {
            let is_due = held.tried.is_none_or(|tried| tried.elapsed() >= PAUSE);
            if is_due {
                held.tried = Some(Instant::now());
            }
            is_due
        });
        if !is_due {
            return;
        }
        let source = self.source.clone();
        let read = tokio::task::spawn_blocking(move || source.read().and_then(|bytes| parse(&bytes)));
        match read.await.unwrap_or_else(|_| Err("reading failed unexpectedly".into())) {
            Ok(keys) => self.with(|held| {
                held.keys = Arc::new(keys);
                held.read = Some(Instant::now());
            }),
            Err(reason) => tracing::warn!("the keys of the token issuer could not be read: {reason}"),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Jwk>, String> {
    if bytes.len() > MAX_KEYS_BYTES {
        return Err(format!("the key set is larger than {MAX_KEYS_BYTES} bytes"));
    }
    let set: Value = serde_json::from_slice(bytes).map_err(|_| "not JSON".to_owned())?;
    let keys = set["keys"].as_array().ok_or("no list of keys")?;
    // A key of a kind we do not know does not spoil the others.
    let keys: Vec<Jwk> =
        keys.iter().take(MAX_KEYS).filter_map(|key| serde_json::from_value(key.clone()).ok()).collect();
    if keys.is_empty() { Err("no key we can use".into()) } else { Ok(keys) }
}

/// The key with that id; without an id the only one that fits.
fn choose(keys: &[Jwk], id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut fitting = keys.iter().filter(|key| fits(key, algorithm)).filter(|key| match id {
        Some(id) => key.common.key_id.as_deref() == Some(id),
        None => true,
    });
    let key = fitting.next()?;
    if id.is_none() && fitting.next().is_some() {
        return None;
    }
    DecodingKey::from_jwk(key).ok()
}

fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let family = match &key.algorithm {
        AlgorithmParameters::RSA(_) => AlgorithmFamily::Rsa,
        AlgorithmParameters::EllipticCurve(_) => AlgorithmFamily::Ec,
        AlgorithmParameters::OctetKeyPair(_) => AlgorithmFamily::Ed,
        // A shared secret in a public list is a mistake or a trap.
        _ => return false,
    };
    let is_for_signing =
        key.common.public_key_use.as_ref().is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    let names_it = key.common.key_algorithm.is_none_or(|named| named.to_string() == format!("{algorithm:?}"));
    family == algorithm.family() && is_for_signing && names_it
}
