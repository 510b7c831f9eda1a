//! Turning what a caller sends into what a program is given: coercion, spelling, choices.

use std::fmt;

use serde_json::Value;

use crate::config::{Arg, Kind, Scalar};

/// A value that passed its type.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Text(String),
    /// A whole number; JSON and text may exceed 64 bits.
    Integer(i128),
    Number(f64),
    Flag(bool),
}

impl Item {
    /// Returns the word a program is given.
    pub fn word(&self) -> String {
        match self {
            Item::Text(text) => text.clone(),
            Item::Integer(number) => number.to_string(),
            Item::Number(number) => format!("{number:?}"),
            Item::Flag(flag) => flag.to_string(),
        }
    }

    /// Returns the value as a number, where it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Item::Integer(number) => Some(*number as f64),
            Item::Number(number) => Some(*number),
            Item::Text(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            Item::Flag(_) => None,
        }
    }
}

/// One or many values of one argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    One(Item),
    Many(Vec<Item>),
}

impl Given {
    pub fn items(&self) -> &[Item] {
        match self {
            Given::One(item) => std::slice::from_ref(item),
            Given::Many(items) => items,
        }
    }
}

/// Why a value was refused; its text is the contract's.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    Type { arg: String, shown: String, wanted: &'static str },
    Choice { arg: String, choices: Vec<String> },
    Dash { arg: String, shown: String },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Type { arg, shown, wanted } => {
                write!(f, "Argument '{arg}': cannot convert '{shown}' to {wanted}")
            }
            Refusal::Choice { arg, choices } => {
                write!(f, "Argument '{arg}' must be one of: {}", choices.join(", "))
            }
            Refusal::Dash { arg, shown } => write!(
                f,
                "Argument '{arg}': value '{shown}' begins with '-' and would be read as an option \
                 (the configuration can allow it with `end_of_options` or `allow_dash`)"
            ),
        }
    }
}

/// What stands for a secret in texts.
pub const REDACTED: &str = "***";

/// Longest piece of a caller's value repeated in a text.
const SHOWN_CHARS: usize = 200;

