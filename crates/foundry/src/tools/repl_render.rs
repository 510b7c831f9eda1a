//! `repl.render`: a tree as HTML.

use std::collections::BTreeMap;
use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::repl::{Mode, TreeArgs, TreeMeta, subject};
use super::{brand, define, join, limits};
use crate::issue::Issue;
use crate::kit::Kit;
use crate::render::{self, Styling};
use crate::tree::{Tree, TreeJson};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let base = json!({
        "version": "2026.02",
        "screens": [{ "id": "screen_home", "component": "Stack", "children": [{ "id": "title", "component": "Text" }] }]
    });
    let def = define("repl.render")
        .title("Render a UiSchema")
        .summary("Render a UiSchema tree, or a patch of one, to a self-contained HTML page or to fragments; without apply or output only a preview of what would be rendered")
        .reads()
        .policy(limits(30, 60, 4).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["uischema", "render", "html", "preview", "patch"])
        .example(
            "Preview a patch of one node",
            json!({ "mode": "patch", "baseTree": base, "patch": [{ "nodeId": "title", "path": "component", "value": "ArchiveEvent" }] }),
        )
        .example("Fragments of a tree", json!({ "mode": "full", "output": { "format": "fragment" }, "schema": base }))
        .example("A page", json!({ "mode": "full", "apply": true, "schema": base }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, JsonSchema)]
