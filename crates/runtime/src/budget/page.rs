//! Cutting a JSON value at a place, and putting the parts together again.

use std::fmt;

use serde_json::{Map, Value};

/// Texts up to this length are never cut.
const SHORT_CHARS: usize = 120;
/// Room kept for the cursor.
pub const CURSOR_TOKENS: usize = 24;

/// One step on the way to the place of a cut.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Member(String),
    /// The item the next page begins with, of how many.
    Item(usize, usize),
    /// The character the next page begins with, of how many.
    Char(usize, usize),
}

/// A place in an answer: everything before it has been given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut(Vec<Step>);

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Value = self
            .0
            .iter()
            .map(|step| match step {
                Step::Member(name) => Value::from(name.as_str()),
                Step::Item(at, of) => Value::from(vec![*at, *of]),
                Step::Char(at, of) => Value::from(vec![0, *at, *of]),
            })
            .collect();
        write!(f, "1:{steps}")
    }
}

impl Cut {
    pub fn parse(text: &str) -> Option<Cut> {
        let steps: Vec<Value> = serde_json::from_str(text.strip_prefix("1:")?).ok()?;
        let step = |step: &Value| match step {
            Value::String(name) => Some(Step::Member(name.clone())),
            Value::Array(numbers) => {
                let numbers: Option<Vec<usize>> =
                    numbers.iter().map(|number| usize::try_from(number.as_u64()?).ok()).collect();
                match numbers?.as_slice() {
                    [at, of] if at <= of => Some(Step::Item(*at, *of)),
                    [0, at, of] if at <= of => Some(Step::Char(*at, *of)),
                    _ => None,
                }
            }
            _ => None,
        };
        steps.iter().map(step).collect::<Option<Vec<_>>>().map(Cut)
    }

    /// Whether an answer has this place.
    pub fn is_in(&self, answer: &Value) -> bool {
        let mut value = answer;
        for (position, step) in self.0.iter().enumerate() {
            let is_last = position + 1 == self.0.len();
            match (step, value) {
                (Step::Member(name), Value::Object(object)) => match object.get(name) {
                    Some(inner) => value = inner,
                    None => return false,
                },
                (Step::Item(at, of), Value::Array(items)) if *of == items.len() => match items.get(*at) {
                    Some(inner) => value = inner,
                    None => return false,
                },
                (Step::Char(at, of), Value::String(text)) => {
                    return is_last && text.chars().count() == *of && at < of;
                }
                _ => return false,
            }
        }
        true
    }
}

/// The longest page from a place on that fits, and where the next one begins. A page gives at least one more thing, even
/// when that does not fit.
pub fn fill(answer: &Value, start: &Cut, fits: impl Fn(&Value) -> bool) -> (Value, Option<Cut>) {
    let places = Places::of(answer);
    let first = places.after(start);
    let whole = between(answer, &start.0, None);
    if fits(&whole) || first >= places.len() {
        return (whole, None);
    }
    let page = |end: usize| between(answer, &start.0, Some(&places.at(end).0));
    // The page grows with the place it ends at, so the last place that fits can be looked for by halves.
    let (mut low, mut high) = (first, places.len());
    while low + 1 < high {
        let middle = low + (high - low) / 2;
        match fits(&page(middle)) {
            true => low = middle,
            false => high = middle,
        }
    }
    (page(low), Some(places.at(low)))
}

/// Every place an answer can be cut at, in order, numbered.
struct Places {
    /// The path of each list or long text, and how many places come before it.
    parts: Vec<(Vec<Step>, usize, usize)>,
    count: usize,
}

/// Long texts are cut every so many characters.
const PIECE: usize = 40;

impl Places {
    fn of(answer: &Value) -> Places {
        let mut places = Places { parts: Vec::new(), count: 0 };
        places.collect(answer, &mut Vec::new());
        places
    }

    fn collect(&mut self, value: &Value, path: &mut Vec<Step>) {
        match value {
            Value::Object(object) => {
                for (name, inner) in object {
                    path.push(Step::Member(name.clone()));
                    self.collect(inner, path);
                    path.pop();
                }
            }
            Value::Array(items) => {
                for (at, inner) in items.iter().enumerate() {
                    path.push(Step::Item(at, items.len()));
                    // Before the item, then inside it.
                    self.parts.push((path.clone(), self.count, 1));
                    self.count += 1;
                    self.collect(inner, path);
                    path.pop();
                }
            }
            Value::String(text) => {
                let chars = text.chars().count();
                if chars > SHORT_CHARS {
                    path.push(Step::Char(PIECE, chars));
                    let places = chars.div_ceil(PIECE) - 1;
                    self.parts.push((path.clone(), self.count, places));
                    self.count += places;
                    path.pop();
                }
            }
            _ => {}
        }
    }

    fn len(&self) -> usize {
        self.count
    }

