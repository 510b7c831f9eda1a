//! `instructions/governanceHash`: one hash over ownership, versions and reviews.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{NoArgs, define};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::governance::Projection;
use crate::index::Index;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/governanceHash")
        .title("Hash the governance facts")
        .summary("Hash titles, versions, owners, tiers, review dates and summaries; wording of bodies does not count")
        .reads()
        .stable()
        .example("The hash and what it covers", json!({}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hashed {
    /// Number of entries.
    count: usize,
    /// SHA-256 over the projections.
    governance_hash: String,
    /// What the hash covers, in hash order.
    #[schemars(with = "Vec<Projection<'static>>")]
    items: Items,
}

/// The projections of a snapshot, shared with it.
struct Items(Arc<Index>);

impl Serialize for Items {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entries = self.0.records().iter().map(|record| &*record.entry);
        serializer.collect_seq(self.0.governance().items(entries))
    }
}

fn run(catalog: &Catalog, _: &Call, _: NoArgs) -> Result<Hashed, CatalogError> {
    let index = catalog.snapshot()?.index;
    Ok(Hashed {
        count: index.len(),
        governance_hash: index.governance().hash(catalog.config.trailing_newline).to_owned(),
        items: Items(index),
    })
}
