//! From a tree to parts that can be printed: properties sorted, layout and tokens turned into
//! declarations, tabs and sidebars expanded. HTML and generated code both start here.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::expr::is_empty;
use super::safety::{attribute_name, css_declaration, data_prop_name};
use crate::issue::Issue;
use crate::json::near;
use crate::kit::{Component, Kit};
use crate::tokens::{Purpose, TokenSet, css_literal, css_name};
use crate::tree::{Align, LayoutKind, Node, Tree};

/// How token styles are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Styling {
    /// References that follow the theme.
    Tokens,
    /// Values of the present theme.
    Inline,
}

pub enum Kind<'a> {
    Component(&'a Component),
    /// A plain element the layout needs.
    Element {
        tag: &'static str,
        attrs: Vec<(String, String)>,
    },
    Unknown,
}

/// One part: a component, or an element around components.
pub struct Part<'a> {
    pub kind: Kind<'a>,
    /// The node this part comes from; wrappers have none.
    pub node: Option<&'a Node>,
    pub id: String,
    pub props: Map<String, Value>,
    /// Attributes that pass through.
    pub attrs: Vec<(String, Value)>,
    pub style: Vec<(String, String)>,
    pub children: Vec<usize>,
}

/// The parts of a tree; children have larger indices than their parents.
pub struct Lowered<'a> {
    pub parts: Vec<Part<'a>>,
    pub roots: Vec<usize>,
    pub warnings: Vec<Issue>,
}

/// Lowers the nodes below `roots`.
pub fn lower<'a>(
    kit: &'a Kit,
    tokens: &Arc<TokenSet>,
    tree: &'a Tree,
    roots: &[usize],
    styling: Styling,
) -> Lowered<'a> {
    let mut lowering = Lowering {
        kit,
        tokens,
        tree,
        styling,
        lowered: Lowered { parts: Vec::new(), roots: Vec::new(), warnings: Vec::new() },
    };
    for &root in roots {
        let part = lowering.node(root);
        lowering.lowered.roots.push(part);
    }
    lowering.lowered
}

struct Lowering<'a, 't> {
    kit: &'a Kit,
    tokens: &'t TokenSet,
    tree: &'a Tree,
    styling: Styling,
    lowered: Lowered<'a>,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers one node and what is below it; the depth of a tree is bounded when it is read.
    fn node(&mut self, index: usize) -> usize {
        let node = &self.tree.nodes[index];
        let section = node.layout.as_ref().and_then(|layout| layout.kind) == Some(LayoutKind::Section);
        if !section {
            return self.component(index, node);
        }
        let attrs =
            vec![("data-layout".into(), "section".into()), ("data-layout-node-id".into(), node.id.clone())];
        let wrapper = self.element("section", attrs, String::new());
        let inner = self.component(index, node);
        self.lowered.parts[wrapper].children.push(inner);
        wrapper
    }

    fn component(&mut self, index: usize, node: &'a Node) -> usize {
        let component = self.kit.component(&node.component);
        let (props, attrs) = self.sort_props(index, node, component);
        let style = self.style(index, node);
        let kind = component.map_or(Kind::Unknown, Kind::Component);
        let is_tabs = component.is_some_and(|component| component.archetype.name == "tabs");
        let layout = node.layout.as_ref().and_then(|layout| layout.kind);
        let part = self.push(Part {
            kind,
            node: Some(node),
            id: node.id.clone(),
            props,
            attrs,
            style,
            children: Vec::new(),
        });
        let children = if is_tabs && !node.children.is_empty() {
            self.tabs(part, node)
        } else if layout == Some(LayoutKind::Sidebar) && node.children.len() > 1 {
            self.sidebar(node)
        } else {
            node.children.iter().map(|&child| self.node(child)).collect()
        };
        self.lowered.parts[part].children = children;
        part
    }

    fn push(&mut self, part: Part<'a>) -> usize {
        self.lowered.parts.push(part);
        self.lowered.parts.len() - 1
    }

    fn element(&mut self, tag: &'static str, attrs: Vec<(String, String)>, id: String) -> usize {
        self.push(Part {
            kind: Kind::Element { tag, attrs },
            node: None,
            id,
            props: Map::new(),
            attrs: Vec::new(),
            style: Vec::new(),
            children: Vec::new(),
        })
    }

