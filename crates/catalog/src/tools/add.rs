//! `instructions/add`: one entry.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{author, define, gated};
use crate::catalog::Catalog;
use crate::change::{AddOptions, Added};
use crate::error::CatalogError;

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/add")
        .title("Add an instruction")
        .summary("Add one instruction, or write over it; what was there before can be restored")
        .writes()
        .planned()
        .policy(gated())
        .example(
            "With defaults for everything but id and body",
            json!({"entry": {"id": "house-style", "body": "Say what a change does for its user."}, "lax": true}),
        )
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The entry.
    entry: EntryInput,
    /// Write over an existing entry; otherwise it is left alone.
    overwrite: Option<bool>,
    /// Fill missing fields: title = id, priority 50, audience all, requirement optional.
    lax: Option<bool>,
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<Added, CatalogError> {
    let options = AddOptions { overwrite: args.overwrite.unwrap_or(false), lax: args.lax.unwrap_or(false) };
    catalog.add(args.entry.0, options, &author(call))
}

/// An entry as a caller writes it. The validator judges the fields, so that a wrong one is an answer with a reason.
#[derive(Deserialize)]
pub(super) struct EntryInput(pub Map<String, Value>);

impl JsonSchema for EntryInput {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EntryInput".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema =
            json_schema!({ "type": "object", "required": ["id", "body"], "additionalProperties": true });
        let mut properties = entry_properties();
        for field in ["id", "body"] {
            properties[field]["type"] = "string".into();
        }
        schema.insert("properties".to_owned(), properties);
        schema
    }
}

/// The fields a caller may set, in words.
pub(super) fn entry_properties() -> Value {
    json!({
        "id": { "description": "Stable name: lower-case letters, digits, - and _, at most 120 characters." },
        "body": { "description": "The instruction itself, at most 1,000,000 bytes." },
        "title": { "description": "One line for people." },
        "rationale": { "description": "Why the instruction exists." },
        "priority": { "description": "1 (highest) to 100 (lowest)." },
        "audience": { "description": "individual, group or all." },
        "requirement": { "description": "mandatory, critical, recommended, optional or deprecated." },
        "categories": { "description": "List of topics." },
        "deprecatedBy": { "description": "Id of the entry to use instead; needed when deprecated." },
        "riskScore": { "description": "Accepted and ignored: the score follows from priority and requirement." },
        "workspaceId": { "description": "Workspace the entry belongs to." },
        "userId": { "description": "User the entry belongs to." },
        "teamIds": { "description": "List of teams the entry belongs to." },
        "version": { "description": "Version of the content, major.minor.patch." },
        "status": { "description": "draft, review, approved or deprecated." },
        "owner": { "description": "Who answers for the entry." },
        "priorityTier": { "description": "P1, P2, P3 or P4; follows from priority and requirement when absent." },
        "classification": { "description": "public, internal or restricted." },
        "lastReviewedAt": { "description": "Last review, ISO 8601." },
        "nextReviewDue": { "description": "Next review, ISO 8601." },
        "changeLog": { "description": "List of {version, changedAt, summary}." },
        "supersedes": { "description": "Id of the entry this one replaces." },
        "semanticSummary": { "description": "The entry in one line; the first line of the body when absent." }
    })
}
