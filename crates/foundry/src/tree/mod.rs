//! UiSchema trees: reading them into a flat arena, with every structural fault named.

mod shape;

use serde_json::{Map, Value};

pub use shape::{Align, LayoutKind, TreeJson};

use crate::issue::Issue;
use crate::json::pointer_segment;

/// More nodes than this are refused; a screen of this size is data, not design.
pub const MAX_NODES: usize = 100_000;
/// Deepest nesting of elements.
pub const MAX_DEPTH: usize = 190;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Layout {
    pub kind: Option<LayoutKind>,
    pub align: Option<Align>,
    pub gap_token: Option<String>,
}

/// One element; children are indices into the arena and always larger than their parent's.
#[derive(Debug, Clone)]
pub struct Node {
    pub id: String,
    pub component: String,
    pub route: Option<String>,
    pub layout: Option<Layout>,
    pub style: Map<String, Value>,
    pub props: Map<String, Value>,
    pub bindings: Vec<(String, String)>,
    pub children: Vec<usize>,
    pub label: Option<String>,
    pub parent: Option<usize>,
    /// Position among the parent's children, or among the screens.
    pub position: usize,
}

/// A tree that has the right structure.
#[derive(Debug, Clone)]
pub struct Tree {
    pub version: String,
    pub theme: Option<String>,
    pub nodes: Vec<Node>,
    pub screens: Vec<usize>,
}

impl Tree {
    /// Reads a tree, or says everything that is wrong with its structure.
    pub fn read(json: &Value) -> Result<Tree, Vec<Issue>> {
        let mut reader = Reader { issues: Vec::new(), nodes: Vec::new() };
        let tree = reader.tree(json);
        if reader.issues.is_empty() { Ok(tree) } else { Err(reader.issues) }
    }

    /// JSON pointer of a node.
    pub fn pointer(&self, index: usize) -> String {
        let mut segments = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at {
            let node = &self.nodes[index];
            let list = if node.parent.is_some() { "children" } else { "screens" };
            segments.push(format!("/{list}/{}", node.position));
            at = node.parent;
        }
        segments.reverse();
        segments.concat()
    }

    /// The first node with an id, in document order.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == id)
    }

    /// Component names in order of first appearance.
    pub fn components(&self) -> Vec<&str> {
        let mut seen = std::collections::HashSet::new();
        self.nodes.iter().map(|node| node.component.as_str()).filter(|name| seen.insert(*name)).collect()
    }
}

struct Reader {
    issues: Vec<Issue>,
    nodes: Vec<Node>,
}

const TREE_KEYS: [&str; 5] = ["$schema", "version", "dsVersion", "theme", "screens"];
const NODE_KEYS: [&str; 9] =
    ["id", "component", "route", "layout", "style", "props", "bindings", "children", "meta"];

impl Reader {
    fn fault(&mut self, path: &str, message: impl Into<String>) {
        // A tree with thousands of faults has one cause; the first ones show it.
        if self.issues.len() < 100 {
            self.issues.push(Issue::error("DSL_SCHEMA", message).at(if path.is_empty() {
                "/"
            } else {
                path
            }));
        }
    }

    fn tree(&mut self, json: &Value) -> Tree {
        let mut tree = Tree { version: String::new(), theme: None, nodes: Vec::new(), screens: Vec::new() };
        let Some(object) = json.as_object() else {
            self.fault("", "a UiSchema must be an object");
            return tree;
        };
        self.unknown_keys(object, &TREE_KEYS, "");
        tree.version = self.required(object, "version", "");
        tree.theme = self.optional(object, "theme", "");
        self.optional(object, "dsVersion", "");
        let screens = match object.get("screens") {
            Some(Value::Array(screens)) if !screens.is_empty() => screens.as_slice(),
            _ => {
                self.fault("/screens", "screens must be a list with at least one element");
                &[]
            }
        };
        // Children are read after their parent, in document order, without recursion.
        let mut pending: Vec<(&Value, Option<usize>, usize, String, usize)> = screens
            .iter()
            .enumerate()
            .rev()
            .map(|(position, json)| (json, None, position, format!("/screens/{position}"), 1))
            .collect();
        while let Some((json, parent, position, path, depth)) = pending.pop() {
            if depth > MAX_DEPTH {
                self.fault(&path, format!("elements are nested more than {MAX_DEPTH} levels deep"));
                break;
            }
            if self.nodes.len() >= MAX_NODES {
                self.fault(&path, format!("the tree has more than {MAX_NODES} elements"));
                break;
            }
            let Some(object) = json.as_object() else {
                self.fault(&path, "an element must be an object");
                continue;
            };
            let node = self.node(object, parent, position, &path);
            let index = self.nodes.len();
            match parent {
                Some(parent) => self.nodes[parent].children.push(index),
                None => tree.screens.push(index),
            }
            self.nodes.push(node);
            match object.get("children") {
                None => {}
                Some(Value::Array(children)) => {
                    pending.extend(children.iter().enumerate().rev().map(|(position, json)| {
                        (json, Some(index), position, format!("{path}/children/{position}"), depth + 1)
                    }))
                }
                Some(_) => self.fault(&format!("{path}/children"), "children must be a list"),
            }
        }
        tree.nodes = std::mem::take(&mut self.nodes);
        tree
    }

