//! A page to look at one tree: live themes and brands, and the code beside it.

use std::fmt::Write;

use serde_json::Value;

use crate::codegen::{self, Framework};
use crate::issue::Issue;
use crate::kit::Kit;
use crate::render::{self, Styling, escape};
use crate::tokens::emit;
use crate::tree::Tree;
use crate::validate;

const SCRIPT: &str = include_str!("../kit/preview.js");
const STYLE: &str = include_str!("../kit/preview.css");
const FRAMEWORKS: [(Framework, &str); 5] = [
    (Framework::React, "React"),
    (Framework::Vue, "Vue"),
    (Framework::Svelte, "Svelte"),
    (Framework::Lit, "Web component"),
    (Framework::Html, "HTML"),
];

/// The page of a tree, or what is wrong with the tree's structure.
///
/// Unknown components show as boxes and are listed above the preview.
pub fn page(kit: &Kit, json: &Value) -> Result<String, Vec<Issue>> {
    let tree = Tree::read(json)?;
    let theme = kit.theme(tree.theme.as_deref());
    let brand = kit.default_brand();
    let tokens = kit.tokens(brand, theme).unwrap_or_default();
    let lowered = render::lower(kit, &tokens, &tree, &tree.screens, Styling::Tokens);
    let body = render::render_roots(&lowered).html.concat();
    let report = validate::check(kit, &tree, true);
    let mut styles = String::new();
    for brand in &kit.manifest.brands {
        for theme in &kit.manifest.themes {
            if let Some(set) = kit.tokens(brand, theme) {
                styles.push_str(&emit::css_block(
                    &set,
                    &format!("[data-brand=\"{brand}\"][data-theme=\"{theme}\"]"),
                ));
            }
        }
    }
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\" data-theme=\"{theme}\" data-brand=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Preview</title>\n\
         <style>\n{styles}{}{STYLE}</style>\n</head>\n<body class=\"oods-root\">\n<header class=\"preview-bar\">\n<strong>Preview</strong>\n",
        escape(brand),
        kit.stylesheet(),
    );
    choices(&mut html, "theme", "Theme", &kit.manifest.themes, theme);
    choices(&mut html, "brand", "Brand", &kit.manifest.brands, brand);
    html.push_str("<button type=\"button\" class=\"oods-button oods-button--secondary oods-button--sm\" data-preview-code aria-expanded=\"false\" aria-controls=\"preview-code\">Code</button>\n</header>\n");
    findings(&mut html, report.errors.iter().chain(&report.warnings).chain(&lowered.warnings));
    let _ = write!(html, "<main id=\"oods-preview-root\" class=\"oods-preview\">\n{body}\n</main>\n");
    html.push_str("<section id=\"preview-code\" class=\"preview-code\" aria-label=\"Code\" hidden>\n<div class=\"preview-code__bar\">\n<label>Framework <select data-preview-framework>");
    for (_, name) in FRAMEWORKS {
        let _ = write!(html, "<option>{name}</option>");
    }
    html.push_str("</select></label>\n<button type=\"button\" class=\"oods-button oods-button--primary oods-button--sm\" data-preview-copy>Copy</button>\n<span role=\"status\" data-preview-status></span>\n</div>\n");
    for (index, (framework, name)) in FRAMEWORKS.iter().enumerate() {
        let code = codegen::generate(kit, &tree, *framework, true, Styling::Tokens);
        let hidden = if index == 0 { "" } else { " hidden" };
        let _ = writeln!(
            html,
            "<pre tabindex=\"0\" data-preview-source=\"{name}\"{hidden}><code>{}</code></pre>",
            escape(&code.text)
        );
    }
    let _ = write!(html, "</section>\n<script>\n{}\n{SCRIPT}</script>\n</body>\n</html>\n", kit.behaviour);
    Ok(html)
}

fn choices(html: &mut String, name: &str, label: &str, options: &[String], chosen: &str) {
    let _ = write!(html, "<label>{label} <select data-preview-set=\"{name}\">");
    for option in options {
        let selected = if option == chosen { " selected" } else { "" };
        let _ = write!(html, "<option{selected}>{}</option>", escape(option));
    }
    html.push_str("</select></label>\n");
}

fn findings<'i>(html: &mut String, issues: impl Iterator<Item = &'i Issue>) {
    let lines: Vec<String> = issues
        .take(50)
        .map(|issue| {
            let hint = issue.hint.as_deref().map_or(String::new(), |hint| format!(" ({})", escape(hint)));
            format!("<li><code>{}</code> {}{hint}</li>\n", escape(&issue.code), escape(&issue.message))
        })
        .collect();
    if !lines.is_empty() {
        let _ = write!(
            html,
            "<details class=\"preview-findings\" open><summary>{} findings</summary><ul>\n{}</ul></details>\n",
            lines.len(),
            lines.concat()
        );
    }
}
