//! `instructions/restore`: an entry or a whole change taken back.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{NotFound, author, define, gated_batch};
use crate::catalog::Catalog;
use crate::change::{RestoreTarget, Restored};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/restore")
        .title("Restore from the history")
        .summary("Bring back an entry as it was before its latest (or a given) change, or take back a whole change")
        .writes()
        .planned()
        .policy(gated_batch())
        .example("The last removed or replaced form of an entry", json!({"id": "house-style"}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Entry to bring back; without it everything the revision touched is brought back.
    id: Option<String>,
    /// Change to go back before, as `instructions/history` names it; the entry's latest when absent.
    revision: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum Outcome {
    Done(Restored),
    Missing(NotFound),
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Outcome, CatalogError> {
    let target = match (args.id, args.revision) {
        (Some(id), revision) => RestoreTarget::Entry { id, revision },
        (None, Some(revision)) => RestoreTarget::Revision(revision),
        (None, None) => return Err(CatalogError::Refused { reason: "give an id or a revision".to_owned() }),
    };
    match catalog.restore(&target, &author(call)) {
        Ok(restored) => Ok(Outcome::Done(restored)),
        Err(CatalogError::UnknownEntry { .. } | CatalogError::UnknownRevision { .. }) => {
            Ok(Outcome::Missing(NotFound::ANSWER))
        }
        Err(error) => Err(error),
    }
}
