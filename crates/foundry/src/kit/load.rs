//! Reading a kit, from the binary or from a directory with the same layout.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component as PathPart, Path};
use std::sync::Arc;

use mainstay_contract::schema_of;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::embedded::FILES;
use super::model::{ArchetypeFile, ComponentFile, Domain, Manifest, Object, Pattern, Prop, Trait};
use super::{Archetype, Component, Kit, Source, StyleSection};
use crate::render::{Template, TemplateError};
use crate::tokens::Layer;
use crate::tokens::contrast::Rule;

/// No file of a kit is larger; a larger one is a mistake or an attack.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// Why a kit cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum KitError {
    #[error("the kit has no readable file {file}: {reason}")]
    Unreadable { file: String, reason: String },
    #[error("{file} of the kit is not valid: {reason}")]
    Invalid { file: String, reason: String },
    #[error("archetype {archetype}: {source}")]
    Template {
        archetype: String,
        #[source]
        source: TemplateError,
    },
    #[error("component {component} uses the unknown archetype {archetype}")]
    UnknownArchetype { component: String, archetype: String },
    #[error("component {0} is defined twice")]
    Duplicate(String),
}

/// The token files of a kit by path, and the resolver document that orders them.
pub struct TokenDocuments {
    files: HashMap<String, Value>,
    resolver: Resolver,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resolver {
    sets: HashMap<String, Sources>,
    modifiers: HashMap<String, Modifier>,
    resolution_order: Vec<Reference>,
}

#[derive(Deserialize)]
struct Sources {
    sources: Vec<Reference>,
}

#[derive(Deserialize)]
struct Modifier {
    contexts: HashMap<String, Vec<Reference>>,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(rename = "$ref")]
    target: String,
}

impl TokenDocuments {
    /// The documents of one brand and theme, earlier layers first.
    pub fn documents(&self, brand: &str, theme: &str) -> Vec<(Layer, &Value)> {
        let mut documents = Vec::new();
        for step in &self.resolver.resolution_order {
            let (layer, files) = match step.target.strip_prefix("#/").and_then(|path| path.split_once('/')) {
                Some(("sets", name)) => {
                    let layer = match name {
                        "component" => Layer::Component,
                        "system" => Layer::System,
                        _ => Layer::Reference,
                    };
                    (layer, self.resolver.sets.get(name).map(|set| &set.sources))
                }
                Some(("modifiers", name)) => {
                    let context = match name {
                        "brand" => brand.to_owned(),
                        "theme" => theme.to_owned(),
                        _ => format!("{brand}.{theme}"),
                    };
                    let layer = if name == "theme" { Layer::Theme } else { Layer::Brand };
                    (
                        layer,
                        self.resolver
                            .modifiers
                            .get(name)
                            .and_then(|modifier| modifier.contexts.get(&context)),
                    )
                }
                _ => continue,
            };
            documents.extend(
                files.into_iter().flatten().filter_map(|file| Some((layer, self.files.get(&file.target)?))),
            );
        }
        documents
    }

    /// One file, by its path below `tokens/`.
    pub fn file(&self, path: &str) -> Option<&Value> {
        self.files.get(path)
    }
}

fn read(source: &Source, path: &str) -> Result<String, KitError> {
    let unreadable = |reason: String| KitError::Unreadable { file: path.to_owned(), reason };
    let inside = Path::new(path).components().all(|part| matches!(part, PathPart::Normal(_)));
    if !inside {
        return Err(unreadable("the path leaves the kit".into()));
    }
    match source {
        Source::Embedded => FILES
            .iter()
            .find(|(name, _)| *name == path)
            .map(|(_, text)| (*text).to_owned())
            .ok_or_else(|| unreadable("no such file".into())),
        Source::Directory(root) => {
            let file = root.join(path);
            let size = std::fs::metadata(&file).map_err(|error| unreadable(error.kind().to_string()))?.len();
            if size > MAX_FILE_BYTES {
                return Err(unreadable(format!("{size} bytes, the limit is {MAX_FILE_BYTES}")));
            }
            std::fs::read_to_string(&file).map_err(|error| unreadable(error.kind().to_string()))
        }
    }
}

