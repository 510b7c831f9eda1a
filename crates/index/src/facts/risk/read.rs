//! Reads rules of a user: TOML of the shape of `risk/rules.toml`, every mistake named.

use super::{Category, Role, Rule};
use crate::lang::LangId;

type Entry = toml::Table;

const KINDS: [&str; 4] = ["category", "source", "sink", "sanitizer"];
const CATEGORY_KEYS: [&str; 5] = ["name", "tags", "ids", "severity", "alone"];
const RULE_KEYS: [&str; 12] = [
    "name",
    "languages",
    "calls",
    "reads",
    "fills",
    "writes",
    "category",
    "categories",
    "arg",
    "when",
    "unless",
    "tags",
];
const SEVERITIES: [&str; 4] = ["low", "medium", "high", "critical"];

pub(super) fn read(text: &str) -> Result<Vec<Rule>, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let line =
            error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        format!("line {line}: {}", error.message())
    })?;
    if let Some(other) = table.keys().find(|key| !KINDS.contains(&key.as_str())) {
        return Err(format!("{other} is none of {}", KINDS.join(", ")));
    }
    let mut categories: Vec<&'static Category> = Vec::new();
    for entry in entries(&table, "category")? {
        let category = category(&entry)?;
        let exists = |name: &str| super::book::category(name).is_some();
        if exists(category.name) || categories.iter().any(|known| known.name == category.name) {
            return Err(format!("category {:?} exists already", category.name));
        }
        categories.push(Box::leak(Box::new(category)));
    }
    let mut rules = Vec::new();
    for (kind, role) in [("source", Role::Source), ("sink", Role::Sink), ("sanitizer", Role::Sanitizer)] {
        for entry in entries(&table, kind)? {
            rules.push(rule(kind, role, &entry, &categories)?);
        }
    }
    Ok(rules)
}

fn entries(table: &toml::Table, kind: &str) -> Result<Vec<Entry>, String> {
    let Some(value) = table.get(kind) else { return Ok(Vec::new()) };
    let list = value.as_array().ok_or_else(|| format!("{kind} is a list: write [[{kind}]]"))?;
    let table =
        |value: &toml::Value| value.as_table().cloned().ok_or_else(|| format!("{kind} is a list of tables"));
    list.iter().map(table).collect()
}

fn category(entry: &Entry) -> Result<Category, String> {
    let what = named("category", entry, &CATEGORY_KEYS)?;
    let severity = word(&what, entry, "severity")?.unwrap_or("medium");
    if !SEVERITIES.contains(&severity) {
        return Err(format!("{what}: severity is one of {}", SEVERITIES.join(", ")));
    }
    Ok(Category {
        name: keep(word(&what, entry, "name")?.unwrap_or_default()),
        tags: list(&what, entry, "tags")?,
        ids: list(&what, entry, "ids")?,
        severity: keep(severity),
        alone: match entry.get("alone") {
            None => false,
            Some(value) => value.as_bool().ok_or_else(|| format!("{what}: alone is true or false"))?,
        },
    })
}

fn rule(kind: &str, role: Role, entry: &Entry, own: &[&'static Category]) -> Result<Rule, String> {
    let what = named(kind, entry, &RULE_KEYS)?;
    let find = |name: &str| {
        let known = own.iter().find(|category| category.name == name).copied();
        known
            .or_else(|| super::book::category(name))
            .ok_or_else(|| format!("{what}: no category is named {name:?}"))
    };
    let languages = list(&what, entry, "languages")?;
    if languages.is_empty() {
        return Err(format!("{what} names no languages"));
    }
    if let Some(other) =
        languages.iter().find(|name| LangId::by_name(name).is_none_or(|lang| lang.get().id != **name))
    {
        return Err(format!("{what}: no language is named {other:?}"));
    }
    let one = word(&what, entry, "category")?.map(find).transpose()?;
    if role == Role::Sink && one.is_none() {
        return Err(format!("{what} names no category"));
    }
    let several = list(&what, entry, "categories")?;
    several.iter().try_for_each(|name| find(name).map(|_| ()))?;
    let categories: Vec<&'static str> =
        several.iter().copied().chain(one.map(|category| category.name)).collect();
    let rule = Rule {
        role,
        name: keep(word(&what, entry, "name")?.unwrap_or_default()),
        languages,
        calls: list(&what, entry, "calls")?,
        reads: list(&what, entry, "reads")?,
        fills: list(&what, entry, "fills")?,
        writes: list(&what, entry, "writes")?,
        categories: Vec::leak(categories),
        category: one.filter(|_| role == Role::Sink),
        arg: match entry.get("arg") {
            None => None,
            Some(value) => {
                let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
                Some(number.ok_or_else(|| format!("{what}: arg is a number from 0 on"))?)
            }
        },
        when: keep(word(&what, entry, "when")?.unwrap_or_default()),
        unless: keep(word(&what, entry, "unless")?.unwrap_or_default()),
        tags: list(&what, entry, "tags")?,
    };
    if [rule.calls, rule.reads, rule.fills, rule.writes].iter().all(|list| list.is_empty()) {
        return Err(format!("{what} names nothing: calls, reads, fills and writes are empty"));
    }
    Ok(rule)
}

/// How an entry is called in messages; every key of it is known.
fn named(kind: &str, entry: &Entry, known: &[&str]) -> Result<String, String> {
    let name = entry.get("name").and_then(|value| value.as_str()).filter(|name| !name.trim().is_empty());
    let what = format!("{kind} {:?}", name.ok_or_else(|| format!("a {kind} has no name"))?);
    match entry.keys().find(|key| !known.contains(&key.as_str())) {
        Some(other) => Err(format!("{what}: {other} is none of {}", known.join(", "))),
        None => Ok(what),
    }
}

fn word<'e>(what: &str, entry: &'e Entry, key: &str) -> Result<Option<&'e str>, String> {
    match entry.get(key) {
        None => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| format!("{what}: {key} is a text")),
    }
}

fn list(what: &str, entry: &Entry, key: &str) -> Result<&'static [&'static str], String> {
    let Some(value) = entry.get(key) else { return Ok(&[]) };
    let bad = || format!("{what}: {key} is a list of texts");
    let words =
        value.as_array().ok_or_else(bad)?.iter().map(|value| value.as_str().map(keep).ok_or_else(bad));
    Ok(Vec::leak(words.collect::<Result<Vec<&'static str>, String>>()?))
}

/// Rules are kept until the process ends, see `RiskRules`.
fn keep(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
