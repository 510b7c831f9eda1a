//! `map.update`: change a mapping.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::map_create::Changed;
use super::map_resolve::not_found;
use super::{define, join, limits};
use crate::artifacts::iso_of;
use crate::mapping::{self, Confidence, MappingMetadata, PropMapping, STORE, Store};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("map.update")
        .title("Update a mapping")
        .summary("Replace the given parts of a mapping; previews unless apply is true, and refuses when ifMatch is not the etag of the store")
        .writes()
        .planned()
        .policy(limits(30, 30, 1).writes(&[STORE]))
        .tags(&["mapping", "traits"])
        .example(
            "Preview another trait",
            json!({ "externalSystem": "material", "externalComponent": "Button", "oodsTraits": ["Clickable"], "apply": false }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Name of the external design system.
    #[schemars(length(min = 1))]
    external_system: String,
    /// Name of the component there.
    #[schemars(length(min = 1))]
    external_component: String,
    /// New traits.
    oods_traits: Option<Vec<String>>,
    /// New properties; they replace all present ones.
    prop_mappings: Option<Vec<PropMapping>>,
    /// New provenance.
    confidence: Option<Confidence>,
    /// New author and notes.
    metadata: Option<MappingMetadata>,
    /// Etag the store must still have.
    if_match: Option<String>,
    /// Write the change; otherwise only show it.
    apply: Option<bool>,
}

/// Refuses when the store is not the one the caller saw.
pub fn check_match(store: &Store, if_match: Option<&str>) -> Result<(), FoundryError> {
    match if_match {
        Some(wanted) if wanted.trim_matches('"') != store.etag() => Err(FoundryError::refused(
            "the store has changed since it was read",
            format!("its etag is {}; read it again with map.list", store.etag()),
        )),
        _ => Ok(()),
    }
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Changed, FoundryError> {
    let kit = foundry.kit()?;
    let applied = args.apply.unwrap_or(false);
    let ((mapping, warnings), outcome) = mapping::change(foundry, call, &args, applied, |store| {
        check_match(store, args.if_match.as_deref())?;
        let at = store
            .find(&args.external_system, &args.external_component)
            .ok_or_else(|| not_found(store, &args.external_system, &args.external_component))?;
        let mut mapping = store.mappings[at].clone();
        mapping.oods_traits = args.oods_traits.clone().unwrap_or(mapping.oods_traits);
        mapping.prop_mappings = args.prop_mappings.clone().unwrap_or(mapping.prop_mappings);
        mapping.confidence = args.confidence.unwrap_or(mapping.confidence);
        mapping.metadata = args.metadata.clone().or(mapping.metadata);
        mapping.updated_at = Some(iso_of(call.now()));
        let warnings = mapping::check(&kit, &mapping.oods_traits, &mapping.prop_mappings)?;
        if applied {
            store.mappings[at] = mapping.clone();
        }
        Ok((mapping, warnings))
    })?;
    Ok(Changed::new(mapping, outcome, warnings))
}
