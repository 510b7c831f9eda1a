//! Token values as CSS, with aliases as `var()` chains or followed to the end.

use serde_json::{Map, Value};

use super::resolve::alias_target;
use super::{Resolved, Token, TokenSet, css_name};
use crate::color;

/// The CSS of a resolved value, or nothing when the value does not fit its type.
pub fn css_literal(resolved: &Resolved) -> Option<String> {
    print(resolved.kind.as_deref(), &resolved.value)
}

/// The CSS of a token as written: an alias stays a `var()`.
pub fn css_with_references(set: &TokenSet, token: &Token) -> Option<String> {
    if let Some(target) = alias_target(&token.value) {
        return Some(format!("var({})", css_name(&target)));
    }
    let kind = match &token.kind {
        Some(kind) => Some(kind.clone()),
        None => set.resolve(&token.path).ok()?.kind,
    };
    print(kind.as_deref(), &token.value)
}

fn print(kind: Option<&str>, value: &Value) -> Option<String> {
    if let Some(target) = alias_target(value) {
        return Some(format!("var({})", css_name(&target)));
    }
    match kind {
        Some("color") => match value {
            // Functions such as color-mix() cannot be measured, but a browser understands them.
            Value::String(text) => color::parse(value).map(|color| color.css()).or_else(|| safe(text)),
            _ => color::parse(value).map(|color| color.css()),
        },
        Some("dimension" | "duration") => quantity(value),
        Some("number" | "fontWeight") => match value {
            Value::Number(number) => Some(color::number(number.as_f64()?)),
            Value::String(text) => weight(text),
            _ => None,
        },
        Some("fontFamily") => family(value),
        Some("cubicBezier") => {
            let parts: Vec<String> = value
                .as_array()?
                .iter()
                .map(|part| part.as_f64().map(color::number))
                .collect::<Option<_>>()?;
            (parts.len() == 4).then(|| format!("cubic-bezier({})", parts.join(", ")))
        }
        Some("shadow") => match value {
            Value::Array(items) => {
                let shadows: Vec<String> = items.iter().map(shadow).collect::<Option<_>>()?;
                Some(shadows.join(", "))
            }
            one => shadow(one),
        },
        Some("typography") => {
            let object = value.as_object()?;
            let part = |key, kind| object.get(key).and_then(|value| print(Some(kind), value));
            let size = part("fontSize", "dimension")?;
            let height = part("lineHeight", "number").unwrap_or_else(|| "normal".into());
            let weight = part("fontWeight", "fontWeight").unwrap_or_else(|| "400".into());
            Some(format!("{weight} {size}/{height} {}", part("fontFamily", "fontFamily")?))
        }
        Some("border") => {
            let object = value.as_object()?;
            let style =
                object.get("style").and_then(Value::as_str).and_then(safe).unwrap_or_else(|| "solid".into());
            Some(format!(
                "{} {style} {}",
                field(object, "width", "dimension")?,
                field(object, "color", "color")?
            ))
        }
        Some("transition") => {
            let object = value.as_object()?;
            let delay = field(object, "delay", "duration").unwrap_or_else(|| "0s".into());
            let curve = field(object, "timingFunction", "cubicBezier")?;
            Some(format!("{} {curve} {delay}", field(object, "duration", "duration")?))
        }
        _ => match value {
            Value::String(text) => safe(text),
            Value::Number(number) => Some(color::number(number.as_f64()?)),
            Value::Object(object) if object.contains_key("unit") => quantity(value),
            Value::Object(object) if object.contains_key("colorSpace") => print(Some("color"), value),
            _ => None,
        },
    }
}

fn field(object: &Map<String, Value>, key: &str, kind: &str) -> Option<String> {
    print(Some(kind), object.get(key)?)
}

