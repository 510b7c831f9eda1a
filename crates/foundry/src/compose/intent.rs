//! Reading an intent: which layout, which object, which things are named.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kit::{Kit, Object};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LayoutName {
    Dashboard,
    Form,
    Detail,
    List,
    Card,
    Timeline,
    Wizard,
}

impl LayoutName {
    pub fn name(self) -> &'static str {
        match self {
            LayoutName::Dashboard => "dashboard",
            LayoutName::Form => "form",
            LayoutName::Detail => "detail",
            LayoutName::List => "list",
            LayoutName::Card => "card",
            LayoutName::Timeline => "timeline",
            LayoutName::Wizard => "wizard",
        }
    }

    pub fn parse(name: &str) -> Option<LayoutName> {
        KEYWORDS.iter().map(|(layout, _)| *layout).find(|layout| layout.name() == name)
    }
}

/// Words that speak for a layout; the first of each list is its name and counts double.
const KEYWORDS: [(LayoutName, &str); 7] = [
    (LayoutName::Dashboard, "dashboard metric overview analytic stat kpi monitor report chart"),
    (
        LayoutName::Form,
        "form registration register signup sign-up create edit input submit setting configure new add contact checkout login",
    ),
    (LayoutName::Detail, "detail profile view show record entity page inspect"),
    (LayoutName::List, "list table browse search catalog directory index inventory all manage"),
    (LayoutName::Card, "card tile summary teaser"),
    (LayoutName::Timeline, "timeline history activity log audit feed changelog"),
    (LayoutName::Wizard, "wizard step onboarding multi-step guided setup flow"),
];

const STOP: &str = "a an the of with and or for to in on my our your me show build create make page screen that which showing displaying sidebar navigation please view ui";

/// What the words say.
pub struct Intent<'k> {
    pub text: String,
    /// Lower case, without a plural s.
    pub words: Vec<String>,
    pub layout: LayoutName,
    pub confidence: f64,
    pub object: Option<&'k Object>,
}

/// `subscriptions` and `subscription` are one word.
fn stem(word: &str) -> String {
    match word {
        _ if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("ss") || word.ends_with("us") || word.len() < 4 => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

impl<'k> Intent<'k> {
    pub fn read(kit: &'k Kit, text: &str) -> Intent<'k> {
        let words: Vec<String> = text
            .to_lowercase()
            .split(|c: char| !(c.is_alphanumeric() || c == '-'))
            .filter(|word| !word.is_empty())
            .map(stem)
            .take(400)
            .collect();
        let scores: Vec<(LayoutName, usize)> = KEYWORDS
            .iter()
            .map(|(layout, keywords)| {
                let score = keywords.split(' ').enumerate().map(|(rank, keyword)| {
                    let hits = words.iter().filter(|word| *word == keyword).count().min(1);
                    if rank == 0 { hits * 2 } else { hits }
                });
                (*layout, score.sum())
            })
            .collect();
        let total: usize = scores.iter().map(|(_, score)| score).sum();
        // The first of the best: the table is in order of preference.
        let best = scores
            .iter()
            .rev()
            .max_by_key(|(_, score)| *score)
            .copied()
            .unwrap_or((LayoutName::Dashboard, 0));
        let (layout, confidence) = match best {
            (_, 0) => (LayoutName::Dashboard, 0.2),
            (layout, score) => (layout, score as f64 / total as f64),
        };
        let object = words.iter().find_map(|word| {
            kit.objects.iter().find(|object| {
                !object.nouns.is_empty()
                    && (stem(&object.name.to_lowercase()) == *word
                        || object.nouns.iter().any(|noun| stem(noun) == *word))
            })
        });
        Intent { text: text.trim().to_owned(), words, layout, confidence, object }
    }

    pub fn says(&self, word: &str) -> bool {
        self.words.iter().any(|known| known == word)
    }

    /// A heading from the words: the object, or what stands before "with".
    pub fn title(&self, layout: LayoutName) -> String {
        if let Some(object) = self.object {
            let one = object.name.to_lowercase();
            return match layout {
                LayoutName::Form | LayoutName::Wizard if self.says("edit") => format!("Edit {one}"),
                LayoutName::Form | LayoutName::Wizard => format!("New {one}"),
                LayoutName::Detail | LayoutName::Card => object
                    .fields
                    .iter()
                    .find_map(|field| field.sample.first())
                    .cloned()
                    .unwrap_or_else(|| object.name.clone()),
                LayoutName::Timeline => format!("{} history", object.name),
                LayoutName::Dashboard => format!("{} overview", object.plural),
                LayoutName::List => object.plural.clone(),
            };
        }
        let lower = self.text.to_lowercase();
        let end = [" with ", " that ", " showing ", " which ", ",", "."]
            .iter()
            .filter_map(|mark| lower.find(mark))
            .min()
            .unwrap_or(lower.len());
        let kept: Vec<&str> = lower[..end]
            .split_whitespace()
            .filter(|word| !STOP.split(' ').any(|stop| stop == *word))
            .take(6)
            .collect();
        let words = if kept.is_empty() { layout.name().to_owned() } else { kept.join(" ") };
        let mut letters = words.chars();
        letters
            .next()
            .map_or_else(|| "Untitled".to_owned(), |first| first.to_uppercase().chain(letters).collect())
    }
}