    /// Every child of tabs becomes a panel; labels come from `tabs`, else from the children.
    fn tabs(&mut self, part: usize, node: &'a Node) -> Vec<usize> {
        let labels: Vec<Value> = match self.lowered.parts[part].props.get("tabs") {
            Some(Value::Array(tabs)) if !tabs.is_empty() => tabs.clone(),
            _ => node.children.iter().map(|&child| child_label(&self.tree.nodes[child]).into()).collect(),
        };
        let wanted = self.lowered.parts[part].props.get("activeTab").cloned().unwrap_or(Value::Null);
        let matches = |(index, tab): (usize, &Value)| {
            let known = ["id", "label", "title", "value"].iter().any(|key| tab.get(key) == Some(&wanted));
            wanted.as_u64() == Some(index as u64) || known || *tab == wanted
        };
        let active = labels.iter().enumerate().position(matches).unwrap_or(0);
        let panels = node
            .children
            .iter()
            .enumerate()
            .map(|(index, &child)| {
                let mut attrs: Vec<(String, String)> = vec![
                    ("class".into(), "oods-tabs__panel".into()),
                    ("role".into(), "tabpanel".into()),
                    ("aria-labelledby".into(), format!("{}-tab-{index}", node.id)),
                    ("tabindex".into(), "0".into()),
                ];
                if index != active {
                    attrs.push(("hidden".into(), String::new()));
                }
                let panel = self.element("div", attrs, format!("{}-panel-{index}", node.id));
                let inner = self.node(child);
                self.lowered.parts[panel].children.push(inner);
                panel
            })
            .collect();
        let props = &mut self.lowered.parts[part].props;
        props.insert("tabs".into(), labels.into());
        props.insert("activeTab".into(), active.into());
        panels
    }

    /// The last child stands at the side, the others in the middle.
    fn sidebar(&mut self, node: &'a Node) -> Vec<usize> {
        let (aside, main) = node.children.split_last().expect("a sidebar has at least two children");
        let attrs = |name: &str| {
            vec![
                (format!("data-sidebar-{name}"), String::new()),
                ("class".into(), format!("oods-sidebar__{name}")),
            ]
        };
        let left = self.element("div", attrs("main"), String::new());
        self.lowered.parts[left].children = main.iter().map(|&child| self.node(child)).collect();
        let right = self.element("aside", attrs("aside"), String::new());
        self.lowered.parts[right].children = vec![self.node(*aside)];
        vec![left, right]
    }

    fn sort_props(
        &mut self,
        index: usize,
        node: &Node,
        component: Option<&Component>,
    ) -> (Map<String, Value>, Vec<(String, Value)>) {
        let mut props = Map::new();
        let mut attrs: Vec<(String, Value)> = Vec::new();
        for (name, value) in &node.props {
            if component.is_some_and(|component| component.prop(name).is_some()) {
                props.insert(name.clone(), value.clone());
            } else if matches!(
                name.as_str(),
                "style" | "children" | "key" | "ref" | "id" | "dangerouslySetInnerHTML"
            ) {
                continue;
            } else if let Some(attr) = attribute_name(name) {
                attrs.push((attr, value.clone()));
            } else if matches!(name.as_str(), "class" | "className") && value.is_string() {
                attrs.push(("class".into(), value.clone()));
            } else if let Some(attr) = data_prop_name(name).filter(|_| !is_handler(name)) {
                attrs.push((attr, value.clone()));
            } else {
                let path =
                    format!("{}/props/{}", self.tree.pointer(index), crate::json::pointer_segment(name));
                let message = format!("property {name:?} cannot become an attribute and was left out");
                self.lowered.warnings.push(
                    Issue::warning("UNSAFE_PROP_NAME", message).at(path).about(&node.id, &node.component),
                );
            }
        }
        // A text component without text shows its label, as outlines do.
        let text_prop = component.and_then(|component| component.archetype.text_prop.as_deref());
        if let (Some(text_prop), Some(label)) = (text_prop, &node.label) {
            let shown = |name: &str| props.get(name).is_some_and(|value| !is_empty(value));
            let has_text = ["content", "text", "value", "label", "status"].iter().any(|name| shown(name));
            if node.children.is_empty() && !has_text {
                props.insert(text_prop.to_owned(), label.as_str().into());
            }
        }
        (props, attrs)
    }

    fn style(&mut self, index: usize, node: &Node) -> Vec<(String, String)> {
        let mut style = Vec::new();
        if let Some(layout) = &node.layout {
            self.layout(index, node, layout, &mut style);
        }
        for (name, value) in &node.style {
            let (property, purpose) = match name.as_str() {
                "spacingToken" => ("padding", Purpose::Spacing),
                "radiusToken" => ("border-radius", Purpose::Radius),
                "shadowToken" => ("box-shadow", Purpose::Shadow),
                "colorToken" => ("color", Purpose::Color),
                "typographyToken" => ("font", Purpose::Typography),
                _ => {
                    match css_declaration(name, value) {
                        Some(declaration) => style.push(declaration),
                        None => self.warn_style(index, node, name),
                    }
                    continue;
                }
            };
            let Some(token) = value.as_str() else {
                self.warn_style(index, node, name);
                continue;
            };
            if let Some(css) = self.token(index, node, &format!("style/{name}"), token, purpose) {
                style.push((property.into(), css));
            }
        }
        if let Some(Value::Object(extra)) = node.props.get("style") {
            for (name, value) in extra {
                match css_declaration(name, value) {
                    Some(declaration) => style.push(declaration),
                    None => self.warn_style(index, node, name),
                }
            }
        }
        style
    }

