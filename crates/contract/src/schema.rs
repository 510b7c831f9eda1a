//! JSON Schemas derived from the argument and result types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Derives the schema of arguments: closed, and integers bounded by what the type can hold, so that
/// what the schema allows is also accepted.
pub fn args_schema_of<T: JsonSchema>() -> Value {
    let mut schema = derive::<T>(SchemaSettings::draft2020_12());
    bounded(&mut schema);
    closed(plain(schema))
}

/// Derives the 2020-12 schema of what a type reads, without title, `$schema` and Rust's own number formats.
pub fn schema_of<T: JsonSchema>() -> Value {
    plain(derive::<T>(SchemaSettings::draft2020_12()))
}

/// Derives the schema of what a type writes: a field that can be left out is not required.
pub fn result_schema_of<T: JsonSchema>() -> Value {
    plain(derive::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

fn derive<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
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

/// The largest integer every JSON reader keeps exact.
const SAFE_INTEGER: i64 = (1 << 53) - 1;

/// Writes the range of Rust's integer types as bounds.
fn bounded(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let range = match object.get("format").and_then(Value::as_str) {
                Some("uint8") => Some((0, u8::MAX.into())),
                Some("uint16") => Some((0, u16::MAX.into())),
                Some("uint32") => Some((0, u32::MAX.into())),
                Some("uint" | "uint64") => Some((0, SAFE_INTEGER)),
                Some("int8") => Some((i8::MIN.into(), i8::MAX.into())),
                Some("int16") => Some((i16::MIN.into(), i16::MAX.into())),
                Some("int32") => Some((i32::MIN.into(), i32::MAX.into())),
                Some("int" | "int64") => Some((-SAFE_INTEGER, SAFE_INTEGER)),
                _ => None,
            };
            if let Some((least, most)) = range {
                object.entry("minimum").or_insert(least.into());
                object.entry("maximum").or_insert(most.into());
            }
            object.values_mut().for_each(bounded);
        }
        Value::Array(items) => items.iter_mut().for_each(bounded),
        _ => {}
    }
}

/// Reads arguments as their type. JSON Schema calls `5.0` an integer, serde does not: a number
/// without a fraction is tried as an integer when it has to be one.
pub fn read_args<T: DeserializeOwned>(mut args: Value) -> Result<T, serde_json::Error> {
    T::deserialize(&args).or_else(|_| {
        whole(&mut args);
        serde_json::from_value(args)
    })
}

fn whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            let exact =
                number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() <= SAFE_INTEGER as f64);
            if let (true, Some(float)) = (number.is_f64(), exact) {
                *value = Value::from(float as i64);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(whole),
        Value::Object(fields) => fields.values_mut().for_each(whole),
        _ => {}
    }
}

/// Removes number formats that JSON Schema does not define, and writes "anything" as `{}`: some
/// clients refuse a bare `true` where a schema stands.
fn plain(mut schema: Value) -> Value {
    make_plain(&mut schema);
    schema
}

fn make_plain(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("format").and_then(Value::as_str).is_some_and(is_rust_format) {
                object.remove("format");
            }
            for (key, value) in object.iter_mut() {
                match (key.as_str(), &mut *value) {
                    ("properties" | "$defs", Value::Object(schemas)) => {
                        schemas.values_mut().for_each(spell_out)
                    }
                    ("items", schema) => spell_out(schema),
                    _ => {}
                }
                make_plain(value);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_plain),
        _ => {}
    }
}

fn spell_out(schema: &mut Value) {
    if *schema == Value::Bool(true) {
        *schema = Value::Object(Default::default());
    }
}

fn is_rust_format(format: &str) -> bool {
    matches!(
        format.trim_start_matches('u'),
        "int" | "int8" | "int16" | "int32" | "int64" | "float" | "double"
    )
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Deserialize, JsonSchema)]
    struct Args {
        line: u32,
        #[schemars(range(min = 1, max = 9))]
        top: Option<usize>,
        offset: Option<i64>,
    }

    #[test]
    fn what_the_schema_allows_the_type_can_hold() {
        let schema = args_schema_of::<Args>();
        let line = &schema["properties"]["line"];
        assert_eq!((&line["minimum"], &line["maximum"]), (&json!(0), &json!(u32::MAX)));
        let top = &schema["properties"]["top"];
        assert_eq!((&top["minimum"], &top["maximum"]), (&json!(1), &json!(9)));
        assert_eq!(schema["properties"]["offset"]["minimum"], -SAFE_INTEGER);
        let args: Args = read_args(json!({ "line": 28047.0, "top": 2, "offset": -3.0 })).unwrap();
        assert_eq!((args.line, args.top, args.offset), (28047, Some(2), Some(-3)));
        assert!(read_args::<Args>(json!({ "line": 1.5 })).is_err());
    }
}
