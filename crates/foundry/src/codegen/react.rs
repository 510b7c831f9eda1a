//! React: one function component, in TypeScript or JavaScript.

use serde_json::Value;

use super::COMPONENTS;
use super::literal::{js, string, style};
use super::program::{Attr, Element, Program};

pub fn print(program: &Program, typescript: bool) -> String {
    let body =
        program.print(|element, children| self_closing(element_text(program, element, children, typescript)));
    let names: Vec<&str> = program.components.iter().map(|component| component.name.as_str()).collect();
    let mut code = String::from("import React from 'react';\n");
    if !names.is_empty() {
        code.push_str(&import(&names));
    }
    let types = typescript.then(|| props_type(program)).flatten();
    if let Some((imports, declaration)) = &types {
        if !imports.is_empty() {
            code.push_str(&format!("import type {{ {} }} from '{COMPONENTS}';\n", imports.join(", ")));
        }
        code.push_str(&format!("\n{declaration}"));
    }
    let has_props = !program.handlers.is_empty() || !program.data.is_empty();
    let mut arguments: Vec<&str> = Vec::new();
    if !program.handlers.is_empty() {
        arguments.push("handlers = {}");
    }
    if !program.data.is_empty() {
        arguments.push("data = {}");
    }
    let arguments = if has_props { format!("{{ {} }}", arguments.join(", ")) } else { String::new() };
    let annotation = match (typescript, has_props) {
        (true, true) => ": React.FC<GeneratedUIProps>",
        (true, false) => ": React.FC",
        (false, _) => "",
    };
    code.push_str(&format!("\nexport const GeneratedUI{annotation} = ({arguments}) => (\n  <>\n{body}  </>\n);\n\nexport default GeneratedUI;\n"));
    code
}

pub(super) fn import(names: &[&str]) -> String {
    let line = format!("import {{ {} }} from '{COMPONENTS}';\n", names.join(", "));
    if line.len() <= 110 {
        return line;
    }
    format!(
        "import {{\n{}}} from '{COMPONENTS}';\n",
        names.iter().map(|name| format!("  {name},\n")).collect::<String>()
    )
}

fn props_type(program: &Program) -> Option<(Vec<String>, String)> {
    if program.handlers.is_empty() && program.data.is_empty() {
        return None;
    }
    let mut imports: Vec<String> = Vec::new();
    let mut text = String::from("export interface GeneratedUIProps {\n");
    if !program.handlers.is_empty() {
        text.push_str("  handlers?: {\n");
        for handler in &program.handlers {
            text.push_str(&format!("    {handler}?: (event: React.SyntheticEvent) => void;\n"));
        }
        text.push_str("  };\n");
    }
    if !program.data.is_empty() {
        text.push_str("  data?: {\n");
        for (key, users) in &program.data {
            let kind = match users.as_slice() {
                [(component, prop)] => {
                    imports.push(format!("{component}Props"));
                    format!("{component}Props['{prop}']")
                }
                _ => "any".into(),
            };
            text.push_str(&format!("    {}?: {kind};\n", string(key)));
        }
        text.push_str("  };\n");
    }
    text.push_str("}\n");
    imports.sort();
    imports.dedup();
    Some((imports, text))
}

fn element_text(program: &Program, element: &Element, children: String, typescript: bool) -> String {
    let attrs: Vec<String> =
        element.attrs.iter().filter_map(|(name, attr)| attribute(name, attr, typescript)).collect();
    let text = element.text.as_deref().map(jsx_text);
    program.tag(element, 2, &element.tag, &attrs, text, children)
}

/// `<A b="c"></A>` as `<A b="c" />`.
fn self_closing(text: String) -> String {
    let trimmed = text.trim_end();
    let Some(open) = trimmed.rfind("></") else { return text };
    let tag = &trimmed[open + 3..trimmed.len() - 1];
    let is_name = tag.chars().all(|c| c.is_ascii_alphanumeric());
    // Only when this is the element's own start tag: one line group, nothing between the tags.
    let opened = trimmed.trim_start().strip_prefix('<').is_some_and(|rest| rest.starts_with(tag));
    if is_name
        && opened
        && trimmed.matches("</").count() == 1
        && tag.starts_with(|c: char| c.is_ascii_uppercase())
    {
        let head = trimmed[..open].trim_end_matches([' ']);
        let space = if head.ends_with('\n') || head.trim_end().len() < head.len() { "" } else { " " };
        return format!("{head}{space}/>\n");
    }
    text
}

fn attribute(name: &str, attr: &Attr, typescript: bool) -> Option<String> {
    let name = match name {
        "class" => "className",
        "tabindex" => "tabIndex",
        other => other,
    };
    Some(match attr {
        Attr::Literal(Value::Bool(true)) if !name.starts_with("aria-") && !name.starts_with("data-") => {
            name.to_owned()
        }
        Attr::Literal(Value::String(text)) if is_plain(text) => format!("{name}=\"{text}\""),
        Attr::Literal(value) => format!("{name}={{{}}}", js(value)),
        Attr::Handler(handler) => format!("{name}={{handlers.{handler}}}"),
        Attr::Data(key, Some(fallback)) => format!("{name}={{data[{}] ?? {}}}", string(key), js(fallback)),
        Attr::Data(key, None) => format!("{name}={{data[{}]}}", string(key)),
        Attr::Style(declarations) => {
            let custom = typescript && declarations.iter().any(|(property, _)| property.starts_with("--"));
            let cast = if custom { " as React.CSSProperties" } else { "" };
            format!("style={{{}{cast}}}", style(declarations))
        }
    })
}

/// Text a JSX attribute can hold as it is.
fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || " -_.,:;!?()/#+*@%='".contains(c))
}

fn jsx_text(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || " -_.,:;!?()/#+*@%=$".contains(c));
    if plain && text.trim() == text && !text.contains("  ") {
        text.to_owned()
    } else {
        format!("{{{}}}", string(text))
    }
}
