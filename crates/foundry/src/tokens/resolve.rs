//! Following aliases: `{a.b}`, `$ref` pointers and `$extends` of groups.

use serde_json::{Map, Value};

use super::TokenSet;
use crate::json::near;

/// Longer chains than this are a mistake, not a design.
const MAX_CHAIN: usize = 32;

/// A token whose value holds no alias any more.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub kind: Option<String>,
    pub value: Value,
}

/// A defect in a set of tokens; both ends are named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("{from} refers to {to}, which does not exist")]
    Broken { from: String, to: String, near: Vec<String> },
    #[error("aliases form a cycle: {}", .0.join(" -> "))]
    Cycle(Vec<String>),
    #[error("the alias chain from {from} to {to} has more than 32 links")]
    TooLong { from: String, to: String },
    #[error("no token is called {0}")]
    Unknown(String),
    #[error("{path} is not a valid {kind}: {value}")]
    BadValue { path: String, kind: String, value: String },
    #[error("{first} and {second} both become {css}")]
    Collision { first: String, second: String, css: String },
}

/// The target of a whole-value alias.
pub(super) fn alias_target(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let inner = text.strip_prefix('{')?.strip_suffix('}')?;
            (!inner.is_empty() && !inner.contains(['{', '}'])).then(|| inner.trim().to_owned())
        }
        Value::Object(object) => {
            let pointer = object.get("$ref")?.as_str()?.strip_prefix("#/")?;
            let segments: Vec<String> = pointer
                .split('/')
                .filter(|segment| *segment != "$value")
                .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
                .collect();
            Some(segments.join("."))
        }
        _ => None,
    }
}

impl TokenSet {
    /// Follows every alias of one token.
    pub fn resolve(&self, path: &str) -> Result<Resolved, TokenError> {
        self.follow(path, &mut Vec::new())
    }

    fn follow(&self, path: &str, trail: &mut Vec<String>) -> Result<Resolved, TokenError> {
        let Some(token) = self.get(path) else {
            return Err(match trail.last() {
                Some(from) => TokenError::Broken {
                    from: from.clone(),
                    to: path.to_owned(),
                    near: near(path, self.paths(), 3).into_iter().map(str::to_owned).collect(),
                },
                None => TokenError::Unknown(path.to_owned()),
            });
        };
        if let Some(start) = trail.iter().position(|seen| seen == path) {
            let mut cycle = trail.split_off(start);
            cycle.push(path.to_owned());
            return Err(TokenError::Cycle(cycle));
        }
        if trail.len() >= MAX_CHAIN {
            return Err(TokenError::TooLong { from: trail[0].clone(), to: path.to_owned() });
        }
        trail.push(path.to_owned());
        let resolved = match alias_target(&token.value) {
            Some(target) => {
                let end = self.follow(&target, trail)?;
                Resolved { kind: token.kind.clone().or(end.kind), value: end.value }
            }
            None => Resolved { kind: token.kind.clone(), value: self.follow_parts(&token.value, trail)? },
        };
        trail.pop();
        Ok(resolved)
    }

    /// Replaces aliases inside a composite value.
    fn follow_parts(&self, value: &Value, trail: &mut Vec<String>) -> Result<Value, TokenError> {
        if let Some(target) = alias_target(value) {
            return Ok(self.follow(&target, trail)?.value);
        }
        Ok(match value {
            Value::Array(items) => Value::Array(
                items.iter().map(|item| self.follow_parts(item, trail)).collect::<Result<_, _>>()?,
            ),
            Value::Object(object) => Value::Object(
                object
                    .iter()
                    .map(|(key, item)| Ok((key.clone(), self.follow_parts(item, trail)?)))
                    .collect::<Result<_, TokenError>>()?,
            ),
            other => other.clone(),
        })
    }

    /// Every defect of the set, in document order.
    pub fn defects(&self) -> Vec<TokenError> {
        let mut defects: Vec<TokenError> = Vec::new();
        let mut names: std::collections::HashMap<String, &str> = Default::default();
        for token in self.iter() {
            let css = super::css_name(&token.path);
            if let Some(first) = names.insert(css.clone(), &token.path) {
                defects.push(TokenError::Collision {
                    first: first.to_owned(),
                    second: token.path.clone(),
                    css,
                });
            }
            match self.resolve(&token.path) {
                Err(error) if !already_named(&defects, &error) => defects.push(error),
                Ok(resolved) if super::css_literal(&resolved).is_none() => {
                    defects.push(TokenError::BadValue {
                        path: token.path.clone(),
                        kind: resolved.kind.unwrap_or_else(|| "token".into()),
                        value: resolved.value.to_string(),
                    })
                }
                _ => {}
            }
        }
        defects
    }
}