// An unknown argument is refused by the schema: serde cannot refuse it beside a flattened part.
#[serde(rename_all = "camelCase")]
pub struct Args {
    #[serde(flatten)]
    tree: TreeArgs,
    /// Anything worth keeping with the preview; given back as it is.
    research_context: Option<Map<String, Value>>,
    /// What to return beside the HTML.
    options: Option<Options>,
    /// Form of the HTML; asks for HTML even without apply.
    output: Option<OutputOptions>,
    /// Return HTML.
    apply: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// Return the tree that was rendered; true unless given.
    include_tree: Option<bool>,
    /// Never return HTML.
    preview_only: Option<bool>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// One self-contained page.
    #[default]
    Document,
    /// The same as fragments.
    Fragment,
    /// HTML of each direct child of a screen.
    Fragments,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OutputOptions {
    /// document or fragments.
    format: Option<Format>,
    /// Refuse to render a tree with unknown components.
    strict: Option<bool>,
    /// Return the styles of fragments; true unless given.
    include_css: Option<bool>,
    /// Accepted for compatibility; fragments always include what is inside them.
    #[serde(rename = "depth")]
    _depth: Option<u32>,
    /// Brand of the kit; its first one unless given.
    brand: Option<String>,
    /// Return the page without token and component styles, for a caller that has them.
    compact: Option<bool>,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Error,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rendering {
    pub status: Status,
    pub mode: Mode,
    pub dsl_version: String,
    pub registry_version: Option<String>,
    pub errors: Vec<Issue>,
    pub warnings: Vec<Issue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rendered_tree: Option<TreeJson>,
    /// The patch as RFC 6902 operations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normalized_patch: Option<Vec<Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied_patch: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragments: Option<BTreeMap<String, Fragment>>,
    /// Styles by the names in cssRefs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub css: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputEcho>,
    pub meta: TreeMeta,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preview {
    /// Ids of the screens.
    pub screens: Vec<String>,
    pub routes: Vec<String>,
    pub active_screen: Option<String>,
    pub summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub research_context: Option<Map<String, Value>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fragment {
    pub node_id: String,
    pub component: String,
    pub html: String,
    pub css_refs: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputEcho {
    pub format: Format,
    pub strict: bool,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Rendering, FoundryError> {
    let kit = foundry.kit()?;
    let options = args.options.unwrap_or_default();
    let wanted =
        (args.apply.unwrap_or(false) || args.output.is_some()) && !options.preview_only.unwrap_or(false);
    let output = args.output.unwrap_or_default();
    let brand = brand(&kit, output.brand.as_deref())?;
    let mode = args.tree.mode;
    let subject = subject(&kit, args.tree, true)?;
    let meta = subject.meta();
    let mut rendering = Rendering {
        status: Status::Error,
        mode,
        dsl_version: subject.version,
        registry_version: Some(kit.manifest.version.clone()),
        errors: subject.report.errors,
        warnings: subject.report.warnings,
        rendered_tree: None,
        normalized_patch: subject.operations,
        applied_patch: subject.applied,
        preview: None,
        html: None,
        fragments: None,
        css: None,
        output: None,
        meta,
    };
    let Some(tree) = subject.tree else { return Ok(rendering) };
    rendering.preview = Some(preview(&tree, args.research_context));
    rendering.rendered_tree = subject.json.filter(|_| options.include_tree.unwrap_or(true)).map(TreeJson);
    let format = match output.format.unwrap_or_default() {
        Format::Fragment => Format::Fragments,
        other => other,
    };
    let strict = output.strict.unwrap_or(false);
    let blocking = rendering.errors.iter().any(|issue| issue.code != "UNKNOWN_COMPONENT");
    if wanted {
        rendering.output = Some(OutputEcho { format, strict });
    }
    if wanted && format == Format::Fragments && !strict && !blocking {
        fragments(&kit, &tree, brand, output.include_css.unwrap_or(true), &mut rendering);
        return Ok(rendering);
    }
    if !rendering.errors.is_empty() {
        return Ok(rendering);
    }
    rendering.status = Status::Ok;
    match format {
        _ if !wanted => {}
        Format::Document => {
            let page = render::document(&kit, &tree, brand, Styling::Tokens);
            rendering.warnings.extend(page.warnings);
            rendering.html =
                Some(if output.compact.unwrap_or(false) { without_styles(&page.html) } else { page.html });
        }
        _ => fragments(&kit, &tree, brand, output.include_css.unwrap_or(true), &mut rendering),
    }
    Ok(rendering)
}

fn preview(tree: &Tree, research_context: Option<Map<String, Value>>) -> Preview {
    let screens: Vec<String> = tree.screens.iter().map(|&screen| tree.nodes[screen].id.clone()).collect();
    let plural = if screens.len() == 1 { "screen" } else { "screens" };
    Preview {
        routes: tree.screens.iter().filter_map(|&screen| tree.nodes[screen].route.clone()).collect(),
        active_screen: screens.first().cloned(),
        summary: format!("Render ready for {} {plural}", screens.len()),
        screens,
        research_context,
    }
}

/// Known siblings are rendered; every unknown node, however deep, is an error of its own.
fn fragments(kit: &Kit, tree: &Tree, brand: &str, include_css: bool, rendering: &mut Rendering) {
    let (fragments, css, warnings) = render::fragments(kit, tree, brand, include_css, Styling::Tokens);
    let top: Vec<usize> =
        tree.screens.iter().flat_map(|&screen| tree.nodes[screen].children.clone()).collect();
    for issue in &mut rendering.errors {
        let owner = issue.node_id.as_deref().and_then(|id| tree.find(id)).and_then(|mut at| {
            loop {
                if top.contains(&at) {
                    break Some(at);
                }
                at = tree.nodes[at].parent?;
            }
        });
        if let Some(owner) = owner {
            issue.path = Some(format!("/fragments/{}", crate::json::pointer_segment(&tree.nodes[owner].id)));
        }
    }
    let known: BTreeMap<String, Fragment> = fragments
        .into_iter()
        .filter(|fragment| kit.component(&fragment.component).is_some())
        .map(|fragment| {
            let render::Fragment { node_id, component, html, css_refs } = fragment;
            (node_id.clone(), Fragment { node_id, component, html, css_refs })
        })
        .collect();
    let failed = known.is_empty() && !rendering.errors.is_empty();
    rendering.status = if failed { Status::Error } else { Status::Ok };
    rendering.warnings.extend(warnings);
    rendering.fragments = Some(known);
    rendering.css = include_css.then_some(css);
}

fn without_styles(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find("<style data-source=") {
        out.push_str(&rest[..start]);
        rest = rest[start..].split_once("</style>\n").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    out
}
