//! The file of tokens: names, scopes and hashes. The tokens themselves are nowhere.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::{Grant, Scope};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::Principal;

const VERSION: u32 = 1;
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Tokens in one file; every request is compared with all of them.
const MAX_TOKENS: usize = 1_000;
const MAX_NAME_CHARS: usize = 64;
/// What our tokens begin with, so that scanners of leaked secrets can know them.
const PREFIX: &str = "mst_";
/// The operator's own token has this name.
const RESERVED: &str = "token";

/// What is wrong with a file of tokens, or with what is asked of it.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("could not read the token file {path}: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("the token file {path} can be read by other users")]
    Open { path: String },
    #[error("the token file {path} is not valid: {reason}")]
    Invalid { path: String, reason: String },
    #[error("a token is named by 1 to 64 letters, digits, dots, dashes or underscores, not {name:?}")]
    Name { name: String },
    #[error("there is a token named {name} already")]
    Taken { name: String },
    #[error("there is no token named {name}")]
    Missing { name: String },
    #[error("{word:?} is not a scope")]
    Scope { word: String },
    #[error("a file holds at most {MAX_TOKENS} tokens")]
    Full,
    #[error("no random bytes are available")]
    Random,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenEntry {
    /// What its calls are called in the log.
    pub name: String,
    /// SHA-256 of the token. It has 256 random bits, so that nothing slower is needed.
    pub hash: String,
    pub scopes: Vec<String>,
    pub created: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_minute: Option<u32>,
}

impl TokenEntry {
    fn until(&self) -> Option<Timestamp> {
        self.expires.as_ref().map(|text| text.parse().unwrap_or(Timestamp::MIN))
    }

    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until().is_some_and(|until| until <= now)
    }

    pub fn grant(&self) -> Grant {
        let scopes = self.scopes.iter().filter_map(|word| Scope::parse(word)).collect();
        Grant { token: self.name.clone(), scopes }
    }

    pub(super) fn principal(&self, now: Timestamp) -> Result<Principal, &'static str> {
        if self.is_over(now) {
            return Err("the bearer token has expired");
        }
        Ok(Principal {
            name: Some(self.name.clone()),
            grant: Some(Arc::new(self.grant())),
            rate: self.rate_per_minute,
            until: self.until(),
            is_oauth: false,
        })
    }
}

/// Every token of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenBook {
    version: u32,
    tokens: Vec<TokenEntry>,
}

impl Default for TokenBook {
    fn default() -> Self {
        TokenBook { version: VERSION, tokens: Vec::new() }
    }
}

fn hash_of(text: &str) -> String {
    Sha256::digest(text).iter().fold("sha256:".to_owned(), |hash, byte| format!("{hash}{byte:02x}"))
}

impl TokenBook {
    /// Reads a file; one that others can read, or that says something we do not know, is refused.
    pub fn read(path: &Path) -> Result<TokenBook, TokenError> {
        let shown = || path.display().to_string();
        let unreadable =
            |error: std::io::Error| TokenError::Unreadable { path: shown(), reason: error.to_string() };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0 {
            return Err(TokenError::Open { path: shown() });
        }
        if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
            let reason = "not a file of a sensible size".to_owned();
            return Err(TokenError::Invalid { path: shown(), reason });
        }
        let mut text = String::new();
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(unreadable)?;
        TokenBook::parse(&text).map_err(|reason| TokenError::Invalid { path: shown(), reason })
    }

    fn parse(text: &str) -> Result<TokenBook, String> {
        let book: TokenBook = serde_json::from_str(text).map_err(|error| {
            // The message of a JSON error quotes the text, which may hold a hash.
            format!("line {} is not what `mainstay token` writes", error.line())
        })?;
        if book.version != VERSION {
            return Err(format!("version {} is not known", book.version));
        }
        if book.tokens.len() > MAX_TOKENS {
            return Err(TokenError::Full.to_string());
        }
        for (at, entry) in book.tokens.iter().enumerate() {
            let bad = |what: &str| Err(format!("the {what} of token {} is not valid", at + 1));
            if check_name(&entry.name).is_err() || book.tokens[..at].iter().any(|one| one.name == entry.name)
            {
                return bad("name");
            }
            if entry.scopes.is_empty() || entry.scopes.iter().any(|word| Scope::parse(word).is_none()) {
                return bad("scopes");
            }
            if entry.expires.as_ref().is_some_and(|text| text.parse::<Timestamp>().is_err()) {
                return bad("end");
            }
            let digits = entry.hash.strip_prefix("sha256:").unwrap_or_default();
            if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return bad("hash");
            }
        }
        Ok(book)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        serde_json::to_string_pretty(self).expect("a token book is plain data") + "\n"
    }

    pub fn entries(&self) -> &[TokenEntry] {
        &self.tokens
    }

    pub fn get(&self, name: &str) -> Option<&TokenEntry> {
        self.tokens.iter().find(|entry| entry.name == name)
    }

    /// The entry of a token. All are compared, in the same time.
    pub(super) fn find(&self, sent: &str) -> Option<&TokenEntry> {
        let hash = hash_of(sent);
        let mut found = None;
        for entry in &self.tokens {
            if bool::from(entry.hash.as_bytes().ct_eq(hash.as_bytes())) {
                found = Some(entry);
            }
        }
        found
    }

    /// Makes a token and returns it; this is the only time it can be seen.
    pub fn add(
        &mut self,
        name: &str,
        scopes: &[Scope],
        expires: Option<Timestamp>,
        rate_per_minute: Option<u32>,
        now: Timestamp,
    ) -> Result<String, TokenError> {
        check_name(name)?;
        if self.get(name).is_some() {
            return Err(TokenError::Taken { name: name.to_owned() });
        }
        if self.tokens.len() >= MAX_TOKENS {
            return Err(TokenError::Full);
        }
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(|_| TokenError::Random)?;
        let text = bytes.iter().fold(PREFIX.to_owned(), |text, byte| format!("{text}{byte:02x}"));
        self.tokens.push(TokenEntry {
            name: name.to_owned(),
            hash: hash_of(&text),
            scopes: scopes.iter().map(Scope::to_string).collect(),
            created: format!("{now:.0}"),
            expires: expires.map(|until| format!("{until:.0}")),
            rate_per_minute,
        });
        Ok(text)
    }

    /// Removes a token; whoever holds it is refused from now on.
    pub fn revoke(&mut self, name: &str) -> Result<TokenEntry, TokenError> {
        let at = self.tokens.iter().position(|entry| entry.name == name);
        let at = at.ok_or_else(|| TokenError::Missing { name: name.to_owned() })?;
        Ok(self.tokens.remove(at))
    }
}

