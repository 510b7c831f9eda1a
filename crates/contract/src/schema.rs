//! JSON Schemas derived from the argument and result types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// Derives the 2020-12 schema of what a type reads, without title, `$schema` and Rust's own number formats.
pub fn schema_of<T: JsonSchema>() -> Value {
    derive::<T>(SchemaSettings::draft2020_12())
}

/// Derives the schema of what a type writes: a field that can be left out is not required.
pub fn result_schema_of<T: JsonSchema>() -> Value {
    derive::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn derive<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    plain(&mut schema);
    schema
}

/// Turns an argument schema into a closed object schema that strict clients accept.
///
/// An unknown argument is always an error. An optional argument is left out, not null, so the
/// `null` that an `Option` derives is removed.
pub fn closed(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.insert("type".into(), "object".into());
        object.entry("properties").or_insert_with(|| Value::Object(Default::default()));
        object.insert("additionalProperties".into(), false.into());
        if let Some(Value::Object(properties)) = object.get_mut("properties") {
            properties.values_mut().for_each(not_null);
        }
    }
    schema
}

/// Adds arguments that no value satisfies, so that using one is an error and not silence.
pub fn with_reserved(mut schema: Value, reserved: &[(String, String)]) -> Value {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, meaning) in reserved {
            let description = format!("Reserved, not supported yet: {meaning}.");
            properties.insert(name.clone(), serde_json::json!({ "description": description, "not": {} }));
        }
    }
    schema
}

/// Removes `null` from the types one property allows.
fn not_null(property: &mut Value) {
    let Some(object) = property.as_object_mut() else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(mut options)) = object.remove("anyOf") {
        options.retain(|option| option.get("type").is_none_or(|name| name != "null"));
        match <[Value; 1]>::try_from(options) {
            Ok([Value::Object(only)]) => object.extend(only),
            Ok([only]) => drop(object.insert("anyOf".into(), Value::Array(vec![only]))),
            Err(options) => drop(object.insert("anyOf".into(), Value::Array(options))),
        }
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
}

/// Removes number formats that JSON Schema does not define.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").and_then(Value::as_str).is_some_and(is_rust_format) {
                object.remove("format");
            }
            object.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

fn is_rust_format(format: &str) -> bool {
    matches!(
        format.trim_start_matches('u'),
        "int" | "int8" | "int16" | "int32" | "int64" | "float" | "double"
    )
}
