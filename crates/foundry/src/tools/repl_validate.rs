//! `repl.validate`: is a tree sound, and can everybody use it.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::repl::{Mode, TreeArgs, TreeMeta, subject};
use super::{define, join, limits};
use crate::issue::Issue;
use crate::tree::TreeJson;
use crate::{Foundry, FoundryError, a11y};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let tree = json!({
        "version": "2026.02",
        "dsVersion": "2026-02-24",
        "theme": "dark",
        "screens": [{
            "id": "screen_home",
            "component": "Stack",
            "children": [{ "id": "title", "component": "Text", "props": { "content": "Hello" } }]
        }]
    });
    let def = define("repl.validate")
        .title("Validate a UiSchema")
        .summary("Check a UiSchema tree or a patch of one: structure, ids, components, properties, and with checkA11y accessibility")
        .reads()
        .stable()
        .policy(limits(30, 60, 4))
        .tags(&["uischema", "validate", "accessibility", "wcag", "patch"])
        .example("Check a tree", json!({ "mode": "full", "schema": tree }))
        .example("Check a tree and its accessibility", json!({ "mode": "full", "checkA11y": true, "schema": tree }))
        .example(
            "Check a patch",
            json!({ "mode": "patch", "baseTree": tree, "patch": [{ "op": "test", "path": "/version", "value": "2026.02" }] }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, JsonSchema)]
// An unknown argument is refused by the schema: serde cannot refuse it beside a flattened part.
#[serde(rename_all = "camelCase")]
pub struct Args {
    #[serde(flatten)]
    tree: TreeArgs,
    /// What to check and return.
    options: Option<Options>,
    /// Check accessibility; the same as options.checkA11y.
    check_a11y: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Return the tree that was checked; true unless given.
    include_normalized: Option<bool>,
    /// Check component names and properties; true unless given.
    check_components: Option<bool>,
    /// Check accessibility; false unless given.
    check_a11y: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Invalid,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Validation {
    pub status: Status,
    pub mode: Mode,
    pub dsl_version: String,
    pub registry_version: Option<String>,
    pub errors: Vec<Issue>,
    pub warnings: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalized_tree: Option<TreeJson>,
    /// The patch as RFC 6902 operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalized_patch: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_patch: Option<bool>,
    pub meta: TreeMeta,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Validation, FoundryError> {
    let kit = foundry.kit()?;
    let options = args.options.unwrap_or_default();
    let check_components = options.check_components.unwrap_or(true);
    let mode = args.tree.mode;
    let subject = subject(&kit, args.tree, check_components)?;
    let meta = subject.meta();
    let mut warnings = subject.report.warnings;
    let check_a11y = args.check_a11y.or(options.check_a11y).unwrap_or(false);
    if let Some(tree) = subject.tree.as_ref().filter(|_| check_a11y && subject.report.errors.is_empty()) {
        warnings.extend(a11y::check(&kit, tree, kit.default_brand()));
    }
    let status = if subject.report.errors.is_empty() { Status::Ok } else { Status::Invalid };
    Ok(Validation {
        status,
        mode,
        dsl_version: subject.version,
        registry_version: Some(kit.manifest.version.clone()),
        errors: subject.report.errors,
        warnings,
        normalized_tree: subject.json.filter(|_| options.include_normalized.unwrap_or(true)).map(TreeJson),
        normalized_patch: subject.operations,
        applied_patch: subject.applied,
        meta,
    })
}
