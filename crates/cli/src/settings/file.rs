//! `mainstay.toml`: values with the line they stand on.

use std::path::Path;

use toml_edit::{Document, Item, Value};

use super::table::{Kind, Setting};
use super::{Given, SettingsError};

/// Reads a configuration file; an unknown key or a value of the wrong kind is an error.
pub fn read(path: &Path) -> Result<Vec<Given>, SettingsError> {
    let bad =
        |line: usize, reason: String| SettingsError::File { path: path.display().to_string(), line, reason };
    let text = std::fs::read_to_string(path).map_err(|error| SettingsError::Unreadable {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    let document = Document::parse(text.as_str()).map_err(|error| {
        let line = error.span().map_or(0, |span| line_of(&text, span.start));
        bad(line, error.message().to_owned())
    })?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut given = Vec::new();
    for (key, item) in document.iter() {
        let line = document.key(key).and_then(|key| key.span()).map_or(0, |span| line_of(&text, span.start));
        let Some(setting) = Setting::find(key) else {
            let keys = super::table::SETTINGS.iter().map(|setting| setting.key);
            let near = mainstay_runtime::nearest(key, keys, 1);
            let hint = near.first().map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            return Err(bad(line, format!("unknown key {key}{hint}")));
        };
        let value = text_of(item, setting.kind, folder)
            .ok_or_else(|| bad(line, format!("{key} must be {}", describe(setting.kind))))?;
        let origin = mainstay_runtime::Origin::File { path: path.display().to_string(), line };
        given.push(Given { key: setting.key, value, origin });
    }
    Ok(given)
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset.min(text.len())].matches('\n').count() + 1
}

/// The value in the spelling a flag would use; a path is taken from the folder of the file.
fn text_of(item: &Item, kind: Kind, folder: &Path) -> Option<String> {
    let whole = |path: &str| match path {
        "." => folder.display().to_string(),
        path => folder.join(path).display().to_string(),
    };
    match (item.as_value()?, kind) {
        (Value::Boolean(value), Kind::Switch) => Some(value.value().to_string()),
        (Value::Integer(value), Kind::Number) => Some(value.value().to_string()),
        (Value::String(value), Kind::Path) => Some(whole(value.value())),
        (Value::String(value), Kind::Text | Kind::Choice(_)) => Some(value.value().clone()),
        (Value::Array(values), Kind::List | Kind::Paths) => {
            let items: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
            let spelled = |item: &str| if kind == Kind::Paths { whole(item) } else { item.to_owned() };
            items.map(|items| items.into_iter().map(spelled).collect::<Vec<_>>().join(","))
        }
        _ => None,
    }
}

fn describe(kind: Kind) -> String {
    match kind {
        Kind::Switch => "true or false".into(),
        Kind::Text | Kind::Path => "a string".into(),
        Kind::Number => "a whole number".into(),
        Kind::List | Kind::Paths => "a list of strings".into(),
        Kind::Choice(words) => format!("one of {}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use mainstay_fuzz::{Target, run};

    use super::*;

    #[test]
    fn any_file_is_read_or_refused_with_a_line() {
        let target = Target {
            name: "settings",
            corpus: &[
                b"toolsets = [\"search\", \"catalog\"]\nread-only = true\nport = 7345\nrepo = \".\"\n",
                b"[a.b]\nx = 1979-05-27T07:32:00Z\ny = { z = 0x1F }\n'quoted key' = \"\"\"text\"\"\"\n",
            ],
            words: &[
                "[", "]", "[[", "=", "\"", "'''", "{", "}", ".", ",", "\n", "toolsets", "port = ", "1e9",
                "true", "#", "\\u",
            ],
        };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mainstay.toml");
        run(&target, |input| {
            std::fs::write(&path, input).unwrap();
            if let Err(SettingsError::File { line, .. }) = read(&path) {
                assert!(line <= String::from_utf8_lossy(input).matches('\n').count() + 1, "line {line}");
            }
        });
    }
}
