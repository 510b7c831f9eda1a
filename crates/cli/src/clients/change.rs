//! A planned change of one client's file: previewed, then written whole or not at all.

use std::path::{Path, PathBuf};

use super::json::Refused;
use super::{Client, ClientError, Entry, Format, json, toml};
use crate::files;

/// What would become of a file.
#[derive(Debug)]
pub struct Change {
    /// The file as the client names it.
    pub file: PathBuf,
    /// `None` where there is no file.
    pub before: Option<String>,
    pub after: Option<String>,
    backup: Backup,
}

/// What happens to the copy beside the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backup {
    Write,
    Keep,
    Delete,
}

impl Change {
    pub fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Where the text from before the change is kept.
    pub fn backup(&self) -> Option<PathBuf> {
        (self.backup != Backup::Delete && self.before.is_some()).then(|| backup_of(&self.file))
    }

    /// The change as a unified diff, with the values of secrets covered.
    pub fn diff(&self) -> String {
        let text = |text: &Option<String>| text.as_deref().unwrap_or_default().to_owned();
        let (before, after) = (text(&self.before), text(&self.after));
        let diff = similar::TextDiff::from_lines(&before, &after);
        let shown = diff.unified_diff().context_radius(2).missing_newline_hint(false).to_string();
        shown.lines().map(|line| covered(line) + "\n").collect()
    }

    /// Writes the change, unless the file is no longer what was looked at.
    pub fn write(&self) -> Result<(), ClientError> {
        if read(&self.file)? != self.before {
            return Err(ClientError::Changed { file: self.file.clone() });
        }
        let failed = |verb| move |source| ClientError::Io { verb, file: self.file.clone(), source };
        // A link keeps pointing where it points: dotfiles are often links.
        let real = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        let backup = backup_of(&self.file);
        if let (Backup::Write, Some(before)) = (self.backup, &self.before) {
            files::write_like(&backup, before, &real).map_err(failed("keep a copy of"))?;
        }
        match &self.after {
            Some(after) => files::write(&real, after).map_err(failed("write"))?,
            None => std::fs::remove_file(&real).map_err(failed("remove"))?,
        }
        if self.backup == Backup::Delete && backup.exists() {
            std::fs::remove_file(&backup).map_err(failed("remove the copy of"))?;
        }
        Ok(())
    }
}

fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".before-mainstay");
    file.with_file_name(name)
}

fn read(file: &Path) -> Result<Option<String>, ClientError> {
    match std::fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(ClientError::Io { verb: "read", file: file.to_owned(), source }),
    }
}

/// One client's file and the entry in it that is ours.
struct Place<'a> {
    client: Client,
    file: &'a Path,
    name: &'a str,
}

/// A byte order mark, which some editors on Windows write.
const BOM: char = '\u{feff}';

impl Place<'_> {
    fn refuse(&self, refused: Refused) -> ClientError {
        let file = self.file.to_owned();
        match refused {
            Refused::Unreadable(reason) => ClientError::Unreadable { file, reason },
            Refused::NotServers => ClientError::NotServers { file, key: self.client.key() },
        }
    }

    fn get(&self, text: &str) -> Result<Option<Entry>, ClientError> {
        let text = text.trim_start_matches(BOM);
        let found = match self.client.format() {
            Format::Json => json::get(text, self.client, self.name),
            Format::Toml => toml::get(text, self.client, self.name),
        };
        found.map_err(|refused| self.refuse(refused))
    }

    fn edit(
        &self,
        text: &str,
        edit: impl FnOnce(&str) -> Result<String, Refused>,
    ) -> Result<String, ClientError> {
        let (mark, rest) = text.strip_prefix(BOM).map_or(("", text), |rest| ("\u{feff}", rest));
        let edited = edit(rest).map_err(|refused| self.refuse(refused))?;
        Ok(format!("{mark}{edited}"))
    }

    fn set(&self, before: Option<&str>, entry: &Entry) -> Result<String, ClientError> {
        let Some(before) = before.filter(|text| !text.trim().is_empty()) else {
            return Ok(entry.to_block(self.client, self.name));
        };
        self.edit(before, |text| match self.client.format() {
            Format::Json => json::set(text, self.client, self.name, entry),
            Format::Toml => toml::set(text, self.client, self.name, entry),
        })
    }

    fn remove(&self, before: &str) -> Result<String, ClientError> {
        self.edit(before, |text| match self.client.format() {
            Format::Json => json::remove(text, self.client, self.name),
            Format::Toml => toml::remove(text, self.client, self.name),
        })
    }

    /// Our entry in the file; somebody else's under our name is an error.
    fn ours(&self, text: Option<&str>) -> Result<Option<Entry>, ClientError> {
        let text = text.filter(|text| !text.trim().is_empty());
        match text.map(|text| self.get(text)).transpose()?.flatten() {
            Some(entry) if !entry.is_ours() => Err(ClientError::Foreign {
                file: self.file.to_owned(),
                name: self.name.to_owned(),
                command: entry.command,
            }),
            found => Ok(found),
        }
    }
}

