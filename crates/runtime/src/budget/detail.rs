//! How much of each listed thing an answer tells.

use serde_json::{Map, Value};

/// Texts of a brief answer end here.
const BRIEF_CHARS: usize = 160;
/// Lists inside listed things end here in a brief answer.
const BRIEF_ITEMS: usize = 3;
/// What tells one listed thing from another.
const IDENTITY: [&str; 16] = [
    "id",
    "name",
    "title",
    "file",
    "path",
    "uri",
    "url",
    "line",
    "startLine",
    "endLine",
    "kind",
    "version",
    "ref",
    "key",
    "code",
    "status",
];

/// How much of each listed thing is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// What tells one thing from another.
    Ids,
    /// Everything, but long texts and inner lists end early.
    Brief,
    #[default]
    Full,
}

impl Detail {
    pub fn parse(text: &str) -> Option<Detail> {
        match text {
            "ids" => Some(Detail::Ids),
            "brief" => Some(Detail::Brief),
            "full" => Some(Detail::Full),
            _ => None,
        }
    }

    /// Shortens the things an answer lists; `schema` says which of their members must stay.
    pub fn apply(self, answer: Value, schema: Option<&Value>) -> Value {
        match self {
            Detail::Full => answer,
            level => Shortener { level, root: schema }.outside(answer, schema),
        }
    }
}

struct Shortener<'a> {
    level: Detail,
    root: Option<&'a Value>,
}

impl<'a> Shortener<'a> {
    /// Outside of lists everything stays.
    fn outside(&self, value: Value, schema: Option<&'a Value>) -> Value {
        match value {
            Value::Object(object) => {
                let keep = |(key, value): (String, Value)| {
                    let inner = self.member(schema, &key);
                    (key, self.outside(value, inner))
                };
                Value::Object(object.into_iter().map(keep).collect())
            }
            Value::Array(items) => {
                let inner = self.resolve(schema).and_then(|schema| schema.get("items"));
                items.into_iter().map(|item| self.listed(item, inner)).collect()
            }
            other => other,
        }
    }

    /// One listed thing.
    fn listed(&self, value: Value, schema: Option<&'a Value>) -> Value {
        let Value::Object(object) = value else { return self.cut(value) };
        let required = self.resolve(schema).and_then(|schema| schema.get("required")?.as_array());
        let mut kept = Map::new();
        for (key, value) in object {
            if self.level == Detail::Brief || IDENTITY.contains(&key.as_str()) {
                let value = self.cut(value);
                kept.insert(key, value);
            } else if required.is_none_or(|names| names.iter().any(|name| *name == key)) {
                kept.insert(key, husk(value));
            }
        }
        Value::Object(kept)
    }

    fn cut(&self, value: Value) -> Value {
        match value {
            Value::String(text) if text.chars().count() > BRIEF_CHARS => {
                text.chars().take(BRIEF_CHARS - 1).chain(['…']).collect::<String>().into()
            }
            Value::Array(items) => items.into_iter().take(BRIEF_ITEMS).map(|item| self.cut(item)).collect(),
            Value::Object(object) => {
                Value::Object(object.into_iter().map(|(key, value)| (key, self.cut(value))).collect())
            }
            other => other,
        }
    }

    fn member(&self, schema: Option<&'a Value>, key: &str) -> Option<&'a Value> {
        self.resolve(schema)?.get("properties")?.get(key)
    }

    fn resolve(&self, schema: Option<&'a Value>) -> Option<&'a Value> {
        let schema = schema?;
        match schema.get("$ref").and_then(Value::as_str).and_then(|place| place.strip_prefix('#')) {
            Some(place) => self.root?.pointer(place),
            None => Some(schema),
        }
    }
}

/// The least a member can hold without losing its type.
fn husk(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > 24 => "".into(),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(key, value)| (key, husk(value))).collect())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_keep_what_the_schema_demands_and_drop_the_rest() {
        let schema = json!({
            "properties": {"hits": {"items": {"$ref": "#/$defs/hit"}}},
            "$defs": {"hit": {"required": ["file", "snippet", "lines"]}}
        });
        let answer = json!({"note": "n".repeat(300), "hits": [{"file": "a.rs", "snippet": "s".repeat(300), "lines": [1, 2], "extra": 1}]});
        let told = Detail::Ids.apply(answer.clone(), Some(&schema));
        assert_eq!(told["hits"], json!([{"file": "a.rs", "snippet": "", "lines": []}]));
        assert_eq!(told["note"], answer["note"]);
        let told = Detail::Brief.apply(answer, Some(&schema));
        assert_eq!(told["hits"][0]["snippet"].as_str().unwrap().chars().count(), BRIEF_CHARS);
        assert_eq!(told["hits"][0]["extra"], 1);
    }
}