fn read_json<T: DeserializeOwned>(source: &Source, path: &str) -> Result<T, KitError> {
    serde_json::from_str(&read(source, path)?)
        .map_err(|error| KitError::Invalid { file: path.to_owned(), reason: error.to_string() })
}

/// A file that a user's kit may leave out; the built-in one stands in.
fn read_or_builtin(source: &Source, path: &str) -> Result<String, KitError> {
    match read(source, path) {
        Err(KitError::Unreadable { .. }) => read(&Source::Embedded, path),
        other => other,
    }
}

pub fn load(source: &Source) -> Result<Kit, KitError> {
    let manifest: Manifest = read_json(source, "kit.json")?;
    let styles = sections(&read_or_builtin(source, "components.css")?);
    let archetypes_json: Map<String, Value> =
        parse("archetypes.json", &read_or_builtin(source, "archetypes.json")?)?;
    let archetypes = archetypes(&archetypes_json, &styles)?;
    let mut components: Vec<Component> = Vec::new();
    let mut by_name = HashMap::new();
    for file in &manifest.components {
        for entry in read_json::<Vec<ComponentFile>>(source, file)? {
            let component = component(entry, &archetypes)?;
            if by_name.insert(component.name.clone(), components.len()).is_some() {
                return Err(KitError::Duplicate(component.name));
            }
            components.push(component);
        }
    }
    #[derive(Deserialize)]
    struct Rules {
        rules: Vec<Rule>,
    }
    let rules: Rules = parse("contrast.json", &read_or_builtin(source, "contrast.json")?)?;
    let tokens = token_documents(source)?;
    let pairs = manifest.brands.iter().flat_map(|brand| {
        manifest.themes.iter().map(move |theme| ((brand.clone(), theme.clone()), Default::default()))
    });
    Ok(Kit {
        sets: pairs.collect(),
        components,
        by_name,
        traits: read_json(source, "traits.json")?,
        objects: read_json(source, "objects.json")?,
        domains: read_json::<Vec<Domain>>(source, "domains.json")?,
        patterns: read_json::<Vec<Pattern>>(source, "patterns.json")?,
        rules: rules.rules,
        styles,
        behaviour: read(&Source::Embedded, "behaviour.js")?,
        archetypes_json: Value::Object(archetypes_json),
        tokens,
        manifest,
        datasets: Default::default(),
    })
}

fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, KitError> {
    serde_json::from_str(text)
        .map_err(|error| KitError::Invalid { file: file.to_owned(), reason: error.to_string() })
}

fn token_documents(source: &Source) -> Result<TokenDocuments, KitError> {
    let resolver: Resolver = read_json(source, "tokens/resolver.json")?;
    let mut files = HashMap::new();
    let named = resolver.sets.values().flat_map(|set| &set.sources);
    let modified = resolver.modifiers.values().flat_map(|modifier| modifier.contexts.values()).flatten();
    for reference in named.chain(modified) {
        let document: Value = read_json(source, &format!("tokens/{}", reference.target))?;
        files.insert(reference.target.clone(), document);
    }
    Ok(TokenDocuments { files, resolver })
}

fn archetypes(
    files: &Map<String, Value>,
    styles: &[StyleSection],
) -> Result<HashMap<String, Arc<Archetype>>, KitError> {
    let mut archetypes = HashMap::new();
    for (name, value) in files {
        let invalid = |reason: String| KitError::Invalid { file: format!("archetypes.json#{name}"), reason };
        let file = ArchetypeFile::deserialize(value).map_err(|error| invalid(error.to_string()))?;
        let template = Template::compile(&file.root, "root")
            .map_err(|source| KitError::Template { archetype: name.clone(), source })?;
        if !matches!(template, Template::Element(_)) {
            return Err(invalid("root must be an element".into()));
        }
        let props = file
            .props
            .into_iter()
            .map(|(prop, value)| {
                let prop_value = serde_json::from_value::<Prop>(value)
                    .map_err(|error| invalid(format!("{prop}: {error}")))?;
                Ok((prop, prop_value))
            })
            .collect::<Result<Vec<_>, KitError>>()?;
        let mut blocks = Vec::new();
        template.blocks(&mut blocks);
        let needed = |section: &&StyleSection| {
            section.name == file.family || blocks.iter().any(|block| mentions(&section.css, block))
        };
        let styles =
            styles.iter().filter(needed).filter(|s| s.name != "base").map(|s| s.name.clone()).collect();
        archetypes.insert(
            name.clone(),
            Arc::new(Archetype {
                name: name.clone(),
                family: file.family,
                template,
                props,
                a11y: file.a11y,
                text_prop: file.text_prop,
                events: file.events,
                styles,
            }),
        );
    }
    Ok(archetypes)
}

