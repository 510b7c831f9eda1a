//! The published shape of a UiSchema. Only its schema is used: trees are read by `Tree::read`,
//! which reports every fault with its place instead of stopping at the first.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tree of screens.
#[derive(JsonSchema)]
#[schemars(rename = "UiSchema", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiSchema {
    /// Address of the schema, for editors.
    #[schemars(rename = "$schema")]
    schema: Option<String>,
    /// Version of the language, such as `2026.02`.
    #[schemars(length(min = 1))]
    version: String,
    /// Version of the design system the tree was made for.
    ds_version: Option<String>,
    /// Theme to show it in: light, dark or hc.
    theme: Option<String>,
    /// The screens; each is an element.
    #[schemars(length(min = 1))]
    screens: Vec<UiElement>,
}

/// One element: a component with properties and children.
#[derive(JsonSchema)]
#[schemars(rename = "UiElement", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiElement {
    /// Unique in the tree.
    #[schemars(length(min = 1))]
    id: String,
    /// Name of a component of the catalog.
    #[schemars(length(min = 1))]
    component: String,
    /// Route of a screen.
    route: Option<String>,
    /// How the children are placed.
    layout: Option<UiLayout>,
    /// Style tokens, and plain CSS properties beside them.
    style: Option<UiStyle>,
    /// Properties of the component.
    props: Option<BTreeMap<String, Value>>,
    /// Handlers (`onClick`) and data (`value`) by property.
    bindings: Option<BTreeMap<String, String>>,
    /// Elements inside.
    children: Option<Vec<UiElement>>,
    /// Notes for people and tools.
    meta: Option<UiMeta>,
}

#[derive(JsonSchema)]
#[schemars(rename = "UiLayout", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiLayout {
    /// Kind of layout.
    #[schemars(rename = "type")]
    kind: Option<LayoutKind>,
    /// Where children stand on the cross axis.
    align: Option<Align>,
    /// Spacing token between children.
    gap_token: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutKind {
    Stack,
    Grid,
    Inline,
    Section,
    Sidebar,
}

impl LayoutKind {
    pub fn name(self) -> &'static str {
        match self {
            LayoutKind::Stack => "stack",
            LayoutKind::Grid => "grid",
            LayoutKind::Inline => "inline",
            LayoutKind::Section => "section",
            LayoutKind::Sidebar => "sidebar",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Align {
    Start,
    Center,
    End,
    SpaceBetween,
}

#[derive(JsonSchema)]
#[schemars(rename = "UiStyle", rename_all = "camelCase")]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiStyle {
    /// Padding.
    spacing_token: Option<String>,
    /// Corner radius.
    radius_token: Option<String>,
    /// Shadow.
    shadow_token: Option<String>,
    /// Text colour.
    color_token: Option<String>,
    /// Type style.
    typography_token: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(rename = "UiMeta", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiMeta {
    /// Name for outlines and for text without other content.
    label: Option<String>,
    /// What the element is for; `slot:NAME` in composed trees.
    intent: Option<String>,
    /// Anything worth knowing.
    notes: Option<String>,
}

/// A UiSchema as it came, with the published schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TreeJson(pub Value);

impl JsonSchema for TreeJson {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        UiSchema::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        UiSchema::json_schema(generator)
    }
}
