//! Reports of scanners as findings: one file per format.
//!
//! Every format is a function from a JSON document to entries. An entry that cannot be read keeps its place, so that
//! whoever made the report can find it.

mod cargo_audit;
mod dependabot;
mod generic;
mod inspector;
mod npm_audit;
mod osv;
mod sarif;
mod trivy;

use mainstay_contract::{Fault, FaultResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::input::Document;
use super::record::{Asset, Cvss, Location, MAX_LIST, Package, Vuln, digest, line};
use super::severity::{Severity, cvss};

/// The reports that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Source {
    Dependabot,
    AwsInspector,
    Generic,
    Manual,
    Sarif,
    Osv,
    Trivy,
    NpmAudit,
    CargoAudit,
}

impl Source {
    pub fn name(self) -> &'static str {
        match self {
            Source::Dependabot => "dependabot",
            Source::AwsInspector => "aws_inspector",
            Source::Generic => "generic",
            Source::Manual => "manual",
            Source::Sarif => "sarif",
            Source::Osv => "osv",
            Source::Trivy => "trivy",
            Source::NpmAudit => "npm_audit",
            Source::CargoAudit => "cargo_audit",
        }
    }
}

/// A finding before it has an id and dates.
#[derive(Debug, Default)]
pub struct Draft {
    /// The words its id follows from.
    pub stable_key: String,
    pub vuln: Vuln,
    pub package: Option<Package>,
    pub asset: Option<Asset>,
    pub location: Option<Location>,
    pub exposure: Map<String, Value>,
    /// Service, team and the like, and fields that have no place of their own.
    pub meta: Map<String, Value>,
    pub warnings: Vec<String>,
}

/// One record of a report.
pub struct Entry {
    /// A JSON pointer, or `line 7` and a pointer.
    pub position: String,
    pub draft: Result<Draft, String>,
}

/// Collects the entries of one document.
struct Entries {
    prefix: String,
    list: Vec<Entry>,
}

impl Entries {
    fn add(&mut self, pointer: &str, draft: Result<Draft, String>) {
        let position = match (self.prefix.is_empty(), pointer.is_empty()) {
            (true, true) => "/".to_owned(),
            (true, false) => pointer.to_owned(),
            (false, true) => self.prefix.clone(),
            (false, false) => format!("{}, {pointer}", self.prefix),
        };
        self.list.push(Entry { position, draft });
    }
}

/// Reads every record of a report. Fails only when the report is of another format altogether.
pub fn entries(source: Source, document: &Document) -> FaultResult<Vec<Entry>> {
    let mut out = Entries { prefix: String::new(), list: Vec::new() };
    match document {
        Document::Whole(value) => read(source, value, &mut out).map_err(|reason| {
            Fault::invalid(format!("this is not a report of {}: {reason}", source.name()))
                .hint("name the format the report has as source")
        })?,
        Document::Lines(lines) => {
            for one in lines {
                out.prefix = format!("line {}", one.number);
                let read =
                    one.value.as_ref().map_err(Clone::clone).and_then(|value| read(source, value, &mut out));
                if let Err(reason) = read {
                    out.add("", Err(reason));
                }
            }
        }
    }
    Ok(out.list)
}

fn read(source: Source, value: &Value, out: &mut Entries) -> Result<(), String> {
    match source {
        Source::Dependabot => each(value, out, dependabot::draft),
        Source::AwsInspector => each_many(value, out, inspector::drafts),
        Source::Generic | Source::Manual => each(value, out, generic::draft),
        Source::Sarif => sarif::read(value, out),
        Source::Osv => osv::read(value, out),
        Source::Trivy => trivy::read(value, out),
        Source::NpmAudit => npm_audit::read(value, out),
        Source::CargoAudit => cargo_audit::read(value, out),
    }
}

/// The keys under which exports keep their list.
const LISTS: &[&str] = &["alerts", "findings", "records", "items"];

/// The records of an export: a list, the list in an object, or one object.
fn records(value: &Value) -> Result<Vec<(String, &Value)>, String> {
    let numbered = |prefix: String, list: &'_ Vec<Value>| -> Vec<String> {
        (0..list.len()).map(|at| format!("{prefix}/{at}")).collect()
    };
    let object = match value {
        Value::Array(list) => return Ok(numbered(String::new(), list).into_iter().zip(list).collect()),
        Value::Object(object) => object,
        _ => return Err("it is neither an object nor a list".into()),
    };
    let named = LISTS.iter().find_map(|key| Some((*key, object.get(*key)?.as_array()?)));
    let only = || match object.iter().next() {
        Some((key, Value::Array(list))) if object.len() == 1 => Some((key.as_str(), list)),
        _ => None,
    };
    Ok(match named.or_else(only) {
        Some((key, list)) => numbered(format!("/{key}"), list).into_iter().zip(list).collect(),
        None => vec![(String::new(), value)],
    })
}

