//! `instructions/import`: many entries as one change.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::add::entry_properties;
use super::{author, define, gated_batch};
use crate::catalog::Catalog;
use crate::change::{ImportMode, Imported};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/import")
        .title("Import instructions")
        .summary("Import many instructions as one change; a bad one is reported and the others are taken")
        .writes()
        .planned()
        .policy(gated_batch())
        .example(
            "One entry, left alone when it exists",
            json!({
                "entries": [{
                    "id": "review-first", "title": "Review first", "body": "Ask for a review before merging.",
                    "priority": 20, "audience": "all", "requirement": "mandatory", "categories": ["process"]
                }],
                "mode": "skip"
            }),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The entries; each needs id, title, body, priority, audience and requirement.
    entries: Entries,
    /// What happens to entries that exist: `skip` (the default) or `overwrite`.
    mode: Option<ImportMode>,
}

#[derive(Deserialize)]
struct Entries(Vec<Value>);

impl JsonSchema for Entries {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Entries".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "minItems": 1,
            "items": { "type": "object", "properties": entry_properties(), "additionalProperties": true }
        })
    }
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Outcome {
    Done(Imported),
    Nothing {
        /// Why nothing was imported.
        error: String,
    },
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Outcome, CatalogError> {
    if args.entries.0.is_empty() {
        return Ok(Outcome::Nothing { error: "no entries".to_owned() });
    }
    catalog.import(args.entries.0, args.mode.unwrap_or_default(), &author(call)).map(Outcome::Done)
}
