//! `code.generate`: source code for a tree.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{define, join, limits};
use crate::codegen::{self, Framework};
use crate::issue::Issue;
use crate::render::Styling;
use crate::tree::{Tree, TreeJson};
use crate::{Foundry, FoundryError, validate};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let schema = json!({
        "version": "2026.02",
        "screens": [{
            "id": "screen_main",
            "component": "Stack",
            "children": [
                { "id": "heading", "component": "Text", "props": { "content": "Welcome" } },
                { "id": "cta", "component": "Button", "props": { "label": "Get Started" } }
            ]
        }]
    });
    let def = define("code.generate")
        .title("Generate code")
        .summary("Generate React, Vue, Svelte, Lit or HTML source from a UiSchema; the React source builds as is in a project made by `mainstay foundry scaffold react DIR`")
        .reads()
        .stable()
        .policy(limits(30, 60, 4))
        .tags(&["code", "react", "vue", "svelte", "lit", "html", "typescript"])
        .example("React in TypeScript", json!({ "schema": schema, "framework": "react", "options": { "typescript": true, "styling": "tokens" } }))
        .example("A Vue component", json!({ "schema": schema, "framework": "vue" }))
        .example("A page", json!({ "schema": schema, "framework": "html", "options": { "styling": "inline" } }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// The tree.
    schema: TreeJson,
    /// Target: react, vue, html, svelte or lit.
    framework: Framework,
    /// Language and styling.
    options: Option<Options>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StylingChoice {
    /// Values of the tree's theme.
    Inline,
    /// References to design tokens.
    #[default]
    Tokens,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Options {
    /// TypeScript rather than JavaScript; true unless given.
    typescript: Option<bool>,
    /// tokens for CSS variables, inline for values; tokens unless given.
    styling: Option<StylingChoice>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Error,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Generated {
    pub status: Status,
    pub framework: Framework,
    pub code: String,
    pub file_extension: String,
    /// Modules the code imports.
    pub imports: Vec<String>,
    pub warnings: Vec<Issue>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Issue>,
    pub meta: Meta,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Meta {
    pub node_count: usize,
    /// Different components used.
    pub component_count: usize,
    pub unknown_components: Vec<String>,
}

fn run(foundry: &Foundry, _: &Call, args: Args) -> Result<Generated, FoundryError> {
    let kit = foundry.kit()?;
    let options = args.options.unwrap_or_default();
    let failed = |errors: Vec<Issue>, meta: Meta| Generated {
        status: Status::Error,
        framework: args.framework,
        code: String::new(),
        file_extension: String::new(),
        imports: Vec::new(),
        warnings: Vec::new(),
        errors,
        meta,
    };
    let tree = match Tree::read(&args.schema.0) {
        Ok(tree) => tree,
        Err(errors) => return Ok(failed(errors, Meta::default())),
    };
    let report = validate::check(&kit, &tree, true);
    let meta = Meta {
        node_count: tree.nodes.len(),
        component_count: tree.components().len(),
        unknown_components: report.missing_components.clone(),
    };
    let (unknown, errors): (Vec<Issue>, Vec<Issue>) =
        report.errors.into_iter().partition(|issue| issue.code == "UNKNOWN_COMPONENT");
    if !errors.is_empty() {
        return Ok(failed(errors, meta));
    }
    let styling = match options.styling.unwrap_or_default() {
        StylingChoice::Inline => Styling::Inline,
        StylingChoice::Tokens => Styling::Tokens,
    };
    let code = codegen::generate(&kit, &tree, args.framework, options.typescript.unwrap_or(true), styling);
    let mut warnings: Vec<Issue> = Vec::new();
    if !unknown.is_empty() {
        let names = meta.unknown_components.join(", ");
        let hints: Vec<String> = unknown.iter().filter_map(|issue| issue.hint.clone()).collect();
        let mut issue =
            Issue::warning("UNKNOWN_COMPONENTS", format!("the kit has no {names}; a div stands in"));
        if let Some(hint) = hints.first() {
            issue = issue.hint(hint.clone());
        }
        warnings.push(issue);
    }
    warnings.extend(code.warnings);
    Ok(Generated {
        status: Status::Ok,
        framework: args.framework,
        code: code.text,
        file_extension: code.extension.to_owned(),
        imports: code.imports.into_iter().map(str::to_owned).collect(),
        warnings,
        errors: Vec::new(),
        meta,
    })
}
