//! What `repl.validate` and `repl.render` share: finding the tree a call is about.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::FoundryError;
use crate::issue::Issue;
use crate::kit::Kit;
use crate::patch::{self, Patch};
use crate::tree::{Tree, TreeJson};
use crate::validate::{self, Report};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The whole tree is in `schema`.
    Full,
    /// `patch` applies to `baseTree`.
    Patch,
}

/// The tree a call is about: whole, or a patch of another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(
    extend("if" = { "properties": { "mode": { "const": "patch" } } }),
    extend("then" = { "required": ["patch"] }),
    extend("else" = { "required": ["schema"] })
)]
pub struct TreeArgs {
    /// full for a tree in `schema`, patch for a `patch` of `baseTree`.
    pub mode: Mode,
    /// The whole tree.
    schema: Option<TreeJson>,
    /// RFC 6902 operations, or steps that name a node.
    patch: Option<Patch>,
    /// The tree the patch applies to.
    base_tree: Option<TreeJson>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TreeMeta {
    pub screen_count: usize,
    pub node_count: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duplicate_ids: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_components: Vec<String>,
}

/// One call's tree, as far as it could be made.
pub struct Subject {
    pub json: Option<Value>,
    pub tree: Option<Tree>,
    pub version: String,
    pub report: Report,
    pub operations: Option<Vec<Value>>,
    /// Whether the patch applied; absent in full mode.
    pub applied: Option<bool>,
}

impl Subject {
    pub fn meta(&self) -> TreeMeta {
        TreeMeta {
            screen_count: self.tree.as_ref().map_or(0, |tree| tree.screens.len()),
            node_count: self.tree.as_ref().map_or(0, |tree| tree.nodes.len()),
            duplicate_ids: self.report.duplicate_ids.clone(),
            missing_components: self.report.missing_components.clone(),
        }
    }
}

pub fn subject(kit: &Kit, args: TreeArgs, check_components: bool) -> Result<Subject, FoundryError> {
    let mut subject = Subject {
        json: None,
        tree: None,
        version: "0.0.0".into(),
        report: Report::default(),
        operations: None,
        applied: None,
    };
    let json = match (args.mode, args.schema, args.base_tree, args.patch) {
        (Mode::Full, Some(schema), _, _) => schema.0,
        (Mode::Full, None, _, _) => return Err(FoundryError::arguments("mode full needs schema")),
        (Mode::Patch, _, _, None) => return Err(FoundryError::arguments("mode patch needs patch")),
        (Mode::Patch, _, None, Some(_)) => {
            let issue = Issue::error("MISSING_BASE_TREE", "mode patch needs the tree to patch in baseTree");
            subject.report.errors.push(issue.hint("send the last valid tree as baseTree"));
            subject.applied = Some(false);
            return Ok(subject);
        }
        (Mode::Patch, _, Some(base), Some(patch)) => match patch::apply(&base.0, &patch) {
            Ok(patched) => {
                subject.operations = Some(patched.operations);
                subject.applied = Some(true);
                patched.tree
            }
            Err(issues) => {
                subject.version = version_of(&base.0);
                subject.report.errors = issues;
                subject.applied = Some(false);
                return Ok(subject);
            }
        },
    };
    subject.version = version_of(&json);
    match Tree::read(&json) {
        Ok(tree) => {
            subject.report = validate::check(kit, &tree, check_components);
            subject.tree = Some(tree);
            subject.json = Some(json);
        }
        Err(issues) => {
            // A patch that breaks the tree was not applied: the base stays valid.
            subject.applied = subject.applied.map(|_| false);
            subject.report.errors = issues;
        }
    }
    Ok(subject)
}

fn version_of(json: &Value) -> String {
    json.get("version")
        .and_then(Value::as_str)
        .filter(|version| !version.is_empty())
        .unwrap_or("0.0.0")
        .to_owned()
}