/// A cycle is one defect however many tokens lead into it; so is a broken link.
fn already_named(defects: &[TokenError], error: &TokenError) -> bool {
    defects.iter().any(|seen| match (seen, error) {
        (TokenError::Cycle(a), TokenError::Cycle(b)) => b.iter().all(|path| a.contains(path)),
        (a, b) => a == b,
    })
}

/// Copies the groups named by `$extends` under the groups that name them.
pub(super) fn extend_groups(root: &Map<String, Value>) -> Map<String, Value> {
    fn mentions(value: &Value) -> bool {
        value
            .as_object()
            .is_some_and(|object| object.contains_key("$extends") || object.values().any(mentions))
    }
    fn walk(root: &Map<String, Value>, group: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut merged = match group.get("$extends").and_then(alias_target) {
            Some(target) if depth < MAX_CHAIN => {
                match target.split('.').try_fold(root, |at, key| at.get(key)?.as_object()) {
                    Some(base) => walk(root, base, depth + 1),
                    None => Map::new(),
                }
            }
            _ => Map::new(),
        };
        for (key, value) in group {
            match (value.as_object(), merged.get(key).and_then(Value::as_object)) {
                _ if key == "$extends" => {}
                (Some(child), Some(base)) if !child.contains_key("$value") => {
                    let mut under = base.clone();
                    under.extend(walk(root, child, depth));
                    merged.insert(key.clone(), Value::Object(under));
                }
                (Some(child), _) if !key.starts_with('$') && !child.contains_key("$value") => {
                    merged.insert(key.clone(), Value::Object(walk(root, child, depth)));
                }
                _ => drop(merged.insert(key.clone(), value.clone())),
            }
        }
        merged
    }
    if root.values().any(mentions) { walk(root, root, 0) } else { root.clone() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Layer, TokenSet};
    use super::*;

    fn set(document: Value) -> TokenSet {
        TokenSet::from_documents([(Layer::Reference, &document)])
    }

    #[test]
    fn a_broken_alias_names_both_ends_and_a_near_name() {
        let tokens =
            set(json!({"ref": {"blue": {"$value": "#00f"}}, "sys": {"a": {"$value": "{ref.bleu}"}}}));
        let defects = tokens.defects();
        assert_eq!(defects.len(), 1);
        assert_eq!(defects[0].to_string(), "sys.a refers to ref.bleu, which does not exist");
        assert!(matches!(&defects[0], TokenError::Broken { near, .. } if near[0] == "ref.blue"));
    }

    #[test]
    fn a_cycle_is_reported_once_with_its_members() {
        let tokens = set(
            json!({"a": {"$value": "{b}"}, "b": {"$value": "{c}"}, "c": {"$value": "{a}"}, "d": {"$value": "{b}"}}),
        );
        let cycles: Vec<String> = tokens.defects().iter().map(ToString::to_string).collect();
        assert_eq!(cycles, ["aliases form a cycle: a -> b -> c -> a"]);
    }

    #[test]
    fn pointers_and_composites_resolve() {
        let tokens = set(json!({
            "gap": {"$type": "dimension", "$value": {"value": 4, "unit": "px"}},
            "same": {"$ref": "#/gap"},
            "shadow": {"$type": "shadow", "$value": {"blur": "{gap}", "color": "#000"}}
        }));
        assert_eq!(tokens.resolve("same").unwrap().value["value"], 4);
        assert_eq!(tokens.resolve("shadow").unwrap().value["blur"]["unit"], "px");
    }

    #[test]
    fn groups_extend_groups() {
        let tokens = set(json!({
            "button": {"$type": "color", "fg": {"$value": "#fff"}, "bg": {"$value": "#000"}},
            "danger": {"$extends": "{button}", "bg": {"$value": "#f00"}}
        }));
        assert_eq!(tokens.get("danger.fg").unwrap().value, "#fff");
        assert_eq!(tokens.get("danger.bg").unwrap().value, "#f00");
        assert_eq!(tokens.get("danger.bg").unwrap().kind.as_deref(), Some("color"));
    }
}
