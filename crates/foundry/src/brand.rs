//! Overlays of a brand's tokens: planned on copies, compared, checked, never written to the kit.

use serde_json::{Map, Value, json};

use crate::FoundryError;
use crate::issue::Issue;
use crate::json::pointer_segment;
use crate::kit::Kit;
use crate::patch;
use crate::tokens::contrast::{self, Finding};
use crate::tokens::{Layer, TokenSet, css_name};

/// The documents of a brand: what all themes inherit, then what two of them change.
pub const THEMES: [&str; 3] = ["base", "dark", "hc"];

/// How a delta is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    Alias,
    Patch,
}

/// One value that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenChange {
    /// Pointer into the document of the theme.
    pub pointer: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// What a delta would do.
pub struct Plan {
    /// Name, document after the change, changes; in the order of `THEMES`.
    pub themes: Vec<(&'static str, Value, Vec<TokenChange>)>,
    /// Contrast rules that fail now and did not before.
    pub contrast: Vec<(String, Finding)>,
}

impl Plan {
    pub fn changed(&self) -> usize {
        self.themes.iter().map(|(_, _, changes)| changes.len()).sum()
    }
}

fn document(kit: &Kit, brand: &str, theme: &str) -> Value {
    kit.tokens.file(&format!("brands/{brand}/{theme}.json")).cloned().unwrap_or_else(|| json!({}))
}

/// Applies a delta to copies of a brand's documents.
pub fn plan(kit: &Kit, brand: &str, strategy: Strategy, delta: &Value) -> Result<Plan, FoundryError> {
    let before: Vec<Value> = THEMES.iter().map(|theme| document(kit, brand, theme)).collect();
    let mut after = before.clone();
    match (strategy, delta) {
        (Strategy::Alias, Value::Object(delta)) => {
            for (key, value) in delta {
                refuse_unsafe(key)?;
                match THEMES.iter().position(|theme| theme == key) {
                    Some(at) => merge(&mut after[at], value, true)?,
                    None => {
                        let scoped = json!({ key: value });
                        for (at, document) in after.iter_mut().enumerate() {
                            // The base is inherited; a theme changes only where it has its own value.
                            merge(document, &scoped, at == 0)?;
                        }
                    }
                }
            }
        }
        (Strategy::Patch, Value::Array(operations)) => {
            for operation in operations {
                apply_operation(&mut after, operation)?;
            }
        }
        (Strategy::Alias, _) => {
            return Err(FoundryError::arguments(
                "strategy alias needs an object as delta; a list of operations is strategy patch",
            ));
        }
        (Strategy::Patch, _) => {
            return Err(FoundryError::arguments(
                "strategy patch needs a list of RFC 6902 operations as delta",
            ));
        }
    }
    let contrast = check(kit, brand, &before, &after)?;
    let themes = THEMES
        .iter()
        .zip(before.iter().zip(after))
        .map(|(theme, (before, after))| {
            let changes = compare(before, &after);
            (*theme, after, changes)
        })
        .collect();
    Ok(Plan { themes, contrast })
}

fn refuse_unsafe(key: &str) -> Result<(), FoundryError> {
    match key {
        "__proto__" | "prototype" | "constructor" => {
            Err(FoundryError::arguments(format!("delta may not contain {key}")))
        }
        _ => Ok(()),
    }
}

/// Merges a delta into a document. Without `create` only values that exist are replaced.
fn merge(target: &mut Value, delta: &Value, create: bool) -> Result<(), FoundryError> {
    let Some(delta) = delta.as_object() else {
        return Err(FoundryError::arguments("a delta must name tokens, not replace a whole document"));
    };
    if !target.is_object() {
        *target = json!({});
    }
    let group = target.as_object_mut().expect("it was just made an object");
    for (key, value) in delta {
        refuse_unsafe(key)?;
        if key.starts_with('$') {
            group.insert(key.clone(), value.clone());
            continue;
        }
        let is_token =
            group.get(key).and_then(Value::as_object).is_some_and(|child| child.contains_key("$value"));
        match token_parts(value) {
            Some(parts) if is_token || create => {
                let entry = group.entry(key.clone()).or_insert_with(|| json!({}));
                if let (Some(entry), false) = (entry.as_object_mut(), parts.is_empty()) {
                    entry.extend(parts);
                }
            }
            Some(_) => {}
            // A composite value such as {value, unit} given for a token.
            None if is_token && !is_group(value) => {
                if let Some(entry) = group.get_mut(key).and_then(Value::as_object_mut) {
                    entry.insert("$value".into(), value.clone());
                }
            }
            None => match group.get_mut(key) {
                Some(child) => merge(child, value, create)?,
                None if create => {
                    let mut child = json!({});
                    merge(&mut child, value, true)?;
                    group.insert(key.clone(), child);
                }
                None => {}
            },
        }
    }
    Ok(())
}

/// The `$` parts a delta leaf stands for, or nothing for a group.
fn token_parts(value: &Value) -> Option<Map<String, Value>> {
    let mut parts = Map::new();
    match value {
        Value::Object(object) if object.contains_key("$value") || object.contains_key("$type") => {
            parts.extend(object.clone())
        }
        Value::Object(object) if object.contains_key("value") && !object.contains_key("unit") => {
            for (key, value) in object {
                let renamed = if matches!(key.as_str(), "value" | "type" | "description") {
                    format!("${key}")
                } else {
                    key.clone()
                };
                parts.insert(renamed, value.clone());
            }
        }
        Value::Object(object) if object.contains_key("unit") || object.contains_key("colorSpace") => {
            parts.insert("$value".into(), value.clone());
        }
        Value::Object(_) => return None,
        scalar => drop(parts.insert("$value".into(), scalar.clone())),
    }
    Some(parts)
}

fn is_group(value: &Value) -> bool {
    value.as_object().is_some_and(|object| object.values().any(Value::is_object))
}

/// One operation: `/dark/…` concerns one theme, other paths the base and the themes that have them.
fn apply_operation(documents: &mut [Value], operation: &Value) -> Result<(), FoundryError> {
    let path = operation.get("path").and_then(Value::as_str).unwrap_or_default().to_owned();
    let scoped = THEMES
        .iter()
        .position(|theme| path.strip_prefix('/').is_some_and(|rest| rest.split('/').next() == Some(theme)));
    let fail = |issue: Issue| FoundryError::Refused {
        message: format!("{}: {}", issue.code, issue.message),
        hint: issue.hint,
    };
    for segment in path.split('/') {
        refuse_unsafe(segment)?;
    }
    if let Some(at) = scoped {
        let mut local = operation.clone();
        local["path"] = path[1 + THEMES[at].len()..].into();
        if let Some(from) = operation.get("from").and_then(Value::as_str) {
            local["from"] = from.strip_prefix(&format!("/{}", THEMES[at])).unwrap_or(from).into();
        }
        return apply_to(&mut documents[at], &local).map_err(fail);
    }
    for (at, document) in documents.iter_mut().enumerate() {
        if at == 0 || (document.pointer(&path).is_some() && operation["op"] != "test") {
            apply_to(document, operation).map_err(fail)?;
        }
    }
    Ok(())
}

fn apply_to(document: &mut Value, operation: &Value) -> Result<(), Issue> {
    if operation["op"] == "add" {
        let path = operation["path"].as_str().unwrap_or_default().to_owned();
        let segments: Vec<&str> = path.split('/').skip(1).collect();
        let mut at = &mut *document;
        for segment in segments.iter().take(segments.len().saturating_sub(1)) {
            let key = segment.replace("~1", "/").replace("~0", "~");
            match at {
                Value::Object(object) => at = object.entry(key).or_insert_with(|| json!({})),
                _ => break,
            }
        }
    }
    patch::apply_one(document, operation)
}

/// Leaves that differ, in document order of what is there now.
fn compare(before: &Value, after: &Value) -> Vec<TokenChange> {
    fn leaves(value: &Value, path: String, into: &mut Vec<(String, Value)>) {
        match value {
            Value::Object(object) if object.contains_key("$value") => {
                into.push((path, object["$value"].clone()))
            }
            Value::Object(object) => {
                for (key, child) in object {
                    if child.is_object() {
                        leaves(child, format!("{path}/{}", pointer_segment(key)), into);
                    }
                }
            }
            _ => {}
        }
    }
    let (mut old, mut new) = (Vec::new(), Vec::new());
    leaves(before, String::new(), &mut old);
    leaves(after, String::new(), &mut new);
    let find = |list: &[(String, Value)], path: &str| {
        list.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone())
    };
    let mut changes: Vec<TokenChange> = new
        .iter()
        .filter_map(|(path, value)| {
            let before = find(&old, path);
            (before.as_ref() != Some(value)).then(|| TokenChange {
                pointer: path.clone(),
                before,
                after: Some(value.clone()),
            })
        })
        .collect();
    changes.extend(old.iter().filter(|(path, _)| find(&new, path).is_none()).map(|(path, value)| {
        TokenChange { pointer: path.clone(), before: Some(value.clone()), after: None }
    }));
    changes
}

