//! Specimens: every component and pattern of a kit, drawn by itself, as a reviewer wants to see it.

use serde_json::{Value, json};

use crate::compose::{self, LayoutName};
use crate::kit::{Component, Kit, Pattern};
use crate::render::{self, Styling};
use crate::tree::Tree;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Component,
    Pattern,
}

/// One thing to look at, in one brand and theme.
#[derive(Debug, Clone)]
pub struct Specimen {
    /// The name of the component or the id of the pattern.
    pub id: String,
    pub title: String,
    pub kind: Kind,
    pub html: String,
}

/// Ids of everything a kit has specimens of, in its own order.
pub fn ids(kit: &Kit) -> Vec<String> {
    let components = kit.components.iter().map(|component| component.name.clone());
    components.chain(drawn_patterns(kit).map(|(pattern, _)| pattern.id.clone())).collect()
}

/// Draws the specimens whose id `wanted` accepts.
pub fn draw(kit: &Kit, brand: &str, theme: &str, wanted: impl Fn(&str) -> bool) -> Vec<Specimen> {
    let components = kit.components.iter().filter(|component| wanted(&component.name)).map(|component| {
        let html = component_html(kit, brand, theme, component);
        let (id, title) = (component.name.clone(), component.display_name.clone());
        Specimen { id, title, kind: Kind::Component, html }
    });
    let patterns = drawn_patterns(kit).filter(|(pattern, _)| wanted(&pattern.id)).map(|(pattern, layout)| {
        let html = html(kit, brand, theme, &pattern_tree(kit, pattern, layout));
        let (id, title) = (pattern.id.clone(), pattern.title.clone());
        Specimen { id, title, kind: Kind::Pattern, html }
    });
    components.chain(patterns).collect()
}

/// A pattern without a layout is a rule, and rules have no picture.
fn drawn_patterns(kit: &Kit) -> impl Iterator<Item = (&Pattern, LayoutName)> {
    kit.patterns.iter().filter_map(|pattern| {
        let layout = LayoutName::parse(pattern.layout.as_deref()?)?;
        Some((pattern, layout))
    })
}

fn html(kit: &Kit, brand: &str, theme: &str, schema: &Value) -> String {
    let Ok(tree) = Tree::read(schema) else { return String::new() };
    let tokens = kit.tokens(brand, theme).unwrap_or_default();
    let lowered = render::lower(kit, &tokens, &tree, &tree.screens, Styling::Tokens);
    render::render_roots(&lowered).html.concat()
}

/// A component with the properties it is shown with.
fn component_tree(component: &Component, children: &[Value]) -> Value {
    let name = &component.name;
    json!({ "version": "1", "screens": [{ "id": name, "component": name, "props": component.example, "children": children }] })
}

/// A component by itself; one that only arranges others, or switches between them, gets some.
fn component_html(kit: &Kit, brand: &str, theme: &str, component: &Component) -> String {
    let alone = html(kit, brand, theme, &component_tree(component, &[]));
    let is_whole = has_text(&alone) && component.archetype.name != "tabs";
    if is_whole || !component.archetype.template.takes_children() {
        return alone;
    }
    let children = ["First", "Second"].map(|text| {
        let id = format!("{}-{text}", component.name);
        json!({ "id": id, "component": "Text", "props": { "content": format!("{text} item") } })
    });
    html(kit, brand, theme, &component_tree(component, &children))
}

fn has_text(html: &str) -> bool {
    let mut is_inside_tag = false;
    html.chars().any(|letter| {
        is_inside_tag = letter == '<' || is_inside_tag && letter != '>';
        !is_inside_tag && letter != '>' && !letter.is_whitespace()
    })
}

/// A screen that follows the pattern, about the first object of the kit.
pub fn pattern_tree(kit: &Kit, pattern: &Pattern, layout: LayoutName) -> Value {
    let object = kit.objects.iter().find(|object| object.name == "Subscription").or(kit.objects.first());
    let subject = object.map_or("items", |object| object.plural.as_str());
    let intent = format!("{} of {subject}", layout.name());
    let mut schema = compose::compose(kit, &intent, Some(layout), &Default::default(), 1).schema;
    if let Some(screens) = schema["screens"].as_array_mut() {
        screens.iter_mut().for_each(|screen| prefix_ids(screen, &pattern.id));
    }
    schema
}

/// Specimens share a page, so their ids may not meet.
fn prefix_ids(node: &mut Value, prefix: &str) {
    if let Some(id) = node.get_mut("id") {
        *id = format!("{prefix}-{}", id.as_str().unwrap_or_default()).into();
    }
    if let Some(Value::Array(children)) = node.get_mut("children") {
        children.iter_mut().for_each(|child| prefix_ids(child, prefix));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::LazyKit;

    #[test]
    fn every_specimen_shows_something() {
        let kit = LazyKit::new(Default::default()).get().unwrap();
        let drawn = draw(&kit, "A", "light", |_| true);
        assert_eq!(drawn.iter().map(|specimen| specimen.id.clone()).collect::<Vec<_>>(), ids(&kit));
        let shows = |specimen: &&Specimen| {
            has_text(&specimen.html)
                || specimen.html.contains("<input")
                || specimen.html.contains("<img")
                || specimen.html.contains("<hr")
        };
        let empty: Vec<&str> =
            drawn.iter().filter(|specimen| !shows(specimen)).map(|specimen| specimen.id.as_str()).collect();
        assert!(empty.is_empty(), "{empty:?}");
        assert!(!has_text("<p class=\"a>b\"> </p>") || has_text("<p>x</p>"));
        let button = drawn.iter().find(|specimen| specimen.id == "Button").unwrap();
        assert!(!button.html.contains("First item"), "{}", button.html);
    }
}
