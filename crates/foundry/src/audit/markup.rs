//! HTML and Vue files: the HTML parser splits them, and every part is read in its own language.

use serde_json::Value;
use tree_sitter::{Language, Node};

use super::css;
use super::element::{self, Attribute, Element, Setting, camel, pascal};
use super::scan::{Scan, at, child_of_kind, walk, walk_with_parent};
use super::script::{self, Dialect, Names};

/// Tags of Vue that are neither elements nor components of anybody.
const VUE_TAGS: [&str; 12] = [
    "Transition",
    "TransitionGroup",
    "KeepAlive",
    "Teleport",
    "Suspense",
    "RouterLink",
    "RouterView",
    "NuxtLink",
    "NuxtPage",
    "NuxtLayout",
    "ClientOnly",
    "Component",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    Html,
    Vue,
}

fn language() -> Language {
    tree_sitter_html::LANGUAGE.into()
}

/// Checks a whole file.
pub fn document(scan: &mut Scan, flavour: Flavour) {
    let text = scan.text;
    let Some(tree) = scan.parse(&language(), text) else { return };
    let root = tree.root_node();
    let mut names = Names::default();
    // Scripts first: they say where the components of the template come from.
    walk(root, |node| match (node.kind(), child_of_kind(node, "raw_text")) {
        ("script_element", Some(raw)) => {
            if let Some(dialect) = dialect(node, text) {
                names = script::script(scan, &text[raw.byte_range()], raw.start_byte(), dialect);
            }
            false
        }
        ("style_element", Some(raw)) => {
            css::stylesheet(scan, &text[raw.byte_range()], raw.start_byte());
            false
        }
        _ => true,
    });
    elements(scan, root, text, 0, flavour, &names);
}

/// Checks markup inside another language, such as a template of Lit.
pub fn fragment(scan: &mut Scan, text: &str, base: usize) {
    let was_broken = scan.is_broken;
    let Some(tree) = scan.parse(&language(), text) else { return };
    scan.is_broken = was_broken;
    elements(scan, tree.root_node(), text, base, Flavour::Html, &Names::default());
}

fn dialect(script: Node, text: &str) -> Option<Dialect> {
    let start = child_of_kind(script, "start_tag")?;
    let attributes = attributes(start, text, 0, Flavour::Html);
    let value = |name: &str| {
        let found = attributes.iter().find(|attribute| attribute.name == name)?;
        match &found.setting {
            Setting::Literal(Value::String(text)) => Some(text.clone()),
            _ => None,
        }
    };
    match (value("lang").as_deref(), value("type").as_deref()) {
        (Some("ts"), _) => Some(Dialect::TypeScript),
        (Some("tsx"), _) => Some(Dialect::Tsx),
        // Data, templates and import maps are no scripts.
        (_, Some(kind)) if !kind.contains("javascript") && kind != "module" && !kind.is_empty() => None,
        _ => Some(Dialect::JavaScript),
    }
}

fn elements(scan: &mut Scan, root: Node, text: &str, base: usize, flavour: Flavour, names: &Names) {
    walk_with_parent(root, |node, parent| {
        match node.kind() {
            "start_tag" | "self_closing_tag" => {
                let end = parent.and_then(|parent| child_of_kind(parent, "end_tag"));
                tag(scan, (node, end), text, base, flavour, names);
            }
            "script_element" | "style_element" => return false,
            _ => {}
        }
        true
    });
}

fn tag(
    scan: &mut Scan,
    (node, end): (Node, Option<Node>),
    text: &str,
    base: usize,
    flavour: Flavour,
    names: &Names,
) {
    let Some(name_node) = child_of_kind(node, "tag_name") else { return };
    let name = &text[name_node.byte_range()];
    let mut name_at = vec![at(name_node, base)];
    if let Some(end) = end.and_then(|end| child_of_kind(end, "tag_name")) {
        name_at.push(at(end, base));
    }
    let mut attributes = attributes(node, text, base, flavour);
    styles(scan, &mut attributes, text, base);
    let element = Element { name: name.to_owned(), name_at, attributes };
    if let Some(tag) = name.strip_prefix("oods-") {
        let component = pascal(tag);
        if scan.design.kit.component(&component).is_none() {
            element::exists(scan, &component, &element.name_at[..1]);
        }
        return;
    }
    let is_component = flavour == Flavour::Vue
        && (name.contains(char::is_uppercase) || name.contains('-') && names.get(&pascal(name)).is_some());
    if !is_component {
        element::native(scan, &element);
    } else if !VUE_TAGS.contains(&pascal(name).as_str()) {
        let element = Element { name: pascal(name), ..element };
        script::component(scan, &element, names);
    }
}

/// Reads attributes; those of Vue lose their `:` and become camel case.
fn attributes(tag: Node, text: &str, base: usize, flavour: Flavour) -> Vec<Attribute> {
    let mut cursor = tag.walk();
    let mut attributes = Vec::new();
    for node in tag.children(&mut cursor).filter(|child| child.kind() == "attribute") {
        let Some(name_node) = child_of_kind(node, "attribute_name") else { continue };
        let written = &text[name_node.byte_range()];
        let quoted = child_of_kind(node, "quoted_attribute_value");
        let value = child_of_kind(quoted.unwrap_or(node), "attribute_value");
        let bound = written.strip_prefix(':').or_else(|| written.strip_prefix("v-bind:"));
        let name = match (flavour, bound) {
            (Flavour::Vue, Some(bound)) => bound,
            _ => written,
        };
        let is_plain = !name.contains(['@', ':', '.']) && !name.starts_with("v-");
        let passes = name.starts_with("aria-") || name.starts_with("data-");
        let name = match flavour {
            Flavour::Vue if is_plain && !passes => camel(name),
            _ => name.to_owned(),
        };
        let setting = match value {
            _ if bound.is_some() => Setting::Dynamic,
            Some(value) => Setting::Literal(Value::String(text[value.byte_range()].to_owned())),
            None if quoted.is_some() => Setting::Literal(Value::String(String::new())),
            None => Setting::Literal(Value::Bool(true)),
        };
        let value_at = value.map_or_else(|| at(name_node, base), |value| at(value, base));
        attributes.push(Attribute { name, name_at: at(name_node, base), setting, value_at });
    }
    attributes
}

/// Checks `style` and `:style`, and takes them out of the list.
fn styles(scan: &mut Scan, attributes: &mut Vec<Attribute>, text: &str, base: usize) {
    for attribute in attributes.iter().filter(|attribute| attribute.name == "style") {
        let inside = attribute.value_at.start - base..attribute.value_at.end - base;
        let content = text.get(inside).unwrap_or_default();
        let only_tokens = match &attribute.setting {
            Setting::Literal(Value::String(_)) => css::declarations(scan, content, attribute.value_at.start),
            Setting::Literal(_) => true,
            Setting::Dynamic => {
                script::style_expression(scan, content, attribute.value_at.start);
                content.contains("var(--")
            }
        };
        if !only_tokens {
            scan.report(
                "inline-style",
                attribute.name_at.clone(),
                "an inline style sets raw values".into(),
                None,
            );
        }
    }
    attributes.retain(|attribute| attribute.name != "style");
}
