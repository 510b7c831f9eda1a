//! JavaScript and TypeScript, with JSX: imports, elements, style objects, styles in templates.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;
use tree_sitter::{Language, Node};

use super::css;
use super::element::{self, Attribute, Element, Setting, kebab};
use super::markup;
use super::scan::{Scan, at, child_of_kind, walk, walk_with_parent};
use crate::codegen::COMPONENTS;

/// Which grammar reads a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    JavaScript,
    TypeScript,
    Tsx,
}

impl Dialect {
    fn language(self) -> Language {
        match self {
            Dialect::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Dialect::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Dialect::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

/// Where a name of a script comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The kit's components, under this name.
    Kit(String),
    Module(String),
    Local,
}

/// The names a script knows.
#[derive(Debug, Default)]
pub struct Names(HashMap<String, Origin>);

impl Names {
    pub fn get(&self, name: &str) -> Option<&Origin> {
        self.0.get(name)
    }
}

/// Modules of frameworks whose components share a name with the kit's and do another job, such as routing.
const FRAMEWORK_MODULES: [&str; 8] =
    ["react-router", "next", "@remix-run", "@tanstack", "gatsby", "wouter", "vue-router", "nuxt"];

fn is_kit_module(module: &str) -> bool {
    let relative = module.starts_with('.') || module.starts_with('@') || module.starts_with('~');
    let plain = module.trim_end_matches("/index").trim_end_matches("/index.ts");
    module == COMPONENTS
        || module.starts_with(&format!("{COMPONENTS}/"))
        || relative && plain.rsplit('/').next() == Some("oods")
}

pub fn is_framework_module(module: &str) -> bool {
    FRAMEWORK_MODULES.iter().any(|known| {
        module == *known
            || module.starts_with(&format!("{known}/"))
            || module.starts_with(&format!("{known}-"))
    })
}

/// Checks a script that begins at `base` of the file; gives the names it imports and declares.
pub fn script(scan: &mut Scan, text: &str, base: usize, dialect: Dialect) -> Names {
    let Some(tree) = scan.parse(&dialect.language(), text) else { return Names::default() };
    let root = tree.root_node();
    let names = names(root, text);
    walk_with_parent(root, |node, parent| visit(scan, node, parent, text, base, &names));
    names
}

/// Checks an expression of a template, such as the value of `:style`.
pub fn style_expression(scan: &mut Scan, text: &str, base: usize) {
    let wrapped = format!("({text})");
    let was_broken = scan.is_broken;
    let Some(tree) = scan.parse(&Dialect::TypeScript.language(), &wrapped) else { return };
    scan.is_broken = was_broken;
    let mut objects = Vec::new();
    walk(tree.root_node(), |node| {
        let is_object = node.kind() == "object";
        if is_object {
            objects.push(node);
        }
        !is_object
    });
    for object in objects {
        style_object(scan, object, &wrapped, base.wrapping_sub(1));
    }
}

fn names(root: Node, text: &str) -> Names {
    let mut names = Names::default();
    let string = |node: Node| text[node.byte_range()].trim_matches(['"', '\'', '`']).to_owned();
    walk(root, |node| {
        match node.kind() {
            "import_statement" => {
                let Some(source) = node.child_by_field_name("source").map(string) else { return false };
                import(&mut names, node, text, &source);
                return false;
            }
            "function_declaration" | "class_declaration" | "variable_declarator" => {
                if let Some(name) = node.child_by_field_name("name") {
                    names.0.entry(text[name.byte_range()].to_owned()).or_insert(Origin::Local);
                }
            }
            // Names inside a parameter or a destructuring.
            "shorthand_property_identifier_pattern" | "required_parameter" | "formal_parameters" => {
                walk(node, |inner| {
                    if inner.kind().contains("identifier") {
                        names.0.entry(text[inner.byte_range()].to_owned()).or_insert(Origin::Local);
                    }
                    true
                });
                return false;
            }
            _ => {}
        }
        true
    });
    names
}

fn import(names: &mut Names, node: Node, text: &str, source: &str) {
    let origin = |imported: &str| match is_kit_module(source) {
        true => Origin::Kit(imported.to_owned()),
        false => Origin::Module(source.to_owned()),
    };
    walk_with_parent(node, |part, parent| {
        match part.kind() {
            "import_specifier" => {
                let field =
                    |name| part.child_by_field_name(name).map(|node| text[node.byte_range()].to_owned());
                if let Some(imported) = field("name") {
                    let local = field("alias").unwrap_or_else(|| imported.clone());
                    names.0.insert(local, origin(&imported));
                }
                return false;
            }
            "identifier" => {
                let local = &text[part.byte_range()];
                // `import Button from '@oods/components/Button'` is the component too; a namespace is not.
                let is_default = parent.is_some_and(|parent| parent.kind() == "import_clause");
                let known = if is_default { origin(local) } else { Origin::Module(source.to_owned()) };
                names.0.insert(local.to_owned(), known);
            }
            _ => {}
        }
        true
    });
}

fn visit(scan: &mut Scan, node: Node, parent: Option<Node>, text: &str, base: usize, names: &Names) -> bool {
    match node.kind() {
        "import_statement" => return false,
        "jsx_opening_element" | "jsx_self_closing_element" => {
            jsx(scan, node, parent, text, base, names);
        }
        "call_expression" => {
            if let Some(template) =
                node.child_by_field_name("arguments").filter(|node| node.kind() == "template_string")
            {
                let tag = node.child_by_field_name("function").map_or("", |tag| &text[tag.byte_range()]);
                return !tagged(scan, tag, template, text, base);
            }
        }
        "string_fragment" => loose_color(scan, &text[node.byte_range()], at(node, base)),
        _ => {}
    }
    true
}

/// A colour in a string that is no style: only the spellings that cannot be anything else.
fn loose_color(scan: &mut Scan, text: &str, range: Range<usize>) {
    let is_hex = text
        .strip_prefix('#')
        .is_some_and(|hex| matches!(hex.len(), 6 | 8) && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_function =
        ["rgb(", "rgba(", "hsl(", "hsla(", "oklch("].iter().any(|start| text.starts_with(start))
            && text.ends_with(')')
            && !text.contains("var(");
    if is_hex || is_function {
        css::raw_color(scan, "", text, range);
    }
}

/// Styles and markup in tagged templates; says whether the template was one of them.
fn tagged(scan: &mut Scan, tag: &str, template: Node, text: &str, base: usize) -> bool {
    let first = tag.split(['.', '(']).next().unwrap_or_default();
    let is_css = matches!(first, "css" | "styled" | "createGlobalStyle" | "keyframes" | "injectGlobal");
    let is_html = matches!(first, "html" | "svg");
    if !is_css && !is_html {
        return false;
    }
    let inside = template.start_byte() + 1..template.end_byte().saturating_sub(1);
    if inside.start >= inside.end {
        return true;
    }
    let mut blanked = text[inside.clone()].to_owned().into_bytes();
    let mut cursor = template.walk();
    for hole in template.named_children(&mut cursor).filter(|child| child.kind() == "template_substitution") {
        let hole = hole.start_byte() - inside.start..hole.end_byte() - inside.start;
        let line_start = blanked[..hole.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line_end = blanked[hole.end..]
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(blanked.len(), |at| hole.end + at);
        let alone = blanked[line_start..hole.start].iter().all(u8::is_ascii_whitespace)
            && blanked[hole.end..line_end].iter().all(|byte| byte.is_ascii_whitespace() || *byte == b';');
        // A mixin on a line of its own is nothing to check; elsewhere a word of the same length stands for a value.
        let filler = if alone { b' ' } else { b'x' };
        for byte in blanked[hole].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = filler;
        }
    }
    let Ok(blanked) = String::from_utf8(blanked) else { return true };
    if is_css {
        css::stylesheet(scan, &blanked, base + inside.start);
    } else {
        markup::fragment(scan, &blanked, base + inside.start);
    }
    true
}

fn jsx(scan: &mut Scan, node: Node, parent: Option<Node>, text: &str, base: usize, names: &Names) {
    let Some(name_node) = node.child_by_field_name("name") else { return };
    let name = text[name_node.byte_range()].to_owned();
    let mut name_at = vec![at(name_node, base)];
    let closing = parent.and_then(|parent| child_of_kind(parent, "jsx_closing_element"));
    if let Some(end) = closing.filter(|_| node.kind() == "jsx_opening_element")
        && let Some(end) = end.child_by_field_name("name")
    {
        name_at.push(at(end, base));
    }
    let mut cursor = node.walk();
    let mut attributes = Vec::new();
    for attribute in node.children(&mut cursor).filter(|child| child.kind() == "jsx_attribute") {
        let Some(key) = attribute.named_child(0) else { continue };
        let value = attribute.named_child(1);
        let key_text = text[key.byte_range()].to_owned();
        if key_text == "style" {
            style(scan, at(key, base), value, text, base);
            continue;
        }
        let (setting, value_at) = match value {
            None => (Setting::Literal(Value::Bool(true)), at(key, base)),
            Some(value) => setting(value, text, base),
        };
        if css::takes_color(&kebab(&key_text))
            && let Setting::Literal(Value::String(color)) = &setting
            && (color.starts_with('#') && matches!(color.len(), 4 | 5))
        {
            css::raw_color(scan, &kebab(&key_text), color, value_at.clone());
        }
        attributes.push(Attribute { name: key_text, name_at: at(key, base), setting, value_at });
    }
    let element = Element { name, name_at, attributes };
    if element.name.starts_with(|c: char| c.is_ascii_lowercase()) && !element.name.contains('.') {
        element::native(scan, &element);
    } else {
        component(scan, &element, names);
    }
}

/// Checks a component by where its name comes from.
pub fn component(scan: &mut Scan, element: &Element, names: &Names) {
    // `<Menu.Item>` belongs to whatever `Menu` is.
    let Some(name) = element.name.split('.').next().filter(|name| *name == element.name) else { return };
    match names.get(name) {
        Some(Origin::Kit(real)) => {
            let places = if real == name { element.name_at.as_slice() } else { &element.name_at[..1] };
            if element::exists(scan, real, places) {
                element::properties(scan, element, real);
            }
        }
        Some(Origin::Module(module)) => {
            if scan.design.kit.component(name).is_some() && !is_framework_module(module) {
                let message = format!("{name} comes from {module}, and the kit has a component {name}");
                scan.report("foreign-component", element.name_at[0].clone(), message, None);
            }
        }
        Some(Origin::Local) => {}
        None => {
            if element::exists(scan, name, &element.name_at) {
                element::properties(scan, element, name);
            }
        }
    }
}

fn setting(value: Node, text: &str, base: usize) -> (Setting, Range<usize>) {
    let node = match value.kind() {
        "jsx_expression" => value.named_child(0).unwrap_or(value),
        _ => value,
    };
    let inside = |node: Node| node.start_byte() + 1 + base..node.end_byte().saturating_sub(1) + base;
    match node.kind() {
        "string" => {
            let range = node.start_byte() + 1..node.end_byte().saturating_sub(1).max(node.start_byte() + 1);
            let content = text.get(range).unwrap_or_default().to_owned();
            (Setting::Literal(Value::String(content)), inside(node))
        }
        "true" | "false" => (Setting::Literal(Value::Bool(node.kind() == "true")), at(node, base)),
        "number" => {
            let number = text[node.byte_range()].parse::<f64>().map_or(Value::Null, Value::from);
            (Setting::Literal(number), at(node, base))
        }
        _ => (Setting::Dynamic, at(node, base)),
    }
}

/// The `style` of an element: an object is looked into, anything else is only named.
fn style(scan: &mut Scan, key: Range<usize>, value: Option<Node>, text: &str, base: usize) {
    let object = value.and_then(|value| value.named_child(0)).filter(|inner| inner.kind() == "object");
    let only_tokens = match object {
        Some(object) => style_object(scan, object, text, base),
        None => false,
    };
    if !only_tokens {
        scan.report("inline-style", key, "an inline style sets raw values".into(), None);
    }
}

/// Checks the pairs of a style object; says whether every value is a token.
fn style_object(scan: &mut Scan, object: Node, text: &str, base: usize) -> bool {
    let mut only_tokens = true;
    let mut cursor = object.walk();
    for pair in object.named_children(&mut cursor).filter(|child| child.kind() != "comment") {
        let (Some(key), Some(value)) = (pair.child_by_field_name("key"), pair.child_by_field_name("value"))
        else {
            only_tokens = false;
            continue;
        };
        let key = text[key.byte_range()].trim_matches(['"', '\'']);
        let property = if key.starts_with("--") { key.to_owned() } else { kebab(key) };
        if property.starts_with("--") {
            scan.collected.defined.insert(property.clone());
        }
        match value.kind() {
            "string" | "template_string" => {
                let range =
                    value.start_byte() + 1..value.end_byte().saturating_sub(1).max(value.start_byte() + 1);
                let content = text.get(range.clone()).unwrap_or_default();
                only_tokens &= content.contains("var(--") || property.starts_with("--");
                if value.kind() == "string" {
                    css::value(scan, &property, content, range.start.wrapping_add(base));
                }
            }
            "number" | "unary_expression" => {
                only_tokens = false;
                style_number(scan, &property, &text[value.byte_range()], value, base);
            }
            _ => only_tokens = false,
        }
    }
    only_tokens
}

/// A bare number in a style object: pixels where the property takes a length.
fn style_number(scan: &mut Scan, property: &str, text: &str, value: Node, base: usize) {
    let range = value.start_byte().wrapping_add(base)..value.end_byte().wrapping_add(base);
    let Ok(amount) = text.replace(' ', "").parse::<f64>() else { return };
    if amount == 0.0 {
        return;
    }
    let quoted = |css: &str| format!("'{css}'");
    if let Some((purpose, rule, what)) = css::length_of(property) {
        let suggestion = scan.design.length(purpose, property, amount.abs());
        scan.report_raw(rule, range, what, suggestion, |found| match amount < 0.0 {
            true => quoted(&format!("calc(-1 * {})", found.css)),
            false => quoted(&found.css),
        });
        return;
    }
    let number = match property {
        "font-weight" => (super::design::Number::Weight, "the font weight"),
        "line-height" if amount != 1.0 => (super::design::Number::Leading, "the line height"),
        _ => return,
    };
    let suggestion = scan.design.number(number.0, amount);
    scan.report_raw("raw-font", range, number.1, suggestion, |found| quoted(&found.css));
}
