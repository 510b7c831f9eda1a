//! `map.create`: map a component of another design system to traits.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{define, join, limits};
use crate::artifacts::iso_of;
use crate::mapping::{self, Confidence, Mapping, MappingMetadata, Outcome, PropMapping, STORE};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("map.create")
        .title("Create a mapping")
        .summary("Map a component of an external design system to traits and properties of the kit; previews unless apply is true")
        .writes()
        .planned()
        .policy(limits(30, 30, 1).writes(&[STORE]))
        .tags(&["mapping", "figma", "material", "traits"])
        .example(
            "Map a button",
            json!({
                "externalSystem": "material",
                "externalComponent": "Button",
                "oodsTraits": ["Clickable", "Themeable"],
                "propMappings": [
                    { "externalProp": "variant", "oodsProp": "appearance", "coercion": { "type": "enum-map", "values": { "contained": "primary", "outlined": "secondary", "text": "ghost" } } },
                    { "externalProp": "disabled", "oodsProp": "isDisabled" }
                ],
                "confidence": "manual",
                "apply": true
            }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Name of the external design system.
    #[schemars(length(min = 1))]
    external_system: String,
    /// Name of the component there.
    #[schemars(length(min = 1))]
    external_component: String,
    /// Traits of the kit the component has.
    #[schemars(length(min = 1))]
    oods_traits: Vec<String>,
    /// Properties and how their values translate.
    prop_mappings: Option<Vec<PropMapping>>,
    /// Whether a person or a program made the mapping.
    confidence: Option<Confidence>,
    /// Author and notes.
    metadata: Option<MappingMetadata>,
    /// Write the mapping; otherwise only show it.
    apply: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
}

/// A mapping and the state of the store.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Changed {
    pub status: Status,
    pub mapping: Mapping,
    /// Etag of the store; with apply, after the change.
    pub etag: String,
    pub warnings: Vec<String>,
    /// Whether the store was written.
    pub applied: bool,
    /// Transcript of a change that was applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<String>,
    /// Index of the files of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle_index_path: Option<String>,
}

impl Changed {
    pub fn new(mapping: Mapping, outcome: Outcome, mut warnings: Vec<String>) -> Changed {
        if outcome.kept.is_none() {
            warnings.push("preview only: nothing was changed; set apply to true".into());
        }
        Changed {
            status: Status::Ok,
            mapping,
            etag: outcome.store.etag(),
            warnings,
            applied: outcome.kept.is_some(),
            transcript_path: outcome.kept.as_ref().map(|kept| kept.transcript_path.clone()),
            bundle_index_path: outcome.kept.map(|kept| kept.bundle_index_path),
        }
    }
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Changed, FoundryError> {
    let kit = foundry.kit()?;
    let (system, component) = (args.external_system.trim(), args.external_component.trim());
    if system.is_empty() || component.is_empty() {
        return Err(FoundryError::arguments("externalSystem and externalComponent may not be empty"));
    }
    let prop_mappings = args.prop_mappings.clone().unwrap_or_default();
    let warnings = mapping::check(&kit, &args.oods_traits, &prop_mappings)?;
    let applied = args.apply.unwrap_or(false);
    let (mapping, outcome) = mapping::change(foundry, call, &args, applied, |store| {
        if let Some(at) = store.find(system, component) {
            return Err(FoundryError::refused(
                format!("{system}/{component} is already mapped as {}", store.mappings[at].id),
                "change it with map.update or remove it with map.delete",
            ));
        }
        let mapping = Mapping {
            id: store.new_id(system, component),
            external_system: system.to_owned(),
            external_component: component.to_owned(),
            oods_traits: args.oods_traits.clone(),
            prop_mappings,
            confidence: args.confidence.unwrap_or_default(),
            metadata: args.metadata.clone(),
            created_at: Some(iso_of(call.now())),
            updated_at: None,
        };
        if applied {
            store.mappings.push(mapping.clone());
        }
        Ok(mapping)
    })?;
    Ok(Changed::new(mapping, outcome, warnings))
}
