//! Parts as HTML. Every byte that comes from a tree goes through `escape`.

use std::borrow::Cow;

use serde_json::Value;

use super::chart;
use super::expr::{Scope, is_empty};
use super::functions::text;
use super::lower::{Kind, Lowered, Part};
use super::safety::safe_url;
use super::template::{Element, Piece, Tag, Template, Text};

/// Replaces the five characters that mean something in HTML.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// The HTML of each root, and the parts no component draws.
pub struct Rendered {
    pub html: Vec<String>,
}

const VOID: [&str; 4] = ["hr", "img", "input", "br"];

/// Prints every root, innermost parts first, so that depth costs no stack.
pub fn render_roots(lowered: &Lowered) -> Rendered {
    let mut done: Vec<String> = vec![String::new(); lowered.parts.len()];
    for index in (0..lowered.parts.len()).rev() {
        let part = &lowered.parts[index];
        let mut children = String::new();
        for &child in &part.children {
            let html = std::mem::take(&mut done[child]);
            if children.is_empty() { children = html } else { children.push_str(&html) }
        }
        done[index] = print_part(part, children);
    }
    Rendered { html: lowered.roots.iter().map(|&root| std::mem::take(&mut done[root])).collect() }
}

fn print_part(part: &Part, children: String) -> String {
    match &part.kind {
        Kind::Component(component) => {
            let Template::Element(root) = &component.archetype.template else {
                unreachable!("a kit only loads archetypes whose root is an element")
            };
            let mut printer = Printer {
                part,
                out: String::with_capacity(children.len() + 256),
                has_control: has_control(root),
                children,
            };
            let mut scope = Scope {
                props: &part.props,
                defaults: &component.defaults,
                node_id: &part.id,
                has_children: !part.children.is_empty(),
                locals: Vec::new(),
                index: 0,
            };
            printer.element(root, &mut scope, true);
            printer.out
        }
        Kind::Element { tag, attrs } => {
            let mut out = format!("<{tag}");
            if !part.id.is_empty() {
                attribute(&mut out, "id", &part.id);
            }
            for (name, value) in attrs {
                attribute(&mut out, name, value);
            }
            out.push('>');
            out.push_str(&children);
            out.push_str("</");
            out.push_str(tag);
            out.push('>');
            out
        }
        Kind::Unknown => {
            let name = part.node.map_or("", |node| node.component.as_str());
            let mut out = String::from("<div class=\"oods-unknown\"");
            attribute(&mut out, "data-oods-unknown", name);
            attribute(&mut out, "data-oods-node-id", &part.id);
            out.push_str("><p>Unknown component ");
            out.push_str(&escape(name));
            out.push_str("</p>");
            out.push_str(&children);
            out.push_str("</div>");
            out
        }
    }
}

fn has_control(element: &Element) -> bool {
    fn inside(template: &Template) -> bool {
        match template {
            Template::Element(element) => has_control(element),
            Template::Each { kids, .. } => kids.iter().any(inside),
            Template::If { kids, otherwise, .. } => kids.iter().chain(otherwise).any(inside),
            _ => false,
        }
    }
    element.control || element.kids.iter().any(inside)
}

fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    if !value.is_empty() || name == "alt" || name == "value" {
        out.push_str("=\"");
        out.push_str(&escape(value));
        out.push('"');
    }
}

struct Printer<'p, 'a> {
    part: &'p Part<'a>,
    out: String,
    has_control: bool,
    children: String,
}

