//! What to ask instead when nothing matches.
//!
//! An empty answer is not an error, but a near miss is worth a word: the same query without its filters, its words
//! without quotes, or the name a misspelled one was probably meant to be. Every suggestion was tried.

use mainstay_index::{Filters, Index, Mode, Options, Query};

/// Names alike enough to be one another's misspelling.
const ALIKE: f64 = 0.8;
/// Shorter words are like too many others.
const MIN_WORD_CHARS: usize = 4;
/// Words of a query that are looked at, and beginnings of each that are tried.
const MAX_WORDS: usize = 4;
const MAX_TRIES: usize = 6;
/// Names that are compared with a word.
const MAX_NAMES: usize = 100;

/// A sentence about the nearest query that has a match, if one is near.
pub fn nearest_query(index: &Index, text: &str, filters: &Filters) -> Option<String> {
    let all = |text: &str, limit: usize| {
        let options = Options { limit, mode: Mode::All, ..Options::default() };
        index.search(&Query::parse(text).ok()?, &options).ok()
    };
    let matches = |text: &str| all(text, 1).map_or(0, |answer| answer.total);
    if *filters != Filters::default() {
        let total = matches(text);
        if total > 0 {
            let verb = if total == 1 { "match is" } else { "matches are" };
            return Some(format!("no match with these filters; {total} {verb} left out by them"));
        }
    }
    let words: Vec<&str> =
        text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let plain = words.join(" ");
    if plain != text && !plain.is_empty() && matches(&plain) > 0 {
        return Some(format!("no match; `{plain}` would match"));
    }
    let long = words.iter().filter(|word| word.chars().count() >= MIN_WORD_CHARS);
    for word in long.take(MAX_WORDS) {
        let chars: Vec<char> = word.chars().collect();
        let shortest = (chars.len() / 2).max(3);
        for length in (shortest..chars.len()).rev().take(MAX_TRIES) {
            let beginning: String = chars[..length].iter().collect();
            let Some(answer) = all(&format!("/{beginning}/i"), MAX_NAMES) else { continue };
            let lower = word.to_lowercase();
            let alike = |name: &str| strsim::jaro_winkler(&lower, &name.to_lowercase());
            let names = answer.hits.iter().map(|hit| hit.name.as_str()).filter(|name| !name.is_empty());
            let best = names.max_by(|a, b| alike(a).total_cmp(&alike(b)).then(b.cmp(a)));
            if let Some(name) = best.filter(|name| alike(name) >= ALIKE) {
                let query = text.replacen(word, name, 1);
                let query = if matches(&query) > 0 { query } else { name.to_owned() };
                return Some(format!("no match; `{query}` would match"));
            }
        }
    }
    None
}
