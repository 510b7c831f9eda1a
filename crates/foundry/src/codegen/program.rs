//! The program behind generated code: elements with checked attributes, handlers and data.

use serde_json::Value;

use super::literal::identifier;
use crate::issue::Issue;
use crate::kit::{Component, Kit, TypeName};
use crate::render::{Kind, Part, Styling, lower};
use crate::tree::Tree;

pub enum Attr {
    Literal(Value),
    /// Name of a handler.
    Handler(String),
    /// Key of the data, and the value without it.
    Data(String, Option<Value>),
    Style(Vec<(String, String)>),
}

pub struct Element<'a> {
    /// The kit's component, or a plain element.
    pub component: Option<&'a Component>,
    pub tag: String,
    pub attrs: Vec<(String, Attr)>,
    pub text: Option<String>,
    pub children: Vec<usize>,
    pub depth: usize,
}

pub struct Program<'a> {
    pub elements: Vec<Element<'a>>,
    pub roots: Vec<usize>,
    /// Components used, by name.
    pub components: Vec<&'a Component>,
    pub handlers: Vec<String>,
    /// Keys of the data with the properties they feed.
    pub data: Vec<(String, Vec<(&'a str, String)>)>,
    pub warnings: Vec<Issue>,
}

/// The tag of a component as a custom element: `oods-metric-card`.
pub fn custom_element(name: &str) -> String {
    let mut tag = String::from("oods");
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            tag.push('-');
        }
        tag.push(letter.to_ascii_lowercase());
    }
    tag
}

