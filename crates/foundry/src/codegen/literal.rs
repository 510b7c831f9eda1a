//! Values and names as JavaScript that survives every place it is printed into.

use serde_json::Value;

/// What a literal may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A JavaScript expression: only what ends a string, and `<` for pages that inline the source.
    Expression,
    /// An attribute of a template: also no double quote, `&` or brace.
    Attribute,
}

/// A JavaScript literal in single quotes, for an expression.
pub fn js(value: &Value) -> String {
    print(value, Place::Expression)
}

pub fn string(text: &str) -> String {
    quote(text, Place::Expression)
}

/// A JavaScript literal that can also stand in an attribute in double quotes.
pub fn attribute_js(value: &Value) -> String {
    print(value, Place::Attribute)
}

pub fn attribute_string(text: &str) -> String {
    quote(text, Place::Attribute)
}

fn print(value: &Value, place: Place) -> String {
    match value {
        Value::String(text) => quote(text, place),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| print(item, place)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(object) => {
            let entries: Vec<String> = object
                .iter()
                // As a literal key this would set the prototype.
                .filter(|(key, _)| *key != "__proto__")
                .map(|(key, value)| {
                    let key = if is_identifier(key) { key.clone() } else { quote(key, place) };
                    format!("{key}: {}", print(value, place))
                })
                .collect();
            if entries.is_empty() { "{}".into() } else { format!("{{ {} }}", entries.join(", ")) }
        }
        other => other.to_string(),
    }
}

fn quote(text: &str, place: Place) -> String {
    let mut out = String::from("'");
    for letter in text.chars() {
        match letter {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '<' | '`' => out.push_str(&format!("\\x{:02x}", letter as u32)),
            '"' | '>' | '&' | '$' | '{' | '}' if place == Place::Attribute => {
                out.push_str(&format!("\\x{:02x}", letter as u32));
            }
            '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            other if other.is_control() => out.push_str(&format!("\\u{:04x}", other as u32)),
            other => out.push(other),
        }
    }
    out.push('\'');
    out
}

pub fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.contains(&name)
}

const RESERVED: [&str; 44] = [
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "yield",
];

/// A handler's name from any text: letters, digits and `_`.
pub fn identifier(text: &str) -> String {
    let mut name = String::new();
    let mut upper = false;
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            name.push(if upper && !name.is_empty() { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        } else {
            upper = true;
        }
    }
    if is_identifier(&name) {
        name
    } else {
        format!("handle{}", name.trim_start_matches(|c: char| c.is_ascii_digit()))
    }
}

/// `grid-template-columns` as `gridTemplateColumns`; custom properties stay.
pub fn camel(property: &str) -> String {
    if property.starts_with("--") {
        return property.to_owned();
    }
    let mut out = String::new();
    let mut upper = false;
    for letter in property.chars() {
        if letter == '-' {
            upper = true;
        } else {
            out.push(if upper { letter.to_ascii_uppercase() } else { letter });
            upper = false;
        }
    }
    out
}

/// A style object.
pub fn style(declarations: &[(String, String)]) -> String {
    let entries: Vec<String> = declarations
        .iter()
        .map(|(property, value)| {
            let name = camel(property);
            let key = if is_identifier(&name) { name } else { string(&name) };
            format!("{key}: {}", string(value))
        })
        .collect();
    format!("{{ {} }}", entries.join(", "))
}

/// A style attribute.
pub fn style_text(declarations: &[(String, String)]) -> String {
    let entries: Vec<String> =
        declarations.iter().map(|(property, value)| format!("{property}: {value}")).collect();
    entries.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn literals_hold_nothing_that_ends_their_place() {
        let nasty = "a\"b'c`d${e}<f>&g{{h}}\n\\ \u{2028}</script>";
        let text = attribute_js(&json!({ "k": [nasty, 1, true, null], "a-b": nasty, "__proto__": 1 }));
        for bad in ["\"", "`", "${", "{{", "</", "&", "\n", "__proto__"] {
            assert!(!text.contains(bad), "{bad} in {text}");
        }
        assert!(text.starts_with("{ k: ["));
        assert_eq!(string("Field & 'Fold' <b>\n"), "'Field & \\'Fold\\' \\x3cb>\\n'");
    }

    #[test]
    fn names_become_identifiers() {
        assert_eq!(identifier("save user!"), "saveUser");
        assert_eq!(identifier("1st"), "handlest");
        assert_eq!(identifier("delete"), "handledelete");
        assert_eq!(identifier("});alert(1"), "alert1");
        assert_eq!(camel("grid-template-columns"), "gridTemplateColumns");
    }
}
