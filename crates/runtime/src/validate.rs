//! Arguments against a tool's schema, with every violation in Ajv's shape.
//!
//! The only module that knows the `jsonschema` crate: its generics are expensive to compile.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{Draft, ValidationError};
use mainstay_contract::{ErrorCode, Fault};
use serde::Serialize;
use serde_json::{Value, json};

/// How many violations one answer lists.
const MAX_VIOLATIONS: usize = 50;

/// One violation as Ajv reports it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    pub instance_path: String,
    pub schema_path: String,
    pub keyword: String,
    pub params: Value,
    pub message: String,
}

/// A compiled schema.
pub struct Validator {
    compiled: Result<jsonschema::Validator, String>,
}

impl Validator {
    pub fn compile(schema: &Value) -> Validator {
        let compiled = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| error.to_string());
        Validator { compiled }
    }

    /// Lists every violation, at most fifty.
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        match &self.compiled {
            Ok(validator) if validator.is_valid(value) => Vec::new(),
            Ok(validator) => validator
                .iter_errors(value)
                .flat_map(|error| violation(&error))
                .take(MAX_VIOLATIONS)
                .collect(),
            Err(reason) => vec![Violation {
                instance_path: String::new(),
                schema_path: "#".into(),
                keyword: "schema".into(),
                params: json!({}),
                message: format!("the tool's own schema does not compile: {reason}"),
            }],
        }
    }

    /// Fails with `INVALID_REQUEST` and the list of violations in `details`.
    pub fn check(&self, value: &Value) -> Result<(), (Fault, Vec<Violation>)> {
        let violations = self.violations(value);
        if violations.is_empty() {
            return Ok(());
        }
        let fault = Fault::new(ErrorCode::InvalidRequest, summary(&violations));
        Err((fault, violations))
    }
}

/// One line that names every violation, because many clients show only the message.
fn summary(violations: &[Violation]) -> String {
    let lines: Vec<String> = violations
        .iter()
        .map(|violation| match violation.instance_path.as_str() {
            "" => format!("arguments {}", violation.message),
            path => format!("{path} {}", violation.message),
        })
        .collect();
    format!("invalid arguments: {}", lines.join("; "))
}

fn violation(error: &ValidationError<'_>) -> Vec<Violation> {
    let make = |params: Value, message: String| Violation {
        instance_path: error.instance_path().to_string(),
        schema_path: format!("#{}", error.schema_path()),
        keyword: error.kind().keyword().to_owned(),
        params,
        message,
    };
    use ValidationErrorKind as Kind;
    let one = match error.kind() {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            return unexpected
                .iter()
                .map(|name| {
                    make(
                        json!({ "additionalProperty": name }),
                        format!("must NOT have additional properties: '{name}'"),
                    )
                })
                .collect();
        }
        Kind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            make(json!({ "missingProperty": name }), format!("must have required property '{name}'"))
        }
        Kind::Type { kind } => {
            let name = type_name(kind);
            make(json!({ "type": name }), format!("must be {name}"))
        }
        Kind::Enum { options } => make(
            json!({ "allowedValues": &**options }),
            format!("must be equal to one of the allowed values: {}", list(options)),
        ),
        Kind::Constant { expected_value } => {
            make(json!({ "allowedValue": &**expected_value }), "must be equal to constant".into())
        }
        Kind::Minimum { limit } => bound(&make, ">=", limit),
        Kind::Maximum { limit } => bound(&make, "<=", limit),
        Kind::ExclusiveMinimum { limit } => bound(&make, ">", limit),
        Kind::ExclusiveMaximum { limit } => bound(&make, "<", limit),
        Kind::MinLength { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have fewer than {limit} characters"))
        }
        Kind::MaxLength { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have more than {limit} characters"))
        }
        Kind::MinItems { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have fewer than {limit} items"))
        }
        Kind::MaxItems { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have more than {limit} items"))
        }
        Kind::MinProperties { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have fewer than {limit} properties"))
        }
        Kind::MaxProperties { limit } => {
            make(json!({ "limit": limit }), format!("must NOT have more than {limit} properties"))
        }
        Kind::Pattern { pattern } => {
            make(json!({ "pattern": pattern }), format!("must match pattern \"{pattern}\""))
        }
        Kind::Format { format } => {
            make(json!({ "format": format }), format!("must match format \"{format}\""))
        }
        Kind::MultipleOf { multiple_of } => {
            make(json!({ "multipleOf": multiple_of }), format!("must be multiple of {multiple_of}"))
        }
        Kind::AnyOf { .. } => make(json!({}), "must match a schema in anyOf".into()),
        Kind::OneOfNotValid { .. } | Kind::OneOfMultipleValid { .. } => {
            make(json!({}), "must match exactly one schema in oneOf".into())
        }
        Kind::UniqueItems => make(json!({}), "must NOT have duplicate items".into()),
        Kind::PropertyNames { .. } => make(json!({}), "property name must be valid".into()),
        Kind::FalseSchema => make(json!({}), "must not be given".into()),
        Kind::Not { schema } if schema.as_object().is_some_and(serde_json::Map::is_empty) => {
            make(json!({}), "is reserved and not supported yet".into())
        }
        Kind::Not { .. } => make(json!({}), "must NOT be valid".into()),
        other => make(json!({}), format!("must satisfy {}", other.keyword())),
    };
    vec![one]
}

fn bound(make: &impl Fn(Value, String) -> Violation, comparison: &str, limit: &Value) -> Violation {
    make(json!({ "comparison": comparison, "limit": limit }), format!("must be {comparison} {limit}"))
}

fn type_name(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(many) => many.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(","),
    }
}

fn list(options: &Value) -> String {
    let names = options.as_array().map(Vec::as_slice).unwrap_or_default();
    names
        .iter()
        .map(|name| name.as_str().map_or_else(|| name.to_string(), str::to_owned))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "minLength": 1 },
                "top": { "type": "integer", "minimum": 1 },
                "mode": { "enum": ["code", "prose"] },
            },
            "required": ["query"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn every_violation_is_reported_in_ajv_shape() {
        let validator = Validator::compile(&schema());
        let (fault, found) = validator.check(&json!({"top": 0, "mode": "x", "zz": 1, "yy": 2})).unwrap_err();
        let mut keywords: Vec<&str> = found.iter().map(|v| v.keyword.as_str()).collect();
        keywords.sort_unstable();
        assert_eq!(keywords, ["additionalProperties", "additionalProperties", "enum", "minimum", "required"]);
        let minimum = found.iter().find(|v| v.keyword == "minimum").unwrap();
        assert_eq!(minimum.instance_path, "/top");
        assert_eq!(minimum.schema_path, "#/properties/top/minimum");
        assert_eq!(minimum.params, json!({"comparison": ">=", "limit": 1}));
        for word in ["zz", "yy", "query", "/top must be >= 1", "code, prose"] {
            assert!(fault.message.contains(word), "{} is not in {}", word, fault.message);
        }
        assert!(validator.check(&json!({"query": "x"})).is_ok());
    }

    #[test]
    fn a_wrong_type_names_the_right_one() {
        let found = Validator::compile(&schema()).violations(&json!({"query": 3}));
        assert_eq!(found[0].message, "must be string");
        assert_eq!(Validator::compile(&schema()).violations(&json!([]))[0].keyword, "type");
    }
}
