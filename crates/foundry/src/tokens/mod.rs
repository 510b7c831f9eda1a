//! Design tokens: documents merged in layers, aliases resolved, values printed.
//!
//! Documents are DTCG (2025.10); the older string values are read as well. Which files make up a
//! set is the kit's business; this module only sees documents in order.

pub mod contrast;
pub mod emit;
mod resolve;
mod value;

use std::collections::HashMap;

use serde_json::{Map, Value};

pub use resolve::{Resolved, TokenError};
pub use value::{css_literal, css_with_references};

/// Where a token was last defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    Reference,
    Brand,
    Theme,
    System,
    Component,
}

impl Layer {
    pub const ALL: [Layer; 5] =
        [Layer::Reference, Layer::Brand, Layer::Theme, Layer::System, Layer::Component];

    pub fn name(self) -> &'static str {
        match self {
            Layer::Reference => "reference",
            Layer::Brand => "brand",
            Layer::Theme => "theme",
            Layer::System => "system",
            Layer::Component => "component",
        }
    }
}

/// One token as written, before aliases are followed.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub path: String,
    /// Its own `$type` or the nearest group's.
    pub kind: Option<String>,
    pub value: Value,
    pub description: Option<String>,
    /// Why it should not be used any more: `$deprecated` of the token or of a group around it.
    pub deprecated: Option<String>,
    pub layer: Layer,
}

/// Every token of one brand in one theme, in document order.
#[derive(Debug, Clone, Default)]
pub struct TokenSet {
    tokens: Vec<Token>,
    by_path: HashMap<String, usize>,
}

/// What groups pass down to their tokens.
#[derive(Clone, Copy, Default)]
struct Inherited<'a> {
    kind: Option<&'a str>,
    deprecated: Option<&'a str>,
}

impl<'a> Inherited<'a> {
    fn within(self, object: &'a Map<String, Value>) -> Inherited<'a> {
        Inherited {
            kind: object.get("$type").and_then(Value::as_str).or(self.kind),
            deprecated: match object.get("$deprecated") {
                Some(Value::String(reason)) => Some(reason),
                Some(Value::Bool(true)) => Some(""),
                Some(Value::Bool(false)) => None,
                _ => self.deprecated,
            },
        }
    }
}

impl TokenSet {
    /// Merges documents in order: a later definition replaces an earlier one in place.
    pub fn from_documents<'a>(documents: impl IntoIterator<Item = (Layer, &'a Value)>) -> TokenSet {
        let mut set = TokenSet::default();
        for (layer, document) in documents {
            if let Some(object) = document.as_object() {
                let extended = resolve::extend_groups(object);
                set.read_group(layer, &extended, &mut Vec::new(), Inherited::default());
            }
        }
        set
    }

    fn read_group(
        &mut self,
        layer: Layer,
        group: &Map<String, Value>,
        path: &mut Vec<String>,
        inherited: Inherited,
    ) {
        let inherited = inherited.within(group);
        for (key, value) in group {
            let Some(child) = value.as_object() else { continue };
            if key.starts_with('$') {
                continue;
            }
            path.push(key.clone());
            match token_value(child) {
                Some(value) => {
                    let own = inherited.within(child);
                    self.insert(Token {
                        path: path.join("."),
                        kind: own.kind.map(str::to_owned),
                        value,
                        description: child.get("$description").and_then(Value::as_str).map(str::to_owned),
                        deprecated: own.deprecated.map(str::to_owned),
                        layer,
                    });
                }
                None => self.read_group(layer, child, path, inherited),
            }
            path.pop();
        }
    }

    fn insert(&mut self, token: Token) {
        match self.by_path.get(&token.path) {
            Some(&at) => self.tokens[at] = token,
            None => {
                self.by_path.insert(token.path.clone(), self.tokens.len());
                self.tokens.push(token);
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter()
    }

    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    pub fn get(&self, path: &str) -> Option<&Token> {
        self.by_path.get(path).map(|&at| &self.tokens[at])
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.path.as_str())
    }

    /// Finds the token a tree means by a short name: an exact path, or the name below one of
    /// the groups of its purpose.
    pub fn find(&self, name: &str, purpose: Purpose) -> Option<&Token> {
        let dashed = name.replace(['_', ' '], "-");
        self.get(name)
            .or_else(|| purpose.groups().iter().find_map(|group| self.get(&format!("{group}.{name}"))))
            .or_else(|| purpose.groups().iter().find_map(|group| self.get(&format!("{group}.{dashed}"))))
            .or_else(|| {
                // A dashed path such as `sys-text-primary`, as CSS and reports spell it.
                let wanted = css_name(&dashed.replace('.', "-"));
                self.tokens.iter().find(|token| css_name(&token.path) == wanted)
            })
    }
}

/// What a tree uses a token for; decides where short names are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Spacing,
    Radius,
    Shadow,
    Color,
    Typography,
}

impl Purpose {
    pub fn groups(self) -> &'static [&'static str] {
        match self {
            Purpose::Spacing => &["sys.space", "ref.space"],
            Purpose::Radius => &["sys.radius", "ref.radius"],
            Purpose::Shadow => &["sys.shadow"],
            Purpose::Color => &["sys.text", "sys", "sys.status", "ref.color"],
            Purpose::Typography => &["sys.type"],
        }
    }
}

fn token_value(object: &Map<String, Value>) -> Option<Value> {
    if let Some(value) = object.get("$value") {
        return Some(value.clone());
    }
    object.get("$ref").map(|target| serde_json::json!({ "$ref": target }))
}

/// The custom property of a token: `sys.text.onSolid` is `--oods-sys-text-on-solid`.
pub fn css_name(path: &str) -> String {
    let mut name = String::from("--oods-");
    let mut previous_lower = false;
    for letter in path.chars() {
        match letter {
            'A'..='Z' => {
                if previous_lower {
                    name.push('-');
                }
                name.push(letter.to_ascii_lowercase());
            }
            'a'..='z' | '0'..='9' => name.push(letter),
            _ => name.push('-'),
        }
        previous_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    name
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn later_documents_replace_and_groups_pass_their_type_down() {
        let one = json!({"a": {"$type": "color", "x": {"$value": "#fff"}, "y": {"$value": "{a.x}"}}});
        let two = json!({"a": {"x": {"$type": "color", "$value": "#000"}}});
        let set = TokenSet::from_documents([(Layer::Reference, &one), (Layer::Theme, &two)]);
        assert_eq!(set.len(), 2);
        assert_eq!(set.get("a.x").unwrap().layer, Layer::Theme);
        assert_eq!(set.get("a.y").unwrap().kind.as_deref(), Some("color"));
        assert_eq!(set.resolve("a.y").unwrap().value, json!("#000"));
    }

    #[test]
    fn deprecation_is_passed_down_and_can_be_taken_back() {
        let document = json!({"a": {"$deprecated": "use b", "x": {"$value": 1}, "y": {"$value": 1, "$deprecated": false}},
            "b": {"$value": 1, "$deprecated": true}});
        let set = TokenSet::from_documents([(Layer::Reference, &document)]);
        let of = |path| set.get(path).unwrap().deprecated.as_deref();
        assert_eq!((of("a.x"), of("a.y"), of("b")), (Some("use b"), None, Some("")));
    }

    #[test]
    fn css_names_are_kebab_case() {
        assert_eq!(css_name("sys.status.info.onSolid"), "--oods-sys-status-info-on-solid");
        assert_eq!(css_name("ref.font.size.2xl"), "--oods-ref-font-size-2xl");
        assert_eq!(css_name("a.\"};x"), "--oods-a----x");
    }
}
