//! The store of mappings from external components to traits: one file, changed atomically.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use mainstay_contract::Call;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::artifacts::iso_of;
use crate::json::{etag, pretty};
use crate::kit::Kit;
use crate::record::{Kept, Place, Record};
use crate::{Foundry, FoundryError, exec};

/// The file, relative to the project root.
pub const STORE: &str = "artifacts/structured-data/component-mappings.json";
const MAX_STORE_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CoercionKind {
    EnumMap,
    BooleanInvert,
    StringTemplate,
    TypeCast,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetType {
    String,
    Number,
    Boolean,
}

/// How a value of one property becomes a value of the other.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Coercion {
    /// Strategy.
    #[serde(rename = "type")]
    pub kind: CoercionKind,
    /// Values by external value, for enum-map.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, String>>,
    /// Text with {value} in it, for string-template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Result type, for type-cast.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_type: Option<TargetType>,
}

impl Coercion {
    /// Whether the strategy has what it needs.
    fn check(&self, place: &str) -> Result<(), FoundryError> {
        let missing = match self.kind {
            CoercionKind::EnumMap if self.values.as_ref().is_none_or(BTreeMap::is_empty) => {
                "enum-map needs values"
            }
            CoercionKind::StringTemplate
                if !self.template.as_ref().is_some_and(|text| text.contains("{value}")) =>
            {
                "string-template needs a template with {value} in it"
            }
            CoercionKind::TypeCast if self.target_type.is_none() => "type-cast needs targetType",
            _ => return Ok(()),
        };
        Err(FoundryError::Arguments { message: format!("{place}: {missing}"), hint: None })
    }

    /// The coercion without its type, as translations show it.
    pub fn detail(&self) -> Option<Map<String, Value>> {
        let mut object = match serde_json::to_value(self) {
            Ok(Value::Object(object)) => object,
            _ => Map::new(),
        };
        object.remove("type");
        (!object.is_empty()).then_some(object)
    }
}

/// One property and its counterpart.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PropMapping {
    /// Name in the external system.
    pub external_prop: String,
    /// Name in the kit.
    pub oods_prop: String,
    /// How values change; null when they stay.
    #[serde(default)]
    pub coercion: Option<Coercion>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Auto,
    #[default]
    Manual,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MappingMetadata {
    /// Who made the mapping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Anything worth knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Mapping {
    pub id: String,
    pub external_system: String,
    pub external_component: String,
    pub oods_traits: Vec<String>,
    #[serde(default)]
    pub prop_mappings: Vec<PropMapping>,
    #[serde(default)]
    pub confidence: Confidence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<MappingMetadata>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
}

impl Mapping {
    pub fn is(&self, system: &str, component: &str) -> bool {
        same(&self.external_system, system) && same(&self.external_component, component)
    }
}

fn same(a: &str, b: &str) -> bool {
    a.to_lowercase() == b.to_lowercase()
}

/// The mappings of a project.
#[derive(Debug, Clone, Default)]
pub struct Store {
    pub mappings: Vec<Mapping>,
    /// Keys of the file that are not ours; they are kept.
    rest: Map<String, Value>,
}