    fn warn_style(&mut self, index: usize, node: &Node, name: &str) {
        let message = format!("style {name:?} is not a plain declaration and was left out");
        let path = format!("{}/style/{}", self.tree.pointer(index), crate::json::pointer_segment(name));
        self.lowered
            .warnings
            .push(Issue::warning("UNSAFE_STYLE", message).at(path).about(&node.id, &node.component));
    }

    fn layout(
        &mut self,
        index: usize,
        node: &Node,
        layout: &crate::tree::Layout,
        style: &mut Vec<(String, String)>,
    ) {
        let mut add = |property: &str, value: &str| style.push((property.into(), value.into()));
        match layout.kind {
            Some(LayoutKind::Stack) => {
                add("display", "flex");
                add("flex-direction", "column");
            }
            Some(LayoutKind::Inline) => {
                add("display", "flex");
                add("flex-direction", "row");
                add("flex-wrap", "wrap");
            }
            Some(LayoutKind::Grid) => {
                let columns = node
                    .props
                    .get("columns")
                    .and_then(Value::as_u64)
                    .filter(|columns| (1..=12).contains(columns));
                add("display", "grid");
                match columns {
                    // The grid archetype's own rule wraps; a fixed count would not.
                    Some(_) => {}
                    None => add("grid-template-columns", "repeat(auto-fit, minmax(min(14rem, 100%), 1fr))"),
                }
            }
            Some(LayoutKind::Sidebar) => {
                add("display", "grid");
                add("grid-template-columns", "minmax(0, 1fr) minmax(14rem, 20rem)");
                add("align-items", "start");
            }
            Some(LayoutKind::Section) | None => {}
        }
        if let Some(align) = layout.align {
            let flex = matches!(layout.kind, Some(LayoutKind::Stack | LayoutKind::Inline) | None);
            let value = match align {
                Align::Start => "flex-start",
                Align::Center => "center",
                Align::End => "flex-end",
                Align::SpaceBetween => "space-between",
            };
            let row = layout.kind == Some(LayoutKind::Inline);
            let property = match (flex, align) {
                (true, Align::SpaceBetween) => "justify-content",
                (true, Align::End | Align::Center) if row => "justify-content",
                (true, _) => "align-items",
                (false, _) => "justify-content",
            };
            add(property, value);
            if row {
                add("align-items", "center");
            }
        }
        if let Some(token) = &layout.gap_token
            && let Some(css) = self.token(index, node, "layout/gapToken", token, Purpose::Spacing)
        {
            style.push(("gap".into(), css));
        }
    }

    fn token(
        &mut self,
        index: usize,
        node: &Node,
        place: &str,
        name: &str,
        purpose: Purpose,
    ) -> Option<String> {
        let Some(token) = self.tokens.find(name, purpose) else {
            let known = self.tokens.paths().filter_map(|path| {
                purpose.groups().iter().find_map(|group| path.strip_prefix(group)?.strip_prefix('.'))
            });
            let near = near(name, known, 3);
            let issue = Issue::warning("UNKNOWN_TOKEN", format!("no token is called {name:?}"))
                .at(format!("{}/{place}", self.tree.pointer(index)))
                .about(&node.id, &node.component);
            let hint = if near.is_empty() {
                format!("tokens stand below {}", purpose.groups().join(", "))
            } else {
                format!("did you mean {}", near.join(", "))
            };
            self.lowered.warnings.push(issue.hint(hint));
            return None;
        };
        match self.styling {
            Styling::Tokens => Some(format!("var({})", css_name(&token.path))),
            Styling::Inline => css_literal(&self.tokens.resolve(&token.path).ok()?),
        }
    }
}

fn child_label(node: &Node) -> String {
    let prop = |name: &str| node.props.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    prop("label").or_else(|| prop("title")).or(node.label.as_deref()).unwrap_or(&node.id).to_owned()
}

fn is_handler(name: &str) -> bool {
    let bytes = name.as_bytes();
    bytes.len() > 2 && bytes.starts_with(b"on") && bytes[2].is_ascii_uppercase()
}
