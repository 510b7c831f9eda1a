//! The design kit: tokens, components, traits, objects, patterns, styles; built in or a user's own.
//!
//! A kit is parsed on first use and then shared. Everything that hangs on one brand and theme is
//! kept by that pair.

mod check;
mod embedded;
mod load;
mod model;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

pub use check::{Check, Problem, check};
pub use load::{KitError, schema};
pub use model::{
    A11y, Deprecation, Domain, Field, FieldKind, Manifest, Object, Pattern, Prop, PropType, Slot, Trait,
    TypeName,
};

use crate::render::Template;
use crate::tokens::TokenSet;
use crate::tokens::contrast::Rule;

/// How a family of components is drawn.
#[derive(Debug)]
pub struct Archetype {
    pub name: String,
    pub family: String,
    pub template: Template,
    pub props: Vec<(String, Prop)>,
    pub a11y: A11y,
    pub text_prop: Option<String>,
    pub events: Vec<String>,
    /// Sections of the stylesheet the template needs.
    pub styles: Vec<String>,
}

/// One component, ready to draw.
#[derive(Debug)]
pub struct Component {
    pub name: String,
    pub display_name: String,
    pub summary: String,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    pub contexts: Vec<String>,
    pub regions: Vec<String>,
    pub traits: Vec<String>,
    pub archetype: Arc<Archetype>,
    /// The archetype's properties with this component's defaults.
    pub props: Vec<(String, Prop)>,
    /// Every default by property.
    pub defaults: Map<String, Value>,
    pub example: Map<String, Value>,
    pub slots: Map<String, Value>,
    pub deprecated: Option<Deprecation>,
}

impl Component {
    pub fn prop(&self, name: &str) -> Option<&Prop> {
        self.props.iter().find(|(known, _)| known == name).map(|(_, prop)| prop)
    }
}

/// One named part of the stylesheet.
#[derive(Debug)]
pub struct StyleSection {
    pub name: String,
    pub css: String,
}

/// A complete kit.
pub struct Kit {
    pub manifest: Manifest,
    pub components: Vec<Component>,
    by_name: HashMap<String, usize>,
    pub traits: Vec<Trait>,
    pub objects: Vec<Object>,
    pub domains: Vec<Domain>,
    pub patterns: Vec<Pattern>,
    pub rules: Vec<Rule>,
    pub styles: Vec<StyleSection>,
    /// The script that opens tabs.
    pub behaviour: String,
    pub(crate) archetypes_json: Value,
    pub(crate) tokens: load::TokenDocuments,
    sets: HashMap<(String, String), OnceLock<Arc<TokenSet>>>,
    pub(crate) datasets: OnceLock<(Value, Value)>,
}

impl Kit {
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.by_name.get(name).map(|&at| &self.components[at])
    }

    pub fn component_names(&self) -> impl Iterator<Item = &str> {
        self.components.iter().map(|component| component.name.as_str())
    }

    pub fn default_brand(&self) -> &str {
        self.manifest.brands.first().map_or("A", String::as_str)
    }

    /// The theme meant by a tree or a caller; the default one when there is no such theme.
    pub fn theme<'a>(&'a self, wanted: Option<&str>) -> &'a str {
        let default = self.manifest.themes.first().map_or("light", String::as_str);
        let Some(wanted) = wanted else { return default };
        let short = match wanted {
            "high-contrast" => "hc",
            other => other,
        };
        self.manifest.themes.iter().find(|theme| *theme == short).map_or(default, String::as_str)
    }

    /// The tokens of one brand in one theme.
    pub fn tokens(&self, brand: &str, theme: &str) -> Option<Arc<TokenSet>> {
        let cell = self.sets.get(&(brand.to_owned(), theme.to_owned()))?;
        let set =
            cell.get_or_init(|| Arc::new(TokenSet::from_documents(self.tokens.documents(brand, theme))));
        Some(Arc::clone(set))
    }

    /// Every theme of a brand, `first` before the others.
    pub fn themes_of(&self, brand: &str, first: &str) -> Vec<(&str, Arc<TokenSet>)> {
        let mut themes: Vec<&str> = self.manifest.themes.iter().map(String::as_str).collect();
        themes.sort_by_key(|theme| *theme != first);
        themes.into_iter().filter_map(|theme| Some((theme, self.tokens(brand, theme)?))).collect()
    }

    /// The text of one section of the stylesheet.
    pub fn style(&self, name: &str) -> Option<&str> {
        self.styles.iter().find(|section| section.name == name).map(|section| section.css.as_str())
    }

    /// The whole stylesheet of the components.
    pub fn stylesheet(&self) -> String {
        self.styles.iter().map(|section| section.css.as_str()).collect()
    }
}

/// Where a kit comes from.
#[derive(Debug, Clone, Default)]
pub enum Source {
    #[default]
    Embedded,
    Directory(PathBuf),
}

/// A kit that is parsed when first needed.
pub struct LazyKit {
    source: Source,
    kit: OnceLock<Result<Arc<Kit>, KitError>>,
}

impl LazyKit {
    pub fn new(source: Source) -> LazyKit {
        LazyKit { source, kit: OnceLock::new() }
    }

    pub fn get(&self) -> Result<Arc<Kit>, KitError> {
        self.kit.get_or_init(|| load::load(&self.source).map(Arc::new)).clone()
    }
}
