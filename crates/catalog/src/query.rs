//! Filtered, ranked reading: ids and one-line reasons rather than whole bodies.

use std::cell::OnceCell;

use memchr::memmem::Finder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{Audience, Entry, Requirement, Status, Tier};
use crate::index::{Index, Record};
use crate::needle::Needle;
use crate::text::lower;

/// Hits answered when no limit is given.
const DEFAULT_LIMIT: usize = 50;
/// Most hits in one answer.
const MAX_LIMIT: usize = 1000;
/// Most words of a query that count.
const MAX_WORDS: usize = 32;

/// What to look for; every part that is given must hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Query {
    /// Words to rank by; an entry needs at least one of them.
    pub text: Option<String>,
    /// Only entries with every one of these categories.
    pub categories_all: Option<Vec<String>>,
    /// Only entries with at least one of these categories.
    pub categories_any: Option<Vec<String>>,
    /// No entries with any of these categories.
    pub exclude_categories: Option<Vec<String>>,
    /// Lowest priority number.
    #[schemars(range(min = 1, max = 100))]
    pub priority_min: Option<u8>,
    /// Highest priority number.
    #[schemars(range(min = 1, max = 100))]
    pub priority_max: Option<u8>,
    /// Only these urgency classes.
    pub tiers: Option<Vec<Tier>>,
    /// Only these requirement levels.
    pub requirements: Option<Vec<Requirement>>,
    /// Only these audiences.
    pub audiences: Option<Vec<Audience>>,
    /// Only entries that stand here in their life.
    pub statuses: Option<Vec<Status>>,
    /// Only entries of this owner.
    pub owner: Option<String>,
    /// Number of hits, 1 to 1000; 50 when absent.
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<usize>,
    /// Continue after so many hits: `nextCursor` of the page before.
    pub cursor: Option<String>,
}

/// Ranked hits.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hits {
    /// Catalog hash.
    pub hash: String,
    /// Number of hits here.
    pub count: usize,
    /// Number of hits in all.
    pub total: usize,
    /// Best first; without text in catalog order.
    pub items: Vec<Hit>,
    /// Pass as `cursor` to get the rest; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One hit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Hit {
    /// Id of the entry; `instructions/get` returns it whole.
    pub id: String,
    /// Its title.
    pub title: String,
    /// How well it fits; 0 without text.
    pub score: f64,
    /// Why it is here, in one line.
    pub reason: String,
}

/// Where a word was found, and what that is worth.
const PLACES: [(&str, f64); 4] = [("title", 6.0), ("id", 4.0), ("categories", 3.0), ("body", 1.0)];

/// Finds what a query asks for.
pub fn run(index: &Index, query: &Query) -> Hits {
    let words = words(query.text.as_deref().unwrap_or_default());
    let fitting = index.records().iter().filter(|record| query.admits(&record.entry));
    let mut hits: Vec<Hit> = match words.is_empty() {
        true => fitting.map(|record| hit(record, 0.0, plain_reason(&record.entry))).collect(),
        false => rank(fitting.map(|record| &**record).collect(), &words),
    };
    let total = hits.len();
    let start = query.cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or(0).min(total);
    let limit = query.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let items: Vec<Hit> = hits.drain(start..total.min(start + limit)).collect();
    let end = start + items.len();
    Hits {
        hash: index.hash().to_owned(),
        count: items.len(),
        total,
        items,
        next_cursor: (end < total).then(|| end.to_string()),
    }
}

impl Query {
    fn admits(&self, entry: &Entry) -> bool {
        let has = |category: &String| entry.categories.contains(&lower(category));
        fn among<T: PartialEq>(wanted: &Option<Vec<T>>, value: &T) -> bool {
            wanted.as_ref().is_none_or(|wanted| wanted.is_empty() || wanted.contains(value))
        }
        self.categories_all.iter().flatten().all(has)
            && self.categories_any.as_ref().is_none_or(|any| any.is_empty() || any.iter().any(has))
            && !self.exclude_categories.iter().flatten().any(has)
            && self.priority_min.is_none_or(|min| entry.priority >= min)
            && self.priority_max.is_none_or(|max| entry.priority <= max)
            && among(&self.tiers, &entry.priority_tier)
            && among(&self.requirements, &entry.requirement)
            && among(&self.audiences, &entry.audience)
            && among(&self.statuses, &entry.status)
            && self.owner.as_ref().is_none_or(|owner| entry.owner == *owner)
    }
}

/// One word of a query, ready to be looked for.
struct Word {
    text: String,
    needle: Needle,
}

fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let parts = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).map(lower);
    for word in parts.filter(|word| !word.is_empty()) {
        if words.len() < MAX_WORDS && !words.iter().any(|known| known.text == word) {
            words.push(Word { needle: Needle::new(&word), text: word });
        }
    }
    words
}

/// How often each word occurs in each place of an entry.
fn occurrences(record: &Record, words: &[Word]) -> Vec<[usize; 4]> {
    let entry = &record.entry;
    // Lower-cased at most once, and only when some word may be in it.
    let texts = OnceCell::new();
    words
        .iter()
        .map(|Word { text, needle }| {
            let (mut in_title, mut in_body) = (0, 0);
            if record.may_hold(needle) {
                let (title, body) = texts.get_or_init(|| (lower(&entry.title), lower(&entry.body)));
                let finder = Finder::new(text);
                in_title = finder.find_iter(title.as_bytes()).count();
                in_body = finder.find_iter(body.as_bytes()).count();
            }
            let categories = entry.categories.iter().filter(|category| category.contains(text)).count();
            [in_title, usize::from(entry.id.contains(text)), categories, in_body]
        })
        .collect()
}

/// Rare words weigh more, repetitions count less and less, and a short place says more than a long one.
fn rank(records: Vec<&Record>, words: &[Word]) -> Vec<Hit> {
    let found: Vec<Vec<[usize; 4]>> = records.iter().map(|record| occurrences(record, words)).collect();
    let rarity: Vec<f64> = (0..words.len())
        .map(|word| {
            let holders = found.iter().filter(|places| places[word].iter().any(|count| *count > 0)).count();
            (1.0 + records.len() as f64 / (1.0 + holders as f64)).ln()
        })
        .collect();
    let mut hits: Vec<Hit> = Vec::new();
    for (record, places) in records.iter().zip(&found) {
        let mut score = 0.0;
        let mut reasons = Vec::new();
        for (word, counts) in places.iter().enumerate() {
            let worth: f64 =
                counts.iter().zip(PLACES).map(|(count, (_, weight))| weight * saturate(*count)).sum();
            score += worth * rarity[word];
            let best = counts.iter().zip(PLACES).find(|(count, _)| **count > 0);
            if let Some((count, (place, _))) = best {
                let times = if *count > 1 { format!(" {count} times") } else { String::new() };
                reasons.push(format!("{place} has \"{}\"{times}", words[word].text));
            }
        }
        if score > 0.0 {
            hits.push(hit(record, (score * 1000.0).round() / 1000.0, reasons.join("; ")));
        }
    }
    // A stable sort: equals stay in catalog order.
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    hits
}

fn saturate(count: usize) -> f64 {
    let count = count as f64;
    count * 2.2 / (count + 1.2)
}

fn plain_reason(entry: &Entry) -> String {
    format!("{}, priority {}, {}", entry.requirement.name(), entry.priority, entry.status.name())
}

fn hit(record: &Record, score: f64, reason: String) -> Hit {
    Hit { id: record.id().to_owned(), title: record.entry.title.clone(), score, reason }
}