/// Whether a stylesheet defines rules that start with a block's class.
fn mentions(css: &str, block: &str) -> bool {
    let class = format!("\n.{block}");
    css.match_indices(&class).any(|(at, _)| {
        let next = css[at + class.len()..].chars().next();
        next.is_none_or(|c| {
            !c.is_ascii_alphanumeric() && c != '-' || css[at + class.len()..].starts_with("--")
        })
    })
}

fn component(
    file: ComponentFile,
    archetypes: &HashMap<String, Arc<Archetype>>,
) -> Result<Component, KitError> {
    let Some(archetype) = archetypes.get(&file.archetype) else {
        return Err(KitError::UnknownArchetype { component: file.name, archetype: file.archetype });
    };
    let identifier = file.name.starts_with(|c: char| c.is_ascii_uppercase())
        && file.name.chars().all(|c| c.is_ascii_alphanumeric());
    if !identifier {
        let reason = format!("component name {:?} is not an identifier in PascalCase", file.name);
        return Err(KitError::Invalid { file: "components".into(), reason });
    }
    let mut defaults = Map::new();
    let mut props = archetype.props.clone();
    for (name, prop) in &mut props {
        if let Some(value) = file.defaults.get(name) {
            prop.default = Some(value.clone());
        }
        prop.from_trait = file.traits.first().cloned();
        if let Some(value) = &prop.default {
            defaults.insert(name.clone(), value.clone());
        }
    }
    Ok(Component {
        archetype: Arc::clone(archetype),
        props,
        defaults,
        name: file.name,
        display_name: file.display_name,
        summary: file.summary,
        categories: file.categories,
        tags: file.tags,
        contexts: file.contexts,
        regions: file.regions,
        traits: file.traits,
        example: file.example,
        slots: file.slots,
        deprecated: file.deprecated,
    })
}

/// Cuts the stylesheet at its `/* == name == */` marks.
fn sections(css: &str) -> Vec<StyleSection> {
    let mut sections: Vec<StyleSection> = Vec::new();
    for line in css.lines() {
        let mark = line.strip_prefix("/* == ").and_then(|rest| rest.strip_suffix(" == */"));
        match (mark, sections.last_mut()) {
            (Some(name), _) => sections.push(StyleSection { name: name.to_owned(), css: "\n".into() }),
            (None, Some(section)) => {
                section.css.push_str(line);
                section.css.push('\n');
            }
            (None, None) => sections.push(StyleSection { name: "base".into(), css: format!("\n{line}\n") }),
        }
    }
    sections
}

/// The schema of each file of a kit, for people who write their own.
pub fn schema() -> Value {
    let file = |name: &str, mut schema: Value| {
        // Each schema is a resource of its own, so that its references stay inside it.
        schema["$id"] = format!("urn:mainstay:kit:{name}").into();
        schema
    };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Mainstay design kit",
        "description": "One schema per file of a kit. Token files are DTCG 2025.10 documents; tokens/resolver.json orders them.",
        "files": {
            "kit.json": file("kit", schema_of::<Manifest>()),
            "archetypes.json": file("archetypes", schema_of::<BTreeMap<String, ArchetypeFile>>()),
            "components/*.json": file("components", schema_of::<Vec<ComponentFile>>()),
            "traits.json": file("traits", schema_of::<Vec<Trait>>()),
            "objects.json": file("objects", schema_of::<Vec<Object>>()),
            "domains.json": file("domains", schema_of::<Vec<Domain>>()),
            "patterns.json": file("patterns", schema_of::<Vec<Pattern>>()),
        }
    })
}
