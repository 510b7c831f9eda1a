//! A record as a screen of the kit.

use serde_json::{Map, Value, json};

use super::diff::Difference;
use super::{Object, Provider, record};
use crate::kit::Kit;
use crate::render::{Styling, display_date, document, humanize};
use crate::tree::Tree;

/// Currencies whose smallest unit is the unit itself.
const WHOLE: [&str; 8] = ["JPY", "KRW", "VND", "CLP", "ISK", "UGX", "XAF", "XOF"];

/// Minor units as people write them: `574.18 USD`.
fn money(minor: i64, currency: &str) -> String {
    if WHOLE.contains(&currency) {
        return format!("{minor} {currency}");
    }
    let sign = if minor < 0 { "-" } else { "" };
    let minor = minor.unsigned_abs();
    format!("{sign}{}.{:02} {currency}", minor / 100, minor % 100)
}

/// One record as a UiSchema.
pub fn specimen(provider: Provider, object: Object) -> Value {
    json!({
        "version": "2026.02",
        "screens": [{
            "id": format!("{}-{}", provider.name(), object.key()),
            "component": "Stack",
            "meta": { "label": format!("{} from {}", object.title(), provider.name()) },
            "children": panels(provider, object),
        }],
    })
}

/// The records of several providers side by side, with what differs.
pub fn comparison(
    object: Object,
    providers: &[Provider],
    found: &[(Provider, Provider, Vec<Difference>)],
) -> Value {
    let columns: Vec<Value> = providers
        .iter()
        .map(|&provider| {
            json!({
                "id": format!("column-{}", provider.name()), "component": "Card",
                "props": { "title": provider.name(), "headingTag": "h2" },
                "children": panels(provider, object),
            })
        })
        .collect();
    let mut children = vec![
        json!({
            "id": "head", "component": "PageHeader",
            "props": { "title": format!("{} by provider", object.title()), "subtitle": subtitle(found), "as": "h1" },
        }),
        json!({ "id": "records", "component": "Grid", "props": { "columns": providers.len() }, "children": columns }),
    ];
    for (before, after, differences) in found {
        let rows: Vec<Value> = differences
            .iter()
            .map(|difference| {
                let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".into());
                json!({
                    "field": difference.path,
                    before.name(): side(&difference.before),
                    after.name(): side(&difference.after),
                })
            })
            .collect();
        children.push(json!({
            "id": format!("differences-{}-{}", before.name(), after.name()), "component": "Table",
            "props": {
                "caption": format!("{} and {}: {} fields differ", before.name(), after.name(), differences.len()),
                "columns": ["field", before.name(), after.name()],
                "rows": rows,
                "emptyText": "No field differs",
            },
        }));
    }
    json!({
        "version": "2026.02",
        "screens": [{ "id": "review", "component": "Stack", "props": { "gap": "loose" }, "children": children }],
    })
}

fn subtitle(found: &[(Provider, Provider, Vec<Difference>)]) -> String {
    match found {
        [] => "One provider, nothing to compare".into(),
        [(before, after, differences)] => {
            format!("{} fields differ between {} and {}", differences.len(), before.name(), after.name())
        }
        many => format!("{} comparisons", many.len()),
    }
}

fn panels(provider: Provider, object: Object) -> Value {
    let record = record(provider, object);
    let id = |name: &str| format!("{}-{}-{name}", provider.name(), object.key());
    let title = record.get("name").or_else(|| record.get("number")).or_else(|| record.get("id"));
    let items: Vec<Value> = record
        .iter()
        .filter(|(key, _)| *key != "status")
        .map(|(key, value)| json!({ "label": label(key), "value": shown(key, value, record) }))
        .collect();
    json!([
        {
            "id": id("head"), "component": "DetailHeader",
            "props": { "title": title, "eyebrow": object.title(), "status": record["status"], "as": "h3" },
        },
        { "id": id("fields"), "component": "MetadataPanel", "props": { "title": "Fields", "headingTag": "h4", "items": items } },
    ])
}

fn label(key: &str) -> String {
    humanize(key.strip_suffix("Minor").unwrap_or(key))
}

fn shown(key: &str, value: &Value, record: &Map<String, Value>) -> String {
    let currency = record["currency"].as_str().unwrap_or_default();
    match value {
        Value::Number(number) if key.ends_with("Minor") => {
            money(number.as_i64().unwrap_or_default(), currency)
        }
        Value::String(text) => display_date(text),
        Value::Bool(true) => "Yes".into(),
        Value::Bool(false) => "No".into(),
        Value::Null => "None".into(),
        Value::Array(items) => {
            let parts: Vec<String> = items.iter().map(|item| shown(key, item, record)).collect();
            parts.join("; ")
        }
        Value::Object(object) => {
            let parts: Vec<String> = object
                .iter()
                .map(|(key, value)| format!("{} {}", label(key), shown(key, value, record)))
                .collect();
            parts.join(", ")
        }
        other => other.to_string(),
    }
}

/// A tree of this module as a page that needs nothing from elsewhere, light or dark as the reader's system is.
pub fn page(kit: &Kit, schema: &Value) -> String {
    let tree = Tree::read(schema).expect("specimens have the right structure");
    let brand = kit.default_brand();
    let html = document(kit, &tree, brand, Styling::Tokens).html;
    let Some(dark) = kit.manifest.themes.iter().find(|theme| *theme == "dark") else { return html };
    let Some(tokens) = kit.tokens(brand, dark) else { return html };
    let block = crate::tokens::emit::css_block(&tokens, ":root");
    let style = format!(
        "<style data-source=\"dark\">@media (prefers-color-scheme: dark) {{\n{block}}}</style>\n</head>"
    );
    html.replacen("</head>", &style, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_digits_of_its_currency() {
        assert_eq!(money(57_418, "USD"), "574.18 USD");
        assert_eq!(money(-5, "EUR"), "-0.05 EUR");
        assert_eq!(money(1_200, "JPY"), "1200 JPY");
    }
}