    /// The place of a number.
    fn at(&self, number: usize) -> Cut {
        let part = self.parts.partition_point(|(_, first, _)| *first <= number) - 1;
        let (path, first, _) = &self.parts[part];
        let mut path = path.clone();
        if let Some(Step::Char(at, _)) = path.last_mut() {
            *at = (number - first + 1) * PIECE;
        }
        Cut(path)
    }

    /// The number of the first place beyond a cut.
    fn after(&self, cut: &Cut) -> usize {
        if cut.0.is_empty() {
            return 0;
        }
        let same = |path: &[Step]| match (path.last(), cut.0.last()) {
            (Some(Step::Char(..)), Some(Step::Char(..))) => {
                path[..path.len() - 1] == cut.0[..cut.0.len() - 1]
            }
            _ => *path == *cut.0,
        };
        match self.parts.iter().find(|(path, ..)| same(path)) {
            Some((_, first, _)) => match cut.0.last() {
                Some(Step::Char(at, _)) => first + at / PIECE,
                _ => first + 1,
            },
            None => 0,
        }
    }
}

/// What lies between two places, in the shape of the whole.
fn between(value: &Value, start: &[Step], end: Option<&[Step]>) -> Value {
    match value {
        Value::Object(object) => {
            let (from, from_rest) = member(start);
            let (to, to_rest) = end.map_or((None, None), |end| {
                let (name, rest) = member(end);
                (name, Some(rest))
            });
            let mut begun = from.is_none();
            let mut ended = end.is_some_and(<[Step]>::is_empty);
            let mut page = Map::new();
            for (name, inner) in object {
                let is_first = from == Some(name.as_str());
                let is_last = to == Some(name.as_str());
                begun |= is_first;
                let part = if !begun || ended {
                    husk(inner)
                } else {
                    let start = if is_first { from_rest } else { &[] };
                    between(inner, start, if is_last { to_rest } else { None })
                };
                ended |= is_last;
                page.insert(name.clone(), part);
            }
            Value::Object(page)
        }
        Value::Array(items) => {
            let (from, from_rest) = item(start).unwrap_or((0, &[]));
            let to = end.map(|end| item(end).unwrap_or((0, &[])));
            let mut page = Vec::new();
            for (at, inner) in items.iter().enumerate().skip(from) {
                let start = if at == from { from_rest } else { &[] };
                match to {
                    Some((last, _)) if at > last => break,
                    // Cut before the item, not inside it.
                    Some((last, [])) if at == last => break,
                    Some((last, rest)) if at == last => page.push(between(inner, start, Some(rest))),
                    _ => page.push(between(inner, start, None)),
                }
            }
            Value::Array(page)
        }
        Value::String(text) => {
            let place = |steps: &[Step]| match steps.first() {
                Some(Step::Char(at, _)) => Some(*at),
                _ => None,
            };
            let from = place(start).unwrap_or(0);
            let to = end.and_then(place).unwrap_or(usize::MAX);
            text.chars().skip(from).take(to.saturating_sub(from)).collect::<String>().into()
        }
        other => other.clone(),
    }
}

fn member(steps: &[Step]) -> (Option<&str>, &[Step]) {
    match steps.split_first() {
        Some((Step::Member(name), rest)) => (Some(name), rest),
        _ => (None, &[]),
    }
}

fn item(steps: &[Step]) -> Option<(usize, &[Step])> {
    match steps.split_first() {
        Some((Step::Item(at, _), rest)) => Some((*at, rest)),
        _ => None,
    }
}

/// A value whose lists and long texts are on another page.
fn husk(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            Value::Object(object.iter().map(|(name, inner)| (name.clone(), husk(inner))).collect())
        }
        Value::Array(_) => Value::Array(Vec::new()),
        Value::String(text) if text.chars().count() > SHORT_CHARS => "".into(),
        other => other.clone(),
    }
}

/// Puts a page and the one after it together; `cut` is the cursor between them.
pub fn join(before: Value, after: Value, cut: &Cut) -> Value {
    joined(before, after, &cut.0)
}

fn joined(before: Value, after: Value, cut: &[Step]) -> Value {
    match (before, after) {
        (Value::Object(before), Value::Object(mut after)) => {
            let (name, rest) = member(cut);
            let mut is_before = name.is_some();
            let mut whole = Map::new();
            for (key, old) in before {
                let new = after.shift_remove(&key).unwrap_or_default();
                let value = if name == Some(key.as_str()) {
                    is_before = false;
                    joined(old, new, rest)
                } else if is_before {
                    old
                } else {
                    new
                };
                whole.insert(key, value);
            }
            Value::Object(whole)
        }
        (Value::Array(mut before), Value::Array(after)) => {
            let mut after = after.into_iter();
            if let Some((_, rest)) = item(cut)
                && !rest.is_empty()
                && let (Some(old), Some(new)) = (before.pop(), after.next())
            {
                before.push(joined(old, new, rest));
            }
            before.extend(after);
            Value::Array(before)
        }
        (Value::String(before), Value::String(after)) if !cut.is_empty() => (before + &after).into(),
        (before, _) => before,
    }
}
