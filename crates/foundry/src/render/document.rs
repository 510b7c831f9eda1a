//! Whole pages and separate fragments.

use std::collections::BTreeMap;

use super::html::{escape, render_roots};
use super::lower::{Kind, Styling, lower};
use crate::issue::Issue;
use crate::kit::Kit;
use crate::tokens::emit;
use crate::tree::Tree;

/// A page that needs nothing from elsewhere.
pub struct Page {
    pub html: String,
    pub warnings: Vec<Issue>,
}

/// One direct child of a screen with the styles it needs.
pub struct Fragment {
    pub node_id: String,
    pub component: String,
    pub html: String,
    pub css_refs: Vec<String>,
}

/// Prints a tree as one page; every unknown component must have been dealt with before.
pub fn document(kit: &Kit, tree: &Tree, brand: &str, styling: Styling) -> Page {
    document_in(kit, tree, brand, kit.theme(tree.theme.as_deref()), styling)
}

/// Prints a tree in another theme than its own.
pub fn document_in(kit: &Kit, tree: &Tree, brand: &str, theme: &str, styling: Styling) -> Page {
    let tokens = kit.tokens(brand, theme).unwrap_or_default();
    let lowered = lower(kit, &tokens, tree, &tree.screens, styling);
    let body = render_roots(&lowered).html.concat();
    let title = tree.screens.first().map_or("Preview", |&screen| {
        let node = &tree.nodes[screen];
        node.label.as_deref().unwrap_or(&node.id)
    });
    let needs_script = tree
        .components()
        .iter()
        .any(|name| kit.component(name).is_some_and(|component| component.archetype.name == "tabs"));
    let script = if needs_script { format!("<script>\n{}</script>\n", kit.behaviour) } else { String::new() };
    let html = format!(
        "<!doctype html>\n<html lang=\"en\" data-theme=\"{theme}\" data-brand=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style data-source=\"tokens\">\n{}</style>\n<style data-source=\"components\">{}</style>\n</head>\n\
         <body class=\"oods-root\">\n<main id=\"oods-preview-root\" class=\"oods-preview\">\n{body}\n</main>\n{script}</body>\n</html>\n",
        escape(brand),
        escape(title),
        emit::css_block(&tokens, ":root"),
        styles_of(kit, tree),
    );
    Page { html, warnings: lowered.warnings }
}

/// The sections of the stylesheet a tree needs, in the order of the stylesheet.
fn styles_of(kit: &Kit, tree: &Tree) -> String {
    let mut needed: Vec<&str> = vec!["base", "layout"];
    for name in tree.components() {
        if let Some(component) = kit.component(name) {
            needed.extend(component.archetype.styles.iter().map(String::as_str));
        }
    }
    kit.styles
        .iter()
        .filter(|section| needed.contains(&section.name.as_str()))
        .map(|section| section.css.as_str())
        .collect()
}

/// Prints each direct child of each screen by itself.
pub fn fragments(
    kit: &Kit,
    tree: &Tree,
    brand: &str,
    include_css: bool,
    styling: Styling,
) -> (Vec<Fragment>, BTreeMap<String, String>, Vec<Issue>) {
    let theme = kit.theme(tree.theme.as_deref());
    let tokens = kit.tokens(brand, theme).unwrap_or_default();
    let mut css = BTreeMap::new();
    let mut fragments = Vec::new();
    let mut warnings = Vec::new();
    let children = tree.screens.iter().flat_map(|&screen| &tree.nodes[screen].children);
    for &child in children {
        let node = &tree.nodes[child];
        let lowered = lower(kit, &tokens, tree, &[child], styling);
        let mut refs = vec!["css.base".to_owned()];
        if include_css {
            refs.push("css.tokens".to_owned());
        }
        for part in &lowered.parts {
            let Kind::Component(component) = &part.kind else { continue };
            let name = format!("cmp.{}.base", component.name.to_lowercase());
            if !refs.contains(&name) {
                let text =
                    || component.archetype.styles.iter().filter_map(|section| kit.style(section)).collect();
                css.entry(name.clone()).or_insert_with(text);
                refs.push(name);
            }
        }
        let html = render_roots(&lowered).html.concat();
        warnings.extend(lowered.warnings);
        fragments.push(Fragment {
            node_id: node.id.clone(),
            component: node.component.clone(),
            html,
            css_refs: refs,
        });
    }
    css.insert("css.base".into(), ["base", "layout"].iter().filter_map(|name| kit.style(name)).collect());
    if include_css {
        css.insert("css.tokens".into(), emit::css_block(&tokens, ":root"));
    } else {
        css.clear();
    }
    (fragments, css, warnings)
}
