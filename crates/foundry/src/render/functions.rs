//! The functions an expression may call. Each has a twin in the kit's JavaScript core.

use std::borrow::Cow;

use serde_json::Value;

use crate::color;

pub const NAMES: [&str; 14] = [
    "tone", "humanize", "initials", "money", "date", "percent", "join", "number", "color", "at", "inc",
    "before", "oneof", "count",
];

pub fn call<'a>(name: &str, args: &[Cow<'a, Value>]) -> Cow<'a, Value> {
    let arg = |at: usize| args.get(at).map_or(&Value::Null, |value| value.as_ref());
    let result = match name {
        "tone" => tone(&text(arg(0))).into(),
        "humanize" => humanize(&text(arg(0))).into(),
        "initials" => initials(&text(arg(0))).into(),
        "money" => money(arg(0), &text(arg(1))).into(),
        "date" => date(&text(arg(0))).into(),
        "percent" => percent(arg(0), arg(1)).into(),
        "join" => args.iter().map(|part| text(part)).collect::<String>().into(),
        "number" => as_number(arg(0)).map_or(Value::Null, |value| color::number(value).into()),
        "color" => color::parse(arg(0)).map_or(Value::Null, |color| color.css().into()),
        "at" => at(arg(0), arg(1), arg(2)),
        "inc" => as_number(arg(0)).map_or(Value::Null, |value| color::number(value + 1.0).into()),
        "before" => match (as_number(arg(0)), as_number(arg(1))) {
            (Some(a), Some(b)) => (a < b).into(),
            _ => false.into(),
        },
        "oneof" => {
            let value = text(arg(0));
            let known = text(arg(1)).split(',').any(|option| option == value);
            if known { value.into() } else { arg(2).clone() }
        }
        "count" => arg(0).as_array().map_or(0, Vec::len).into(),
        _ => Value::Null,
    };
    Cow::Owned(result)
}

/// A value as text; objects have none.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(value) if number.is_f64() => color::number(value),
            _ => number.to_string(),
        },
        Value::Bool(value) => value.to_string(),
        Value::Array(items) => {
            let scalars: Vec<String> = items.iter().filter(|item| !item.is_object()).map(text).collect();
            scalars.join(", ")
        }
        Value::Null | Value::Object(_) => String::new(),
    }
}

fn as_number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
    .filter(|value: &f64| value.is_finite())
}

/// The colour a status word calls for.
fn tone(status: &str) -> &'static str {
    match status.to_lowercase().as_str() {
        "active" | "paid" | "success" | "succeeded" | "completed" | "complete" | "done" | "published"
        | "verified" | "delivered" | "ready" | "healthy" | "approved" | "within plan" => "success",
        "pending" | "trial" | "warning" | "past due" | "past_due" | "overdue" | "near limit" | "paused"
        | "in review" | "review" | "expiring" | "suspended" => "warning",
        "failed" | "error" | "critical" | "cancelled" | "canceled" | "rejected" | "over limit"
        | "blocked" | "disabled" | "deleted" => "critical",
        "info" | "open" | "new" | "invited" | "processing" | "in progress" | "in_progress" | "scheduled"
        | "sent" => "info",
        "accent" => "accent",
        _ => "neutral",
    }
}

/// `pastDue` and `past_due` as a person would write them.
pub fn humanize(name: &str) -> String {
    let mut words = String::new();
    let mut previous_lower = false;
    for letter in name.chars() {
        if letter == '_' || letter == '-' {
            words.push(' ');
        } else if letter.is_uppercase() && previous_lower {
            words.push(' ');
            words.extend(letter.to_lowercase());
        } else {
            words.push(letter);
        }
        previous_lower = letter.is_lowercase();
    }
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn initials(name: &str) -> String {
    name.split_whitespace()
        .take(2)
        .filter_map(|word| word.chars().next())
        .flat_map(char::to_uppercase)
        .collect()
}

fn money(amount: &Value, currency: &str) -> String {
    let Value::Number(number) = amount else { return text(amount) };
    let cents = (number.as_f64().unwrap_or(0.0) * 100.0).round() as i128;
    let (whole, rest) = (cents.abs() / 100, cents.abs() % 100);
    let digits = whole.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if cents < 0 { "-" } else { "" };
    match currency {
        "USD" | "" => format!("{sign}${grouped}.{rest:02}"),
        "EUR" => format!("{sign}€{grouped}.{rest:02}"),
        "GBP" => format!("{sign}£{grouped}.{rest:02}"),
        other => format!("{sign}{grouped}.{rest:02} {other}"),
    }
}

/// `2026-02-24T…` as `24 Feb 2026`; anything else as it is.
pub fn date(text: &str) -> String {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts = || {
        let day = text.get(..10)?;
        let (year, rest) = day.split_once('-')?;
        let (month, day) = rest.split_once('-')?;
        let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        let day: u8 = day.parse().ok().filter(|day| (1..=31).contains(day))?;
        year.chars().all(|c| c.is_ascii_digit()).then(|| format!("{day} {month} {year}"))
    };
    parts().unwrap_or_else(|| text.to_owned())
}

fn percent(value: &Value, max: &Value) -> u64 {
    let max = as_number(max).filter(|max| *max > 0.0).unwrap_or(100.0);
    (as_number(value).unwrap_or(0.0) / max * 100.0).clamp(0.0, 100.0).round() as u64
}

/// One cell: by key in an object, by position in a list.
fn at(row: &Value, key: &Value, index: &Value) -> Value {
    match row {
        Value::Object(object) => object.get(&text(key)).cloned().unwrap_or(Value::Null),
        Value::Array(items) => {
            index.as_u64().and_then(|index| items.get(index as usize)).cloned().unwrap_or(Value::Null)
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_well() {
        assert_eq!(humanize("pastDue"), "Past due");
        assert_eq!(humanize("in_review"), "In review");
        assert_eq!(humanize("é"), "É");
        assert_eq!(money(&json!(1234.5), "USD"), "$1,234.50");
        assert_eq!(money(&json!(-3), "SEK"), "-3.00 SEK");
        assert_eq!(date("2026-02-24T05:00:00Z"), "24 Feb 2026");
        assert_eq!(date("soon"), "soon");
        assert_eq!(date("2026-13-01"), "2026-13-01");
        assert_eq!(initials("ada maria park"), "AM");
        assert_eq!(percent(&json!(12), &json!(30)), 40);
        assert_eq!(percent(&json!(12), &json!(0)), 12);
        assert_eq!(text(&json!([1, "a", {"x": 1}])), "1, a");
    }
}
