//! `map.resolve`: what an external component is here.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{define, join, limits};
use crate::json::near;
use crate::mapping::{CoercionKind, Mapping, Store};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("map.resolve")
        .title("Resolve a mapping")
        .summary("Find the traits and property translations of an external component")
        .reads()
        .policy(limits(30, 60, 4))
        .tags(&["mapping"])
        .example("Resolve a button", json!({ "externalSystem": "material", "externalComponent": "Button" }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Name of the external design system, in any case.
    #[schemars(length(min = 1))]
    external_system: String,
    /// Name of the component there, in any case.
    #[schemars(length(min = 1))]
    external_component: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Ok,
    NotFound,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolution {
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<Mapping>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prop_translations: Option<Vec<Translation>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Mapped components with a similar name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Translation {
    pub external_prop: String,
    pub oods_prop: String,
    pub coercion_type: Option<CoercionKind>,
    pub coercion_detail: Option<Map<String, Value>>,
}

/// The error of a tool that needs the mapping to exist.
pub fn not_found(store: &Store, system: &str, component: &str) -> FoundryError {
    let near = suggestions(store, component);
    let hint = if near.is_empty() {
        "see the mappings with map.list".to_owned()
    } else {
        format!("did you mean {}", near.join(", "))
    };
    FoundryError::refused(format!("no mapping found for {system}/{component}"), hint)
}

fn suggestions(store: &Store, component: &str) -> Vec<String> {
    let names: Vec<&str> = store.mappings.iter().map(|mapping| mapping.external_component.as_str()).collect();
    near(component, names, 3)
        .into_iter()
        .filter_map(|name| store.mappings.iter().find(|mapping| mapping.external_component == name))
        .map(|mapping| format!("{}/{}", mapping.external_system, mapping.external_component))
        .collect()
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Resolution, FoundryError> {
    let store = Store::read(&foundry.config.root)?;
    let Some(at) = store.find(&args.external_system, &args.external_component) else {
        return Ok(Resolution {
            status: Status::NotFound,
            mapping: None,
            prop_translations: None,
            message: Some(format!(
                "No mapping found for {}/{}",
                args.external_system, args.external_component
            )),
            suggestions: suggestions(&store, &args.external_component),
        });
    };
    let mapping = store.mappings[at].clone();
    let translations = mapping
        .prop_mappings
        .iter()
        .map(|prop| Translation {
            external_prop: prop.external_prop.clone(),
            oods_prop: prop.oods_prop.clone(),
            coercion_type: prop.coercion.as_ref().map(|coercion| coercion.kind),
            coercion_detail: prop.coercion.as_ref().and_then(|coercion| coercion.detail()),
        })
        .collect();
    Ok(Resolution {
        status: Status::Ok,
        mapping: Some(mapping),
        prop_translations: Some(translations),
        message: None,
        suggestions: Vec::new(),
    })
}
