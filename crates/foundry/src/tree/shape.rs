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
    #[schemars(skip_serializing_if = "Option::is_none")]
    schema: Option<String>,
    /// Version of the language, such as `2026.02`.
    #[schemars(length(min = 1))]
    version: String,
    /// Version of the design system the tree was made for.
    #[schemars(skip_serializing_if = "Option::is_none")]
    ds_version: Option<String>,
    /// Theme to show it in: light, dark or hc.
    #[schemars(skip_serializing_if = "Option::is_none")]
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
    #[schemars(skip_serializing_if = "Option::is_none")]
    route: Option<String>,
    /// How the children are placed.
    #[schemars(skip_serializing_if = "Option::is_none")]
    layout: Option<UiLayout>,
    /// Style tokens, and plain CSS properties beside them.
    #[schemars(skip_serializing_if = "Option::is_none")]
    style: Option<UiStyle>,
    /// Properties of the component.
    #[schemars(skip_serializing_if = "Option::is_none")]
    props: Option<BTreeMap<String, Value>>,
    /// Handlers (`onClick`) and data (`value`) by property.
    #[schemars(skip_serializing_if = "Option::is_none")]
    bindings: Option<BTreeMap<String, String>>,
    /// Elements inside.
    #[schemars(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<UiElement>>,
    /// Notes for people and tools.
    #[schemars(skip_serializing_if = "Option::is_none")]
    meta: Option<UiMeta>,
}

#[derive(JsonSchema)]
#[schemars(rename = "UiLayout", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiLayout {
    /// Kind of layout.
    #[schemars(rename = "type")]
    #[schemars(skip_serializing_if = "Option::is_none")]
    kind: Option<LayoutKind>,
    /// Where children stand on the cross axis.
    #[schemars(skip_serializing_if = "Option::is_none")]
    align: Option<Align>,
    /// Spacing token between children.
    #[schemars(skip_serializing_if = "Option::is_none")]
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
    #[schemars(skip_serializing_if = "Option::is_none")]
    spacing_token: Option<String>,
    /// Corner radius.
    #[schemars(skip_serializing_if = "Option::is_none")]
    radius_token: Option<String>,
    /// Shadow.
    #[schemars(skip_serializing_if = "Option::is_none")]
    shadow_token: Option<String>,
    /// Text colour.
    #[schemars(skip_serializing_if = "Option::is_none")]
    color_token: Option<String>,
    /// Type style.
    #[schemars(skip_serializing_if = "Option::is_none")]
    typography_token: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(rename = "UiMeta", rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "describes JSON, is never built")]
struct UiMeta {
    /// Name for outlines and for text without other content.
    #[schemars(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What the element is for; `slot:NAME` in composed trees.
    #[schemars(skip_serializing_if = "Option::is_none")]
    intent: Option<String>,
    /// Anything worth knowing.
    #[schemars(skip_serializing_if = "Option::is_none")]
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
