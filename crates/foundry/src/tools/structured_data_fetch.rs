//! `structuredData.fetch`: the kit's data as documents with etags and versions.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{define, join, limits};
use crate::dataset::{self, DIRECTORY};
use crate::json::{canonical, etag, sha256_hex};
use crate::kit::Kit;
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("structuredData.fetch")
        .title("Fetch structured data")
        .summary("Read the components, tokens or manifest dataset with etag and version support; send ifNoneMatch to skip an unchanged payload")
        .reads()
        .stable()
        .policy(limits(30, 60, 4))
        .tags(&["dataset", "components", "tokens", "etag"])
        .example("Only when changed", json!({ "dataset": "components", "ifNoneMatch": "deadbeef", "includePayload": true }))
        .example("A version", json!({ "dataset": "components", "version": "2026-02-20", "listVersions": false }))
        .example("Versions there are", json!({ "dataset": "tokens", "listVersions": true }));
    join(foundry, def, run)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dataset {
    Components,
    Tokens,
    Manifest,
}

impl Dataset {
    fn name(self) -> &'static str {
        match self {
            Dataset::Components => "components",
            Dataset::Tokens => "tokens",
            Dataset::Manifest => "manifest",
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Which document: components, tokens or manifest.
    dataset: Dataset,
    /// Etag of the copy the caller has; the payload is left out when it still matches.
    #[schemars(length(min = 8))]
    if_none_match: Option<String>,
    /// Return the document itself; true unless given.
    include_payload: Option<bool>,
    /// Version by date (YYYY-MM-DD); the nearest one not after it when there is none of that date.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    version: Option<String>,
    /// Only list the versions there are.
    list_versions: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fetched {
    pub dataset: Dataset,
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated_at: Option<String>,
    /// 64 hex digits.
    pub etag: String,
    pub matched: bool,
    pub payload_included: bool,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manifest_path: Option<String>,
    pub size_bytes: usize,
    pub schema_validated: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation_errors: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub payload: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_versions: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_version: Option<Option<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_version: Option<Option<String>>,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Fetched, FoundryError> {
    let kit = foundry.kit()?;
    let root = &foundry.config.root;
    let name = args.dataset.name();
    if args.version.as_deref().is_some_and(|version| !dataset::is_date(version)) {
        return Err(FoundryError::arguments("version must be a date such as 2026-02-24"));
    }
    let mut versions = match args.dataset {
        Dataset::Manifest => Vec::new(),
        _ => dataset::versions_on_disk(root, name),
    };
    if args.dataset != Dataset::Manifest && !versions.contains(&kit.manifest.version) {
        versions.push(kit.manifest.version.clone());
        versions.sort();
    }
    if args.list_versions.unwrap_or(false) {
        return Ok(list(&kit, args.dataset, versions));
    }
    let mut warnings = Vec::new();
    let mut requested = None;
    let document = match (&args.version, args.dataset) {
        (Some(wanted), Dataset::Components | Dataset::Tokens) => {
            let exact = versions.iter().find(|version| *version == wanted);
            let earlier = versions.iter().rev().find(|version| *version < wanted);
            let resolved =
                exact.or(earlier).or(versions.first()).expect("the kit's own version is always there");
            if resolved != wanted {
                warnings.push(format!("version {wanted} does not exist; {resolved} is the nearest"));
            }
            requested = Some((wanted.clone(), resolved.clone()));
            load(foundry, &kit, name, resolved)?
        }
        (version, _) => {
            if version.is_some() {
                warnings.push("the manifest has no versions; version was ignored".into());
            }
            latest(foundry, &kit, args.dataset, &mut warnings)?
        }
    };
    let etag = etag(&document.value);
    let matched = args.if_none_match.as_deref().is_some_and(|known| known.trim_matches('"') == etag);
    let include = args.include_payload.unwrap_or(true) && !matched;
    let validation_errors = dataset::check_document(name, &document.value);
    Ok(Fetched {
        dataset: args.dataset,
        version: Some(document.version),
        generated_at: document.value.get("generatedAt").and_then(Value::as_str).map(str::to_owned),
        etag,
        matched,
        payload_included: include,
        path: document.path,
        manifest_path: Some(document.manifest_path),
        size_bytes: document.value.to_string().len(),
        schema_validated: validation_errors.is_empty(),
        validation_errors,
        warnings,
        meta: Some(meta(args.dataset, &document.value)),
        payload: include.then_some(document.value),
        available_versions: None,
        requested_version: requested.as_ref().map(|(wanted, _)| Some(wanted.clone())),
        resolved_version: requested.map(|(_, resolved)| Some(resolved)),
    })
}

struct Document {
    value: Value,
    path: String,
    version: String,
    manifest_path: String,
}

fn of_kit(kit: &Kit, name: &str) -> Document {
    let version = kit.manifest.version.clone();
    let (components, tokens) = kit.datasets();
    let value = match name {
        "components" => components.clone(),
        "tokens" => tokens.clone(),
        _ => kit.manifest_document(),
    };
    let path = if name == "manifest" {
        "kit/manifest.json".into()
    } else {
        format!("kit/oods-{name}-{version}.json")
    };
    Document { value, path, version, manifest_path: "kit/manifest.json".into() }
}

fn load(foundry: &Foundry, kit: &Kit, name: &str, version: &str) -> Result<Document, FoundryError> {
    let manifest_path = format!("{DIRECTORY}/manifest.json");
    match dataset::read_version(&foundry.config.root, name, version) {
        Ok((path, value)) => Ok(Document { value, path, version: version.to_owned(), manifest_path }),
        Err(_) if version == kit.manifest.version => Ok(of_kit(kit, name)),
        Err(reason) => Err(FoundryError::refused(
            format!("version {version} of {name} cannot be read: {reason}"),
            "list the versions with listVersions",
        )),
    }
}

/// What the project's manifest names, when it keeps one; else the kit.
fn latest(
    foundry: &Foundry,
    kit: &Kit,
    dataset: Dataset,
    warnings: &mut Vec<String>,
) -> Result<Document, FoundryError> {
    let name = dataset.name();
    let Some(manifest) = dataset::manifest_on_disk(&foundry.config.root) else {
        return Ok(of_kit(kit, name));
    };
    let version = manifest.get("version").and_then(Value::as_str).unwrap_or_default().to_owned();
    let manifest_path = format!("{DIRECTORY}/manifest.json");
    if dataset == Dataset::Manifest {
        return Ok(Document { value: manifest, path: manifest_path.clone(), version, manifest_path });
    }
    let entry = manifest
        .get("artifacts")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .find(|entry| entry["name"] == name);
    let date = entry
        .and_then(|entry| {
            entry.get("file")?.as_str()?.strip_suffix(".json")?.strip_prefix(&format!("oods-{name}-"))
        })
        .filter(|date| dataset::is_date(date));
    let Some(date) = date else { return Ok(of_kit(kit, name)) };
    let document = load(foundry, kit, name, date)?;
    let recorded = entry.and_then(|entry| entry.get("etag")?.as_str());
    if recorded.is_some_and(|recorded| recorded != etag(&document.value)) {
        warnings.push(format!("{} has changed since the manifest was written", document.path));
    }
    Ok(document)
}

fn list(kit: &Kit, dataset: Dataset, versions: Vec<String>) -> Fetched {
    let hashed = json!({ "dataset": dataset.name(), "versions": versions });
    Fetched {
        dataset,
        version: Some(kit.manifest.version.clone()),
        generated_at: None,
        etag: sha256_hex(canonical(&hashed).as_bytes()),
        matched: false,
        payload_included: false,
        path: DIRECTORY.into(),
        manifest_path: None,
        size_bytes: 0,
        schema_validated: true,
        validation_errors: Vec::new(),
        warnings: Vec::new(),
        meta: None,
        payload: None,
        available_versions: Some(versions),
        requested_version: Some(None),
        resolved_version: Some(None),
    }
}

fn meta(dataset: Dataset, value: &Value) -> Map<String, Value> {
    let count = |key: &str| value.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let meta = match dataset {
        Dataset::Components => json!({
            "componentCount": count("components"), "traitCount": count("traits"), "objectCount": count("objects"),
            "domainCount": count("domains"), "patternCount": count("patterns"),
        }),
        Dataset::Tokens => json!({
            "traitOverlayCount": count("traitOverlays"), "tokenCounts": value.get("stats").cloned().unwrap_or_default(),
        }),
        Dataset::Manifest => json!({ "artifactCount": count("artifacts") }),
    };
    match meta {
        Value::Object(meta) => meta,
        _ => Map::new(),
    }
}
