//! What may leave a tree and enter a page: names of attributes, addresses, declarations.

use serde_json::Value;

/// Attributes that pass from a node to its element when the component has no property of the name.
const PLAIN: [&str; 6] = ["title", "lang", "dir", "tabindex", "hidden", "role"];

/// The attribute a property becomes, or nothing when it may not become one.
pub fn attribute_name(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let words = |text: &str| {
        !text.is_empty()
            && text.len() <= 64
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if PLAIN.contains(&lower.as_str()) {
        return Some(lower);
    }
    if let Some(rest) = lower.strip_prefix("aria-") {
        return words(rest).then_some(lower);
    }
    let rest = lower.strip_prefix("data-")?;
    (words(rest) && !rest.starts_with("oods") && !rest.starts_with("prop-") && !rest.starts_with("bind-"))
        .then_some(lower)
}

/// `data-prop-…` for a property nothing knows, when its name is an ordinary identifier.
pub fn data_prop_name(name: &str) -> Option<String> {
    let ordinary = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= 64
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    ordinary.then(|| {
        let mut kebab = String::from("data-prop-");
        for letter in name.chars() {
            if letter.is_ascii_uppercase() {
                kebab.push('-');
            }
            kebab.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
        }
        kebab
    })
}

/// An address that cannot run anything, or nothing.
pub fn safe_url(address: &str, image: bool) -> Option<&str> {
    // Browsers drop these inside a scheme, so `java\nscript:` would otherwise slip through.
    if address.chars().any(|c| c.is_control()) {
        return None;
    }
    let trimmed = address.trim();
    let scheme_end = trimmed.find([':', '/', '?', '#']);
    match scheme_end {
        Some(end) if trimmed[end..].starts_with(':') => {
            let scheme = trimmed[..end].to_ascii_lowercase();
            let picture = image && scheme == "data" && {
                let lower = trimmed.to_ascii_lowercase();
                ["data:image/png", "data:image/jpeg", "data:image/gif", "data:image/webp"]
                    .iter()
                    .any(|prefix| lower.starts_with(prefix))
            };
            (matches!(scheme.as_str(), "http" | "https" | "mailto" | "tel") || picture).then_some(trimmed)
        }
        _ => Some(trimmed),
    }
}

/// A CSS declaration from a style entry, or nothing when either half is not plain.
pub fn css_declaration(name: &str, value: &Value) -> Option<(String, String)> {
    let mut property = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            property.push('-');
        }
        property.push(letter.to_ascii_lowercase());
    }
    let plain = property
        .trim_start_matches('-')
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let blocked = ["behavior", "-moz-binding", "src", "content"];
    if !plain
        || property.trim_matches('-').is_empty()
        || property.len() > 64
        || blocked.contains(&property.as_str())
    {
        return None;
    }
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let lower = text.to_ascii_lowercase();
    let fine = |c: char| c.is_alphanumeric() || " #%(),.-+*/_'\"!".contains(c);
    let calls = ["url", "expression", "image-set", "image", "element", "attr", "src", "cross-fade"];
    let call = calls.iter().any(|name| lower.contains(&format!("{name}(")));
    let quotes = text.matches('"').count() % 2 != 0 || text.matches('\'').count() % 2 != 0;
    let fits = !text.is_empty() && text.len() <= 256 && text.chars().all(fine) && !call && !quotes;
    (fits && !text.contains("/*")).then_some((property, text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_that_are_not_names_become_nothing() {
        assert_eq!(attribute_name("aria-label").as_deref(), Some("aria-label"));
        assert_eq!(attribute_name("data-test"), Some("data-test".into()));
        for name in [
            "x\"><script>",
            "aria-x y",
            "data-",
            "onclick",
            "style",
            "data-oods-node-id",
            "srcdoc",
            "aria-\u{e9}",
        ] {
            assert_eq!(attribute_name(name), None, "{name}");
        }
        assert_eq!(data_prop_name("metricColumns").as_deref(), Some("data-prop-metric-columns"));
        assert_eq!(data_prop_name("a b"), None);
    }

    #[test]
    fn addresses_that_run_are_refused() {
        for address in [
            "javascript:alert(1)",
            " JaVaScRiPt:x",
            "java\nscript:x",
            "data:text/html,x",
            "vbscript:x",
            "blob:x",
        ] {
            assert_eq!(safe_url(address, false), None, "{address}");
        }
        for address in ["/a", "#x", "https://example.test/?q=a:b", "mailto:a@example.test", "a/b:c"] {
            assert_eq!(safe_url(address, false), Some(address));
        }
        assert!(safe_url("data:image/png;base64,AA", true).is_some());
        assert!(safe_url("data:image/svg+xml,<svg>", true).is_none());
    }

    #[test]
    fn declarations_stay_one_declaration() {
        assert_eq!(css_declaration("marginTop", &json!("1rem")), Some(("margin-top".into(), "1rem".into())));
        assert_eq!(css_declaration("--x", &json!(2)), Some(("--x".into(), "2".into())));
        for (name, value) in [
            ("color", json!("red; background: url(x)")),
            ("background", json!("url(javascript:x)")),
            ("background", json!("URL(x)")),
            ("col or", json!("red")),
            ("width", json!("expression(alert(1))")),
            ("color", json!("red}</style>")),
            ("font-family", json!("\"unclosed")),
            ("color", json!({"a": 1})),
            ("", json!("x")),
        ] {
            assert_eq!(css_declaration(name, &value), None, "{name}: {value}");
        }
    }
}
