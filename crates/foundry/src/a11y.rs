//! Accessibility of a tree: names, alternative texts, headings, nesting, contrast of what it uses.

use serde_json::Value;

use crate::color;
use crate::issue::Issue;
use crate::kit::{Component, Kit};
use crate::tokens::contrast::{self, Finding};
use crate::tokens::{Purpose, TokenSet};
use crate::tree::{Node, Tree};

/// Every finding, in document order; contrast comes last.
pub fn check(kit: &Kit, tree: &Tree, brand: &str) -> Vec<Issue> {
    let mut issues = Vec::new();
    let mut last_heading = 0;
    for (index, node) in tree.nodes.iter().enumerate() {
        let Some(component) = kit.component(&node.component) else { continue };
        names(tree, index, component, &mut issues);
        nesting(kit, tree, index, component, &mut issues);
        headings(tree, index, component, &mut last_heading, &mut issues);
    }
    let theme = kit.theme(tree.theme.as_deref());
    match kit.tokens(brand, theme) {
        Some(tokens) if !tokens.is_empty() => colors(kit, tree, &tokens, theme, &mut issues),
        _ => issues.push(Issue::warning(
            "A11Y_TOKEN_DATA_MISSING",
            format!("no tokens for brand {brand}, theme {theme}"),
        )),
    }
    issues
}

fn is_given(node: &Node, component: &Component, name: &str) -> bool {
    if name == "children" {
        return !node.children.is_empty();
    }
    let value = node.props.get(name).or_else(|| component.defaults.get(name));
    match value {
        // An empty alternative text says that the picture only decorates.
        Some(Value::String(text)) => !text.trim().is_empty() || name == "alt",
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Null) | None => node.bindings.iter().any(|(key, _)| key == name),
        Some(_) => true,
    }
}

fn names(tree: &Tree, index: usize, component: &Component, issues: &mut Vec<Issue>) {
    let node = &tree.nodes[index];
    let sources = &component.archetype.a11y.name_from;
    let labelled = node.label.is_some() && component.archetype.text_prop.is_some();
    if sources.is_empty() || labelled || sources.iter().any(|name| is_given(node, component, name)) {
        return;
    }
    let (code, what) = match component.archetype.name.as_str() {
        "image" => ("A11Y_ALT_MISSING", "alternative text"),
        _ => ("A11Y_NAME_MISSING", "accessible name"),
    };
    issues.push(
        Issue::warning(code, format!("{} has no {what}", node.component))
            .at(tree.pointer(index))
            .about(&node.id, &node.component)
            .hint(format!(
                "set {}",
                sources.iter().filter(|name| *name != "children").cloned().collect::<Vec<_>>().join(" or ")
            )),
    );
}

fn nesting(kit: &Kit, tree: &Tree, index: usize, component: &Component, issues: &mut Vec<Issue>) {
    if !component.archetype.a11y.interactive {
        return;
    }
    let node = &tree.nodes[index];
    let mut above = node.parent;
    while let Some(at) = above {
        let parent = &tree.nodes[at];
        let alone = kit.component(&parent.component).is_some_and(|outer| {
            outer.archetype.a11y.interactive
                && matches!(outer.archetype.name.as_str(), "button" | "link" | "sort")
        });
        if alone {
            issues.push(
                Issue::warning(
                    "A11Y_INTERACTIVE_NESTING",
                    format!("{} stands inside {} {:?}", node.component, parent.component, parent.id),
                )
                .at(tree.pointer(index))
                .about(&node.id, &node.component)
                .hint("an element that can be pressed may not contain another one"),
            );
            return;
        }
        above = parent.parent;
    }
}

/// Headings may go deeper one level at a time.
fn headings(tree: &Tree, index: usize, component: &Component, last: &mut u8, issues: &mut Vec<Issue>) {
    let node = &tree.nodes[index];
    let text =
        |name: &str| node.props.get(name).or_else(|| component.defaults.get(name)).and_then(Value::as_str);
    let level = |tag: Option<&str>| {
        tag.and_then(|tag| tag.strip_prefix('h')).and_then(|level| level.parse::<u8>().ok())
    };
    let level = match component.archetype.name.as_str() {
        "text" => level(text("as")),
        "header" => level(text("as")),
        _ => None,
    };
    let Some(level) = level else { return };
    if *last > 0 && level > *last + 1 {
        issues.push(
            Issue::warning("A11Y_HEADING_ORDER", format!("heading level {level} follows level {}", *last))
                .at(tree.pointer(index))
                .about(&node.id, &node.component)
                .hint(format!("use h{}", *last + 1)),
        );
    }
    *last = level;
}

/// Rules for the families the tree uses, and the colours its styles name.
fn colors(kit: &Kit, tree: &Tree, tokens: &TokenSet, theme: &str, issues: &mut Vec<Issue>) {
    let components: Vec<&Component> =
        tree.components().into_iter().filter_map(|name| kit.component(name)).collect();
    let mut families: Vec<&str> = components
        .iter()
        .flat_map(|component| component.archetype.styles.iter().map(String::as_str))
        .chain(components.iter().map(|component| component.archetype.family.as_str()))
        .collect();
    families.sort_unstable();
    families.dedup();
    for finding in contrast::evaluate(tokens, &kit.rules, Some(&families)) {
        if !finding.passed {
            issues.push(contrast_issue(&finding, theme));
        }
    }
    for (index, node) in tree.nodes.iter().enumerate() {
        let Some(name) = node.style.get("colorToken").and_then(Value::as_str) else { continue };
        let Some(token) = tokens.find(name, Purpose::Color) else { continue };
        let surface = surface_below(kit, tree, index);
        let (Some(fg), Some(bg)) =
            (contrast::color_of(tokens, &token.path), contrast::color_of(tokens, surface))
        else {
            continue;
        };
        let ratio = color::contrast(fg, bg);
        if ratio + 1e-9 < 4.5 {
            let better = readable(tokens, bg).map_or(String::new(), |token| format!("; {token} passes"));
            issues.push(
                Issue::warning(
                    "A11Y_CONTRAST",
                    format!("{} on {surface} is {ratio:.2}:1 in theme {theme}", token.path),
                )
                .at(format!("{}/style/colorToken", tree.pointer(index)))
                .about(&node.id, &node.component)
                .hint(format!("{} on {}: WCAG AA needs 4.5:1{better}", fg.hex(), bg.hex())),
            );
        }
    }
}

fn contrast_issue(finding: &Finding, theme: &str) -> Issue {
    Issue::warning(
        "A11Y_CONTRAST",
        format!("{} is hard to read in theme {theme} ({})", finding.summary, finding.rule),
    )
    .hint(finding.hint())
}

/// The surface a node stands on: the nearest raised container, else the canvas.
fn surface_below(kit: &Kit, tree: &Tree, index: usize) -> &'static str {
    let mut at = Some(index);
    while let Some(index) = at {
        let node = &tree.nodes[index];
        let family = kit.component(&node.component).map(|component| component.archetype.family.as_str());
        if matches!(family, Some("card" | "panel" | "metric" | "dialog" | "table" | "chart" | "nav")) {
            return "sys.surface.raised";
        }
        at = node.parent;
    }
    "sys.surface.canvas"
}

fn readable(tokens: &TokenSet, background: color::Color) -> Option<&'static str> {
    ["sys.text.muted", "sys.text.secondary", "sys.text.primary", "sys.text.inverse"].into_iter().find(
        |path| {
            contrast::color_of(tokens, path).is_some_and(|color| color::contrast(color, background) >= 4.5)
        },
    )
}
