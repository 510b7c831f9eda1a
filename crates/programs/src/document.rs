//! A configuration file as a tree that remembers lines and the order of keys.
//!
//! YAML, JSON and TOML end up in the same tree, so that every later check is written once and can name the line. YAML
//! is read as YAML 1.2: `on`, `yes` and `off` are words, not truth values.

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::error::{Problem, ProgramsError};

/// Larger files are refused: a configuration is written by people.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// A value and the line it starts on.
#[derive(Debug, Clone)]
pub struct Node {
    pub line: u32,
    pub data: Data,
}

#[derive(Debug, Clone)]
pub enum Data {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Debug, Clone)]
pub struct Key {
    pub line: u32,
    pub name: String,
}

impl Node {
    /// Returns the value without its lines.
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(flag) => Value::Bool(*flag),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Text(text) => Value::String(text.clone()),
            Data::List(items) => items.iter().map(Node::to_json).collect(),
            Data::Map(entries) => {
                Value::Object(entries.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect())
            }
        }
    }
}

/// Reads a file of bounded size.
pub fn read(path: &Path) -> Result<String, ProgramsError> {
    let io = |source| ProgramsError::Io { path: path.to_owned(), source };
    let size = std::fs::metadata(path).map_err(io)?.len();
    if size > MAX_FILE_BYTES {
        let message = format!("the file has {size} bytes, more than the {MAX_FILE_BYTES} allowed");
        return Err(ProgramsError::invalid(path, Problem::new(0, "", message)));
    }
    std::fs::read_to_string(path).map_err(io)
}

/// Parses the text of a file; the extension of `path` decides the language, YAML when there is none that is known.
pub fn parse(path: &Path, text: &str) -> Result<Node, ProgramsError> {
    let is_toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let parsed = if is_toml { parse_toml(text) } else { parse_yaml(text) };
    parsed.map_err(|problem| ProgramsError::invalid(path, problem))
}

/// Parses JSON without lines, many times faster than with them; nothing for any other text.
///
/// A caller that finds a mistake parses again with [`parse`] to say where it is.
pub fn parse_json_quickly(text: &str) -> Option<Node> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    serde_json::from_str::<Quick>(text).ok().map(|quick| quick.0)
}

struct Quick(Node);

impl<'de> Deserialize<'de> for Quick {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Quick, D::Error> {
        deserializer.deserialize_any(QuickVisitor).map(|data| Quick(Node { line: 0, data }))
    }
}

struct QuickVisitor;