/// Plans to add or refresh our entry.
pub fn plan_connect(client: Client, file: &Path, name: &str, entry: &Entry) -> Result<Change, ClientError> {
    let place = Place { client, file, name };
    let before = read(file)?;
    let backup = match place.ours(before.as_deref())? {
        // The copy of the file without us is worth more than one with an older entry.
        Some(_) => Backup::Keep,
        None => Backup::Write,
    };
    let after = Some(place.set(before.as_deref(), entry)?);
    Ok(Change { file: file.to_owned(), before, after, backup })
}

/// Plans to take our entry out: the file as it was if nobody else touched it since, else without the entry.
pub fn plan_disconnect(client: Client, file: &Path, name: &str) -> Result<Change, ClientError> {
    let place = Place { client, file, name };
    let before = read(file)?;
    let Some((text, entry)) = before.as_deref().zip(place.ours(before.as_deref())?) else {
        return Ok(Change { file: file.to_owned(), after: before.clone(), before, backup: Backup::Keep });
    };
    let saved = read(&backup_of(file))?;
    let was = |saved: Option<&str>| place.set(saved, &entry).is_ok_and(|again| again == text);
    let after = match saved.as_deref() {
        Some(saved) if place.ours(Some(saved)).is_ok_and(|ours| ours.is_none()) && was(Some(saved)) => {
            Some(saved.to_owned())
        }
        None if was(None) => None,
        _ => Some(place.remove(text)?),
    };
    Ok(Change { file: file.to_owned(), before, after, backup: Backup::Delete })
}

/// Our entry in a client's file, whoever's command it starts.
pub fn registered(client: Client, file: &Path, name: &str) -> Result<Option<Entry>, ClientError> {
    let text = read(file)?.filter(|text| !text.trim().is_empty());
    text.map(|text| Place { client, file, name }.get(&text)).transpose().map(Option::flatten)
}

/// Words in the name of a key whose value nobody should read over a shoulder.
const SECRET_WORDS: [&str; 6] = ["token", "secret", "password", "passwd", "key", "auth"];

/// A line with the quoted value of a secret-looking key covered.
fn covered(line: &str) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some(at) = rest.find([':', '=']) {
        let (key, value) = rest.split_at(at + 1);
        shown.push_str(key);
        rest = value;
        let word: String = key
            .trim_end_matches([':', '=', ' ', '"'])
            .rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let quoted = value.trim_start();
        let is_secret = SECRET_WORDS.iter().any(|secret| word.contains(secret));
        if let Some(inner) = quoted.strip_prefix('"').filter(|_| is_secret)
            && let Some(end) = inner.find('"').filter(|end| !inner[..*end].contains("${"))
        {
            shown.push_str(&value[..value.len() - quoted.len()]);
            shown.push_str("\"***\"");
            rest = &inner[end + 1..];
        }
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_covered_and_references_are_not() {
        let check = |line: &str, shown: &str| assert_eq!(covered(line), shown);
        check(r#"  "API_KEY": "abc","#, r#"  "API_KEY": "***","#);
        check(r#" "env": {"TOKEN":"abc", "LANG": "C"}}"#, r#" "env": {"TOKEN":"***", "LANG": "C"}}"#);
        check(r#"+  "API_KEY": "${env:API_KEY}""#, r#"+  "API_KEY": "${env:API_KEY}""#);
        check(r#"GITHUB_TOKEN = "abc" # mine"#, r#"GITHUB_TOKEN = "***" # mine"#);
        check(r#"  "args": ["mcp"]"#, r#"  "args": ["mcp"]"#);
        check(r#"  "url": "https://x:1/y""#, r#"  "url": "https://x:1/y""#);
    }
}