impl<'a> Program<'a> {
    pub fn new(kit: &'a Kit, tree: &'a Tree, styling: Styling) -> Program<'a> {
        let theme = kit.theme(tree.theme.as_deref());
        let tokens = kit.tokens(kit.default_brand(), theme).unwrap_or_default();
        let mut lowered = lower(kit, &tokens, tree, &tree.screens, styling);
        let mut program = Program {
            elements: Vec::with_capacity(lowered.parts.len()),
            roots: lowered.roots.clone(),
            components: Vec::new(),
            handlers: Vec::new(),
            data: Vec::new(),
            warnings: std::mem::take(&mut lowered.warnings),
        };
        let mut depths = vec![0; lowered.parts.len()];
        for (index, part) in lowered.parts.iter().enumerate() {
            for &child in &part.children {
                depths[child] = depths[index] + 1;
            }
            let element = program.element(part, depths[index]);
            program.elements.push(element);
        }
        program.components.sort_by(|a, b| a.name.cmp(&b.name));
        program.components.dedup_by(|a, b| a.name == b.name);
        program.handlers.sort();
        program.handlers.dedup();
        program.data.sort_by(|a, b| a.0.cmp(&b.0));
        program
    }

    fn element(&mut self, part: &Part<'a>, depth: usize) -> Element<'a> {
        let mut attrs: Vec<(String, Attr)> = Vec::new();
        let mut text = None;
        if !part.id.is_empty() {
            attrs.push(("id".into(), Attr::Literal(part.id.as_str().into())));
        }
        let (component, tag) = match &part.kind {
            Kind::Component(component) => {
                self.components.push(component);
                text = self.component_attrs(part, component, &mut attrs);
                (Some(*component), component.name.clone())
            }
            Kind::Element { tag, attrs: given } => {
                attrs.extend(given.iter().map(|(name, value)| {
                    let value = match name.as_str() {
                        "hidden" => Value::Bool(true),
                        "tabindex" => value.parse::<i64>().map_or(Value::Null, Value::from),
                        _ => value.as_str().into(),
                    };
                    (name.clone(), Attr::Literal(value))
                }));
                (None, (*tag).to_owned())
            }
            Kind::Unknown => {
                let name = part.node.map_or("", |node| node.component.as_str());
                attrs.push(("data-oods-unknown".into(), Attr::Literal(name.into())));
                (None, "div".into())
            }
        };
        if let Some(kind) =
            part.node.and_then(|node| node.layout.as_ref()?.kind).filter(|_| component.is_some())
        {
            attrs.push(("data-layout".into(), Attr::Literal(kind.name().into())));
        }
        if !part.style.is_empty() {
            attrs.push(("style".into(), Attr::Style(part.style.clone())));
        }
        Element { component, tag, attrs, text, children: part.children.clone(), depth }
    }

    fn component_attrs(
        &mut self,
        part: &Part<'a>,
        component: &'a Component,
        attrs: &mut Vec<(String, Attr)>,
    ) -> Option<String> {
        let bindings = part.node.map(|node| node.bindings.as_slice()).unwrap_or_default();
        let bound = |name: &str| bindings.iter().any(|(key, _)| key == name);
        let mut text = None;
        for (name, value) in &part.props {
            let Some(value) = self.fitting(part, component, name, value) else { continue };
            if bound(name) {
                continue;
            }
            // Text stands between the tags, as a person would write it.
            let is_text = component.archetype.text_prop.as_deref() == Some(name) && text.is_none();
            match value {
                Value::String(words) if is_text && !words.is_empty() => text = Some(words),
                value => attrs.push((name.clone(), Attr::Literal(value))),
            }
        }
        for (name, value) in &part.attrs {
            let value = match value {
                Value::Null => continue,
                Value::Object(_) | Value::Array(_) => Value::String(value.to_string()),
                Value::String(number) if name == "tabindex" => match number.parse::<i64>() {
                    Ok(number) => number.into(),
                    Err(_) => continue,
                },
                Value::String(state) if name == "hidden" => Value::Bool(state != "false"),
                other => other.clone(),
            };
            attrs.push((name.clone(), Attr::Literal(value)));
        }
        for (key, target) in bindings {
            self.binding(part, component, key, target, attrs);
        }
        text
    }

    fn binding(
        &mut self,
        part: &Part<'a>,
        component: &'a Component,
        key: &str,
        target: &str,
        attrs: &mut Vec<(String, Attr)>,
    ) {
        let is_event = key.len() > 2
            && key.starts_with("on")
            && key.as_bytes()[2].is_ascii_uppercase()
            && key.bytes().all(|b| b.is_ascii_alphanumeric());
        if is_event {
            let handler = identifier(target);
            self.handlers.push(handler.clone());
            attrs.push((key.to_owned(), Attr::Handler(handler)));
        } else if component.prop(key).is_some() {
            let fallback = part.props.get(key).and_then(|value| self.fitting(part, component, key, value));
            let feeds = (component.name.as_str(), key.to_owned());
            match self.data.iter_mut().find(|(known, _)| known == target) {
                Some((_, users)) => {
                    if !users.contains(&feeds) {
                        users.push(feeds);
                    }
                }
                None => self.data.push((target.to_owned(), vec![feeds])),
            }
            attrs.push((key.to_owned(), Attr::Data(target.to_owned(), fallback)));
        } else {
            self.warn(
                part,
                "UNKNOWN_BINDING",
                format!("{} has nothing called {key:?} to bind", component.name),
            );
        }
    }

    fn warn(&mut self, part: &Part, code: &str, message: String) {
        let (id, component) = part.node.map_or(("", ""), |node| (node.id.as_str(), node.component.as_str()));
        self.warnings.push(Issue::warning(code, message).about(id, component));
    }

    /// A value the property's type accepts; scalars are turned into text where text is wanted.
    fn fitting(&mut self, part: &Part, component: &Component, name: &str, value: &Value) -> Option<Value> {
        let prop = component.prop(name)?;
        if value.is_null() {
            return None;
        }
        // Lowering itself sets the index of the open tab.
        if prop.kind.fits(value) || (component.archetype.name == "tabs" && name == "activeTab") {
            let allowed = prop.options.is_empty()
                || value.as_str().is_none_or(|text| prop.options.iter().any(|option| option == text));
            if !allowed {
                self.warn(
                    part,
                    "PROP_VALUE",
                    format!("{name} of {} cannot be {value}; it was left out", component.name),
                );
            }
            return allowed.then(|| value.clone());
        }
        let text = prop.kind.names().contains(&TypeName::String) && prop.options.is_empty();
        match value {
            Value::Number(_) | Value::Bool(_) if text => Some(Value::String(value.to_string())),
            _ => {
                self.warn(
                    part,
                    "PROP_TYPE",
                    format!("{name} of {} must be {}; it was left out", component.name, prop.kind.label()),
                );
                None
            }
        }
    }

    /// Prints every element, innermost first; `print` gets the element and its printed children.
    pub fn print(&self, mut print: impl FnMut(&Element, String) -> String) -> String {
        let mut done: Vec<String> = vec![String::new(); self.elements.len()];
        for index in (0..self.elements.len()).rev() {
            let element = &self.elements[index];
            let children: String =
                element.children.iter().map(|&child| std::mem::take(&mut done[child])).collect();
            done[index] = print(element, children);
        }
        self.roots.iter().map(|&root| std::mem::take(&mut done[root])).collect()
    }

    /// Lines of an element with its attributes, wrapped when long.
    pub fn tag(
        &self,
        element: &Element,
        base: usize,
        tag: &str,
        attrs: &[String],
        text: Option<String>,
        children: String,
    ) -> String {
        let pad = "  ".repeat(base + element.depth);
        let one_line =
            format!("{pad}<{tag}{}", attrs.iter().map(|attr| format!(" {attr}")).collect::<String>());
        let (open, close_pad) = if one_line.len() <= 110 {
            (one_line, String::new())
        } else {
            let lines: String = attrs.iter().map(|attr| format!("\n{pad}  {attr}")).collect();
            (format!("{pad}<{tag}{lines}"), format!("\n{pad}"))
        };
        match (text, children.is_empty()) {
            (None, true) => format!("{open}{close_pad}></{tag}>\n"),
            (Some(text), true) => format!("{open}{close_pad}>{text}</{tag}>\n"),
            (text, false) => {
                let text = text.map_or(String::new(), |text| format!("{pad}  {text}\n"));
                format!("{open}{close_pad}>\n{text}{children}{pad}</{tag}>\n")
            }
        }
    }
}