fn quantity(value: &Value) -> Option<String> {
    match value {
        Value::Object(object) => {
            let amount = object.get("value")?.as_f64()?;
            let unit = object.get("unit")?.as_str()?;
            let known = matches!(unit, "px" | "rem" | "em" | "ms" | "s" | "%" | "vh" | "vw" | "ch");
            known.then(|| {
                if amount == 0.0 && unit != "ms" && unit != "s" {
                    "0".into()
                } else {
                    format!("{}{unit}", color::number(amount))
                }
            })
        }
        Value::String(text) => safe(text),
        // A bare number in a dimension means pixels, as brand deltas write it.
        Value::Number(number) => Some(format!("{}px", color::number(number.as_f64()?))),
        _ => None,
    }
}

fn weight(name: &str) -> Option<String> {
    let number = match name {
        "thin" => 100,
        "light" => 300,
        "regular" | "normal" => 400,
        "medium" => 500,
        "semi-bold" | "semibold" | "demi-bold" => 600,
        "bold" => 700,
        "black" | "heavy" => 900,
        other => return safe(other),
    };
    Some(number.to_string())
}

fn family(value: &Value) -> Option<String> {
    let one = |name: &str| {
        let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        safe(name).map(|name| if plain { name } else { format!("\"{name}\"") })
    };
    match value {
        Value::String(name) => one(name),
        Value::Array(names) => {
            let names: Vec<String> = names.iter().map(|name| one(name.as_str()?)).collect::<Option<_>>()?;
            (!names.is_empty()).then(|| names.join(", "))
        }
        _ => None,
    }
}

fn shadow(value: &Value) -> Option<String> {
    if let Some(target) = alias_target(value) {
        return Some(format!("var({})", css_name(&target)));
    }
    let object = value.as_object()?;
    let length = |key| object.get(key).map_or(Some("0".into()), |value| print(Some("dimension"), value));
    let inset = if object.get("inset") == Some(&Value::Bool(true)) { "inset " } else { "" };
    Some(format!(
        "{inset}{} {} {} {} {}",
        length("offsetX")?,
        length("offsetY")?,
        length("blur")?,
        length("spread")?,
        field(object, "color", "color")?
    ))
}

/// Text that can stand in a declaration without ending it.
fn safe(text: &str) -> Option<String> {
    let fine = |c: char| c.is_alphanumeric() || " #%(),.-+*/_".contains(c);
    let lower = text.to_lowercase();
    (!text.is_empty() && text.chars().all(fine) && !lower.contains("url(") && !text.contains("/*"))
        .then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(kind: &str, value: Value, css: Option<&str>) {
        let resolved = Resolved { kind: Some(kind.into()), value };
        assert_eq!(css_literal(&resolved).as_deref(), css, "{kind}");
    }

    #[test]
    fn every_type_prints_as_css() {
        check("dimension", json!({"value": 0.5, "unit": "rem"}), Some("0.5rem"));
        check("dimension", json!("16px"), Some("16px"));
        check("dimension", json!("clamp(1rem, 2vw, 3rem)"), Some("clamp(1rem, 2vw, 3rem)"));
        check("dimension", json!(14), Some("14px"));
        check("duration", json!({"value": 0, "unit": "ms"}), Some("0ms"));
        check("fontFamily", json!(["Inter", "Segoe UI"]), Some("Inter, \"Segoe UI\""));
        check("fontWeight", json!("bold"), Some("700"));
        check("cubicBezier", json!([0.2, 0, 0, 1]), Some("cubic-bezier(0.2, 0, 0, 1)"));
        check(
            "color",
            json!({"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 0.5}),
            Some("rgb(0 0 0 / 0.5)"),
        );
        check(
            "shadow",
            json!({"offsetY": {"value": 1, "unit": "px"}, "color": "#000"}),
            Some("0 1px 0 0 #000000"),
        );
        check(
            "typography",
            json!({"fontFamily": "Inter", "fontSize": "1rem", "fontWeight": 600, "lineHeight": 1.5}),
            Some("600 1rem/1.5 Inter"),
        );
    }

    #[test]
    fn values_that_could_end_a_declaration_are_refused() {
        check("dimension", json!("1px; } body { display:none"), None);
        check("color", json!("url(javascript:alert(1))"), None);
        check("fontFamily", json!(["\"</style>"]), None);
        check("dimension", json!({"value": 1, "unit": "px;}"}), None);
    }
}
