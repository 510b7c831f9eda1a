//! `prompt/review`: a prompt checked against the criteria.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::define;
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::review::Review;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("prompt/review")
        .title("Review a prompt")
        .summary("Check a prompt for secrets, injection phrases, vague wording, and a missing audience or requirement")
        .reads()
        .stable()
        .example("A short prompt", json!({"prompt": "All engineers must tag MCP tools with categories."}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// Text to review, at most 10,000 UTF-16 units.
    prompt: String,
}

fn run(catalog: &Catalog, _: &Call, args: Args) -> Result<Review, CatalogError> {
    Ok(catalog.criteria()?.review(&args.prompt))
}
