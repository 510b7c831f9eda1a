//! `map.delete`: remove a mapping.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::map_create::Changed;
use super::map_resolve::not_found;
use super::map_update::check_match;
use super::{define, join, limits};
use crate::mapping::{self, STORE};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("map.delete")
        .title("Delete a mapping")
        .summary("Remove a mapping from the store; previews unless apply is true")
        .destroys()
        .planned()
        .policy(limits(30, 30, 1).writes(&[STORE]))
        .tags(&["mapping"])
        .example(
            "Preview a removal",
            json!({ "externalSystem": "material", "externalComponent": "Button", "apply": false }),
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
    /// Etag the store must still have.
    if_match: Option<String>,
    /// Remove it; otherwise only show what would go.
    apply: Option<bool>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Changed, FoundryError> {
    let applied = args.apply.unwrap_or(false);
    let (mapping, outcome) = mapping::change(foundry, call, &args, applied, |store| {
        check_match(store, args.if_match.as_deref())?;
        let at = store
            .find(&args.external_system, &args.external_component)
            .ok_or_else(|| not_found(store, &args.external_system, &args.external_component))?;
        Ok(if applied { store.mappings.remove(at) } else { store.mappings[at].clone() })
    })?;
    Ok(Changed::new(mapping, outcome, Vec::new()))
}
