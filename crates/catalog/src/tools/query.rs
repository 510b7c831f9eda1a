//! `instructions/query`: filters and ranked text search that answer with ids and reasons.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::query::{Hits, Query, run as run_query};

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/query")
        .title("Query instructions")
        .summary("Filter and rank instructions; answers with ids and one-line reasons, page by page")
        .reads()
        .example(
            "The binding ones about deployment",
            json!({"text": "deploy rollback", "requirements": ["mandatory", "critical"]}),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

fn run(catalog: &Catalog, _: &Call, query: Query) -> Result<Hits, CatalogError> {
    Ok(run_query(&catalog.snapshot()?.index, &query))
}