fn each(
    value: &Value,
    out: &mut Entries,
    draft: impl Fn(&Value) -> Result<Draft, String>,
) -> Result<(), String> {
    each_many(value, out, |one| Ok(vec![draft(one)?]))
}

fn each_many(
    value: &Value,
    out: &mut Entries,
    drafts: impl Fn(&Value) -> Result<Vec<Draft>, String>,
) -> Result<(), String> {
    for (pointer, one) in records(value)? {
        let read = if one.is_object() { drafts(one) } else { Err("it is not an object".into()) };
        match read {
            Ok(drafts) => drafts.into_iter().for_each(|draft| out.add(&pointer, Ok(draft))),
            Err(reason) => out.add(&pointer, Err(reason)),
        }
    }
    Ok(())
}

/// A text at a JSON pointer, on one line; blank is absent.
fn text(value: &Value, pointer: &str) -> Option<String> {
    let found = value.pointer(pointer)?;
    let text = match found {
        Value::String(text) => line(text),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// The first of several pointers that has a text.
fn first(value: &Value, pointers: &[&str]) -> Option<String> {
    pointers.iter().find_map(|pointer| text(value, pointer))
}

/// A long text at a pointer.
fn prose(value: &Value, pointer: &str) -> String {
    let text = value.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    super::record::cut(text.trim(), super::record::MAX_TEXT_CHARS)
}

/// The items of a list at a pointer.
fn list<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

/// The texts of a list at a pointer, where items may be objects with the text inside.
fn texts(value: &Value, pointer: &str, inner: &str) -> Vec<String> {
    let of_item = |item: &Value| if item.is_object() { text(item, inner) } else { text(item, "") };
    list(value, pointer).filter_map(of_item).take(MAX_LIST).collect()
}

fn number(value: &Value, pointer: &str) -> Option<f64> {
    let found = value.pointer(pointer)?;
    found.as_f64().or_else(|| found.as_str()?.trim().parse().ok()).filter(|number| number.is_finite())
}

fn line_number(value: &Value, pointer: &str) -> Option<u32> {
    number(value, pointer).filter(|line| (1.0..4e9).contains(line)).map(|line| line as u32)
}

/// The first id of its kind, upper case.
fn id_like<'a>(prefix: &str, mut ids: impl Iterator<Item = &'a String>) -> Option<String> {
    ids.find(|id| id.to_ascii_uppercase().starts_with(prefix)).map(|id| id.to_ascii_uppercase())
}

fn cve_of<'a>(ids: impl Iterator<Item = &'a String>) -> Option<String> {
    id_like("CVE-", ids)
}

/// A score and a vector that a report gives side by side; either may be missing.
fn rating(score: Option<f64>, vector: Option<String>) -> Option<Cvss> {
    let mut known = vector.map(|vector| cvss(&vector)).unwrap_or_default();
    known.score = score.filter(|score| (0.1..=10.0).contains(score)).or(known.score);
    (known.score.is_some() || known.vector.is_some()).then_some(known)
}

/// The severity a report names, or the one its CVSS score stands for.
fn severity(word: Option<&str>, cvss: Option<&Cvss>, warnings: &mut Vec<String>) -> Severity {
    let by_score = || cvss.and_then(|cvss| cvss.score).map(Severity::of_score);
    match word {
        None => by_score().unwrap_or_default(),
        Some(word) => Severity::parse(word).unwrap_or_else(|| {
            warnings.push(format!("the severity {word:?} is not known"));
            by_score().unwrap_or_default()
        }),
    }
}

/// The ecosystem in the spelling all records share.
fn ecosystem(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "crates.io" | "rust" | "rust-crates" | "cargo" => "cargo".into(),
        "pip" | "pypi" | "python" | "poetry" | "pipenv" | "uv" | "python-pkg" | "pythonpkg" => "pypi".into(),
        "npm" | "yarn" | "pnpm" | "node" | "nodejs" | "node-pkg" | "node_js" => "npm".into(),
        "go" | "gomod" | "golang" | "gobinary" => "go".into(),
        "maven" | "gradle" | "java" | "jar" | "pom" => "maven".into(),
        "rubygems" | "bundler" | "gem" | "ruby" | "gemspec" => "rubygems".into(),
        "nuget" | "dotnet" | "dotnet-core" => "nuget".into(),
        "packagist" | "composer" | "php" => "composer".into(),
        other => other.to_owned(),
    }
}

/// A key of last resort: the record itself.
fn key_of_payload(value: &Value, warnings: &mut Vec<String>) -> String {
    warnings.push("the record has no id of its own; its content became one".into());
    digest(&super::record::cut(&value.to_string(), 16_384))
}