    fn node(
        &mut self,
        object: &Map<String, Value>,
        parent: Option<usize>,
        position: usize,
        path: &str,
    ) -> Node {
        self.unknown_keys(object, &NODE_KEYS, path);
        let meta = self.map(object, "meta", path);
        let meta_path = format!("{path}/meta");
        if let Some(meta) = meta {
            self.unknown_keys(meta, &["label", "intent", "notes"], &meta_path);
        }
        Node {
            id: self.required(object, "id", path),
            component: self.required(object, "component", path),
            route: self.optional(object, "route", path),
            layout: self.layout(object, path),
            style: self.map(object, "style", path).cloned().unwrap_or_default(),
            props: self.map(object, "props", path).cloned().unwrap_or_default(),
            bindings: self.bindings(object, path),
            children: Vec::new(),
            label: meta.and_then(|meta| self.optional(meta, "label", &meta_path)),
            parent,
            position,
        }
    }

    fn layout(&mut self, object: &Map<String, Value>, path: &str) -> Option<Layout> {
        let layout = self.map(object, "layout", path)?;
        let path = format!("{path}/layout");
        self.unknown_keys(layout, &["type", "align", "gapToken"], &path);
        let gap_token = self.optional(layout, "gapToken", &path);
        let mut word = |key: &str, known: &str| match layout.get(key) {
            None | Some(Value::Null) => None,
            Some(value) => {
                let fits = value.as_str().is_some_and(|word| known.split(' ').any(|option| option == word));
                if !fits {
                    self.fault(
                        &format!("{path}/{key}"),
                        format!("{key} must be one of {}", known.replace(' ', ", ")),
                    );
                }
                fits.then(|| value.clone())
            }
        };
        let kind = word("type", "stack grid inline section sidebar");
        let align = word("align", "start center end space-between");
        Some(Layout {
            kind: kind.and_then(|value| serde_json::from_value(value).ok()),
            align: align.and_then(|value| serde_json::from_value(value).ok()),
            gap_token,
        })
    }

    fn bindings(&mut self, object: &Map<String, Value>, path: &str) -> Vec<(String, String)> {
        let Some(bindings) = self.map(object, "bindings", path) else { return Vec::new() };
        let mut pairs = Vec::new();
        for (key, value) in bindings {
            match value.as_str() {
                Some(value) => pairs.push((key.clone(), value.to_owned())),
                None => {
                    self.fault(&format!("{path}/bindings/{}", pointer_segment(key)), "a binding must be text")
                }
            }
        }
        pairs
    }

    fn required(&mut self, object: &Map<String, Value>, key: &str, path: &str) -> String {
        match object.get(key) {
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            _ => {
                self.fault(&format!("{path}/{key}"), format!("{key} must be text and not empty"));
                String::new()
            }
        }
    }

    fn optional(&mut self, object: &Map<String, Value>, key: &str, path: &str) -> Option<String> {
        match object.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.fault(&format!("{path}/{key}"), format!("{key} must be text"));
                None
            }
        }
    }

    fn map<'j>(
        &mut self,
        object: &'j Map<String, Value>,
        key: &str,
        path: &str,
    ) -> Option<&'j Map<String, Value>> {
        match object.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::Object(map)) => Some(map),
            Some(_) => {
                self.fault(&format!("{path}/{key}"), format!("{key} must be an object"));
                None
            }
        }
    }

    fn unknown_keys(&mut self, object: &Map<String, Value>, known: &[&str], path: &str) {
        for key in object.keys().filter(|key| !known.contains(&key.as_str())) {
            let near = crate::json::near(key, known.iter().copied(), 1);
            let message = match near.first() {
                Some(near) => format!("{key:?} is not a known key; did you mean {near:?}"),
                None => format!("{key:?} is not a known key; known are {}", known.join(", ")),
            };
            self.fault(&format!("{path}/{}", pointer_segment(key)), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nodes_are_in_document_order_with_pointers() {
        let tree = Tree::read(&json!({"version": "1", "screens": [
            {"id": "a", "component": "Stack", "children": [
                {"id": "b", "component": "Stack", "children": [{"id": "c", "component": "Text"}]},
                {"id": "d", "component": "Text"}]}]}))
        .unwrap();
        let ids: Vec<&str> = tree.nodes.iter().map(|node| node.id.as_str()).collect();
        assert_eq!(ids, ["a", "b", "c", "d"]);
        assert_eq!(tree.pointer(3), "/screens/0/children/1");
        assert_eq!(tree.pointer(2), "/screens/0/children/0/children/0");
    }

    #[test]
    fn every_fault_is_named_with_its_place() {
        let issues = Tree::read(&json!({"version": "", "screens": [
            {"id": "a", "component": 3, "childern": [], "layout": {"type": "flex"}, "bindings": {"onClick": 1}}]}))
        .unwrap_err();
        let paths: Vec<&str> = issues.iter().filter_map(|issue| issue.path.as_deref()).collect();
        assert_eq!(
            paths,
            [
                "/version",
                "/screens/0/childern",
                "/screens/0/component",
                "/screens/0/layout/type",
                "/screens/0/bindings/onClick"
            ]
        );
        assert!(issues[1].message.contains("did you mean \"children\""));
    }
}