impl<'de> Visitor<'de> for QuickVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Data, E> {
        RawVisitor.visit_bool(flag)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Data, E> {
        RawVisitor.visit_i64(number)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Data, E> {
        RawVisitor.visit_u64(number)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Data, E> {
        RawVisitor.visit_f64(number)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Data, E> {
        RawVisitor.visit_str(text)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Data, E> {
        RawVisitor.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut list = Vec::new();
        while let Some(Quick(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Data, A::Error> {
        let mut map: Vec<(Key, Node)> = Vec::new();
        while let Some(name) = entries.next_key::<String>()? {
            // The reader with lines refuses a repeated key and says where it is.
            if map.iter().any(|(key, _)| key.name == name) {
                return Err(de::Error::custom("a key is repeated"));
            }
            let Quick(value) = entries.next_value()?;
            map.push((Key { line: 0, name }, value));
        }
        Ok(Data::Map(map))
    }
}

/// Deeper than any configuration. The reader takes tens of kilobytes of stack for a level when it is not optimised, and a
/// thread has two megabytes.
const MAX_DEPTH: usize = 32;

fn parse_yaml(text: &str) -> Result<Node, Problem> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
    };
    let spanned: serde_saphyr::Spanned<Raw> =
        serde_saphyr::from_str_with_options(text, options).map_err(|error| {
            let line = error.location().map_or(0, |location| narrow(location.line()));
            Problem::new(line, "", error.without_snippet().to_string())
        })?;
    Ok(spanned.into())
}

fn narrow(line: u64) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

impl From<serde_saphyr::Spanned<Raw>> for Node {
    fn from(spanned: serde_saphyr::Spanned<Raw>) -> Node {
        Node { line: narrow(spanned.referenced.line()), data: spanned.value.0 }
    }
}

struct Raw(Data);

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor).map(Raw)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Data, E> {
        Ok(Data::Bool(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Data, E> {
        Ok(Data::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Data, E> {
        Ok(Data::Number(number.into()))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Data, E> {
        let number = serde_json::Number::from_f64(number).ok_or_else(|| E::custom("not a finite number"))?;
        Ok(Data::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Data, E> {
        Ok(Data::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_none<E>(self) -> Result<Data, E> {
        Ok(Data::Null)
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Data, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Data, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<serde_saphyr::Spanned<Raw>>()? {
            list.push(item.into());
        }
        Ok(Data::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Data, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = entries.next_key::<serde_saphyr::Spanned<String>>()? {
            let value = entries.next_value::<serde_saphyr::Spanned<Raw>>()?;
            map.push((Key { line: narrow(key.referenced.line()), name: key.value }, value.into()));
        }
        Ok(Data::Map(map))
    }
}

fn parse_toml(text: &str) -> Result<Node, Problem> {
    let lines = Lines::of(text);
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(0, |span| lines.at(span.start));
        Problem::new(line, "", error.message().to_owned())
    })?;
    Ok(Node { line: 1, data: lines.map(table.get_ref())? })
}

/// Byte offsets of line starts.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    fn at(&self, offset: usize) -> u32 {
        narrow(self.0.partition_point(|start| *start <= offset) as u64)
    }

    fn map(&self, table: &DeTable<'_>) -> Result<Data, Problem> {
        // The parser sorts keys; their positions give the written order back.
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        let map = entries.into_iter().map(|(key, value)| {
            let line = self.at(key.span().start);
            let name = key.get_ref().to_string();
            Ok((Key { line, name }, Node { line, data: self.value(line, value.get_ref())? }))
        });
        Ok(Data::Map(map.collect::<Result<_, Problem>>()?))
    }

    fn value(&self, line: u32, value: &DeValue<'_>) -> Result<Data, Problem> {
        let bad = |what: &str| Problem::new(line, "", format!("{what} cannot be used here"));
        Ok(match value {
            DeValue::String(text) => Data::Text(text.to_string()),
            DeValue::Boolean(flag) => Data::Bool(*flag),
            DeValue::Integer(number) => {
                let number = i64::from_str_radix(number.as_str(), number.radix());
                Data::Number(number.map_err(|_| bad("a number beyond 64 bits"))?.into())
            }
            DeValue::Float(number) => {
                let number = number.as_str().parse().ok().and_then(serde_json::Number::from_f64);
                Data::Number(number.ok_or_else(|| bad("a number that is not finite"))?)
            }
            DeValue::Datetime(moment) => Data::Text(moment.to_string()),
            DeValue::Table(table) => self.map(table)?,
            DeValue::Array(items) => {
                let items = items.iter().map(|item| {
                    let line = self.at(item.span().start);
                    Ok(Node { line, data: self.value(line, item.get_ref())? })
                });
                Data::List(items.collect::<Result<_, Problem>>()?)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(node: &Node) -> Vec<(String, u32)> {
        match &node.data {
            Data::Map(entries) => entries.iter().map(|(key, _)| (key.name.clone(), key.line)).collect(),
            other => panic!("not a map: {other:?}"),
        }
    }

    #[test]
    fn every_language_keeps_order_and_lines() {
        let want = [("zeta".to_owned(), 1), ("alpha".to_owned(), 2)];
        for (file, text) in
            [("a.yaml", "zeta: 1\nalpha: [on, 2.5]\n"), ("a.toml", "zeta = 1\nalpha = [\"on\", 2.5]\n")]
        {
            let node = parse(Path::new(file), text).unwrap();
            assert_eq!(keys(&node), want, "{file}");
            assert_eq!(node.to_json(), serde_json::json!({"zeta": 1, "alpha": ["on", 2.5]}), "{file}");
        }
        let json = parse(Path::new("a.json"), "{\"zeta\": 1,\n \"alpha\": [\"\\ud83d\\ude80\", null, true]}")
            .unwrap();
        assert_eq!(keys(&json), want);
        assert_eq!(json.to_json()["alpha"], serde_json::json!(["🚀", null, true]));
    }

    #[test]
    fn depth_is_refused_before_the_stack_ends() {
        for deep in ["- ".repeat(2_000), "[".repeat(2_000), format!("a: {}", "{a: ".repeat(2_000))] {
            assert!(parse(Path::new("x.yaml"), &deep).is_err());
        }
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for file in ["x.yaml", "x.json"] {
            assert!(parse(Path::new(file), &nested(MAX_DEPTH)).is_ok(), "{file}");
        }
        assert!(parse(Path::new("x.toml"), &format!("a = {}", "[".repeat(20_000))).is_err());
    }

    #[test]
    fn mistakes_name_the_line() {
        let error = parse(Path::new("x.yaml"), "name: x\n  bad: [unclosed\n").unwrap_err().to_string();
        assert!(error.starts_with("x.yaml: line 2"), "{error}");
        let error = parse(Path::new("x.toml"), "a = 1\nb = = 2\n").unwrap_err().to_string();
        assert!(error.starts_with("x.toml: line 2"), "{error}");
        let error = parse(Path::new("x.yaml"), "a: 1\na: 2\n").unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains('a'), "{error}");
    }
}
