//! The structured datasets: the kit as documents with etags, and dated versions on disk.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::json::etag;
use crate::kit::Kit;
use crate::tokens::Layer;

/// Where dated documents of a project stand.
pub const DIRECTORY: &str = "artifacts/structured-data";
const MAX_DOCUMENT_BYTES: u64 = 32 << 20;

impl Kit {
    /// The components document of this kit.
    pub fn components_document(&self) -> Value {
        let components: Vec<Value> = self
            .components
            .iter()
            .map(|component| {
                let usages: Vec<Value> = component
                    .traits
                    .iter()
                    .map(|name| {
                        let category = self.traits.iter().find(|known| known.name == *name).map(|known| &known.category);
                        json!({
                            "trait": name, "traitCategory": category,
                            "context": component.contexts.first(), "position": component.regions.first(),
                        })
                    })
                    .collect();
                let props: Map<String, Value> = component
                    .props
                    .iter()
                    .map(|(name, prop)| (name.clone(), serde_json::to_value(prop).expect("a property is plain data")))
                    .collect();
                json!({
                    "id": component.name, "displayName": component.display_name, "summary": component.summary,
                    "categories": component.categories, "tags": component.tags, "contexts": component.contexts,
                    "regions": component.regions, "traitUsages": usages, "props": props, "slots": component.slots,
                    "renderer": component.archetype.name,
                })
            })
            .collect();
        json!({
            "generatedAt": self.manifest.generated_at,
            "stats": {
                "componentCount": self.components.len(), "traitCount": self.traits.len(), "objectCount": self.objects.len(),
                "domainCount": self.domains.len(), "patternCount": self.patterns.len(),
            },
            "components": components,
            "traits": self.traits,
            "objects": self.objects,
            "domains": self.domains,
            "patterns": self.patterns,
            "sampleQueries": ["components with the trait Stateful", "form fields", "charts"],
        })
    }

    /// The tokens document of this kit: every layer of the first brand, themes side by side.
    pub fn tokens_document(&self) -> Value {
        let brand = self.default_brand();
        let mut layers: Map<String, Value> = Map::new();
        let mut counts = Map::new();
        let base = self.tokens(brand, self.theme(None)).unwrap_or_default();
        for layer in Layer::ALL {
            let mut group = Map::new();
            for token in base.iter().filter(|token| token.layer == layer) {
                group.insert(token.path.clone(), json!({ "$type": token.kind, "$value": token.value }));
            }
            counts.insert(format!("{}Tokens", layer.name()), group.len().into());
            layers.insert(layer.name().into(), Value::Object(group));
        }
        for theme in self.manifest.themes.iter().skip(1) {
            let set = self.tokens(brand, theme).unwrap_or_default();
            let tokens = set.iter().filter(|token| token.layer == Layer::Theme);
            let group: Map<String, Value> = tokens
                .map(|token| (token.path.clone(), json!({ "$type": token.kind, "$value": token.value })))
                .collect();
            layers.insert(format!("theme-{theme}"), Value::Object(group));
        }
        layers.insert("view".into(), json!({}));
        counts.insert("viewTokens".into(), 0.into());
        counts.insert("mapCount".into(), 0.into());
        counts.insert("traitOverlayCount".into(), 0.into());
        json!({
            "generatedAt": self.manifest.generated_at,
            "brand": brand,
            "layers": layers,
            "maps": {},
            "traitOverlays": [],
            "stats": counts,
        })
    }

    /// Both documents, made once.
    pub(crate) fn datasets(&self) -> &(Value, Value) {
        self.datasets.get_or_init(|| (self.components_document(), self.tokens_document()))
    }

    /// The manifest of the kit's own documents.
    pub fn manifest_document(&self) -> Value {
        let (components, tokens) = self.datasets();
        let entry = |name: &str, document: &Value| {
            let file = format!("oods-{name}-{}.json", self.manifest.version);
            json!({
                "name": name, "file": file, "path": format!("kit/{file}"),
                "etag": etag(document), "sizeBytes": document.to_string().len(),
            })
        };
        json!({
            "generatedAt": self.manifest.generated_at,
            "version": self.manifest.version,
            "source": { "kit": self.manifest.name },
            "artifacts": [entry("components", components), entry("tokens", tokens)],
        })
    }
}

/// Dates of the documents a project keeps, ascending.
pub fn versions_on_disk(root: &Path, dataset: &str) -> Vec<String> {
    let prefix = format!("oods-{dataset}-");
    let Ok(entries) = fs::read_dir(root.join(DIRECTORY)) else { return Vec::new() };
    let mut versions: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            let date = name.strip_prefix(&prefix)?.strip_suffix(".json")?;
            is_date(date).then(|| date.to_owned())
        })
        .collect();
    versions.sort();
    versions
}

/// One dated document of a project.
pub fn read_version(root: &Path, dataset: &str, version: &str) -> Result<(String, Value), String> {
    let path = format!("{DIRECTORY}/oods-{dataset}-{version}.json");
    let file = root.join(&path);
    let size = fs::metadata(&file).map_err(|error| error.kind().to_string())?.len();
    if size > MAX_DOCUMENT_BYTES {
        return Err(format!("{size} bytes, the limit is {MAX_DOCUMENT_BYTES}"));
    }
    let text = fs::read_to_string(&file).map_err(|error| error.kind().to_string())?;
    serde_json::from_str(&text).map(|document| (path, document)).map_err(|error| error.to_string())
}

/// The manifest a project keeps, when it has a readable one.
pub fn manifest_on_disk(root: &Path) -> Option<Value> {
    let file = root.join(DIRECTORY).join("manifest.json");
    if fs::metadata(&file).ok()?.len() > MAX_DOCUMENT_BYTES {
        return None;
    }
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

pub fn is_date(text: &str) -> bool {
    let digits = |part: &str, length: usize| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = text.split('-');
    matches!((parts.next(), parts.next(), parts.next(), parts.next()), (Some(y), Some(m), Some(d), None)
        if digits(y, 4) && digits(m, 2) && digits(d, 2))
}

/// What a dataset must have; violations as "<pointer> <message>".
pub fn check_document(dataset: &str, document: &Value) -> Vec<String> {
    let required: &[&str] = match dataset {
        "components" => &["/generatedAt", "/components", "/traits", "/objects", "/domains", "/patterns"],
        "tokens" => &[
            "/generatedAt",
            "/layers",
            "/stats",
            "/traitOverlays",
            "/layers/reference",
            "/layers/theme",
            "/layers/system",
            "/layers/component",
            "/layers/view",
        ],
        _ => &["/artifacts"],
    };
    required
        .iter()
        .filter(|pointer| document.pointer(pointer).is_none_or(Value::is_null))
        .map(|pointer| format!("{pointer} is missing"))
        .collect()
}