fn check_name(name: &str) -> Result<(), TokenError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    match !name.is_empty() && name.len() <= MAX_NAME_CHARS && name.chars().all(plain) && name != RESERVED {
        true => Ok(()),
        false => Err(TokenError::Name { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scopes(words: &[&str]) -> Vec<Scope> {
        words.iter().filter_map(|word| Scope::parse(word)).collect()
    }

    #[test]
    fn a_token_is_found_by_its_text_until_it_ends_or_is_revoked() {
        let now: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-02-01T00:00:00Z".parse().unwrap();
        let mut book = TokenBook::default();
        let first = book.add("ci", &scopes(&["read"]), Some(later), None, now).unwrap();
        let second = book.add("me", &scopes(&["admin"]), None, Some(60), now).unwrap();
        assert!(first.starts_with(PREFIX) && first.len() == 68 && first != second);
        let book = TokenBook::parse(&book.to_text()).unwrap();
        assert!(!book.to_text().contains(&first[4..]));
        assert_eq!(book.find(&first).unwrap().name, "ci");
        assert_eq!(book.find(&second).unwrap().principal(now).unwrap().rate, Some(60));
        assert!(book.find(&first[1..]).is_none() && book.find(&format!("{first} ")).is_none());
        assert!(book.find(&book.get("ci").unwrap().hash).is_none(), "a hash is no token");
        assert!(book.get("ci").unwrap().principal(later).is_err());
        let mut book = book;
        book.revoke("ci").unwrap();
        assert!(book.find(&first).is_none());
        assert!(matches!(book.revoke("ci"), Err(TokenError::Missing { .. })));
    }

    #[test]
    fn what_is_not_a_book_is_refused() {
        let now = Timestamp::UNIX_EPOCH;
        let mut book = TokenBook::default();
        for name in ["", "a b", "token", "jwt:x", "ü", &"x".repeat(65)] {
            assert!(book.add(name, &scopes(&["read"]), None, None, now).is_err(), "{name}");
        }
        book.add("ci", &scopes(&["read"]), None, None, now).unwrap();
        assert!(matches!(book.add("ci", &scopes(&["read"]), None, None, now), Err(TokenError::Taken { .. })));
        let text = book.to_text();
        for (from, to) in [
            ("\"read\"", "\"root\""),
            ("\"version\": 1", "\"version\": 2"),
            ("sha256:", "md5:"),
            ("\"name\"", "\"nick\""),
            ("\"ci\"", "\"token\""),
        ] {
            assert!(TokenBook::parse(&text.replace(from, to)).is_err(), "{from} -> {to}");
        }
        assert!(!TokenBook::parse(&text.replace(':', ";")).unwrap_err().contains("sha256"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), TokenBook::default().to_text()).unwrap();
        assert!(TokenBook::read(file.path()).is_ok());
        for mode in [0o640, 0o604, 0o660, 0o644] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert!(matches!(TokenBook::read(file.path()), Err(TokenError::Open { .. })), "{mode:o}");
        }
    }
}
