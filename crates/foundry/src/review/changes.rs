//! What differs between two kits: tokens by value, components by what their users see.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::kit::{Component, Kit, Prop};
use crate::tokens::css_literal;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    Added,
    Removed,
    Changed,
}

impl How {
    pub fn word(self) -> &'static str {
        match self {
            How::Added => "added",
            How::Removed => "removed",
            How::Changed => "changed",
        }
    }
}

/// One token whose value differs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenChange {
    pub path: String,
    pub change: How,
    /// Each different pair of values with where it holds.
    pub values: Vec<Values>,
}

#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Values {
    pub before: Option<String>,
    pub after: Option<String>,
    /// `brand/theme`, all of them that have this pair.
    pub places: Vec<String>,
}

/// One component that differs.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComponentChange {
    pub name: String,
    pub change: How,
    /// What differs, one sentence each.
    pub details: Vec<String>,
}

/// Every token whose resolved value differs in some brand and theme, by path.
pub fn tokens(before: &Kit, after: &Kit) -> Vec<TokenChange> {
    let mut changes: BTreeMap<String, Vec<Values>> = BTreeMap::new();
    let mut places: Vec<(&String, &String)> = Vec::new();
    for kit in [before, after] {
        for brand in &kit.manifest.brands {
            places.extend(kit.manifest.themes.iter().map(|theme| (brand, theme)));
        }
    }
    places.sort();
    places.dedup();
    for (brand, theme) in places {
        let (old, new) = (values(before, brand, theme), values(after, brand, theme));
        let place = format!("{brand}/{theme}");
        let mut paths: Vec<&String> = old.keys().chain(new.keys()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            let (was, is) = (old.get(path).cloned(), new.get(path).cloned());
            if was == is {
                continue;
            }
            let entries = changes.entry(path.clone()).or_default();
            match entries.iter_mut().find(|known| known.before == was && known.after == is) {
                Some(known) => known.places.push(place.clone()),
                None => entries.push(Values { before: was, after: is, places: vec![place.clone()] }),
            }
        }
    }
    changes
        .into_iter()
        .map(|(path, values)| {
            let change = if values.iter().all(|one| one.before.is_none()) {
                How::Added
            } else if values.iter().all(|one| one.after.is_none()) {
                How::Removed
            } else {
                How::Changed
            };
            TokenChange { path, change, values }
        })
        .collect()
}

fn values(kit: &Kit, brand: &str, theme: &str) -> BTreeMap<String, String> {
    let Some(set) = kit.tokens(brand, theme) else { return BTreeMap::new() };
    set.iter()
        .map(|token| {
            let resolved = set.resolve(&token.path).ok();
            let text = resolved.map_or("(broken)".to_owned(), |resolved| {
                css_literal(&resolved).unwrap_or_else(|| resolved.value.to_string())
            });
            (token.path.clone(), text)
        })
        .collect()
}

/// Every component that was added, removed, or is described or drawn differently.
pub fn components(before: &Kit, after: &Kit) -> Vec<ComponentChange> {
    let mut changes = Vec::new();
    for component in &after.components {
        match before.component(&component.name) {
            None => changes.push(change(component, How::Added, vec![component.summary.clone()])),
            Some(old) => {
                let details = details(before, old, after, component);
                if !details.is_empty() {
                    changes.push(change(component, How::Changed, details));
                }
            }
        }
    }
    let gone = before.components.iter().filter(|component| after.component(&component.name).is_none());
    changes.extend(gone.map(|component| change(component, How::Removed, vec![component.summary.clone()])));
    changes.sort_by(|a, b| a.name.cmp(&b.name));
    changes
}

fn change(component: &Component, change: How, mut details: Vec<String>) -> ComponentChange {
    details.retain(|text| !text.is_empty());
    ComponentChange { name: component.name.clone(), change, details }
}

fn details(before: &Kit, old: &Component, after: &Kit, new: &Component) -> Vec<String> {
    let mut details = Vec::new();
    for (name, prop) in &new.props {
        match old.prop(name) {
            None => details.push(format!("new property {name}")),
            // Which trait brings a property follows from the traits, which are compared below.
            Some(known)
                if (Prop { from_trait: None, ..known.clone() })
                    != (Prop { from_trait: None, ..prop.clone() }) =>
            {
                details.push(format!("property {name} is defined differently"));
            }
            Some(_) => {}
        }
    }
    let gone = old.props.iter().filter(|(name, _)| new.prop(name).is_none());
    details.extend(gone.map(|(name, _)| format!("property {name} is gone")));
    for (what, was, is) in [
        ("traits", &old.traits, &new.traits),
        ("categories", &old.categories, &new.categories),
        ("contexts", &old.contexts, &new.contexts),
    ] {
        if was != is {
            details.push(format!("{what}: {} became {}", list(was), list(is)));
        }
    }
    if old.summary != new.summary {
        details.push("described differently".into());
    }
    if old.example != new.example {
        details.push("shown with other properties".into());
    }
    let template = |kit: &Kit, component: &Component| -> Option<Value> {
        kit.archetypes_json.get(&component.archetype.name).cloned()
    };
    if old.archetype.name != new.archetype.name || template(before, old) != template(after, new) {
        details.push("drawn by another template".into());
    }
    let styles = |kit: &Kit, component: &Component| -> String {
        component.archetype.styles.iter().filter_map(|section| kit.style(section)).collect()
    };
    if styles(before, old) != styles(after, new) {
        details.push("styled differently".into());
    }
    details
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