/// Refuses a delta that breaks aliases or values; reports contrast that it makes worse.
fn check(
    kit: &Kit,
    brand: &str,
    before: &[Value],
    after: &[Value],
) -> Result<Vec<(String, Finding)>, FoundryError> {
    let mut findings = Vec::new();
    for theme in &kit.manifest.themes {
        let at = THEMES.iter().position(|name| name == theme).unwrap_or(0);
        let sets = [before, after].map(|documents| {
            let mut layers = kit.tokens.documents(brand, theme);
            // Replace the brand's own documents by the copies.
            layers.retain(|(layer, _)| *layer != Layer::Brand);
            let position = layers.iter().position(|(layer, _)| *layer > Layer::Brand).unwrap_or(layers.len());
            layers.insert(position, (Layer::Brand, &documents[0]));
            if at > 0 {
                layers.insert(position + 1, (Layer::Brand, &documents[at]));
            }
            TokenSet::from_documents(layers)
        });
        let [old, new] = sets;
        let known = old.defects();
        if let Some(defect) = new.defects().into_iter().find(|defect| !known.contains(defect)) {
            return Err(FoundryError::refused(
                format!("the delta breaks the tokens of theme {theme}: {defect}"),
                "correct the value; aliases are written {group.token}",
            ));
        }
        let failed_before: Vec<String> = contrast::evaluate(&old, &kit.rules, None)
            .into_iter()
            .filter(|f| !f.passed)
            .map(|f| f.rule)
            .collect();
        let failed = contrast::evaluate(&new, &kit.rules, None).into_iter().filter(|finding| !finding.passed);
        findings.extend(
            failed
                .filter(|finding| !failed_before.contains(&finding.rule))
                .map(|finding| (theme.clone(), finding)),
        );
    }
    Ok(findings)
}

/// Custom properties of the changed values, by brand.
pub fn variables_css(brand: &str, plan: &Plan) -> String {
    let mut css = String::new();
    for (theme, _, changes) in plan.themes.iter().filter(|(_, _, changes)| !changes.is_empty()) {
        let selector =
            if *theme == "base" { ":root".to_owned() } else { format!("[data-theme=\"{theme}\"]") };
        css.push_str(&format!("{selector} {{\n"));
        for change in changes {
            let path = change.pointer.trim_start_matches('/').replace('/', ".");
            let token = crate::tokens::Token {
                path: path.clone(),
                kind: None,
                value: change.after.clone().unwrap_or_default(),
                description: None,
                deprecated: None,
                layer: Layer::Brand,
            };
            if let Some(value) = crate::tokens::css_with_references(&TokenSet::default(), &token)
                .or_else(|| literal(&token.value))
            {
                css.push_str(&format!("  {}-{}: {value};\n", css_name(&path), brand.to_lowercase()));
            }
        }
        css.push_str("}\n");
    }
    css
}

fn literal(value: &Value) -> Option<String> {
    crate::tokens::css_literal(&crate::tokens::Resolved { kind: None, value: value.clone() })
}
