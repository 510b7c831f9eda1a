//! The files of a kit, as types; the published schema of a kit is derived from them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// `kit.json`: what the kit is and where its component files are.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Manifest {
    /// Name of the kit.
    pub name: String,
    /// Version of the data, as a date.
    pub version: String,
    /// When the data was made, as an ISO time.
    pub generated_at: String,
    /// Version of the UiSchema language the kit is written for.
    pub dsl_version: String,
    /// Brands, the default one first.
    pub brands: Vec<String>,
    /// Themes, the default one first.
    pub themes: Vec<String>,
    /// Component files, relative to the kit.
    pub components: Vec<String>,
}

/// One type name or several.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum PropType {
    One(TypeName),
    Any(Vec<TypeName>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TypeName {
    String,
    Number,
    Boolean,
    Array,
    Object,
}

impl TypeName {
    pub fn fits(self, value: &Value) -> bool {
        match self {
            TypeName::String => value.is_string(),
            TypeName::Number => value.is_number(),
            TypeName::Boolean => value.is_boolean(),
            TypeName::Array => value.is_array(),
            TypeName::Object => value.is_object(),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            TypeName::String => "string",
            TypeName::Number => "number",
            TypeName::Boolean => "boolean",
            TypeName::Array => "array",
            TypeName::Object => "object",
        }
    }
}

impl PropType {
    pub fn names(&self) -> &[TypeName] {
        match self {
            PropType::One(one) => std::slice::from_ref(one),
            PropType::Any(many) => many,
        }
    }

    pub fn fits(&self, value: &Value) -> bool {
        self.names().iter().any(|name| name.fits(value))
    }

    pub fn label(&self) -> String {
        let names: Vec<&str> = self.names().iter().map(|name| name.name()).collect();
        names.join(" or ")
    }
}

/// One property of a component.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Prop {
    #[serde(rename = "type")]
    pub kind: PropType,
    /// Value used when the property is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The only values allowed.
    #[serde(default, rename = "enum", skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub required: bool,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The trait that brings the property, where there is one.
    #[serde(default, rename = "trait", skip_serializing_if = "Option::is_none")]
    pub from_trait: Option<String>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How a family of components is drawn and which properties it reads.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArchetypeFile {
    /// Section of the stylesheet and group of contrast rules.
    pub family: String,
    /// Template of the root element.
    pub root: Value,
    /// Properties by name.
    pub props: Map<String, Value>,
    #[serde(default)]
    pub a11y: A11y,
    /// Property that generated code writes as text between the tags.
    #[serde(default)]
    pub text_prop: Option<String>,
    /// Handlers the root or its control can take, such as `onClick`.
    #[serde(default)]
    pub events: Vec<String>,
}

/// What accessibility checks need to know.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct A11y {
    /// Properties of which one must give the accessible name.
    #[serde(default)]
    pub name_from: Vec<String>,
    /// Reacts to keyboard and pointer, so it may not contain another such element.
    #[serde(default)]
    pub interactive: bool,
}

/// What may stand in a slot.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Slot {
    /// Component names; `*` is any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// What the slot is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// One component as a kit file describes it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ComponentFile {
    pub name: String,
    pub display_name: String,
    #[serde(default)]
    pub summary: String,
    #[serde(default)]
    pub categories: Vec<String>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub contexts: Vec<String>,
    #[serde(default)]
    pub regions: Vec<String>,
    #[serde(default)]
    pub traits: Vec<String>,
    /// Name of the archetype that draws it.
    pub archetype: String,
    /// Defaults that replace the archetype's.
    #[serde(default)]
    pub defaults: Map<String, Value>,
    /// Properties that show the component at its best.
    #[serde(default)]
    pub example: Map<String, Value>,
    #[serde(default)]
    pub slots: Map<String, Value>,
    /// Set when the kit will drop the component.
    #[serde(default)]
    pub deprecated: Option<Deprecation>,
}

/// Why a component should not be used any more.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Deprecation {
    pub reason: String,
    /// The component to use in its place; it takes the same properties.
    #[serde(default, rename = "use")]
    pub instead: Option<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Trait {
    pub name: String,
    pub version: String,
    pub category: String,
    pub description: String,
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    #[serde(default)]
    pub dependencies: Vec<String>,
    /// Components the trait brings along.
    #[serde(default)]
    pub components: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub description: String,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Object {
    pub name: String,
    /// Objects are told apart by domain and name.
    pub domain: String,
    pub description: String,
    pub plural: String,
    /// Words in an intent that mean this object.
    #[serde(default)]
    pub nouns: Vec<String>,
    pub traits: Vec<String>,
    pub fields: Vec<Field>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Field {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: FieldKind,
    pub label: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sample: Vec<String>,
    /// Autofill purpose of a form field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocomplete: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldKind {
    String,
    Email,
    Number,
    Money,
    Date,
    Status,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Domain {
    pub name: String,
    pub objects: Vec<String>,
    pub traits: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pattern {
    pub id: String,
    pub title: String,
    pub summary: String,
    /// The layout that follows the pattern.
    #[serde(default)]
    pub layout: Option<String>,
}
