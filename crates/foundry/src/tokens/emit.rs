//! Tokens as files: JSON, CSS custom properties, TypeScript, Tailwind. Same input, same bytes.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::{TokenSet, css_literal, css_name, css_with_references};
use crate::json::{pretty, quoted};

/// Custom properties of one set under one selector.
pub fn css_block(set: &TokenSet, selector: &str) -> String {
    let mut css = format!("{selector} {{\n");
    for token in set.iter() {
        if let Some(value) = css_with_references(set, token) {
            let _ = writeln!(css, "  {}: {value};", css_name(&token.path));
        }
    }
    css.push_str("}\n");
    css
}

/// A stylesheet with the first theme as the default and each theme under its own selector.
///
/// Every block repeats the whole chain: a custom property is computed where it is declared, so a
/// nested theme would otherwise inherit values computed from the outer one.
pub fn css(themes: &[(&str, &TokenSet)]) -> String {
    let mut css = String::new();
    for (index, (theme, set)) in themes.iter().enumerate() {
        let scoped = format!("[data-theme=\"{theme}\"]");
        let selector = if index == 0 { format!(":root, {scoped}") } else { scoped };
        css.push_str(&css_block(set, &selector));
    }
    css
}

/// Every token with its type, alias-free value and CSS spelling.
pub fn json(set: &TokenSet, brand: &str, theme: &str) -> Value {
    let mut tokens = Map::new();
    for token in set.iter() {
        let Ok(resolved) = set.resolve(&token.path) else { continue };
        let mut entry = Map::new();
        if let Some(kind) = &resolved.kind {
            entry.insert("$type".into(), kind.as_str().into());
        }
        entry.insert("layer".into(), token.layer.name().into());
        entry.insert("cssVariable".into(), css_name(&token.path).into());
        if let Some(css) = css_literal(&resolved) {
            entry.insert("css".into(), css.into());
        }
        entry.insert("$value".into(), resolved.value);
        if let Some(text) = &token.description {
            entry.insert("$description".into(), text.as_str().into());
        }
        tokens.insert(token.path.clone(), Value::Object(entry));
    }
    json!({ "brand": brand, "theme": theme, "tokenCount": tokens.len(), "tokens": tokens })
}

/// A TypeScript module: references for styles, literal values for everything else.
pub fn typescript(set: &TokenSet, brand: &str, theme: &str) -> String {
    let mut references = String::new();
    let mut values = String::new();
    for token in set.iter() {
        let Some(css) = set.resolve(&token.path).ok().and_then(|resolved| css_literal(&resolved)) else {
            continue;
        };
        let path = quoted(&token.path);
        let _ = writeln!(references, "  {path}: {},", quoted(&format!("var({})", css_name(&token.path))));
        let _ = writeln!(values, "  {path}: {},", quoted(&css));
    }
    format!(
        "// Tokens of brand {brand}, theme {theme}.\n\n\
         /** References that follow the theme of the page. */\nexport const tokens = {{\n{references}}} as const;\n\n\
         /** Values of this brand and theme. */\nexport const tokenValues = {{\n{values}}} as const;\n\n\
         export type TokenName = keyof typeof tokens;\n\n\
         export const brand = {};\nexport const theme = {};\n",
        quoted(brand),
        quoted(theme)
    )
}

/// The theme groups Tailwind knows, by the tokens that belong there.
const TAILWIND: [(&str, &str, &str); 6] = [
    ("colors", "color", "--color"),
    ("spacing", "sys.space", "--spacing"),
    ("borderRadius", "sys.radius", "--radius"),
    ("boxShadow", "sys.shadow", "--shadow"),
    ("fontSize", "ref.font.size", "--text"),
    ("fontFamily", "ref.font.family", "--font"),
];

fn tailwind_entries<'a>(set: &'a TokenSet, source: &str) -> Vec<(String, &'a str)> {
    set.iter()
        .filter_map(|token| {
            let name = if source == "color" {
                let kind = set.resolve(&token.path).ok()?.kind;
                (kind.as_deref() == Some("color")).then_some(())?;
                token.path.strip_prefix("sys.")?
            } else {
                token.path.strip_prefix(source)?.strip_prefix('.')?
            };
            Some((css_name(name).trim_start_matches("--oods-").to_owned(), token.path.as_str()))
        })
        .collect()
}

/// A Tailwind theme (configuration form) whose values are references.
pub fn tailwind_json(set: &TokenSet) -> Value {
    let mut extend = Map::new();
    for (group, source, _) in TAILWIND {
        let entries: Map<String, Value> = tailwind_entries(set, source)
            .into_iter()
            .map(|(name, path)| (name, format!("var({})", css_name(path)).into()))
            .collect();
        extend.insert(group.into(), Value::Object(entries));
    }
    json!({ "theme": { "extend": extend } })
}

/// The same theme for Tailwind 4, which is configured in CSS.
pub fn tailwind_css(set: &TokenSet) -> String {
    let mut css = String::from("@theme inline {\n");
    for (_, source, prefix) in TAILWIND {
        for (name, path) in tailwind_entries(set, source) {
            let _ = writeln!(css, "  {prefix}-{name}: var({});", css_name(path));
        }
    }
    css.push_str("}\n");
    css
}

/// One file of a build.
pub struct File {
    pub name: String,
    pub purpose: &'static str,
    pub text: String,
}

/// Every file of one brand and theme; `others` are the remaining themes of the stylesheet.
pub fn files(set: &TokenSet, brand: &str, theme: &str, others: &[(&str, &TokenSet)]) -> Vec<File> {
    let mut themes = vec![(theme, set)];
    themes.extend_from_slice(others);
    let file = |name: String, purpose, text| File { name, purpose, text };
    vec![
        file(format!("tokens.{theme}.json"), "Resolved tokens", pretty(&json(set, brand, theme))),
        file("tokens.css".into(), "CSS custom properties for every theme", css(&themes)),
        file("tokens.ts".into(), "TypeScript references and values", typescript(set, brand, theme)),
        file("tokens.tailwind.json".into(), "Tailwind theme", pretty(&tailwind_json(set))),
        file("tokens.tailwind.css".into(), "Tailwind 4 theme", tailwind_css(set)),
    ]
}
