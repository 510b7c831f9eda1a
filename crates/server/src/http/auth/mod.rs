//! Who calls: the operator's token, the tokens of a file, the signed tokens of an issuer.

mod book;
mod challenge;
mod crypto;
mod jwt;
mod keys;
mod watched;

use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::{Grant, Role};
use subtle::ConstantTimeEq;

use super::config::{AccessToken, HttpConfig, HttpError};

pub use book::{TokenBook, TokenEntry, TokenError};
pub use challenge::{NeedsScope, metadata, metadata_of, set_challenge};
pub use jwt::{JwtConfig, KeySource};

use jwt::Jwt;
use watched::Watched;

/// Longest bearer token that is looked at.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// A caller who showed a token.
#[derive(Debug, Clone, Default)]
pub struct Principal {
    pub name: Option<String>,
    /// What he may do; `None` is everything the operator allows.
    pub grant: Option<Arc<Grant>>,
    /// Requests a minute, where the token has a limit of its own.
    pub rate: Option<u32>,
    /// When the token ends.
    pub until: Option<Timestamp>,
    /// Whether an authorisation server can give him more scopes.
    pub is_oauth: bool,
}

impl Principal {
    /// An administrator is a maintainer; the others have the role the operator chose.
    pub fn role(&self) -> Option<Role> {
        self.grant.as_ref().filter(|grant| grant.is_admin()).map(|_| Role::Maintainer)
    }
}

/// Everything a bearer token is compared with.
pub struct Auth {
    tokens: Vec<AccessToken>,
    book: Option<Watched>,
    jwt: Option<Jwt>,
}

impl Auth {
    pub fn new(config: &HttpConfig) -> Result<Auth, HttpError> {
        Ok(Auth {
            tokens: config.tokens.clone(),
            book: config.token_file.clone().map(Watched::open).transpose().map_err(HttpError::Tokens)?,
            jwt: config.jwt.clone().map(Jwt::new).transpose()?,
        })
    }

    /// Whether a caller must show a token at all.
    pub fn is_needed(&self) -> bool {
        !self.tokens.is_empty() || self.book.is_some() || self.jwt.is_some()
    }

    /// The issuer whose tokens are accepted.
    pub fn issuer(&self) -> Option<&str> {
        self.jwt.as_ref().map(Jwt::issuer)
    }

    /// Whose token it is, or why it is nobody's. The token itself is never repeated.
    pub async fn identify(&self, sent: &str) -> Result<Principal, &'static str> {
        const UNKNOWN: &str = "the bearer token is not valid";
        if sent.is_empty() || sent.len() > MAX_TOKEN_BYTES {
            return Err(UNKNOWN);
        }
        let mut found = None;
        for token in &self.tokens {
            // Every token is compared, so that the time does not tell which one was close.
            if bool::from(token.secret.bytes().ct_eq(sent.as_bytes())) {
                found = Some(Principal { name: Some(token.name.clone()), ..Principal::default() });
            }
        }
        if let Some(found) = found {
            return Ok(found);
        }
        if let Some(book) = self.book.as_ref().map(Watched::current)
            && let Some(entry) = book.find(sent)
        {
            return entry.principal(Timestamp::now());
        }
        match &self.jwt {
            Some(jwt) if sent.bytes().filter(|byte| *byte == b'.').count() == 2 => jwt.verify(sent).await,
            _ => Err(UNKNOWN),
        }
    }

    /// Whether a token that was good is still good: neither over nor revoked.
    pub fn still_holds(&self, principal: &Principal) -> bool {
        let now = Timestamp::now();
        let Some(name) = &principal.name else { return true };
        let is_ours = self.tokens.iter().any(|token| token.name == *name);
        let is_listed = || {
            let book = self.book.as_ref().map(Watched::current);
            book.is_some_and(|book| book.get(name).is_some_and(|entry| !entry.is_over(now)))
        };
        principal.until.is_none_or(|until| until > now) && (principal.is_oauth || is_ours || is_listed())
    }
}
