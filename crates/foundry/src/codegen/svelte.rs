//! Svelte 5: one component with runes.

use serde_json::Value;

use super::literal::{js, string, style_text};
use super::program::{Attr, Program};
use super::react::import;

pub fn print(program: &Program, typescript: bool) -> String {
    let body = program.print(|element, children| {
        let attrs: Vec<String> = element.attrs.iter().map(|(name, attr)| attribute(name, attr)).collect();
        let text = element.text.as_deref().map(|text| format!("{{{}}}", string(text)));
        program.tag(element, 0, &element.tag, &attrs, text, children)
    });
    let names: Vec<&str> = program.components.iter().map(|component| component.name.as_str()).collect();
    let imports = if names.is_empty() { String::new() } else { import(&names) };
    let mut given: Vec<&str> = Vec::new();
    let mut types: Vec<&str> = Vec::new();
    if !program.handlers.is_empty() {
        given.push("handlers = {}");
        types.push("handlers?: Record<string, (event: Event) => void>");
    }
    if !program.data.is_empty() {
        given.push("data = {}");
        types.push("data?: Record<string, any>");
    }
    let props = match (given.is_empty(), typescript) {
        (true, _) => String::new(),
        (false, true) => {
            format!("\nlet {{ {} }}: {{ {} }} = $props();\n", given.join(", "), types.join("; "))
        }
        (false, false) => format!("\nlet {{ {} }} = $props();\n", given.join(", ")),
    };
    let lang = if typescript { " lang=\"ts\"" } else { "" };
    format!("<script{lang}>\n{imports}{props}</script>\n\n{body}")
}

fn attribute(name: &str, attr: &Attr) -> String {
    match attr {
        Attr::Literal(Value::Bool(true)) if !name.starts_with("aria-") => name.to_owned(),
        Attr::Literal(Value::String(text))
            if text.chars().all(|c| c.is_alphanumeric() || " -_.,:;!?()/#+*@%=".contains(c)) =>
        {
            format!("{name}=\"{text}\"")
        }
        Attr::Literal(value) => format!("{name}={{{}}}", js(value)),
        Attr::Handler(handler) => format!("{name}={{handlers.{handler}}}"),
        Attr::Data(key, Some(fallback)) => format!("{name}={{data[{}] ?? {}}}", string(key), js(fallback)),
        Attr::Data(key, None) => format!("{name}={{data[{}]}}", string(key)),
        Attr::Style(declarations) => format!("style={{{}}}", string(&style_text(declarations))),
    }
}
