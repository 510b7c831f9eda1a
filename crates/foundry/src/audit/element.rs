//! Elements as JSX, Vue and HTML have in common: native ones the kit stands in for, components and their properties.

use std::ops::Range;

use serde_json::Value;

use super::finding::{Edit, Fix};
use super::rules::table;
use super::scan::Scan;
use crate::json::near;
use crate::kit::Component;
use crate::render::attribute_name;

/// Attributes that frameworks read themselves.
const FRAMEWORK: [&str; 14] = [
    "key",
    "ref",
    "id",
    "class",
    "className",
    "style",
    "children",
    "slot",
    "is",
    "html",
    "htmlFor",
    "suppressHydrationWarning",
    "dangerouslySetInnerHTML",
    "part",
];

/// Elements that react to a pointer by nature, or cannot be told to.
const INTERACTIVE: [&str; 10] =
    ["button", "a", "input", "select", "textarea", "option", "label", "summary", "video", "audio"];

/// What an attribute is set to, as far as the text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    Literal(Value),
    Dynamic,
}

#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: String,
    pub name_at: Range<usize>,
    pub setting: Setting,
    /// The value inside its quotes.
    pub value_at: Range<usize>,
}

/// One element with the places of its name.
#[derive(Debug, Clone)]
pub struct Element {
    pub name: String,
    /// In the start tag, and in the end tag where there is one.
    pub name_at: Vec<Range<usize>>,
    pub attributes: Vec<Attribute>,
}

impl Element {
    fn text(&self, name: &str) -> Option<&str> {
        match self.attributes.iter().find(|attribute| attribute.name == name)?.setting {
            Setting::Literal(ref value) => value.as_str(),
            Setting::Dynamic => None,
        }
    }

    fn at(&self) -> Range<usize> {
        self.name_at[0].clone()
    }
}

/// Checks an element that is not a component.
pub fn native(scan: &mut Scan, element: &Element) {
    let class = element.text("class").or_else(|| element.text("className")).unwrap_or_default();
    // Markup that the kit itself prints.
    if class.split_whitespace().any(|class| class.starts_with("oods-")) {
        return;
    }
    for attribute in &element.attributes {
        if let Setting::Literal(Value::String(name)) = &attribute.setting
            && attribute.name == "data-oods-component"
        {
            exists(scan, name, std::slice::from_ref(&attribute.value_at));
            return;
        }
    }
    handlers(scan, element);
    let table = table();
    let Some(native) = table.elements.iter().find(|native| native.element == element.name) else { return };
    let kind = if element.name == "input" { element.text("type") } else { None };
    let wanted = kind.and_then(|kind| table.inputs.get(kind)).unwrap_or(&native.component);
    // An anchor without an address is a target, not a link.
    let is_target =
        element.name == "a" && !element.attributes.iter().any(|attribute| attribute.name.ends_with("href"));
    let Some(component) = scan.design.kit.component(wanted).filter(|_| !is_target) else { return };
    let shown = &element.name;
    match component.traits.first() {
        Some(name) => {
            let message = format!("<{shown}> bypasses the trait {name}; use the component {wanted}");
            scan.report("bypassed-trait", element.at(), message, None);
        }
        None => {
            let message = format!("<{shown}> stands where the component {wanted} belongs");
            scan.report("bypassed-component", element.at(), message, None);
        }
    }
}

/// Events on elements that no keyboard reaches.
fn handlers(scan: &mut Scan, element: &Element) {
    if INTERACTIVE.contains(&element.name.as_str()) || element.name.contains('-') {
        return;
    }
    for handler in &table().handlers {
        let event = &handler.handler;
        let is_event = |name: &str| {
            let plain = name.to_ascii_lowercase();
            let plain = plain.split('.').next().unwrap_or_default();
            [format!("on{event}"), format!("@{event}"), format!("v-on:{event}"), format!("on:{event}")]
                .iter()
                .any(|known| known == plain)
        };
        let Some(attribute) = element.attributes.iter().find(|attribute| is_event(&attribute.name)) else {
            continue;
        };
        let kit = scan.design.kit;
        let having = |component: &&Component| component.traits.contains(&handler.trait_name);
        let Some(component) = kit.components.iter().find(having) else { continue };
        let message = format!(
            "<{}> with {} bypasses the trait {}; use the component {}",
            element.name, attribute.name, handler.trait_name, component.name
        );
        scan.report("bypassed-trait", attribute.name_at.clone(), message, None);
    }
}

