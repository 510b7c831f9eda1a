//! Entries in TOML, edited in place.

use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use super::json::Refused;
use super::{Client, Entry};

/// The entry as a table of its own.
pub fn block(key: &str, name: &str, entry: &Entry) -> String {
    let text = |text: &str| Value::from(text).to_string().trim().to_owned();
    let name = toml_edit::Key::new(name).to_string();
    format!("[{key}.{}]\ncommand = {}\nargs = {}\n", name.trim(), text(&entry.command), list(&entry.args))
}

fn list(args: &[String]) -> Value {
    Value::Array(args.iter().map(String::as_str).collect::<Array>())
}

fn parse(text: &str) -> Result<DocumentMut, Refused> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Refused::Unreadable(error.to_string().trim_end().replace('\n', " "))
    })
}

fn servers<'a>(document: &'a mut DocumentMut, key: &str) -> Result<Option<&'a mut dyn TableLike>, Refused> {
    match document.get_mut(key) {
        None => Ok(None),
        Some(item) => item.as_table_like_mut().map(Some).ok_or(Refused::NotServers),
    }
}

pub fn get(text: &str, client: Client, name: &str) -> Result<Option<Entry>, Refused> {
    let mut document = parse(text)?;
    let Some(servers) = servers(&mut document, client.key())? else { return Ok(None) };
    let Some(entry) = servers.get(name) else { return Ok(None) };
    let field = |key: &str| entry.get(key).and_then(Item::as_value);
    let args = field("args").and_then(Value::as_array).into_iter().flatten();
    Ok(Some(Entry {
        command: field("command").and_then(Value::as_str).unwrap_or_default().to_owned(),
        args: args.filter_map(|arg| arg.as_str().map(str::to_owned)).collect(),
    }))
}

/// Adds the entry at the end, or brings command and arguments of an existing one up to date.
pub fn set(text: &str, client: Client, name: &str, entry: &Entry) -> Result<String, Refused> {
    let key = client.key();
    let mut document = parse(text)?;
    let Some(existing) = servers(&mut document, key)?.and_then(|servers| servers.get_mut(name)) else {
        // Text at the end moves nothing that is there; only servers in an inline table cannot be joined that way.
        let appended = appended(text, &block(key, name, entry));
        return match parse(&appended) {
            Ok(_) => Ok(appended),
            Err(_) => inlined(document, key, name, entry),
        };
    };
    let table = existing.as_table_like_mut().ok_or(Refused::NotServers)?;
    let wanted = [("command", Value::from(entry.command.as_str())), ("args", list(&entry.args))];
    for (key, value) in wanted {
        match table.get(key).and_then(Item::as_value) {
            Some(now) if now.to_string().trim() == value.to_string().trim() => {}
            _ => drop(table.insert(key, Item::Value(value))),
        }
    }
    Ok(document.to_string())
}

fn inlined(mut document: DocumentMut, key: &str, name: &str, entry: &Entry) -> Result<String, Refused> {
    let mut table = toml_edit::InlineTable::new();
    table.insert("command", entry.command.as_str().into());
    table.insert("args", list(&entry.args));
    if let Some(servers) = servers(&mut document, key)? {
        servers.insert(name, Item::Value(Value::InlineTable(table)));
    }
    Ok(document.to_string())
}

fn appended(text: &str, block: &str) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with("\n\n") => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{block}")
}

pub fn remove(text: &str, client: Client, name: &str) -> Result<String, Refused> {
    let Some(entry) = get(text, client, name)? else { return Ok(text.to_owned()) };
    // What we appended is cut out as it stands, so that comments around it stay where they are.
    let block = block(client.key(), name, &entry);
    if let Some(at) = text.find(&block).filter(|_| text.matches(&block).count() == 1) {
        let (before, after) = (&text[..at], &text[at + block.len()..]);
        let before = before.strip_suffix('\n').filter(|rest| rest.ends_with('\n')).unwrap_or(before);
        return Ok(format!("{before}{after}"));
    }
    let mut document = parse(text)?;
    if let Some(servers) = servers(&mut document, client.key())? {
        servers.remove(name);
    }
    Ok(document.to_string())
}
