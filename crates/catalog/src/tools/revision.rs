//! `instructions/revision`: an entry as it was before a change.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{NotFound, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/revision")
        .title("Show a former instruction")
        .summary("Show one entry as it was before a change, to compare or before restoring it")
        .reads()
        .example(
            "Before a change that instructions/history names",
            json!({"id": "house-style", "revision": "20260101T000000000Z-00000000"}),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Id of the entry.
    id: String,
    /// Change before which it is shown, as `instructions/history` names it.
    revision: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Found {
    Entry {
        /// The change.
        revision: String,
        /// The entry as it was stored before.
        item: Map<String, Value>,
    },
    Missing(NotFound),
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Found, CatalogError> {
    Ok(match catalog.former(&args.revision, &args.id)? {
        Some(item) => Found::Entry { revision: args.revision, item },
        None => Found::Missing(NotFound::ANSWER),
    })
}