impl Store {
    pub fn read(root: &Path) -> Result<Store, FoundryError> {
        let path = root.join(STORE);
        let io = |source| FoundryError::Io { action: "read", path: STORE.into(), source };
        match fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Store::default()),
            Err(error) => return Err(io(error)),
            Ok(found) if found.len() > MAX_STORE_BYTES => {
                let message = format!("{STORE} has {} bytes, the limit is {MAX_STORE_BYTES}", found.len());
                return Err(FoundryError::refused(message, "remove mappings that are not used"));
            }
            Ok(_) => {}
        }
        let broken = |reason: String| {
            FoundryError::refused(
                format!("{STORE} is not a mapping store: {reason}"),
                "restore it from version control",
            )
        };
        let text = fs::read_to_string(&path).map_err(io)?;
        let mut rest: Map<String, Value> =
            serde_json::from_str(&text).map_err(|error| broken(error.to_string()))?;
        let mappings = rest.remove("mappings").unwrap_or_else(|| json!([]));
        let mappings = serde_json::from_value(mappings).map_err(|error| broken(error.to_string()))?;
        Ok(Store { mappings, rest })
    }

    fn document(&self, now: Option<&str>) -> Value {
        let mut document = self.rest.clone();
        if let Some(now) = now {
            document.insert("generatedAt".into(), now.into());
        }
        let mappings = serde_json::to_value(&self.mappings).expect("mappings are plain data");
        document.insert("mappings".into(), mappings);
        if document.contains_key("stats") {
            document.insert(
                "stats".into(),
                json!({ "mappingCount": self.mappings.len(), "systemCount": self.systems() }),
            );
        }
        Value::Object(document)
    }

    pub fn etag(&self) -> String {
        etag(&self.document(None))
    }

    pub fn systems(&self) -> usize {
        let names: std::collections::BTreeSet<String> =
            self.mappings.iter().map(|mapping| mapping.external_system.to_lowercase()).collect();
        names.len()
    }

    pub fn find(&self, system: &str, component: &str) -> Option<usize> {
        self.mappings.iter().position(|mapping| mapping.is(system, component))
    }

    /// `material__Button`; a number is added where two pairs of names would give one id.
    pub fn new_id(&self, system: &str, component: &str) -> String {
        let id = format!("{system}__{component}");
        let taken = |id: &str| self.mappings.iter().any(|mapping| mapping.id == id);
        if !taken(&id) {
            return id;
        }
        (2..).map(|number| format!("{id}-{number}")).find(|id| !taken(id)).expect("numbers do not end")
    }
}

/// The store after a call.
pub struct Outcome {
    pub store: Store,
    /// The records of a change that was applied; a preview leaves none.
    pub kept: Option<Kept>,
}

/// Reads, changes and writes the store while nobody else can; without `apply` nothing is written.
pub fn change<T>(
    foundry: &Foundry,
    call: &Call,
    args: &impl Serialize,
    apply: bool,
    work: impl FnOnce(&mut Store) -> Result<T, FoundryError>,
) -> Result<(T, Outcome), FoundryError> {
    let root = &foundry.config.root;
    let guard = foundry.mappings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let _lock = if apply && !call.changes().is_preview() { lock_directory(root)? } else { None };
    let mut store = Store::read(root)?;
    let result = work(&mut store)?;
    let mut kept = None;
    if apply {
        exec::check(call)?;
        let record = Record::begin(foundry, call, Place::Run(&call.tool().id))?;
        let now = record.started();
        let text = pretty(&store.document(Some(&iso_of(now))));
        let written = record.scope().write(STORE, text.as_bytes())?;
        kept = Some(record.finish_with(args, true, Vec::new(), &[written])?);
    }
    drop(guard);
    Ok((result, Outcome { store, kept }))
}

/// Holds other processes off. The directory is locked, because the file itself is replaced.
fn lock_directory(root: &Path) -> Result<Option<File>, FoundryError> {
    let directory = root.join(STORE).parent().map(Path::to_path_buf).unwrap_or_default();
    let io = |source| FoundryError::Io { action: "lock", path: STORE.into(), source };
    fs::create_dir_all(&directory).map_err(io)?;
    match File::open(&directory) {
        Ok(file) => {
            file.lock().map_err(io)?;
            Ok(Some(file))
        }
        // Some systems cannot open a directory; the lock inside this process still holds.
        Err(_) => Ok(None),
    }
}

/// Checks what every mapping needs; unknown traits are worth a warning only.
pub fn check(kit: &Kit, traits: &[String], props: &[PropMapping]) -> Result<Vec<String>, FoundryError> {
    if traits.is_empty() || traits.iter().any(|name| name.trim().is_empty()) {
        return Err(FoundryError::arguments("oodsTraits needs at least one name"));
    }
    for (index, prop) in props.iter().enumerate() {
        let place = format!("propMappings/{index}");
        if prop.external_prop.trim().is_empty() || prop.oods_prop.trim().is_empty() {
            return Err(FoundryError::arguments(format!(
                "{place}: externalProp and oodsProp may not be empty"
            )));
        }
        if let Some(coercion) = &prop.coercion {
            coercion.check(&place)?;
        }
    }
    let known: Vec<&str> = kit.traits.iter().map(|known| known.name.as_str()).collect();
    let unknown = traits.iter().filter(|name| !known.contains(&name.as_str()));
    Ok(unknown
        .map(|name| match crate::json::near(name, known.iter().copied(), 1).first() {
            Some(near) => format!("trait {name} is not in the kit; did you mean {near}"),
            None => format!("trait {name} is not in the kit"),
        })
        .collect())
}