/// Checks that a component exists; `places` are where its name stands.
pub fn exists(scan: &mut Scan, name: &str, places: &[Range<usize>]) -> bool {
    let kit = scan.design.kit;
    let edits = |text: &str| places.iter().map(|place| Edit::new(place.clone(), text.to_owned())).collect();
    match kit.component(name) {
        Some(component) => {
            if let Some(deprecation) = &component.deprecated {
                let instead = deprecation.instead.as_deref();
                let hint = instead.map_or(String::new(), |instead| format!("; use {instead}"));
                let message = format!("{name} is deprecated: {}{hint}", deprecation.reason);
                let fix = instead.map(|instead| Fix { exact: false, token: None, edits: edits(instead) });
                scan.report("deprecated-component", places[0].clone(), message, fix);
            }
            true
        }
        None => {
            let near = near(name, kit.component_names(), 3);
            let message = match near.as_slice() {
                [] => format!("the kit has no component {name}"),
                near => format!("the kit has no component {name}; did you mean {}", near.join(", ")),
            };
            let fix = near.first().map(|near| Fix { exact: false, token: None, edits: edits(near) });
            scan.report("unknown-component", places[0].clone(), message, fix);
            false
        }
    }
}

/// Checks the properties of a component of the kit.
pub fn properties(scan: &mut Scan, element: &Element, component: &str) {
    let kit = scan.design.kit;
    let Some(component) = kit.component(component) else { return };
    for attribute in &element.attributes {
        let name = attribute.name.as_str();
        let is_event = name.starts_with("on") || name.starts_with('@');
        let is_directive = name.starts_with("v-") || name.starts_with('#') || name.contains(':');
        if is_event || is_directive || FRAMEWORK.contains(&name) {
            continue;
        }
        let Some(prop) = component.prop(name) else {
            if attribute_name(name).is_some() {
                continue;
            }
            let known: Vec<&str> = component.props.iter().map(|(name, _)| name.as_str()).collect();
            let near = near(name, known.iter().copied(), 3);
            let hint = if near.is_empty() { known.join(", ") } else { near.join(", ") };
            let message = format!("{} has no property {name}; known: {hint}", component.name);
            let fix = near.first().map(|near| Fix {
                exact: false,
                token: None,
                edits: vec![Edit::new(attribute.name_at.clone(), (*near).to_owned())],
            });
            scan.report("unknown-prop", attribute.name_at.clone(), message, fix);
            continue;
        };
        let Setting::Literal(Value::String(text)) = &attribute.setting else { continue };
        if !prop.options.is_empty() && !prop.options.contains(text) {
            let message = format!(
                "{name} of {} cannot be {text:?}; one of {}",
                component.name,
                prop.options.join(", ")
            );
            let near = near(text, prop.options.iter().map(String::as_str), 1);
            let fix = near.first().map(|near| Fix {
                exact: false,
                token: None,
                edits: vec![Edit::new(attribute.value_at.clone(), (*near).to_owned())],
            });
            scan.report("prop-value", attribute.value_at.clone(), message, fix);
        }
    }
}

/// The component that a custom element or a kebab-case tag means: `metric-card` is `MetricCard`.
pub fn pascal(tag: &str) -> String {
    tag.split('-')
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
                .collect::<String>()
        })
        .collect()
}

/// `font-size` of `fontSize`.
pub fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}

/// `fontSize` of `font-size`.
pub fn camel(name: &str) -> String {
    let pascal = pascal(name);
    let mut letters = pascal.chars();
    letters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(letters).collect()
}