impl<'p> Printer<'p, '_> {
    fn template(&mut self, template: &'p Template, scope: &mut Scope<'p>) {
        match template {
            Template::Text(text) => {
                for piece in &text.parts {
                    match piece {
                        Piece::Literal(literal) => self.out.push_str(&escape(literal)),
                        Piece::Expr(expr) => {
                            let value = expr.eval(scope);
                            self.out.push_str(&escape(&shown(&value)));
                        }
                    }
                }
            }
            Template::Element(element) => self.element(element, scope, false),
            Template::Each { over, name, kids } => {
                let items: Vec<Cow<'p, Value>> = match over.eval(scope) {
                    Cow::Borrowed(Value::Array(items)) => items.iter().map(Cow::Borrowed).collect(),
                    Cow::Owned(Value::Array(items)) => items.into_iter().map(Cow::Owned).collect(),
                    _ => return,
                };
                let outer = scope.index;
                for (index, item) in items.into_iter().enumerate() {
                    scope.locals.push((name, item));
                    scope.index = index;
                    kids.iter().for_each(|kid| self.template(kid, scope));
                    scope.locals.pop();
                }
                scope.index = outer;
            }
            Template::If { condition, kids, otherwise } => {
                let branch = if is_empty(&condition.eval(scope)) { otherwise } else { kids };
                branch.iter().for_each(|kid| self.template(kid, scope));
            }
            // The hole is filled once, however often a template mentions it.
            Template::Children => self.out.push_str(&std::mem::take(&mut self.children)),
            Template::Chart { kind, condition } => {
                if condition.as_ref().is_none_or(|condition| !is_empty(&condition.eval(scope))) {
                    let data = scope.props.get("data").or_else(|| scope.defaults.get("data"));
                    let title = scope.props.get("title").or_else(|| scope.props.get("label"));
                    self.out.push_str(&chart::svg(
                        *kind,
                        data.unwrap_or(&Value::Null),
                        title.map(text).as_deref(),
                    ));
                }
            }
        }
    }

    fn element(&mut self, element: &'p Element, scope: &mut Scope<'p>, root: bool) {
        if element.condition.as_ref().is_some_and(|condition| is_empty(&condition.eval(scope))) {
            return;
        }
        let tag = match &element.tag {
            Tag::Fixed(tag) => tag.as_str(),
            Tag::Chosen { expr, from, otherwise } => {
                let wanted = text(&expr.eval(scope));
                from.iter().find(|tag| **tag == wanted).unwrap_or(otherwise).as_str()
            }
        };
        self.out.push('<');
        self.out.push_str(tag);
        if root {
            self.root_attributes();
        }
        self.class(element, scope, root);
        let takes_names = if self.has_control { element.control } else { root };
        for (name, value) in &element.attrs {
            let replaced = takes_names && self.part.attrs.iter().any(|(given, _)| given == name);
            let own_id = root && name == "id";
            if !replaced && !own_id {
                self.template_attribute(name, value, scope);
            }
        }
        if takes_names {
            self.passed(is_access);
        }
        if root {
            self.passed(|name| !is_access(name) && name != "class");
        }
        self.style(element, scope, root);
        self.out.push('>');
        if VOID.contains(&tag) {
            return;
        }
        element.kids.iter().for_each(|kid| self.template(kid, scope));
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
    }

    fn root_attributes(&mut self) {
        let node = self.part.node;
        attribute(&mut self.out, "id", &self.part.id);
        if let Some(node) = node {
            attribute(&mut self.out, "data-oods-component", &node.component);
            attribute(&mut self.out, "data-oods-node-id", &node.id);
            if let Some(kind) = node.layout.as_ref().and_then(|layout| layout.kind) {
                attribute(&mut self.out, "data-layout", kind.name());
            }
            if let Some(label) = &node.label {
                attribute(&mut self.out, "data-oods-label", label);
            }
            for (name, target) in &node.bindings {
                if let Some(name) = super::safety::data_prop_name(name) {
                    attribute(&mut self.out, &name.replacen("data-prop-", "data-bind-", 1), target);
                }
            }
        }
    }

    fn class(&mut self, element: &'p Element, scope: &mut Scope<'p>, root: bool) {
        let mut classes = String::new();
        for piece in element.class.iter().flat_map(|class| &class.parts) {
            match piece {
                Piece::Literal(literal) => classes.push_str(literal),
                // One word only: a value must not add classes of its own.
                Piece::Expr(expr) => classes.extend(
                    text(&expr.eval(scope))
                        .chars()
                        .map(|c| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' }),
                ),
            }
        }
        if root {
            for (_, value) in self.part.attrs.iter().filter(|(name, _)| name == "class") {
                classes.push(' ');
                classes.push_str(&text(value));
            }
        }
        let classes = classes.trim();
        if !classes.is_empty() {
            attribute(&mut self.out, "class", classes);
        }
    }

    fn template_attribute(&mut self, name: &str, value: &'p Text, scope: &mut Scope<'p>) {
        let value = match value.only_expr() {
            Some(expr) => match expr.eval(scope).as_ref() {
                Value::Null | Value::Bool(false) | Value::Object(_) | Value::Array(_) => return,
                Value::Bool(true) if name.starts_with("aria-") => "true".to_owned(),
                Value::Bool(true) => String::new(),
                other => text(other),
            },
            None => interpolate(value, scope),
        };
        let value = match name {
            "href" | "src" => match safe_url(&value, name == "src") {
                Some(address) => address.to_owned(),
                None => return,
            },
            _ => value,
        };
        attribute(&mut self.out, name, &value);
    }

    fn passed(&mut self, wanted: impl Fn(&str) -> bool) {
        for (name, value) in self.part.attrs.iter().filter(|(name, _)| wanted(name)) {
            match value {
                Value::Null => {}
                Value::Bool(false) if !name.starts_with("aria-") => {}
                Value::Bool(true) if !name.starts_with("aria-") => attribute(&mut self.out, name, ""),
                Value::Object(_) | Value::Array(_) => attribute(&mut self.out, name, &value.to_string()),
                other => attribute(&mut self.out, name, &text(other)),
            }
        }
    }

    fn style(&mut self, element: &'p Element, scope: &mut Scope<'p>, root: bool) {
        let mut css = String::new();
        for (property, value) in &element.style {
            let value = interpolate(value, scope);
            let declaration = super::safety::css_declaration(property, &Value::String(value));
            if let Some((property, value)) = declaration {
                css.push_str(&format!("{property}: {value}; "));
            }
        }
        if root {
            for (property, value) in &self.part.style {
                css.push_str(&format!("{property}: {value}; "));
            }
        }
        if !css.is_empty() {
            attribute(&mut self.out, "style", css.trim_end());
        }
    }
}

/// Attributes that belong on the control inside a component rather than on its root.
fn is_access(name: &str) -> bool {
    name.starts_with("aria-") || matches!(name, "tabindex" | "title" | "role")
}

/// Booleans are states, not text.
fn shown(value: &Value) -> String {
    if value.is_boolean() { String::new() } else { text(value) }
}

fn interpolate(value: &Text, scope: &Scope) -> String {
    let mut out = String::new();
    for piece in &value.parts {
        match piece {
            Piece::Literal(literal) => out.push_str(literal),
            Piece::Expr(expr) => out.push_str(&text(&expr.eval(scope))),
        }
    }
    out
}
