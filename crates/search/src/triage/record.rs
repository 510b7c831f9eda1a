//! Findings and decisions, as they are stored and shown.

use mainstay_contract::{Fault, FaultResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::severity::Severity;

use crate::hex::hex;

/// Texts longer than these are cut: a record is a pointer to an advisory, not a copy of it.
pub const MAX_LINE_CHARS: usize = 500;
pub const MAX_TEXT_CHARS: usize = 8_000;
/// References, weaknesses and the like kept of one finding.
pub const MAX_LIST: usize = 50;

/// Bytes of the fields a caller may add.
const MAX_META_BYTES: usize = 8_192;

/// One finding of a scanner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Follows from source and finding, so that reading a report twice changes nothing.
    pub record_id: String,
    /// What kind of record it is.
    pub record_type: RecordType,
    /// The scanner it came from.
    pub source: String,
    /// When it was first read.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// Service the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Environment the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Team that answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Person that answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Name of the repository where the scanner saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// The vulnerability.
    pub vuln: Vuln,
    /// The package that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
    /// The machine, image or function it was found on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asset: Option<Asset>,
    /// Where in the code it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// How exposed the asset is, as the report or the caller said.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub exposure: Map<String, Value>,
    /// Fields the caller added.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// What could not be read as it stood.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parse_warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordType {
    Finding,
    Decision,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Vuln {
    /// Id of the vulnerability or of the rule.
    pub vuln_id: String,
    /// Its CVE, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cve: Option<String>,
    /// Other ids of the same vulnerability.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// One line about it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// More about it, cut when long.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// How bad it is, in one scale for all scanners.
    pub severity: Severity,
    /// Its CVSS rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cvss: Option<Cvss>,
    /// Weaknesses, as CWE ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cwe: Vec<String>,
    /// Functions an advisory names as vulnerable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// Where to read on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Cvss {
    /// Base score, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The vector it follows from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<String>,
    /// Version of CVSS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Where it is published: npm, cargo, pypi and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ecosystem: Option<String>,
    /// The version in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed_version: Option<String>,
    /// The versions that are affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub affected_range: Option<String>,
    /// The first version without the vulnerability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed_version: Option<String>,
    /// The manifest or lock file it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_path: Option<String>,
    /// Its package URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purl: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Asset {
    /// Its id.
    pub asset_id: String,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset_type: Option<String>,
    /// Account it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Region it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub tags: Map<String, Value>,
    /// Further assets of the same finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Location {
    /// Path as the scanner wrote it.
    pub file: String,
    /// First line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Last line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
}

/// What somebody decided to do about a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Status {
    Fix,
    Accept,
    Defer,
    FalsePositive,
    NotAffected,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Status::Fix => "fix",
            Status::Accept => "accept",
            Status::Defer => "defer",
            Status::FalsePositive => "false_positive",
            Status::NotAffected => "not_affected",
        }
    }
}

/// One decision; decisions are added, never changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Its own id.
    pub record_id: String,
    /// What kind of record it is.
    pub record_type: RecordType,
    /// The finding it is about.
    pub finding_record_id: String,
    /// What was decided.
    pub status: Status,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub justification: Option<String>,
    /// Why, as codes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub justification_codes: Vec<String>,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    /// When it was decided.
    pub created_at: String,
    /// When it ceases to hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// What it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence_refs: Vec<String>,
    /// The decision it took the place of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// Fields the caller added.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// What the finding said at the time.
    pub finding_digest: String,
}

/// The id of a record: the same words, the same id.
pub fn record_id(source: &str, stable_key: &str) -> String {
    digest(&format!("{source}:{stable_key}"))
}

/// Forty hexadecimal digits that follow from a text.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes())[..20])
}

impl Finding {
    /// What the finding says, without when it was read.
    pub fn content(&self) -> String {
        let mut bare = self.clone();
        (bare.created_at, bare.updated_at) = (String::new(), String::new());
        digest(&serde_json::to_string(&bare).unwrap_or_default())
    }
}

/// A text on one line, cut when long.
pub fn line(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), MAX_LINE_CHARS)
}

/// A text, cut when long.
pub fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The fields a caller adds to records, which are kept with each of them and so must be small.
pub fn own_fields(meta: Option<&Value>) -> FaultResult<Map<String, Value>> {
    let fields = meta.and_then(Value::as_object).cloned().unwrap_or_default();
    let bytes = serde_json::to_string(&fields).map_or(usize::MAX, |text| text.len());
    match bytes > MAX_META_BYTES {
        true => Err(Fault::invalid(format!("meta takes {bytes} bytes; it may take {MAX_META_BYTES}"))),
        false => Ok(fields),
    }
}
