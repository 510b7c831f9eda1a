//! Vue: one single-file component with a `<script setup>`.

use serde_json::Value;

use super::literal::{attribute_js, attribute_string, camel, style_text};
use super::program::{Attr, Program};
use super::react::import;
use crate::render::escape;

pub fn print(program: &Program, typescript: bool) -> String {
    let body = program.print(|element, children| {
        let attrs: Vec<String> = element.attrs.iter().map(|(name, attr)| attribute(name, attr)).collect();
        let text = element.text.as_deref().map(text);
        program.tag(element, 1, &element.tag, &attrs, text, children)
    });
    let names: Vec<&str> = program.components.iter().map(|component| component.name.as_str()).collect();
    let imports = if names.is_empty() { String::new() } else { import(&names) };
    let mut keys: Vec<(&str, &str)> = Vec::new();
    if !program.handlers.is_empty() {
        keys.push(("handlers", "Record<string, (event: Event) => void>"));
    }
    if !program.data.is_empty() {
        keys.push(("data", "Record<string, any>"));
    }
    let props = match (keys.is_empty(), typescript) {
        (true, _) => String::new(),
        (false, true) => {
            format!(
                "\ndefineProps<{{ {} }}>();\n",
                keys.iter().map(|(name, kind)| format!("{name}?: {kind}")).collect::<Vec<_>>().join("; ")
            )
        }
        (false, false) => {
            format!(
                "\ndefineProps({{ {} }});\n",
                keys.iter().map(|(name, _)| format!("{name}: Object")).collect::<Vec<_>>().join(", ")
            )
        }
    };
    let lang = if typescript { " lang=\"ts\"" } else { "" };
    format!("<script setup{lang}>\n{imports}{props}</script>\n\n<template>\n{body}</template>\n")
}

fn attribute(name: &str, attr: &Attr) -> String {
    match attr {
        Attr::Literal(Value::Bool(true)) if !name.starts_with("aria-") => format!(":{name}=\"true\""),
        Attr::Literal(Value::String(text)) if text.chars().all(|c| !c.is_control()) => {
            format!("{name}=\"{}\"", escape(text))
        }
        Attr::Literal(value) => format!(":{name}=\"{}\"", attribute_js(value)),
        Attr::Handler(handler) => {
            let event = name.strip_prefix("on").unwrap_or(name);
            let mut letters = event.chars();
            let first: String = letters.next().map(|c| c.to_lowercase().collect()).unwrap_or_default();
            format!("@{first}{}=\"handlers?.{handler}?.($event)\"", letters.as_str())
        }
        Attr::Data(key, Some(fallback)) => {
            format!(":{name}=\"data?.[{}] ?? {}\"", attribute_string(key), attribute_js(fallback))
        }
        Attr::Data(key, None) => format!(":{name}=\"data?.[{}]\"", attribute_string(key)),
        Attr::Style(declarations) if declarations.iter().all(|(_, value)| !value.contains(['"', '\''])) => {
            format!("style=\"{}\"", style_text(declarations))
        }
        Attr::Style(declarations) => {
            let entries: Vec<String> = declarations
                .iter()
                .map(|(property, value)| {
                    format!("{}: {}", attribute_string(&camel(property)), attribute_string(value))
                })
                .collect();
            format!(":style=\"{{ {} }}\"", entries.join(", "))
        }
    }
}

/// Braces are written as entities: two of them would start an expression.
fn text(text: &str) -> String {
    escape(text).replace('{', "&#123;").replace('}', "&#125;")
}