/// Spells a value for a text: whole for short ones, cut for long ones, hidden for secrets.
pub fn shown(arg: &Arg, text: &str) -> String {
    if arg.secret {
        return REDACTED.to_owned();
    }
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Spells any JSON value: text as it is, the rest as JSON.
pub fn spelled(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Checks the type and the choices of a value; null must have been taken as absent before.
pub fn coerce(arg: &Arg, value: &Value) -> Result<Given, Refusal> {
    let given = match &arg.kind {
        Kind::One(scalar) => Given::One(coerce_one(arg, *scalar, value)?),
        Kind::Many { item, .. } => match value {
            Value::Array(values) => {
                let items = values.iter().filter(|value| !value.is_null());
                Given::Many(items.map(|value| coerce_one(arg, *item, value)).collect::<Result<_, _>>()?)
            }
            single => Given::Many(vec![coerce_one(arg, *item, single)?]),
        },
    };
    if let Some(choices) = &arg.choices
        && !given.items().iter().all(|item| choices.contains(&item.word()))
    {
        return Err(Refusal::Choice { arg: arg.name.clone(), choices: choices.clone() });
    }
    Ok(given)
}

fn coerce_one(arg: &Arg, scalar: Scalar, value: &Value) -> Result<Item, Refusal> {
    let item = match scalar {
        Scalar::String => as_text(value),
        Scalar::Integer => as_integer(value).map(Item::Integer),
        Scalar::Number => as_number(value),
        Scalar::Boolean => as_flag(value).map(Item::Flag),
    };
    item.ok_or_else(|| Refusal::Type {
        arg: arg.name.clone(),
        shown: shown(arg, &spelled(value)),
        wanted: scalar.name(),
    })
}

fn as_text(value: &Value) -> Option<Item> {
    match value {
        Value::String(text) => Some(Item::Text(text.clone())),
        Value::Number(_) | Value::Bool(_) => Some(Item::Text(value.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn as_flag(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(number) => whole(number).map(|number| number != 0).filter(|_| !number.is_f64()),
        _ => None,
    }
}

fn as_integer(value: &Value) -> Option<i128> {
    match value {
        Value::Bool(flag) => Some(i128::from(*flag)),
        Value::Number(number) => whole(number).or_else(|| whole_float(number.as_f64()?)),
        Value::String(text) => integer_text(text),
        _ => None,
    }
}

fn whole(number: &serde_json::Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// A float that is exactly a whole number; beyond 2^53 digits would be made up.
fn whole_float(number: f64) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i128)
}

/// Digits with an optional sign; blanks around and single underscores between digits are allowed.
fn integer_text(text: &str) -> Option<i128> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty()
        && digits
            .split('_')
            .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    is_number.then(|| text.replace('_', "").parse().ok()).flatten()
}

fn as_number(value: &Value) -> Option<Item> {
    match value {
        Value::Bool(flag) => Some(Item::Integer(i128::from(*flag))),
        Value::Number(number) => {
            whole(number).map(Item::Integer).or_else(|| number.as_f64().map(Item::Number))
        }
        Value::String(text) => integer_text(text).map(Item::Integer).or_else(|| {
            let number: f64 = text.trim().parse().ok()?;
            number.is_finite().then_some(Item::Number(number))
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::Slot;

    fn arg(kind: Kind) -> Arg {
        Arg {
            name: "a".into(),
            description: String::new(),
            kind,
            required: false,
            default: None,
            slot: Slot::Positional,
            choices: None,
            allow_dash: false,
            secret: false,
        }
    }

    fn check(scalar: Scalar, cases: &[(Value, Option<&str>)]) {
        for (value, want) in cases {
            let got = coerce(&arg(Kind::One(scalar)), value);
            match want {
                Some(want) => assert_eq!(got.unwrap().items()[0].word(), *want, "{value} as {scalar:?}"),
                None => {
                    let text = got.unwrap_err().to_string();
                    let want = format!("cannot convert '{}' to {}", spelled(value), scalar.name());
                    assert!(text.contains(&want), "{text}");
                }
            }
        }
    }

    #[test]
    fn integers() {
        let cases = [
            (json!(42), Some("42")),
            (json!("42"), Some("42")),
            (json!(" 4_2 "), Some("42")),
            (json!("007"), Some("7")),
            (json!("-5"), Some("-5")),
            (json!(5.0), Some("5")),
            (json!(true), Some("1")),
            (json!(9_007_199_254_740_993_i64), Some("9007199254740993")),
            (json!(u64::MAX), Some("18446744073709551615")),
            (json!(3.7), None),
            (json!("3.7"), None),
            (json!("hello"), None),
            (json!(""), None),
            (json!("1__2"), None),
            (json!(1e300), None),
            (json!([1]), None),
        ];
        check(Scalar::Integer, &cases);
    }

    #[test]
    fn numbers() {
        let cases = [
            (json!(5), Some("5")),
            (json!("5"), Some("5")),
            (json!("3.14"), Some("3.14")),
            (json!(0.5), Some("0.5")),
            (json!("nan"), None),
            (json!("-Infinity"), None),
            (json!("1e999"), None),
            (json!("abc"), None),
        ];
        check(Scalar::Number, &cases);
    }

    #[test]
    fn booleans_and_text() {
        let flags = [
            (json!("TRUE"), Some("true")),
            (json!(2), Some("true")),
            (json!(0), Some("false")),
            (json!(1.0), None),
            (json!("maybe"), None),
            (json!([1]), None),
        ];
        check(Scalar::Boolean, &flags);
        let texts = [
            (json!("x"), Some("x")),
            (json!(42), Some("42")),
            (json!(true), Some("true")),
            (json!(["a", 1]), None),
        ];
        check(Scalar::String, &texts);
    }

    #[test]
    fn arrays_take_one_value_or_many() {
        let many = arg(Kind::Many { item: Scalar::Integer, separator: None });
        let words = |value| coerce(&many, &value).unwrap().items().iter().map(Item::word).collect::<Vec<_>>();
        assert_eq!(words(json!(["1", 2, null])), ["1", "2"]);
        assert_eq!(words(json!(7)), ["7"]);
        assert!(coerce(&many, &json!([1, "x"])).is_err());
    }

    #[test]
    fn secrets_and_long_values_are_not_repeated() {
        let secret = Arg { secret: true, ..arg(Kind::One(Scalar::Integer)) };
        assert!(!coerce(&secret, &json!("hunter2")).unwrap_err().to_string().contains("hunter2"));
        let long =
            coerce(&arg(Kind::One(Scalar::Integer)), &json!("x".repeat(10_000))).unwrap_err().to_string();
        assert!(long.len() < 500, "{}", long.len());
    }
}
